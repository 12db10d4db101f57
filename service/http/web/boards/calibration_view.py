"""How far the calibration of a board is, pit by pit: from the entries of its log since all sensors were set to zero."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from inkeek.service.boards.calibration_reasons import reason_text
from inkeek.service.storage import LogRow

SEEDS = 20  # that are counted out, unless another number was given before


@dataclass(frozen=True, slots=True)
class CalibratedSensor:
    """A sensor: `state` is ``done``, ``failed``, ``asked`` (the board has not answered) or empty; `why` it failed."""

    sensor: int
    name: str
    state: str
    why: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """All sensors, which of them is `next`, and how many seeds to put in. `is_tared`: all were set to zero."""

    sensors: tuple[CalibratedSensor, ...]
    is_tared: bool
    next: int | None
    seeds: int

    @property
    def done(self) -> int:
        """How many sensors are calibrated."""
        return sum(one.state == "done" for one in self.sensors)


def calibration_view(entries: Iterable[LogRow], sensors: Sequence[tuple[int, str]]) -> Calibration:
    """Read the log's `entries`, oldest first. `sensors`: index and name of each, in the order to calibrate them."""
    states: dict[int, tuple[str, str]] = {}
    tares: set[int] = set()
    asked: tuple[int | None, int] = (None, 0)  # the sensor (None: all) and the seeds of the last step
    seeds = SEEDS
    for entry in entries:
        data = entry.data
        match entry.kind:
            case "calibration-asked":
                asked = data.get("pit"), data.get("seeds", 0)
                if asked == (None, 0):
                    states.clear()
                    tares.clear()
                elif asked[0] is not None and asked[1]:
                    seeds = asked[1]
                    states[asked[0]] = ("asked", "")
            case "calibrated" if data["ok"] and (asked[0] is None or not asked[1]):
                tares.add(data["pit"])
                states.pop(data["pit"], None)
            case "calibrated":
                states[data["pit"]] = ("done", "") if data["ok"] else ("failed", reason_text(data.get("reason", "")))
            case "calibration-failed" if data.get("pit") is not None:
                states[data["pit"]] = ("failed", data.get("reason", ""))
    shown = tuple(CalibratedSensor(sensor, name, *states.get(sensor, ("", ""))) for sensor, name in sensors)
    left = [one.sensor for one in shown if one.state in ("", "failed")]
    return Calibration(shown, tares >= {sensor for sensor, _ in sensors}, left[0] if left else None, seeds)
