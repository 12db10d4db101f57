"""The health of a board: supply, temperature, faulty sensors, and calibration."""

from __future__ import annotations

from drivers import events
from drivers.base import SupportsCalibration
from drivers.errors import DriverError
from service.boards.calibration import reason_text
from service.boards.status import Health
from service.storage import RequestRow

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


def calibrate(board: ControllerCore, request: RequestRow) -> None:
    """Start a step of the board's calibration."""
    pit, seeds = (None, 0) if request.kind == "tare" else (request.data["pit"], request.data["seeds"])
    try:
        if not isinstance(board.connection, SupportsCalibration):
            raise DriverError("this board cannot be calibrated from here")
        board.connection.calibrate(pit, seeds)
    except DriverError as error:
        board.update_status(note=f"Not calibrated: {error}.")
        board.store(("calibration-failed", {"pit": pit, "seeds": seeds, "reason": str(error)}))
        return
    name = "All sensors" if pit is None else board.game.pit_name(pit)
    step = f"{name} is set to {seeds} seeds" if seeds else f"{name}: set to zero"
    board.update_status(note=f"{step}; waiting for the board's answer.")
    board.store(("calibration-asked", {"pit": pit, "seeds": seeds}))


def note_calibration(board: ControllerCore, event: events.Calibrated) -> None:
    """A step of the calibration succeeded or failed."""
    result = "is calibrated" if event.ok else f"could not be calibrated: {reason_text(event.reason)}"
    board.update_status(note=f"{board.game.pit_name(event.pit)} {result}.")
    reason = {"reason": event.reason} if event.reason else {}
    board.commit_event(event, ("calibrated", {"pit": event.pit, "ok": event.ok, **reason}))
