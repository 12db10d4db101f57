"""Whole games on boards whose sensors are not ideal: the detector asks rarely, and never takes one turn for another."""

from __future__ import annotations

from random import Random

import pytest

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.detection.verdicts import Ambiguous, Clear, NoFit
from inkeek.records import SOUTH, Move, ruleset
from tests.drivers.detection.weighing import ImperfectBoard, places, weighed_turns

RULES = ruleset("enkeshui", pits=8, setup="fours-right")


@pytest.mark.parametrize(
    "flaw", [{}, {"gain": 0.03}, {"gain": 0.06}, {"walk": 0.03}, {"creep": 0.07}, {"glitches": 0.01}], ids=str
)
def test_turns_are_found_on_a_board_that_is_not_ideal(flaw: dict[str, float]) -> None:
    board, asked, clear = ImperfectBoard(**flaw), 0, 0
    for estimate, turn, before, counts in weighed_turns(RULES, board, Random(11), 0.05, 5):
        mover = turn.before.to_move
        verdict = detect(RULES, turn.before, counts, pressed_by=mover, model=estimate.model(), before=before)
        if isinstance(verdict, Clear):
            assert verdict.turn.position == turn.position
            clear += 1
        else:
            same = isinstance(verdict, Ambiguous) and len(verdict.candidates) > 1
            asked += not same
    assert clear > 60
    assert asked <= 0.05 * (clear + asked)


def test_a_camera_that_miscounts_large_pits() -> None:
    """It sees one seed too many in a pit of twelve; in a pit of four that would be a mistake."""
    start = RULES.start()
    full = start.replaced(pits=(12, 4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4))
    camera = NoiseModel(sensor=0.02, stone=0.01, gain=0.002, miscounts=0.02)
    turn = RULES.play(full, Move.parse("f"))
    counts = [float(count) for count in places(turn.position, True)]
    before = [float(count) for count in places(full, True)]
    for pit, clear in ((0, True), (1, False)):
        off = [count + (at == pit) for at, count in enumerate(counts)]
        verdict = detect(RULES, full, off, pressed_by=SOUTH, model=camera, before=before)
        assert isinstance(verdict, Clear) == clear
    assert not isinstance(detect(RULES, full, [counts[0] + 1, *counts[1:]], pressed_by=SOUTH, before=before), Clear)


@pytest.mark.parametrize(
    ("off", "clear"), [(0.45, True), (-0.45, True), (0.8, False), (1.0, False), (1.4, False), (2.5, False)]
)
def test_one_reading_far_off_is_an_outlier_while_this_count_is_the_nearest(off: float, clear: bool) -> None:
    start = RULES.start()
    turn = RULES.play(start, Move.parse("e"))
    counts = [float(count) for count in places(turn.position, True)]
    counts[2] += off
    before = [float(count) for count in places(start, True)]
    model = NoiseModel(sensor=0.05, stone=0.03, gain=0.005)
    verdict = detect(RULES, start, counts, pressed_by=SOUTH, model=model, before=before)
    assert isinstance(verdict, Clear) == clear
    if isinstance(verdict, Ambiguous | NoFit):
        assert verdict.candidates[0].turn == turn


def test_the_turn_that_was_meant_is_a_candidate_whatever_went_wrong() -> None:
    start = RULES.start()
    turn = RULES.play(start, Move.parse("e"))
    counts = [float(count) for count in places(turn.position, True)]
    counts[3] -= 1
    verdict = detect(RULES, start, counts, pressed_by=SOUTH)
    assert isinstance(verdict, NoFit)
    assert verdict.candidates[0].turn == turn
    assert 0.9 < verdict.candidates[0].probability <= 1
    assert sum(candidate.probability for candidate in verdict.candidates) <= 1 + 1e-9
    nonsense = detect(RULES, start, [3.0] * 16, pressed_by=SOUTH)
    assert isinstance(nonsense, NoFit)
    assert all(candidate.probability < 0.5 for candidate in nonsense.candidates)
