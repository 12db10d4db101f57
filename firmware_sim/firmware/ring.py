"""The events that the host has not yet acknowledged, numbered, in the order in which they happened."""

RING_SIZE = 512  # events kept: docs/protocol.md asks for at least as many
RESEND_MS = 1000  # after which an unacknowledged event is sent again: docs/protocol.md


class Ring:
    """A bounded queue of numbered lines. Full, it loses the oldest, as a `REPLAY` will tell the host."""

    def __init__(self, size: int = RING_SIZE) -> None:
        self.size = size
        self.last = 0  # the last number used; 0 before the first event
        self._lines: list[bytes] = []
        self._sent: list[int] = []  # when each line was last handed out, for those that were
        self._next = 0  # index in _lines of the next line to hand out

    def __len__(self) -> int:
        return len(self._lines)

    @property
    def first(self) -> int:
        """The first number held; the next number to be used when none is."""
        return self.last + 1 - len(self._lines)

    def append(self, line: bytes) -> None:
        """Keep the line of event number `last` + 1."""
        self.last += 1
        self._lines.append(line)
        self._sent.append(0)
        if len(self._lines) > self.size:
            self._drop(1)

    def forget(self, number: int) -> None:
        """Drop every event up to `number`."""
        self._drop(max(0, min(len(self._lines), number + 1 - self.first)))

    def rewind(self, number: int) -> None:
        """Hand out again from `number` on, or from the first held when that is later."""
        self._next = max(0, min(len(self._lines), number - self.first))

    def take(self, now: int) -> bytes | None:
        """The next line to send, if there is one."""
        if self._next == len(self._lines):
            if not self._lines or now - self._sent[0] < RESEND_MS:
                return None
            self._next = 0
        line = self._lines[self._next]
        self._sent[self._next] = now
        self._next += 1
        return line

    def _drop(self, count: int) -> None:
        self._lines = self._lines[count:]
        self._sent = self._sent[count:]
        self._next = max(0, self._next - count)
