import pytest

from inkeek.records import Move, read_games
from inkeek.service.errors import Invalid
from inkeek.service.games.library.transfer import import_games
from inkeek.service.games.write import Write

SMALL = {"pits": 8, "setup": "fours-right"}


@pytest.mark.parametrize(
    ("termination", "winner", "result"),
    [
        ("resignation", "North", "0-1"),
        ("forfeit", "South", "1-0"),
        ("time", "South", "1-0"),
        ("adjudication", "North", "0-1"),
        ("adjudication", None, "1/2-1/2"),
        ("agreement", None, "1/2-1/2"),
        ("agreement", "South", "1-0"),
        ("abandoned", None, "*"),
    ],
)
def test_the_players_end_a_game(services, termination, winner, result):
    games = services.games
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    games.play(row.id, Move.parse("c"), Write("api"))
    ended = games.end(row.id, termination, winner, Write("api", actor="South"))
    assert (ended.state, ended.result, ended.termination, ended.winner) == ("ended", result, termination, winner)
    (read,) = read_games(games.load(row.id).pmn().splitlines(keepends=True))
    assert read.errors == ()
    assert read.tags["Termination"] == termination
    assert games.integrity(row.id) == []


@pytest.mark.parametrize(
    ("winner", "score", "result"),
    [(None, [24, 24], "1/2-1/2"), (None, [20, 20], "*"), ("North", [21, 27], "0-1"), (None, None, "*")],
)
def test_only_the_result_of_a_game_is_known(client, winner, score, result):
    game = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
    end = {"termination": "unrecorded", "winner": winner, "score": score}
    ended = client.post(f"/api/v1/games/{game}/end", json=end).json
    assert (ended["result"], ended["score"], ended["termination"]) == (result, score, "unrecorded")
    (read,) = read_games(client.get(f"/api/v1/games/{game}.pmn").text.splitlines(keepends=True))
    assert read.errors == ()


@pytest.mark.parametrize(
    ("termination", "winner", "says"),
    [
        ("normal", None, "termination is 'normal': expected one of"),
        ("boredom", None, "termination is 'boredom'"),
        ("resignation", None, "'resignation'.*South or North"),
        ("abandoned", "South", "'South'.*'abandoned'"),
        ("time", "East", "winner is 'East'"),
        ("repetition", None, "repetition=3"),
    ],
)
def test_an_end_that_cannot_be_is_refused(services, termination, winner, says):
    row = services.games.create("enkeshui", SMALL, {}, Write("api"))
    with pytest.raises(Invalid, match=says):
        services.games.end(row.id, termination, winner, Write("api"))
    assert services.games.row(row.id) == row


def test_a_position_that_came_up_often_enough_ends_the_game(services):
    """Irregular turns that stood bring the start up three times."""
    pits = "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4"
    turns = [f'~? {{[%after "{pits} 0-0 {"ns"[ply % 2]} {ply + 1}"]}}' for ply in range(4)]
    text = f'[Game "enkeshui"]\n[Options "pits=8"]\n\n1. {turns[0]} {turns[1]} 2. {turns[2]} {turns[3]} *\n'
    (answer,) = import_games(services.games, text.encode().splitlines(keepends=True), 1, Write("import"))
    assert answer.ok, answer
    ended = services.games.end(answer.id, "repetition", None, Write("api", actor="South"))
    assert (ended.result, ended.score, ended.termination) == ("1/2-1/2", (24, 24), "repetition")
    assert services.games.load(answer.id).record.errors == ()
    assert services.games.integrity(answer.id) == []
