"""Events of a board as text."""

from __future__ import annotations

from collections.abc import Sequence

from inkeek.drivers import events as board_events
from inkeek.records import Side
from inkeek.records.position import pit_letter


def event_text(event: board_events.Event, row: int) -> str:
    """One line for an event. Pits have the letters of a board with `row` pits in a row."""
    match event:
        case board_events.Connected():
            stores = "with" if event.stores else "without"
            return f"connected: board {event.serial}, 2×{event.row} {stores} stores, boot {event.boot}"
        case board_events.Disconnected(reason=reason):
            return f"disconnected: {reason}"
        case board_events.Refused(reason=reason):
            return f"refused: {reason}"
        case board_events.Gap(reason=reason):
            return f"gap: {reason}"
        case board_events.Snapshot(counts=counts):
            return f"counts: {counts_text(counts)}"
        case board_events.Status():
            return "status: " + ", ".join(f"{one.label} {one.text(value)}" for one, value in event.readings())
        case board_events.Complaint(code=code, text=text):
            return f"the board reports an error: {code} {text}".rstrip()
        case board_events.SelfTestReport(part=part, result=result, text=text):
            return f"self-test: {part} {result}: {text}"
        case board_events.OfferShown(question=question):
            return f"the lights offer an answer to the question of event {question}"
        case board_events.PitChanged(pit=pit, seeds=seeds):
            return f"{event.seq:>5} {pit_name(pit, row)}: {seeds:.2f}"
        case board_events.Lifted(pit=pit):
            return f"{event.seq:>5} {pit_name(pit, row)} was emptied by a hand"
        case board_events.Button(side=side, action=action, counts=counts):
            return f"{event.seq:>5} {side} pressed {action}: {counts_text(counts)}"
        case board_events.Fault(pit=pit, code=code):
            return f"{event.seq:>5} sensor of {pit_name(pit, row)}: {code}"
        case board_events.Calibrated(pit=pit, ok=ok, reason=reason):
            result = "was calibrated" if ok else f"could not be calibrated: {reason or 'no reason given'}"
            return f"{event.seq:>5} {pit_name(pit, row)} {result}"
        case board_events.Unrecognized(kind=kind):
            return f"{event.seq:>5} an event of unknown kind {kind!r}"
    return repr(event)


def counts_text(counts: Sequence[float]) -> str:
    return " ".join(f"{count:.2f}" for count in counts)


def pit_name(pit: int, row: int) -> str:
    """The letter of a pit, or whose store it is."""
    return pit_letter(pit, row) if pit < 2 * row else f"{Side(pit - 2 * row)}'s store"
