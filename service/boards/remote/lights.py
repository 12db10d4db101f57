"""What a far board's lights show: what the service last said, and that a button waits for its answer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from drivers.base import Guidance
from records import Side

GRACE = 1.0  # seconds that the service has to set the lights after it dealt with a button, which some do not ask for


@dataclass(frozen=True, slots=True)
class Lights:
    """What the service says: set for the `version`-th time after event `answers` was dealt with; `dealt` is the last
    that was. `guidance` None: never set."""

    version: int
    answers: int
    dealt: int
    guidance: Guidance | None


class Lamps:
    """Decides what the lights show. Any thread may use it. `button`: the last button's number in the spool, 0: none.

    From the moment a button is pressed until it is answered the mover's row blinks: nobody should take the light from
    before for the answer. `clock` is monotonic time.
    """

    def __init__(self, button: int, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._button = button
        self._pending = button > 0
        self._shown = 0  # the version that was last shown
        self._told: Lights | None = None
        self._dealt_at: float | None = None
        self._due: Guidance | None = None

    @property
    def awaited(self) -> int | None:
        """The number of the button that waits for its answer, if one does."""
        with self._lock:
            return self._button if self._pending else None

    @property
    def heard(self) -> int:
        """The version of the lights that was last heard of; -1: none."""
        with self._lock:
            return -1 if self._told is None else self._told.version

    def pressed(self, number: int, side: Side) -> None:
        """A button was pressed: event `number` of the spool."""
        with self._lock:
            self._button, self._pending, self._dealt_at = number, True, None
            last = self._told.guidance if self._told is not None else None
            mover = last.to_move if last is not None and last.to_move is not None else side
            self._due = (
                replace(last, to_move=mover, pending=True) if last is not None else Guidance(mover, pending=True)
            )

    def told(self, lights: Lights) -> None:
        """The service has said what the lights should show."""
        with self._lock:
            if self._told is None or (lights.version, lights.dealt) >= (self._told.version, self._told.dealt):
                self._told = lights

    def due(self) -> Guidance | None:
        """What the lights should show from now on; None when nothing has changed."""
        with self._lock:
            due, self._due = self._due, None
            lights = self._told
            if lights is None or lights.guidance is None:
                return due
            if self._pending and not self._answered(lights):
                return due
            if self._pending or lights.version > self._shown:
                self._pending, self._shown = False, lights.version
                return lights.guidance
            return due

    def _answered(self, lights: Lights) -> bool:
        """Whether these lights answer the last button."""
        if lights.answers >= self._button:
            return True
        if lights.dealt < self._button:
            return False
        if self._dealt_at is None:
            self._dealt_at = self._clock()
        return self._clock() - self._dealt_at >= GRACE
