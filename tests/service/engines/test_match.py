"""Matches between engines: who wins, what ends a game, and the records."""

import sys
from io import StringIO

import pytest

from inkeek.records import read_games, ruleset, write_game
from inkeek.service.engines import client, match
from inkeek.service.engines.client import EngineError
from inkeek.service.engines.match import EngineMatch, Entrant, TimeControl, game_end

COMMAND = f'"{sys.executable}" -m tests.service.engines.other_engine'
GREEDY = Entrant("Greedy", COMMAND)
OWN = Entrant("Inkeek", f'"{sys.executable}" -m inkeek.service.cli engine', (("Memory", 8),))


def played(first, second, games=2, rules=None, control=None, **more):
    contest = EngineMatch(rules or ruleset("oware"), (first, second), control or TimeControl(depth=3), games, **more)
    standings = list(contest.play())
    return standings[-1][0], [game.record for _, pair in standings for game in pair]


def test_three_turns_ahead_beat_one():
    standing, records = played(OWN, GREEDY, 6, concurrency=2)
    assert standing.games == len(records) == 6
    assert standing.score > 0.7
    assert {tuple(record.tags[side] for side in ("South", "North")) for record in records} == {
        ("Inkeek", "Greedy"),
        ("Greedy", "Inkeek"),
    }


@pytest.mark.parametrize("id", ["bof", "kalah"])
def test_records_of_a_match_are_right(id):
    _, records = played(OWN, GREEDY, rules=ruleset(id), control=TimeControl(depth=1))
    text = "\n".join(map(write_game, records))
    assert [game.errors for game in read_games(StringIO(text))] == [(), ()]


def test_openings_are_played_with_sides_changed_and_differ():
    _, records = played(GREEDY, Entrant("Other", COMMAND), 8, plies=4)
    openings = [tuple(str(ply.move.choice) for ply in record.plies[:4]) for record in records]
    by_round = {}
    for record, opening in zip(records, openings, strict=True):
        by_round.setdefault(record.tags["Round"], set()).add(opening)
    assert [len(found) for found in by_round.values()] == [1] * 4
    assert len(set(openings)) == 4


@pytest.mark.parametrize(
    ("fault", "termination", "reason"),
    [
        ("illegal", "forfeit", "no legal move"),
        ("leaves", "forfeit", "exit status 3"),
        ("nonsense", "forfeit", "many"),
        ("brackets", "forfeit", "[eval"),
        ("resigns", "forfeit", "none"),
    ],
)
def test_a_fault_loses_the_game_and_the_match_goes_on(fault, termination, reason, monkeypatch):
    monkeypatch.setattr(client, "STOP_SECONDS", 0.2)
    contest = EngineMatch(
        ruleset("oware"), (GREEDY, Entrant("Bad", f"{COMMAND} {fault}")), TimeControl(depth=3), 4, plies=3
    )
    found = list(contest.play())
    standing, games = found[-1][0], [game for _, pair in found for game in pair]
    records = list(read_games(StringIO("\n".join(write_game(game.record) for game in games))))
    assert [[number for number, _ in game.failures] for game in games] == [[1]] * 4
    assert all(reason in record.plies[-1].comments[-1] for record in records)
    assert (standing.wins, standing.losses) == (4, 0)
    assert {record.tags["Termination"] for record in records} == {termination}
    assert not any(record.errors for record in records)


def test_an_engine_that_takes_too_long_loses_on_time():
    match = EngineMatch(ruleset("oware"), (GREEDY, Entrant("Slow", f"{COMMAND} slow")), TimeControl(clock=1.0), 2)
    ((standing, games),) = match.play()
    assert standing.wins == 2
    assert {game.record.tags["Termination"] for game in games} == {"time"}
    assert [[number for number, _ in game.failures] for game in games] == [[1], [1]]


def test_an_engine_that_is_never_ready_is_waited_for_once(monkeypatch):
    monkeypatch.setattr(client, "READY_SECONDS", 0.5)
    monkeypatch.setattr(client, "STOP_SECONDS", 0.2)
    starts = []
    start = client.EngineProcess.start
    monkeypatch.setattr(client.EngineProcess, "start", lambda engine: (starts.append(engine.name), start(engine)))
    with pytest.raises(EngineError, match="readyok"):
        played(GREEDY, Entrant("Bad", f"{COMMAND} busy"))
    assert starts == ["Greedy", "Bad"]


def test_a_match_without_its_engine_fails():
    with pytest.raises(EngineError, match="nowhere"):
        played(GREEDY, Entrant("nowhere", "no-such-engine"))


def test_how_a_game_ends(monkeypatch):
    oware = ruleset("oware", repetition=3)
    start = oware.start()
    assert game_end(oware, start, 2) is None
    assert game_end(oware, start, 3).termination == "repetition"
    freely = ruleset("oware", repetition=0)
    assert game_end(freely, start, 2) is None
    assert game_end(freely, start, 3).termination == "adjudication"
    monkeypatch.setattr(match, "MAX_PLIES", 10)
    assert game_end(freely, start.replaced(ply=9), 1) is None
    late = game_end(freely, start.replaced(ply=10), 1)
    assert (late.termination, late.score) == ("adjudication", (0, 0))
