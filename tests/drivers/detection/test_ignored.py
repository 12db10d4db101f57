"""Sensors that are no evidence: faulty ones, and those of low confidence."""

from __future__ import annotations

import math
from random import Random

import pytest

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.verdicts import Ambiguous, Clear, NoFit, Unchanged
from inkeek.records import PASS, Position, Turn, ruleset
from tests.drivers.detection.weighing import places, random_turns, turns_that_differ_in_one_pit

BOF = ruleset("bof")


def positions() -> list[Position]:
    return [turn.before for seed in range(6) for turn in random_turns(BOF, Random(seed))]


def readings(turn: Turn, dead: int, stores: bool = False, value: float = 0.0) -> list[float]:
    counts = [float(count) for count in places(turn.position, stores)]
    counts[dead] = value
    return counts


PAIRS = list(turns_that_differ_in_one_pit(BOF))


@pytest.mark.parametrize("value", [0.0, 3.0, 99_999.0, math.nan])
def test_turns_that_differ_only_in_the_ignored_pit_are_ambiguous(value: float) -> None:
    assert PAIRS
    for pair in PAIRS:
        *both, dead = pair
        for turn in both:
            counts = readings(turn, dead, value=value)
            verdict = detect(BOF, turn.before, counts, pressed_by=turn.before.to_move, ignored=frozenset({dead}))
            assert isinstance(verdict, Ambiguous)
            assert set(map(str, both)) <= {str(candidate.turn) for candidate in verdict.candidates}


def test_turns_that_differ_in_one_pit_are_told_apart_by_its_sensor_or_by_the_stores() -> None:
    clear = 0
    for one, _, dead in PAIRS:
        mover = one.before.to_move
        verdict = detect(BOF, one.before, [float(count) for count in one.position.pits], pressed_by=mover)
        same = [turn for turn in BOF.turns(one.before) if turn.position.pits == one.position.pits]
        assert isinstance(verdict, Clear if len(same) == 1 else Ambiguous)
        verdict = detect(BOF, one.before, readings(one, dead, stores=True), pressed_by=mover, ignored=frozenset({dead}))
        clear += isinstance(verdict, Clear) and verdict.turn == one
    assert clear >= 0.8 * len(PAIRS)


def test_one_dead_sensor_rarely_forces_entry_by_hand() -> None:
    """What it reads makes no difference."""
    clear = total = 0
    for position in positions()[::12]:
        for turn in BOF.turns(position):
            if turn.move == PASS:
                continue
            for dead in range(10):
                verdicts = [
                    detect(
                        BOF,
                        position,
                        readings(turn, dead, True, value),
                        pressed_by=position.to_move,
                        before=[float(count) for count in places(position, True)],
                        ignored=frozenset({dead}),
                    )
                    for value in (0.0, 3.0)
                ]
                assert verdicts[0] == verdicts[1]
                clear += isinstance(verdicts[0], Clear)
                assert not isinstance(verdicts[0], Clear) or verdicts[0].turn.position == turn.position
                total += 1
    assert clear > 0.95 * total


def test_advice_never_rests_on_an_ignored_sensor() -> None:
    refused = 0
    for seed, turn in enumerate(random_turns(BOF, Random(1))):
        random = Random(seed)
        dead, less, more = random.sample(range(10), 3)
        counts = readings(turn, dead, True, value=7.0)
        if counts[less] < 2:
            continue
        counts[less] -= 2
        counts[more] += 2
        verdict = detect(BOF, turn.before, counts, pressed_by=turn.before.to_move, ignored=frozenset({dead}))
        assert not isinstance(verdict, Unchanged)
        if isinstance(verdict, NoFit):
            refused += 1
            assert dead not in verdict.mend
    assert refused
