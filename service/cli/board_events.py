"""What a board says, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from drivers import events as told
from records import Side
from records.position import pit_letter


def event_json(event: told.Event) -> dict[str, Any]:
    """An event as an object: ``event`` is its kind, the rest its fields."""
    values: dict[str, Any] = {"event": type(event).__name__.lower()}
    for field in fields(event):
        value = getattr(event, field.name)
        if isinstance(value, Side):
            value = value.letter
        elif isinstance(value, frozenset):
            value = sorted(value)
        values[field.name] = value
    return values


def event_text(event: told.Event, row: int) -> str:
    """An event in a line, with the pits named as in records of a board of `row` pits a row."""
    match event:
        case told.Connected():
            stores = "with" if event.stores else "without"
            return f"connected: board {event.serial}, 2×{event.row} {stores} stores, boot {event.boot}"
        case told.Disconnected(reason=reason):
            return f"gone: {reason}"
        case told.Refused(reason=reason):
            return f"refused: {reason}"
        case told.Gap(reason=reason):
            return f"gap: {reason}"
        case told.Snapshot(counts=counts):
            return f"counts: {counts_text(counts)}"
        case told.Status(volts=volts, celsius=celsius, faults=faults, held=held):
            return f"status: {volts:.2f} V, {celsius:.1f} °C, faults {' '.join(faults) or 'none'}, {held} events held"
        case told.Complaint(code=code, text=text):
            return f"the board objects: {code} {text}".rstrip()
        case told.PitChanged(pit=pit, seeds=seeds):
            return f"{event.seq:>5} {pit_name(pit, row)}: {seeds:.2f}"
        case told.Lifted(pit=pit):
            return f"{event.seq:>5} {pit_name(pit, row)} was emptied by a hand"
        case told.Button(side=side, action=action, counts=counts):
            return f"{event.seq:>5} {side} pressed {action}: {counts_text(counts)}"
        case told.Fault(pit=pit, code=code):
            return f"{event.seq:>5} sensor of {pit_name(pit, row)}: {code}"
        case told.Calibrated(pit=pit, ok=ok):
            return f"{event.seq:>5} {pit_name(pit, row)} was {'calibrated' if ok else 'not calibrated: it failed'}"
        case told.Unrecognised(kind=kind):
            return f"{event.seq:>5} an event of unknown kind {kind!r}"
    return repr(event)


def counts_text(counts: Sequence[float]) -> str:
    return " ".join(f"{count:.2f}" for count in counts)


def pit_name(pit: int, row: int) -> str:
    """The letter of a pit, or whose store it is."""
    return pit_letter(pit, row) if pit < 2 * row else f"{Side(pit - 2 * row)}'s store"
