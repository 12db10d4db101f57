"""Lines that wait to be sent to a board."""

from __future__ import annotations

from .frames import Frame


class Outbox:
    """Lines for one greeting after another on one port: at most one of each type waits."""

    def __init__(self) -> None:
        self._frames: dict[str, Frame] = {}  # by type
        self._requested: dict[str, float] = {}  # when a request of each type was last made

    def put(self, frame: Frame, kind: str | None = None) -> None:
        """Send this line instead of one of its type, or `kind`, that still waits."""
        self._frames[kind or frame.type] = frame

    def request(self, frame: Frame, now: float, every: float = 0.0) -> None:
        """Send a request, unless one of its type was made less than `every` seconds ago."""
        last = self._requested.get(frame.type)
        if last is None or now - last >= every:
            self._requested[frame.type] = now
            self.put(frame)

    def forget(self, kind: str) -> None:
        """Let the next request of this type be sent, whenever the last one was made."""
        self._requested.pop(kind, None)

    def take(self) -> list[Frame]:
        """The lines that wait; none of them waits any more."""
        frames = list(self._frames.values())
        self.drop()
        return frames

    def drop(self) -> None:
        """Send none of the lines that wait."""
        self._frames.clear()
