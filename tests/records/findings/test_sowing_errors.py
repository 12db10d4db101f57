from __future__ import annotations

import re
from random import Random

import pytest

from records import Move, Position, Trace, ruleset, ruleset_ids
from records.findings.sowing_errors import CAUSES, mistakes_in

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
START = ENKESHUI.start()


def trace_of(text: str) -> Trace:
    return ENKESHUI.trace(START, Move.parse(text))


def boards(trace: Trace, cause: str, *words: str) -> list[tuple[int, ...]]:
    """The boards after mistakes of a kind whose sentences have these words."""
    return [
        mistake.board.counts
        for mistake in mistakes_in(trace)
        if mistake.cause == cause and set(words) <= set(re.findall(r"\w+", mistake.sentence))
    ]


def board(text: str) -> tuple[int, ...]:
    """Pits and stores of a position without side and ply."""
    position = Position.parse(f"{text} s 0")
    return (*position.pits, *position.stores)


# e sows f g h A and ends there: 0.0.4.4.0.5.5.5/1.0.4.4.4.4.4.4


def test_a_skipped_pit() -> None:
    expected = board("0.0.4.4.0.5.4.5/1.1.4.4.4.4.4.4 0-0")
    assert boards(trace_of("e"), "skipped", "g", "e") == [expected, expected]


def test_two_seeds_in_a_pit() -> None:
    assert boards(trace_of("e"), "doubled", "g", "e")[0] == board("0.0.4.4.0.5.6.5/0.0.4.4.4.4.4.4 0-0")


def test_a_seed_left_behind() -> None:
    assert boards(trace_of("e"), "left-behind", "e")[0] == board("0.0.4.4.1.5.5.5/0.0.4.4.4.4.4.4 0-0")


def test_a_lap_that_was_not_finished() -> None:
    assert boards(trace_of("e"), "unfinished", "e", "three") == [board("0.0.4.4.0.5.4.4/0.0.4.4.4.4.4.4 0-0")]


# c sows d e f g; g has 5: h A B C D; D has 5: E F G H a; a and the opposite pits are captured: 16


def test_a_turn_that_stopped_between_laps() -> None:
    assert boards(trace_of("c"), "unfinished", "g", "five") == [board("0.0.0.5.5.5.5.4/0.0.4.4.4.4.4.4 0-0")]


def test_captured_seeds_left_in_their_pits() -> None:
    trace = trace_of("c")
    assert boards(trace, "captured-left", "H", "G", "F", "South") == [board("1.0.0.5.5.5.0.5/1.1.5.0.5.5.5.5 0-0")]
    assert boards(trace, "captured-left", "G")[1:] == [board("0.0.0.5.5.5.0.5/1.1.5.0.5.0.5.0 11-0")]


def test_captured_seeds_in_the_wrong_store() -> None:
    assert boards(trace_of("c"), "wrong-store") == [board("0.0.0.5.5.5.0.5/1.1.5.0.5.0.0.0 0-16")]


def test_after_a_mistake_in_an_early_lap_the_hands_stop_or_continue() -> None:
    stopped, continued = boards(trace_of("c"), "skipped", "e", "c")
    assert stopped == board("0.0.0.5.4.5.5.5/0.0.4.4.4.4.4.4 0-0")
    # g is lifted with its 5, D with what it holds; the rest as planned
    assert continued == board("0.0.0.5.4.5.0.6/1.1.5.0.5.0.0.0 16-0")


@pytest.mark.parametrize("game", ruleset_ids())
def test_mistakes_lose_seeds_only_in_unfinished_turns(game: str) -> None:
    rules, random = ruleset(game), Random(3)
    position = rules.start()
    for _ in range(30):
        moves = [move for move in rules.legal_moves(position) if move.pit]
        if not moves:
            break
        trace = rules.trace(position, random.choice(moves))
        causes = set()
        for mistake in mistakes_in(trace):
            assert mistake.cause in CAUSES
            assert min(mistake.board.counts) >= 0
            causes.add(mistake.cause)
            if mistake.cause == "unfinished":
                assert sum(mistake.board.counts) <= position.seeds
            elif mistake.cause != "skipped" or sum(mistake.board.counts) != position.seeds:
                assert sum(mistake.board.counts) == position.seeds, mistake
        if any(event.kind == "drop" for event in trace.events):  # not when the only seed falls into the store
            assert {"skipped", "left-behind"} <= causes
        assert trace.turn is not None
        position = trace.turn.position
