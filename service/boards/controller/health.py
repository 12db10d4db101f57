"""The health of a board: supply, temperature, and faulty sensors."""

from __future__ import annotations

from inkeek.drivers import events
from inkeek.drivers.protocol.limits import MOVING, TRUSTED
from inkeek.service.boards.status import REASONS
from inkeek.service.errors import ErrorText

from .core import ControllerCore
from .game_view import places

OK = "ok"
UNSURE = {0: "broken", 1: "no-bowl"}  # reasons by confidence; the others below `MOVING` are just "unsure"
UNSURE_CODES = (*UNSURE.values(), "unsure")


def update_health(board: ControllerCore, event: events.Status) -> None:
    """Keep a health report if it says something new: a board sends one every two seconds."""
    if board.status.health is None or event.is_news(board.status.health):
        board.update_status(health=event)


def note_fault(board: ControllerCore, event: events.Fault) -> None:
    """A sensor failed, or works again. Until it does, it is no evidence."""
    mark(board, event.pit, event.code)
    name = board.game.pit_name(event.pit)
    note = ErrorText("The sensor of %(name)s is faulty: %(code)s. It is not used.", name=name, code=event.code)
    if event.code == OK:
        note = ErrorText("The sensor of %(name)s works again.", name=name)
    board.update_status(note=note)
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
    held, found = places(board.game.position), list[str]()
    for sensor, why in sorted(board.status.unused.items()):
        if sensor in board.ignored:
            name = board.game.pit_name(sensor)
            reason = REASONS.get(why, why)
            found.append(ErrorText("The sensor of %(name)s was not used: %(reason)s.", name=name, reason=reason))
            if recorded:
                seeds = held[sensor]
                found.append(ErrorText("By the record %(name)s now holds %(seeds)s.", name=name, seeds=seeds))
    return tuple(found)


def mark(board: ControllerCore, sensor: int, code: str) -> None:
    faulty = {key: why for key, why in board.status.faulty.items() if key != str(sensor)}
    if code != OK:
        faulty[str(sensor)] = code
    board.update_status(faulty=faulty)
    before = board.status.before
    if before is not None:  # what it read meanwhile says nothing
        board.update_status(before=board.known(before))
