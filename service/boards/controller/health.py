"""The health of a board: supply, temperature, and faulty sensors."""

from __future__ import annotations

from drivers import events
from service.boards.status import Health

from .core import ControllerCore

VOLTS = 0.05  # smaller changes of the supply are not stored
CELSIUS = 1.0  # smaller changes of the temperature are not stored
HELD = 20  # events that the board holds; fewer are just on their way


def update_health(board: ControllerCore, event: events.Status) -> None:
    """Keep a health report if it says something new: a board sends one every two seconds."""
    known = board.status.health
    if (
        known is None
        or abs(known.volts - event.volts) >= VOLTS
        or abs(known.celsius - event.celsius) >= CELSIUS
        or known.faults != tuple(event.faults)
        or (known.held >= HELD) != (event.held >= HELD)
    ):
        health = Health(round(event.volts, 2), round(event.celsius, 1), tuple(event.faults), event.held)
        board.update_status(health=health)


def note_fault(board: ControllerCore, event: events.Fault) -> None:
    """A sensor failed, or works again."""
    state = "works again" if event.code == "ok" else f"is faulty: {event.code}"
    board.update_status(note=f"The sensor of {board.game.pit_name(event.pit)} {state}.")
    board.commit_event(event, ("fault", {"pit": event.pit, "code": event.code}))
