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
