"""HX711 amplifiers that share one clock: which are ready, and the readings that can be trusted."""

from .hx711 import LineReader

BITS = 24
LATE_MS = 60  # do not wait longer for an amplifier: at 80 readings a second one is due every 13 ms
MAX_BAD = 8  # invalid readings in a row before an amplifier counts as broken


class Amplifiers:
    """The readings of `count` scales, each the median of its last three."""

    def __init__(self, count: int, lines: LineReader) -> None:
        self._count = count
        self._lines = lines
        self._expected = [True] * count  # who answered last time
        self._bad = [0] * count
        self._last: list[tuple[int, int] | None] = [None] * count  # the two readings before
        self._medians: list[int | None] = [None] * count
        self._read_at = 0

    def poll(self, now: int) -> list[int | None] | None:
        """Return new readings (None for an amplifier that does not answer), or None if there are none yet."""
        levels = self._lines.levels()
        ready = [not _level(levels, index) for index in range(self._count)]  # a low line: its reading is ready
        late = now - self._read_at >= LATE_MS
        if not late:
            for index in range(self._count):
                if self._expected[index] and not ready[index]:
                    return None
            if True not in ready:
                return None
        self._expected = ready
        self._read_at = now
        if True in ready:
            self._read(ready)
        for index in range(self._count):
            if not ready[index]:
                self._forget(index)
        return self._medians

    def _read(self, ready: list[bool]) -> None:
        samples = self._lines.read()
        width = self._lines.width
        bits = [samples[at : at + width] for at in range(width, (BITS + 1) * width, width)]
        after = samples[(BITS + 1) * width :]
        for index in range(self._count):
            if not ready[index]:
                continue
            if not _level(after, index):  # the line should be high now: it is stuck, or a conversion ended meanwhile
                self._bad[index] += 1
                if self._bad[index] >= MAX_BAD:
                    self._forget(index)
                continue
            self._bad[index] = 0
            at, shift = index >> 3, 7 - (index & 7)
            value = 0
            for line in bits:
                value = value << 1 | (line[at] >> shift & 1)
            if value >> (BITS - 1):
                value -= 1 << BITS
            one, two = self._last[index] or (value, value)
            self._last[index] = (two, value)
            self._medians[index] = max(min(one, two), min(max(one, two), value))

    def _forget(self, index: int) -> None:
        self._last[index] = None
        self._medians[index] = None


def _level(levels: bytearray, index: int) -> int:
    return levels[index >> 3] >> (7 - (index & 7)) & 1
