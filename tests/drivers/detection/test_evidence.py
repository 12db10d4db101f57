"""Reports of lifted pits beside the counts."""

from __future__ import annotations

from random import Random

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.evidence import ENOUGH_REPORTS, BoardReports, ReportCount, holds_seeds
from inkeek.drivers.detection.verdicts import Ambiguous, Clear
from inkeek.records import Kind, Move, Position, Rules, Turn, ruleset
from tests.drivers.detection.weighing import places, random_turns

GAMES = (ruleset("oware"), ruleset("enkeshui", pits=8, setup="fours-right"), ruleset("bof"))


def lifted(rules: Rules, turn: Turn) -> tuple[int, ...]:
    """The pits that a good board reports during the turn, in order."""
    events = rules.trace(turn.before, turn.move).events
    return tuple(event.pit for event in events if event.kind in ("lift", "take") and event.pit >= 0)


def seen(turn: Turn, evidence: BoardReports | None, rules, ignored: frozenset[int] = frozenset()):
    counts = [float(count) for count in places(turn.position, True)]
    mover = turn.before.to_move
    return detect(rules, turn.before, counts, pressed_by=mover, seen=evidence, ignored=ignored)


def games():
    for rules in GAMES:
        for turn in random_turns(rules, Random(7), 30)[::3]:
            yield rules, [other for other in rules.turns(turn.before) if other.move.kind is Kind.SOW]


def test_another_pit_that_was_emptied_contradicts_a_turn_that_fits_the_counts() -> None:
    asked = 0
    for rules, turns in games():
        for turn in turns:
            for other in turns:
                pits = lifted(rules, other)
                start = turn.move.pit_index(turn.before.row)
                extra = [pit for pit in pits if not turn.emptied >> pit & 1]
                if start in pits or not extra or not isinstance(seen(turn, None, rules), Clear):
                    continue
                verdict = seen(turn, BoardReports(pits), rules)
                assert isinstance(verdict, Ambiguous)
                assert verdict.candidates[0].turn == turn
                assert other in [candidate.turn for candidate in verdict.candidates]
                assert sum(candidate.probability for candidate in verdict.candidates) <= 1.0001
                asked += 1
    assert asked > 60


def test_what_hands_do_besides_is_no_contradiction() -> None:
    """Seeds taken and put back, boards that report few pits or none, pits touched by the other player."""
    random = Random(3)
    for rules, turns in games():
        for turn in turns:
            if not isinstance(seen(turn, None, rules), Clear):
                continue
            own, start = lifted(rules, turn), turn.move.pit_index(turn.before.row)
            touched = [pit for pit, count in enumerate(turn.before.pits) if count]
            for reported in (own, (), (start,), own[1:2] and (start, own[-1]), (*random.sample(touched, 2), *own)):
                assert isinstance(seen(turn, BoardReports(tuple(reported)), rules), Clear)
            assert isinstance(seen(turn, BoardReports(own, reliable=True), rules), Clear)


def test_an_empty_pit_that_was_lifted_before_the_turn_contradicts_it() -> None:
    """Seeds slipped from f into e, and e was sown: the board is as after f."""
    rules = ruleset("enkeshui")
    position = Position.parse("0.0.2.0.0.2.6s.5s.0.0.1.2/0.1.2.1.3.1.6n.7n.1.0.0.0 8-0 s 22")
    turn = rules.play(position, Move.parse("f"))
    for reported, right in (((4, 5), Ambiguous), ((5, 4), Clear), ((5,), Clear)):
        verdict = seen(turn, BoardReports(reported), rules)
        assert isinstance(verdict, right)
    assert "empty pits: e." in str(seen(turn, BoardReports((4, 5)), rules).sentences[0])


def test_a_pit_that_was_not_emptied_contradicts_where_the_board_reports_all() -> None:
    for rules, turns in games():
        for turn in turns:
            if isinstance(seen(turn, None, rules), Clear):
                for missing in filter(turn.before.pits.__getitem__, lifted(rules, turn)):
                    reported = tuple(pit for pit in lifted(rules, turn) if pit != missing)
                    assert isinstance(seen(turn, BoardReports(reported, reliable=True), rules), Ambiguous)


def test_ignored_sensors_contradict_nothing() -> None:
    rules, turns = next(games())
    turn, other = turns[0], turns[1]
    start, extra = turn.move.pit_index(6), other.move.pit_index(6)
    assert isinstance(seen(turn, BoardReports((extra,)), rules), Ambiguous)
    for sensor in (start, extra):
        assert isinstance(seen(turn, BoardReports((extra,)), rules, frozenset({sensor})), Clear)


def test_a_board_is_trusted_to_report_everything_until_it_misses_a_pit() -> None:
    rules = ruleset("oware")
    position, reports = rules.start(), ReportCount()
    while not reports.reliable:
        turn = rules.turns(position)[0]
        reports = reports.with_turn(turn, lifted(rules, turn), frozenset())
        position = turn.position
        assert reports.reported <= ENOUGH_REPORTS
    turn = rules.turns(position)[0]
    assert reports.with_turn(turn, (), frozenset({turn.move.pit_index(6)})).reliable
    assert not reports.with_turn(turn, (), frozenset()).reliable


def test_a_board_that_leaves_out_many_pits_says_nothing() -> None:
    rules = ruleset("oware")
    turn = rules.turns(rules.start())[0]
    reports = ReportCount()
    for _ in range(10):
        assert reports.usable
        reports = reports.with_turn(turn, lifted(rules, turn), frozenset())
    reports = reports.with_turn(turn, (), frozenset())
    assert reports.usable
    assert not reports.with_turn(turn, (), frozenset()).usable


def test_only_a_pit_that_held_seeds_is_lifted() -> None:
    position = Position.parse("4.4.4.4.4.0/4.4.4.4.4.4 0-0 s 0")
    assert holds_seeds(position, 0)
    assert not holds_seeds(position, 5)
    assert not holds_seeds(position, 12)
