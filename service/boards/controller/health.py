"""The health of a board: supply, temperature, and faulty sensors."""

from __future__ import annotations

from drivers import events
from drivers.protocol.limits import MOVING, TRUSTED
from service.boards.status import REASONS, Health

from .core import ControllerCore
from .game_view import places

MIN_VOLTS_CHANGE = 0.05  # smaller changes of the supply are not stored
MIN_CELSIUS_CHANGE = 1.0  # smaller changes of the temperature are not stored
OK = "ok"
UNSURE = {0: "broken", 1: "no-bowl"}  # reasons by confidence; the others below `MOVING` are just "unsure"
UNSURE_CODES = (*UNSURE.values(), "unsure")
MANY_HELD = 20  # events that the board holds; fewer are just on their way


def update_health(board: ControllerCore, event: events.Status) -> None:
    """Keep a health report if it says something new: a board sends one every two seconds."""
    known = board.status.health
    if (
        known is None
        or abs(known.volts - event.volts) >= MIN_VOLTS_CHANGE
        or abs(known.celsius - event.celsius) >= MIN_CELSIUS_CHANGE
        or known.faults != tuple(event.faults)
        or (known.held >= MANY_HELD) != (event.held >= MANY_HELD)
    ):
        health = Health(round(event.volts, 2), round(event.celsius, 1), tuple(event.faults), event.held)
        board.update_status(health=health)


def note_fault(board: ControllerCore, event: events.Fault) -> None:
    """A sensor failed, or works again. Until it does, it is no evidence."""
    mark(board, event.pit, event.code)
    state = "works again" if event.code == OK else f"is faulty: {event.code}. It is not used"
    board.update_status(note=f"The sensor of {board.game.pit_name(event.pit)} {state}.")
    board.commit_event(event, ("fault", {"pit": event.pit, "code": event.code}))


def note_confidence(board: ControllerCore, event: events.Snapshot, *, after_gap: bool) -> None:
    """Note the sensors of which the board is not confident: they are no evidence until it says better.

    What a `Fault` event said stands until another one, which only a gap can have lost.
    """
    for sensor, confidence in enumerate(event.confidence):
        known = board.status.faulty.get(str(sensor))
        code = UNSURE.get(confidence, OK if confidence >= TRUSTED else "unsure")
        stands = known is not None and known not in UNSURE_CODES and not after_gap
        if stands or confidence == MOVING or code == (known or OK):
            continue
        mark(board, sensor, code)
        board.store(("fault", {"pit": sensor, "code": code}))


def unused_sentences(board: ControllerCore, *, recorded: bool = False) -> tuple[str, ...]:
    """Which sensors were not used, and why; `recorded`: with what lies there by the record."""
    held, found = places(board.game.position), []
    for sensor, why in sorted(board.status.unused.items()):
        if sensor in board.ignored:
            name = board.game.pit_name(sensor)
            inferred = f" By the record {name} now holds {held[sensor]}." if recorded else ""
            found.append(f"The sensor of {name} was not used: {REASONS.get(why, why)}.{inferred}")
    return tuple(found)


def mark(board: ControllerCore, sensor: int, code: str) -> None:
    faulty = {key: why for key, why in board.status.faulty.items() if key != str(sensor)}
    if code != OK:
        faulty[str(sensor)] = code
    board.update_status(faulty=faulty)
    before = board.status.before
    if before is not None:  # what it read meanwhile says nothing
        board.update_status(before=board.known(before))
