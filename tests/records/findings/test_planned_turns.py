from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from records import Move, Position, Rules, Trace, ruleset, ruleset_ids
from records.findings.account_steps import boards_during
from records.findings.board_counts import BoardCounts
from records.findings.drafts import Draft, Opening
from records.findings.planned_turns import TurnPlan
from records.findings.replays import replayed_as_planned
from records.findings.weights import Slip, kind_of

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
START = ENKESHUI.start()


def trace_of(text: str) -> Trace:
    return ENKESHUI.trace(START, Move.parse(text))


def left_by(trace: Trace) -> Iterator[tuple[Slip, int, BoardCounts, int]]:
    """Every slip, where the hands stop, the board, and the seeds in the hand."""
    plan = TurnPlan.of(trace)
    for planned, before in plan.slips():
        hands = before.copy()
        for stop, _ in enumerate(plan.carry_out(planned, hands)):
            yield planned.slip, stop, hands.board(), hands.hand


def boards(trace: Trace, code: str, lap: int = 1, at: int = 0, place: int | None = None) -> list[tuple[int, ...]]:
    """The boards after a slip; `at`: how many seeds were in the hand, or which capture it was."""
    return [
        board.counts
        for slip, _, board, _ in left_by(trace)
        if (slip.code, slip.lap, slip.at) == (code, lap, at) and place in (None, slip.place)
    ]


def board(text: str) -> tuple[int, ...]:
    """Pits and stores of a position without side and ply."""
    position = Position.parse(f"{text} s 0")
    return (*position.pits, *position.stores)


# e sows f g h A and ends there: 0.0.4.4.0.5.5.5/1.0.4.4.4.4.4.4


def test_a_skipped_pit() -> None:
    expected = board("0.0.4.4.0.5.4.5/1.1.4.4.4.4.4.4 0-0")
    assert boards(trace_of("e"), "skip", at=3) == [expected, expected]  # stopped, or went on: the turn is over


def test_two_seeds_in_a_pit() -> None:
    assert boards(trace_of("e"), "double", at=2)[0] == board("0.0.4.4.0.5.6.5/0.0.4.4.4.4.4.4 0-0")


def test_a_seed_left_behind() -> None:
    assert boards(trace_of("e"), "leave-behind", at=4)[0] == board("0.0.4.4.1.5.5.5/0.0.4.4.4.4.4.4 0-0")


def test_a_lap_that_was_not_finished() -> None:
    assert boards(trace_of("e"), "break-off", at=3) == [board("0.0.4.4.0.5.4.4/0.0.4.4.4.4.4.4 0-0")]


def test_a_lap_in_the_wrong_direction() -> None:
    assert boards(trace_of("e"), "reverse-lap") == [board("1.1.5.5.0.4.4.4/0.0.4.4.4.4.4.4 0-0")]


# c sows d e f g; g has 5: h A B C D; D has 5: E F G H a; a and the opposite pits are captured: 16


def test_a_turn_that_stopped_between_laps() -> None:
    assert boards(trace_of("c"), "stop") == [board("0.0.0.5.5.5.5.4/0.0.4.4.4.4.4.4 0-0")]


def test_a_lap_from_another_pit() -> None:
    stopped = boards(trace_of("c"), "other-pit", lap=2, place=7)[0]  # h instead of g
    assert stopped == board("0.0.0.5.5.5.5.0/1.1.5.5.4.4.4.4 0-0")


def test_captured_seeds_left_in_their_pits() -> None:
    trace = trace_of("c")
    assert boards(trace, "take-none", lap=3, at=1) == [board("1.0.0.5.5.5.0.5/1.1.5.0.5.5.5.5 0-0")]
    one_left = [boards(trace, "take-not", lap=3, at=nth) for nth in (1, 2, 3, 4)]
    assert [board("0.0.0.5.5.5.0.5/1.1.5.0.5.0.5.0 11-0")] in one_left


def test_captured_seeds_in_the_wrong_store() -> None:
    assert boards(trace_of("c"), "take-other-store", lap=3) == [board("0.0.0.5.5.5.0.5/1.1.5.0.5.0.0.0 0-16")]


def test_after_a_slip_in_an_early_lap_the_hands_stop_or_go_on_as_planned() -> None:
    stopped, went_on = boards(trace_of("c"), "skip", at=3)
    assert stopped == board("0.0.0.5.4.5.5.5/0.0.4.4.4.4.4.4 0-0")
    # g is lifted with its 5, D with what it holds; the rest as planned
    assert went_on == board("0.0.0.5.4.5.0.6/1.1.5.0.5.0.0.0 16-0")


def test_the_boards_on_the_way_of_a_turn() -> None:
    during = [found.counts for found in boards_during(trace_of("e"))]
    assert during[0] == board("0.0.4.4.0.4.4.4/0.0.4.4.4.4.4.4 0-0")
    assert during[-1] == board("0.0.4.4.0.5.5.5/0.0.4.4.4.4.4.4 0-0")
    assert all(found.emptied == 1 << 4 for found in boards_during(trace_of("e")))


def random_turns(rules: Rules) -> Iterator[Trace]:
    random, position = Random(3), rules.start()
    for _ in range(30):
        moves = [move for move in rules.legal_moves(position) if move.pit]
        if not moves:
            return
        trace = rules.trace(position, random.choice(moves))
        yield trace
        assert trace.turn is not None
        position = trace.turn.position


@pytest.mark.parametrize("game", ruleset_ids())
def test_hands_keep_all_seeds(game: str) -> None:
    for trace in random_turns(ruleset(game)):
        codes = set()
        for slip, _, found, held in left_by(trace):
            assert min(found.counts) >= 0
            assert sum(found.counts) + held == trace.before.seeds, slip
            codes.add(slip.code)
            assert kind_of(slip, trace.before)
        if any(event.kind == "drop" for event in trace.events):  # not when the only seed falls into the store
            assert {"skip", "break-off", "reverse-lap"} <= codes


@pytest.mark.parametrize("game", ruleset_ids())
def test_a_replay_leaves_the_board_that_the_hands_left(game: str) -> None:
    rules, random = ruleset(game), Random(4)
    for trace in random_turns(rules):
        assert trace.turn is not None
        found = list(left_by(trace))
        for slip, stop, left, held in random.sample(found, min(4, len(found))):
            opening = Opening(trace.before, trace.events[0].pit, 1.0)
            replay = replayed_as_planned(
                rules, Draft(0.0, opening, (slip,), held=held, board=left, plan=trace.turn, stop=stop)
            )
            assert (replay.board, replay.held) == (left.counts, held)
            (scene,) = replay.scenes
            # Up to the slip the hands do what is planned; and not beyond.
            assert replay.events[: scene.event] == trace.events[: scene.event]
            wrong = scene.event + (2 if slip.code.startswith("reverse") else 1)  # the lift is still right
            assert replay.events[:wrong] != trace.events[:wrong]
