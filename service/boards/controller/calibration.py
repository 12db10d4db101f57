"""Calibration: requests are carried out one after the other, and kept until the board has answered.

A desk that dies in between leaves its request to the next one, which sends it again: the same step twice does no harm
while nobody has touched the board. So only a step of a short time ago is repeated; otherwise people are told to repeat
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inkeek.drivers import events
from inkeek.drivers.base import SupportsCalibration
from inkeek.drivers.errors import DriverError
from inkeek.drivers.orientation import turn_sensor
from inkeek.records.errors import joined_texts, message_of
from inkeek.service.boards.status import reason_text
from inkeek.service.errors import ErrorText
from inkeek.service.storage import RequestRow

from .core import CalibrationSteps, ControllerCore
from .health import OK, UNSURE_CODES, mark

ANSWER_WITHIN = 15.0  # seconds until a step without an answer has failed
STALE_AFTER = 60.0  # seconds after which what people said about the seeds may not hold any more
REPEAT_AFTER = 2.0  # seconds that a board has, once it is connected, to send the answer to an earlier desk's request
MAX_TRIES = 3


def work(board: ControllerCore) -> None:
    """Begin the next step, or give up one that has had no answer."""
    steps = board.calibration
    if steps.current is not None:
        if board.clock() >= steps.until:
            names = joined_texts([board.game.pit_name(pit) for pit in sorted(steps.pits)], ", ")
            _fail(
                board,
                steps.current,
                ErrorText(
                    "the board sent no answer for %(names)s within %(seconds)g seconds",
                    names=names,
                    seconds=ANSWER_WITHIN,
                ),
            )
        return
    if not steps.waiting:
        return
    request = steps.waiting[0]
    if request.tries and not _is_ready(board) and board.boards.age(request) < STALE_AFTER:
        return  # an earlier desk began it: the board may have the answer
    steps.waiting.popleft()
    if reason := _refusal(board, request):
        _fail(board, request, reason)
    else:
        _begin(board, request)


def note_calibration(board: ControllerCore, event: events.Calibrated) -> None:
    """A step of the calibration succeeded or failed."""
    if event.ok and board.status.faulty.get(str(event.pit)) in UNSURE_CODES:
        mark(board, event.pit, OK)
    name = board.game.pit_name(event.pit)
    note = ErrorText("%(name)s could not be calibrated: %(why)s.", name=name, why=reason_text(event.reason))
    if event.ok:
        note = ErrorText("%(name)s is calibrated.", name=name)
    board.update_status(note=note)
    with board.transaction():
        if answered := _find_answered(board.calibration, event.pit):
            board.boards.remove_request(answered)
        reason = {"reason": event.reason} if event.reason else {}
        board.commit_event(event, ("calibrated", {"pit": event.pit, "ok": event.ok, **reason}))


def _is_ready(board: ControllerCore) -> bool:
    """Whether the board has been connected long enough for its earlier answers to have arrived."""
    return board.connected_at is not None and board.clock() - board.connected_at >= REPEAT_AFTER


def _refusal(board: ControllerCore, request: RequestRow) -> str | None:
    """Why the step is not begun."""
    if board.boards.age(request) >= STALE_AFTER:
        return ErrorText(
            "the request is more than %(seconds)g seconds old: say again what lies in the pits", seconds=STALE_AFTER
        )
    if request.tries >= MAX_TRIES:
        return ErrorText("it was tried %(tries)s times", tries=MAX_TRIES)
    if request.tries and request.kind == "tare" and board.calibration.waiting:
        return ErrorText("the service restarted, and the pits may hold seeds by now: empty them and begin again")
    if board.refused:
        return ErrorText("another board is there")
    return None


def _begin(board: ControllerCore, request: RequestRow) -> None:
    pit, seeds = _pit_and_seeds(request.data)
    board.boards.try_request(request)
    try:
        if not isinstance(board.connection, SupportsCalibration):
            raise DriverError("this board cannot be calibrated from here")
        sensor = turn_sensor(pit, board.row_size) if pit is not None and board.status.turned else pit
        board.connection.calibrate(sensor, seeds)
    except DriverError as error:
        _fail(board, request, message_of(error))
        return
    steps, device = board.calibration, board.status.device
    sensors = 0 if device is None else 2 * device.row + (2 if device.stores else 0)
    steps.current, steps.until = request, board.clock() + ANSWER_WITHIN
    steps.pits = set(range(sensors)) if pit is None else {pit}
    name = ErrorText("All sensors") if pit is None else board.game.pit_name(pit)
    note = ErrorText("%(name)s: set to zero; waiting for the board's answer.", name=name)
    if seeds:
        note = ErrorText("%(name)s is set to %(seeds)s seeds; waiting for the board's answer.", name=name, seeds=seeds)
    board.update_status(note=note)
    board.store(("calibration-asked", {"pit": pit, "seeds": seeds}))


def _find_answered(steps: CalibrationSteps, pit: int) -> RequestRow | None:
    """The request that has all its answers now that `pit` has one."""
    if steps.current is None:
        first = steps.waiting[0] if steps.waiting else None
        if first is not None and first.tries and first.data.get("pit") == pit:
            return steps.waiting.popleft()  # an earlier desk sent it
        return None
    steps.pits.discard(pit)
    if steps.pits:
        return None
    request, steps.current = steps.current, None
    return request


def _fail(board: ControllerCore, request: RequestRow, reason: str) -> None:
    """Tell people, and forget the request."""
    board.calibration.current = None
    pit, seeds = _pit_and_seeds(request.data)
    board.update_status(note=ErrorText("Not calibrated: %(reason)s.", reason=reason))
    with board.transaction():
        board.boards.remove_request(request)
        board.store(("calibration-failed", {"pit": pit, "seeds": seeds, "reason": reason}))


def _pit_and_seeds(data: Mapping[str, Any]) -> tuple[int | None, int]:
    return data.get("pit"), data.get("seeds", 0)
