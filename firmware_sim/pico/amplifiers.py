"""HX711 amplifiers with one clock for all, and their data lines behind a chain of shift registers."""

BITS = 24
LATE_MS = 60  # an amplifier that is not ready for so long is not waited for: at 80 a second one is due every 13 ms
VOID = 8  # readings in a row that cannot be right, before an amplifier counts as broken


class Amplifiers:
    """The readings of `count` scales, each the median of its last three.

    `pulse()` makes one pulse of the clock, no longer than 50 µs; `latch` is the pin that makes the registers take
    all lines at once (`off`), and hold them (`on`); `spi` reads them: the first bit is scale 0's.
    """

    def __init__(self, count: int, pulse, latch, spi) -> None:  # type: ignore[no-untyped-def]
        self._count = count
        self._pulse = pulse
        self._latch = latch
        self._spi = spi
        width = count + 7 >> 3
        self._line = bytearray(width)
        self._bits = [bytearray(width) for _ in range(BITS)]
        self._awaited = [True] * count
        self._void = [0] * count
        self._last: list[tuple[int, int] | None] = [None] * count  # the two readings before
        self._given: list[int | None] = [None] * count
        self._read_at = 0

    def poll(self, now: int) -> list[int | None] | None:
        """New readings, None for an amplifier that does not answer; or None when there are none yet."""
        ready = self._ready()
        late = now - self._read_at >= LATE_MS
        if not late:
            for index in range(self._count):
                if self._awaited[index] and not ready[index]:
                    return None
            if True not in ready:
                return None
        self._awaited = ready
        self._read_at = now
        if True in ready:
            self._read(ready)
        for index in range(self._count):
            if not ready[index]:
                self._lose(index)
        return self._given

    def _sample(self, line: bytearray) -> None:
        self._latch.off()
        self._latch.on()
        self._spi.readinto(line)

    def _ready(self) -> list[bool]:
        """Whose line is low."""
        line = self._line
        self._sample(line)
        return [not line[index >> 3] >> (7 - (index & 7)) & 1 for index in range(self._count)]

    def _read(self, ready: list[bool]) -> None:
        for line in self._bits:
            self._pulse()
            self._sample(line)
        self._pulse()  # the 25th: the next conversion is of channel A with gain 128 again
        done = self._ready()
        for index in range(self._count):
            if not ready[index]:
                continue
            if done[index]:  # its line should be high now: it stuck, or a conversion ended while it was read
                self._void[index] += 1
                if self._void[index] >= VOID:
                    self._lose(index)
                continue
            self._void[index] = 0
            at, shift = index >> 3, 7 - (index & 7)
            value = 0
            for line in self._bits:
                value = value << 1 | (line[at] >> shift & 1)
            if value >> (BITS - 1):
                value -= 1 << BITS
            self._give(index, value)

    def _give(self, index: int, value: int) -> None:
        last = self._last[index]
        if last is None:
            last = (value, value)
        one, two = last
        self._last[index] = (two, value)
        self._given[index] = max(min(one, two), min(max(one, two), value))

    def _lose(self, index: int) -> None:
        self._last[index] = None
        self._given[index] = None
