"""Whether a program was there to listen. One that was stopped, as when a laptop's lid is shut, has heard nobody: that
is no silence of the others."""

from __future__ import annotations

PAUSE = 4.0  # seconds between two looks after which the program was not listening


class Attention:
    """Tells times without those in which nobody looked. Whoever waits for a silent one asks it at each look."""

    def __init__(self, now: float) -> None:
        self._looked = now
        self._paused = 0.0

    def at(self, now: float) -> float:
        """Look at `now`: that time without all pauses so far."""
        if now - self._looked > PAUSE:
            self._paused += now - self._looked
        self._looked = now
        return now - self._paused
