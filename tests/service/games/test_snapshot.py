import pytest

from inkeek.records import Move
from inkeek.service.errors import NotFound
from inkeek.service.games.snapshot import rules_of
from inkeek.service.games.write import Write

SMALL = {"pits": 8, "setup": "fours-right"}


def test_turns_and_positions_by_number(services):
    games = services.games
    row = games.create("enkeshui", SMALL, {}, Write("api"))
    for _ in range(3):
        games.play(row.id, games.load(row.id).legal(1)[0], Write("api"))
    loaded = games.load(row.id)
    assert str(loaded.position_at(0)) == row.start
    assert loaded.position_at(3) == loaded.position
    assert loaded.turn(2).before == loaded.position_at(1)
    for wrong in (0, 4):
        with pytest.raises(NotFound, match=f" {wrong}\\b"):
            loaded.turn(wrong)
    with pytest.raises(NotFound, match=" 4"):
        loaded.position_at(4)


def test_the_rules_of_a_game_start_where_it_started(services):
    row = services.games.create("enkeshui", SMALL, {}, Write("api"), "0.1.1.0.0.0.0.0/0.0.0.0.0.0.0.0 29-17 s 10")
    assert str(rules_of(row).start()) == row.start
    services.games.play(row.id, Move.parse("b"), Write("api"))
    loaded = services.games.load(row.id)
    assert str(loaded.rules.start()) == row.start
    assert loaded.cite(1).endswith(str(loaded.turn(1).move))


def test_a_game_of_a_match_starts_where_its_race_ended(services):
    race = {"Race": "h H North", "RacePosition": "1.1.1.1.0.0.0.0/1.1.5.5.4.4.4.0 0-0 n 0"}
    options = {**SMALL, "race": "right-hand"}
    setup = "0.0.0.0.0.0.0.4/0.0.4.4.4.4.4.4 0-0 s 0"
    row = services.games.create("enkeshui", options, {"Match": "surplus", **race}, Write("api"), setup)
    loaded = services.games.load(row.id)
    assert str(loaded.rules.start()) == row.start == race["RacePosition"]
    assert loaded.rules.options == loaded.record.rules().options
    services.games.play(row.id, loaded.legal(1)[0], Write("api"))
    assert services.games.load(row.id).record.errors == ()
