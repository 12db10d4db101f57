from __future__ import annotations

import pytest

from records import Move, read_games
from service.errors import Invalid

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
        ("abandoned", None, "*"),
    ],
)
def test_the_players_end_a_game(parts, termination, winner, result):
    games = parts.games
    row = games.create("enkeshui", SMALL, {}, source="api")
    games.play(row.id, Move.parse("c"), source="api")
    ended = games.end(row.id, termination, winner, by="South", source="api")
    assert (ended.state, ended.result, ended.termination, ended.winner) == ("ended", result, termination, winner)
    (read,) = read_games(games.load(row.id).pmn().splitlines(keepends=True))
    assert read.errors == ()
    assert read.tags["Termination"] == termination
    assert games.integrity(row.id) == []


@pytest.mark.parametrize(
    ("termination", "winner", "said"),
    [
        ("normal", None, "termination is 'normal': expected one of"),
        ("boredom", None, "termination is 'boredom'"),
        ("resignation", None, "the winner must be named"),
        ("agreement", "South", "its winner is not named"),
        ("time", "East", "winner is 'East'"),
        ("repetition", None, "came up 1 times"),
    ],
)
def test_an_end_that_cannot_be_is_refused(parts, termination, winner, said):
    row = parts.games.create("enkeshui", SMALL, {}, source="api")
    with pytest.raises(Invalid, match=said):
        parts.games.end(row.id, termination, winner, source="api")
    assert parts.games.row(row.id) == row


def test_a_position_that_came_up_often_enough_ends_the_game(parts):
    """Kings going round: one seed each in rows without an enemy to meet."""
    games = parts.games
    row = games.create(
        "layli-goobalay", {"pits": 6}, {}, "0.0.0.0.0.2s/1.0.0.0.0.1 22-22 s 4", source="api"
    )
    for _ in range(60):
        loaded = games.load(row.id)
        if loaded.ended:
            pytest.skip("this line ends by the rules before anything is repeated")
        try:
            ended = games.end(row.id, "repetition", by="South", source="api")
        except Invalid:
            legal = loaded.legal(10)
            games.play(row.id, legal[0], source="api")
            continue
        assert ended.termination == "repetition"
        assert sum(ended.score) == 48
        assert games.load(row.id).record.errors == ()
        return
    pytest.skip("nothing was repeated in this line")
