"""The lights of a remote board: what the service says, and that a button waits for its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from inkeek.drivers.base import Guidance
from inkeek.records import Side

LIGHTS_GRACE = 1.0  # seconds for the service to set the lights after it handled a button; some buttons set none


@dataclass(frozen=True, slots=True)
class ServiceLights:
    """The answer of the service: `guidance`, set for the `version`-th time after it handled event `answers`.

    `handled` is the last event that it handled since. `guidance` is None while it was never set.
    """

    version: int
    answers: int
    handled: int
    guidance: Guidance | None


class BoardLights:
    """Decides what the board's lights show. Any thread may use it.

    `button` is the number of the last button in the spool, 0 if there is none. From the moment a button is pressed
    until it is answered the mover's row blinks, so that nobody takes the old lights for the answer. `clock` is
    monotonic time.
    """

    def __init__(self, button: int, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._button = button
        self._pending = button > 0
        self._shown = 0  # the version that was shown last
        self._service: ServiceLights | None = None
        self._handled_at: float | None = None  # when the service was seen to have handled the button
        self._next: Guidance | None = None

    @property
    def awaited(self) -> int | None:
        """The number of the button that waits for its answer."""
        with self._lock:
            return self._button if self._pending else None

    @property
    def version(self) -> int:
        """The latest version that the service sent; -1: none yet."""
        with self._lock:
            return -1 if self._service is None else self._service.version

    def button_pressed(self, number: int, side: Side) -> None:
        """Note that event `number` of the spool is a button."""
        with self._lock:
            self._button, self._pending, self._handled_at = number, True, None
            last = None if self._service is None else self._service.guidance
            if last is None:
                self._next = Guidance(side, pending=True)
            else:
                self._next = replace(last, to_move=last.to_move or side, pending=True)

    def update(self, lights: ServiceLights) -> None:
        """Take an answer of the service, unless it is older than the last one."""
        with self._lock:
            known = self._service
            if known is None or (lights.version, lights.handled) >= (known.version, known.handled):
                self._service = lights

    def take_next(self) -> Guidance | None:
        """What the lights are to show from now on; None: nothing new."""
        with self._lock:
            following, self._next = self._next, None
            lights = self._service
            if lights is None or lights.guidance is None or (self._pending and not self._is_answered(lights)):
                return following
            if self._pending or lights.version > self._shown:
                self._pending, self._shown = False, lights.version
                return lights.guidance
            return following

    def _is_answered(self, lights: ServiceLights) -> bool:
        if lights.answers >= self._button:
            return True
        if lights.handled < self._button:
            return False
        if self._handled_at is None:
            self._handled_at = self._clock()
        return self._clock() - self._handled_at >= LIGHTS_GRACE
