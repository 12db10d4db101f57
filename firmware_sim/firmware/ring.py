"""The numbered events that the host has not acknowledged yet, oldest first."""

RING_SIZE = 512  # events kept: docs/protocol.md asks for at least this many
RESEND_MS = 1000  # after this, an unacknowledged event is sent again: docs/protocol.md


class Ring:
    """A bounded queue of numbered lines. When full it drops the oldest; the host learns of it by a `REPLAY`."""

    def __init__(self, size: int = RING_SIZE) -> None:
        self.size = size
        self.last = 0  # the last number used; 0 before the first event
        self._lines: list[bytes] = []
        self._sent_at: list[int] = []  # one per line; meaningless before it was taken
        self._next = 0  # index in _lines of the next line to take

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def first(self) -> int:
        """The oldest number held; the next number to be used if the ring is empty."""
        return self.last + 1 - len(self._lines)

    def append(self, line: bytes) -> None:
        """Add the line of event number `last` + 1."""
        self.last += 1
        self._lines.append(line)
        self._sent_at.append(0)
        if len(self._lines) > self.size:
            self._drop(1)

    def acknowledge(self, number: int) -> None:
        """Drop every event up to `number`."""
        self._drop(max(0, min(len(self._lines), number + 1 - self.first)))

    def rewind(self, number: int) -> None:
        """Send again from `number` on, or from the oldest held if that is later."""
        self._next = max(0, min(len(self._lines), number - self.first))

    def take(self, now: int) -> bytes | None:
        """Return the next line to send, if there is one."""
        if self._next == len(self._lines):
            if not self._lines or now - self._sent_at[0] < RESEND_MS:
                return None
            self._next = 0
        line = self._lines[self._next]
        self._sent_at[self._next] = now
        self._next += 1
        return line

    def _drop(self, count: int) -> None:
        self._lines = self._lines[count:]
        self._sent_at = self._sent_at[count:]
        self._next = max(0, self._next - count)
