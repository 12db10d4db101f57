from __future__ import annotations

from random import Random

import pytest

from drivers.detection.sowing_errors import WEIGHTS, Mistake, counted, mistakes_in
from records import Move, Position, Trace, ruleset, ruleset_ids

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")


def trace_of(text: str, position: Position | None = None) -> Trace:
    return ENKESHUI.trace(position or ENKESHUI.start(), Move.parse(text))


def found(trace: Trace, cause: str, words: str) -> list[Mistake]:
    return [mistake for mistake in mistakes_in(trace) if mistake.cause == cause and words in mistake.sentence]


def board(text: str) -> tuple[int, ...]:
    """Pits and stores of a position without side and ply."""
    position = Position.parse(f"{text} s 0")
    return (*position.pits, *position.stores)


# e sows f g h A and ends there: 0.0.4.4.0.5.5.5/1.0.4.4.4.4.4.4


def test_a_skipped_pit() -> None:
    (mistake, same) = found(trace_of("e"), "skipped", "g: the lap from e skipped it")
    assert mistake.sentence == "One seed too few in g: the lap from e skipped it."
    assert mistake.board.counts == same.board.counts == board("0.0.4.4.0.5.4.5/1.1.4.4.4.4.4.4 0-0")


def test_two_seeds_in_a_pit() -> None:
    mistake = found(trace_of("e"), "doubled", "g: the lap from e dropped two there")[0]
    assert mistake.board.counts == board("0.0.4.4.0.5.6.5/0.0.4.4.4.4.4.4 0-0")


def test_a_seed_left_behind() -> None:
    mistake = found(trace_of("e"), "left-behind", "in e when it was picked up")[0]
    assert mistake.board.counts == board("0.0.4.4.1.5.5.5/0.0.4.4.4.4.4.4 0-0")


def test_a_turn_broken_off() -> None:
    (mistake,) = found(trace_of("e"), "unfinished", "three seeds still to be sown")
    assert mistake.board.counts == board("0.0.4.4.0.5.4.4/0.0.4.4.4.4.4.4 0-0")


# c sows d e f g; g has 5: h A B C D; D has 5: E F G H a; a and the opposite pits are taken: 16


def test_a_turn_broken_off_between_laps() -> None:
    (mistake,) = found(trace_of("c"), "unfinished", "from g with five seeds")
    assert mistake.board.counts == board("0.0.0.5.5.5.5.4/0.0.4.4.4.4.4.4 0-0")


def test_captured_seeds_left_lying() -> None:
    mistake = found(trace_of("c"), "captured-left", "a, H, G and F")[0]
    assert mistake.sentence == "Captured seeds were left lying in a, H, G and F: they belong in South's store."
    assert mistake.board.counts == board("1.0.0.5.5.5.0.5/1.1.5.0.5.5.5.5 0-0")
    (one,) = found(trace_of("c"), "captured-left", "lying in G:")
    assert one.board.counts == board("0.0.0.5.5.5.0.5/1.1.5.0.5.0.5.0 11-0")


def test_captured_seeds_in_the_wrong_store() -> None:
    (mistake,) = found(trace_of("c"), "wrong-store", "")
    assert mistake.board.counts == board("0.0.0.5.5.5.0.5/1.1.5.0.5.0.0.0 0-16")


def test_a_mistake_in_an_early_lap_goes_on_or_stops() -> None:
    stopped, on = found(trace_of("c"), "skipped", "One seed too few in e: the lap from c")
    assert stopped.board.counts == board("0.0.0.5.4.5.5.5/0.0.4.4.4.4.4.4 0-0")
    # g is lifted with its 5, D as it lies; the rest as it was meant
    assert on.board.counts == board("0.0.0.5.4.5.0.6/1.1.5.0.5.0.0.0 16-0")


@pytest.mark.parametrize("game", ruleset_ids())
def test_mistakes_lose_seeds_only_from_a_turn_broken_off(game: str) -> None:
    rules, random = ruleset(game), Random(3)
    position = rules.start()
    for _ in range(30):
        moves = [move for move in rules.legal_moves(position) if move.pit]
        if not moves:
            break
        trace = rules.trace(position, random.choice(moves))
        causes = set()
        for mistake in mistakes_in(trace):
            assert mistake.cause in WEIGHTS
            assert min(mistake.board.counts) >= 0
            causes.add(mistake.cause)
            if mistake.cause == "unfinished":
                assert sum(mistake.board.counts) <= position.seeds
            elif mistake.cause != "skipped" or sum(mistake.board.counts) != position.seeds:
                assert sum(mistake.board.counts) == position.seeds, mistake
        if any(event.kind == "drop" for event in trace.events):  # not so when one seed falls into the store
            assert {"skipped", "left-behind"} <= causes
        assert trace.turn is not None
        position = trace.turn.position


def test_counted() -> None:
    assert [counted(number) for number in (0, 1, 2, 12, 13)] == [
        "no seeds", "one seed", "two seeds", "twelve seeds", "13 seeds",
    ]  # fmt: skip
