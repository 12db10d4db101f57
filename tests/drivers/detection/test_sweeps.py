"""Boards after the last turn of a game, from which the sides have taken what was left."""

from __future__ import annotations

import pytest

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.verdicts import Ambiguous, Clear, Several
from inkeek.records.findings.sweeps import swept_position
from tests.records.findings.test_sweeps import LAST_TURNS, last_turn


@pytest.mark.parametrize("stores", [True, False])
@pytest.mark.parametrize(("id", "options", "position", "move"), LAST_TURNS)
def test_the_last_turn_is_found_before_during_and_after_the_sweep(
    id: str, options: dict[str, object], position: str, move: str, stores: bool
) -> None:
    rules, turn = last_turn(id, options, position, move)
    before = [float(seeds) for seeds in (*turn.before.pits, *turn.before.stores)]
    full = [pit for pit, seeds in enumerate(turn.position.pits) if seeds]
    for swept in [full[:number] for number in range(len(full) + 1)]:
        after = swept_position(rules, turn.position, sum(1 << pit for pit in swept))
        sensors = len(before) if stores else len(after.pits)
        counts = [float(seeds) for seeds in (*after.pits, *after.stores)][:sensors]
        if (
            not stores
            and len({tuple(swept_position(rules, one.position).pits) for one in rules.turns(turn.before)}) == 1
        ):
            continue  # any turn could have led there
        verdict = detect(rules, turn.before, counts, pressed_by=turn.before.to_move, before=before[:sensors])
        if isinstance(verdict, Ambiguous):  # the turns of small seeds at the end leave the same stores
            assert turn in [candidate.turn for candidate in verdict.candidates]
            continue
        if swept or not any(turn.position.pits):  # nobody knows whether the game was given up before it
            assert isinstance(verdict, Several), (swept, verdict)
            assert (verdict.courses, verdict.certain) == (((turn,),), None)
            continue
        assert isinstance(verdict, Clear), (swept, verdict)
        assert verdict.turn == turn
