# mypy: disable-error-code="name-defined"
"""Reads HX711 amplifiers with a PIO state machine, which keeps exact time whatever Python does.

All amplifiers share one clock (PD_SCK). A chain of 74HC165 registers takes their data lines at once. The program takes
and shifts out the lines once, then after each of up to 25 clock pulses. Its three outputs are consecutive pins: the
amplifiers' clock, the registers' SH/LD, the registers' CLK.
"""

PULSES = 25  # 24 bits; the 25th selects channel A with gain 128 for the next conversion
FREQUENCY = 2000000  # instructions a second: a pulse is high for 0.5 µs (the data sheet: 0.2 to 50, off from 60)


def program(rp2):  # type: ignore[no-untyped-def]
    """Assemble the program. `rp2` is the module.

    It takes words: the number of pulses (8 bits), and the number of lines less one. It gives the lines, 8 in a word.
    When nobody takes the words it waits with the amplifiers' clock low, which they allow for any time.
    """

    @rp2.asm_pio(
        sideset_init=(rp2.PIO.OUT_LOW, rp2.PIO.OUT_HIGH, rp2.PIO.OUT_LOW),
        out_shiftdir=rp2.PIO.SHIFT_RIGHT,
        in_shiftdir=rp2.PIO.SHIFT_LEFT,
        autopush=True,
        push_thresh=8,
    )
    def read_lines():  # type: ignore[no-untyped-def]
        wrap_target()  # noqa: F821
        pull(block).side(0b010)  # noqa: F821
        out(x, 8).side(0b010)  # noqa: F821
        jmp("sample").side(0b010)  # noqa: F821
        label("pulse")  # noqa: F821
        nop().side(0b011)  # noqa: F821
        nop().side(0b010)  # noqa: F821
        label("sample")  # noqa: F821
        nop().side(0b000)  # noqa: F821
        mov(y, osr).side(0b010)  # noqa: F821
        label("bit")  # noqa: F821
        in_(pins, 1).side(0b010)  # noqa: F821
        jmp(y_dec, "bit").side(0b110)  # noqa: F821
        jmp(x_dec, "pulse").side(0b010)  # noqa: F821
        wrap()  # noqa: F821

    return read_lines


class LineReader:
    """The amplifiers' data lines, read by a state machine that runs `program`. The first bit is line 0's."""

    def __init__(self, count: int, machine) -> None:  # type: ignore[no-untyped-def]
        self.width = count + 7 >> 3  # bytes for all lines
        self._lines = (8 * self.width - 1) << 8
        self._machine = machine
        self._levels = bytearray(self.width)
        self._samples = bytearray((PULSES + 1) * self.width)

    def levels(self) -> bytearray:
        """Return the lines as they are now."""
        self._machine.put(self._lines)
        self._machine.get(self._levels)
        return self._levels

    def read(self) -> bytearray:
        """Pulse the clock `PULSES` times; return the lines before and after each pulse."""
        self._machine.put(self._lines | PULSES)
        self._machine.get(self._samples)
        return self._samples


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
