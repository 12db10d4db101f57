"""HX711 amplifiers that share one clock, with their data lines behind a chain of shift registers."""

BITS = 24
LATE_MS = 60  # do not wait longer for an amplifier: at 80 readings a second one is due every 13 ms
MAX_BAD = 8  # invalid readings in a row before an amplifier counts as broken


class Amplifiers:
    """The readings of `count` scales, each the median of its last three.

    `pulse()` makes one pulse of the clock, at most 50 µs long. The pin `latch` makes the registers take all lines at
    once (`off`) and hold them (`on`). `spi` reads them; the first bit is scale 0's.
    """

    def __init__(self, count: int, pulse, latch, spi) -> None:  # type: ignore[no-untyped-def]
        self._count = count
        self._pulse = pulse
        self._latch = latch
        self._spi = spi
        width = count + 7 >> 3
        self._line = bytearray(width)
        self._bits = [bytearray(width) for _ in range(BITS)]
        self._expected = [True] * count  # who answered last time
        self._bad = [0] * count
        self._last: list[tuple[int, int] | None] = [None] * count  # the two readings before
        self._medians: list[int | None] = [None] * count
        self._read_at = 0

    def poll(self, now: int) -> list[int | None] | None:
        """Return new readings (None for an amplifier that does not answer), or None if there are none yet."""
        ready = self._ready()
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

    def _sample(self, line: bytearray) -> None:
        self._latch.off()
        self._latch.on()
        self._spi.readinto(line)

    def _ready(self) -> list[bool]:
        """Which amplifiers hold their lines low: their readings are ready."""
        line = self._line
        self._sample(line)
        return [not line[index >> 3] >> (7 - (index & 7)) & 1 for index in range(self._count)]

    def _read(self, ready: list[bool]) -> None:
        for line in self._bits:
            self._pulse()
            self._sample(line)
        self._pulse()  # the 25th selects channel A with gain 128 for the next conversion
        still_low = self._ready()
        for index in range(self._count):
            if not ready[index]:
                continue
            if still_low[index]:  # the line should be high now: it is stuck, or a conversion ended meanwhile
                self._bad[index] += 1
                if self._bad[index] >= MAX_BAD:
                    self._forget(index)
                continue
            self._bad[index] = 0
            at, shift = index >> 3, 7 - (index & 7)
            value = 0
            for line in self._bits:
                value = value << 1 | (line[at] >> shift & 1)
            if value >> (BITS - 1):
                value -= 1 << BITS
            one, two = self._last[index] or (value, value)
            self._last[index] = (two, value)
            self._medians[index] = max(min(one, two), min(max(one, two), value))

    def _forget(self, index: int) -> None:
        self._last[index] = None
        self._medians[index] = None
