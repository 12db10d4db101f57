"""Whether a board that fits nothing lies the wrong way round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from inkeek.drivers.orientation import is_symmetric, turn_sensors, turn_values
from inkeek.records import Position, Rules, Side, Turn
from inkeek.records.errors import ErrorText
from inkeek.records.findings import BoardCounts
from inkeek.records.findings.candidates import MAX_TURNS

from .detector import detect
from .diagnosis import Diagnose
from .likelihood import Readings
from .noise_model import NoiseModel
from .verdicts import Clear, Turned, Unchanged


def detect_turned(
    rules: Rules,
    position: Position,
    counts: Sequence[float],
    *,
    pressed_by: Side | None,
    model: NoiseModel,
    before: Sequence[float] | None = None,
    ignored: frozenset[int] = frozenset(),
    otherwise: Turn | None = None,
    explain: Diagnose | None = None,
) -> Turned | None:
    """Return what the board shows if it is turned by 180 degrees; None if it then fits no better.

    The arguments are those of `detect`, with the board as if it lay right. `otherwise`: the turn that fits then; beside
    it, a turned board counts even if it fits several turns.
    """
    row = position.row
    counts, ignored = turn_values(counts, row), turn_sensors(ignored, row)
    # Over a symmetric position the board may have lain like that all the time; otherwise it was turned since.
    before = turn_values(before, row) if before is not None and is_symmetric(position) else None
    pressed_by = None if pressed_by is None else pressed_by.other
    model = replace(model, sensors=turn_values(model.sensors, row))
    readings = Readings(counts, position, model, before, ignored)
    positions = (position, *(turn.position for turn in rules.turns(position, limit=MAX_TURNS)))
    if not any(readings.fits(BoardCounts(readings.sensed(each))) for each in positions):
        return None  # cheaper than a diagnosis
    verdict = detect(
        rules,
        position,
        counts,
        pressed_by=pressed_by,
        model=model,
        before=before,
        ignored=ignored,
        explain=explain,
    )
    match verdict:
        case Clear():
            found = ErrorText("it shows %(side)s's turn %(move)s", side=position.to_move, move=str(verdict.turn.move))
        case Unchanged():
            found = ErrorText("it is as the record has it")
        case _:
            return None
    sentence = ErrorText(
        "If the board is turned round, so that %(side)s sits at its %(other)s side, %(found)s.",
        side=position.to_move,
        other=position.to_move.other,
        found=found,
    )
    return Turned(verdict, otherwise, (sentence,))
