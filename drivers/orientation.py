"""A board that lies the wrong way round: South sits where the board has North's pits.

Turned by 180 degrees, each pit is where the other side's pit with the same number from the left was. The functions here
are their own inverses: they turn what the board says into the game's terms, and what the game says into the board's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from inkeek.records import Position

from . import events
from .base import Guidance

T = TypeVar("T")

_SENSOR_CODE = re.compile("([a-z-]+)([0-9]{1,2})")


def turn_sensor(sensor: int, row: int) -> int:
    """The sensor that is opposite, with the board turned by 180 degrees: a pit's or a store's."""
    size = 2 * row
    return (sensor + row) % size if sensor < size else size + (sensor - size ^ 1)


def turn_sensors(sensors: Iterable[int], row: int) -> frozenset[int]:
    """The sensors, turned."""
    return frozenset(turn_sensor(sensor, row) for sensor in sensors)


def turn_values(values: Sequence[T], row: int) -> tuple[T, ...]:
    """Values by sensor, turned; values of another board stay as they are."""
    if len(values) not in (2 * row, 2 * row + 2):
        return tuple(values)
    return tuple(values[turn_sensor(sensor, row)] for sensor in range(len(values)))


def turn_codes(codes: Iterable[str], row: int) -> tuple[str, ...]:
    """Fault codes, of which some end in the index of a sensor, turned."""
    matches = ((code, _SENSOR_CODE.fullmatch(code)) for code in codes)
    return tuple(f"{match[1]}{turn_sensor(int(match[2]), row)}" if match else code for code, match in matches)


def is_symmetric(position: Position) -> bool:
    """Whether the pits look the same with the board turned."""
    return position.pits == turn_values(position.pits, position.row)


def turn_event(event: events.Event, row: int) -> events.Event:
    """An event of the board, turned."""
    match event:
        case events.Snapshot():
            counts, confidence = turn_values(event.counts, row), turn_values(event.confidence, row)
            return replace(event, counts=counts, confidence=confidence)
        case events.Button():
            return replace(event, side=event.side.other, counts=turn_values(event.counts, row))
        case events.PitChanged() | events.Lifted() | events.Fault() | events.Calibrated():
            return replace(event, pit=turn_sensor(event.pit, row))
        case events.Status():
            return replace(event, faults=turn_codes(event.faults, row))
    return event


def turn_guidance(guidance: Guidance, row: int) -> Guidance:
    """What the players should see, turned."""
    return replace(
        guidance,
        to_move=None if guidance.to_move is None else guidance.to_move.other,
        errors=turn_sensors(guidance.errors, row),
        last=turn_sensors(guidance.last, row),
        offered=turn_sensors(guidance.offered, row),
    )
