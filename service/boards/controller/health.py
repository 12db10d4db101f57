"""How a board is: supply, temperature, faults of its sensors, and its calibration."""

from __future__ import annotations

from typing import Any

from drivers import events
from drivers.base import SupportsCalibration
from drivers.errors import DriverError
from service.storage import RequestRow

from .sitting import Sitting

VOLTS = 0.05  # a smaller change of the supply is not worth storing
CELSIUS = 1.0  # the same of the temperature
HELD = 20  # events that the board holds: fewer are those on their way


def hear(sitting: Sitting, event: events.Status) -> None:
    """Keep what the board says of its health, when it says something new: it does so every two seconds."""
    known = sitting.status["health"]
    if known is not None and _same(known, event):
        return
    health: dict[str, Any] = {
        "volts": round(event.volts, 2),
        "celsius": round(event.celsius, 1),
        "faults": list(event.faults),
        "held": event.held,
    }
    sitting.say(health=health)


def _same(known: dict[str, Any], event: events.Status) -> bool:
    return bool(
        abs(known["volts"] - event.volts) < VOLTS
        and abs(known["celsius"] - event.celsius) < CELSIUS
        and known["faults"] == list(event.faults)
        and (known["held"] >= HELD) == (event.held >= HELD)
    )


def fault(sitting: Sitting, event: events.Fault) -> None:
    """A sensor failed, or is well again."""
    name = sitting.pit_name(event.pit)
    sitting.say(note=f"The sensor of {name} is {'well again' if event.code == 'ok' else 'faulty: ' + event.code}.")
    sitting.settle(event, ("fault", {"pit": event.pit, "code": event.code}))


def calibrate(sitting: Sitting, request: RequestRow) -> None:
    """Have the board take a step of its calibration."""
    pit, seeds = (None, 0) if request.kind == "tare" else (request.data["pit"], request.data["seeds"])
    what = "All sensors are set to nothing" if pit is None else f"{sitting.pit_name(pit)} is set to {seeds} seeds"
    try:
        if not isinstance(sitting.connection, SupportsCalibration):
            raise DriverError("this board cannot be calibrated from here")
        sitting.connection.calibrate(pit, seeds)
    except DriverError as error:
        sitting.say(note=f"Not calibrated: {error}.")
        sitting.store(("calibration-failed", {"pit": pit, "seeds": seeds, "reason": str(error)}))
        return
    sitting.say(note=f"{what}; waiting for the board's answer.")
    sitting.store(("calibration-asked", {"pit": pit, "seeds": seeds}))


def calibrated(sitting: Sitting, event: events.Calibrated) -> None:
    """A sensor has taken a step of its calibration, or could not."""
    name = sitting.pit_name(event.pit)
    said = "is calibrated" if event.ok else "could not be calibrated: did it lie still?"
    sitting.say(note=f"{name} {said}.")
    sitting.settle(event, ("calibrated", {"pit": event.pit, "ok": event.ok}))
