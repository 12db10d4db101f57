"""A small emulation of what `hx711.program` runs on: a PIO state machine, HX711 amplifiers, 74HC165 registers.

Written from the data sheets: of the RP2040 (chapter 3), of the HX711 and of the 74HC165. Time is in nanoseconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

DEPTH = 4  # words in each FIFO
POWER_DOWN = 60_000  # of PD_SCK high
MIN_HIGH, MAX_HIGH, MIN_LOW = 200, 50_000, 200  # of PD_SCK


class Instruction:
    """An operation with its operands and the levels of the side-set pins."""

    def __init__(self, *operation: Any) -> None:
        self.operation = operation
        self.levels: int | None = None

    def side(self, levels: int) -> Instruction:
        self.levels = levels
        return self


class Program:
    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.instructions: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.wrap_target = self.wrap = 0

    def add(self, *operation: Any) -> Instruction:
        self.instructions.append(Instruction(*operation))
        return self.instructions[-1]


class Rp2:
    """The module `rp2`, as far as the program needs it."""

    class PIO:
        OUT_LOW, OUT_HIGH, SHIFT_LEFT, SHIFT_RIGHT = "low", "high", "left", "right"

    @staticmethod
    def asm_pio(**options: Any) -> Callable[[Callable[[], None]], Program]:
        def assemble(function: Callable[[], None]) -> Program:
            program = Program(options)
            names: dict[str, Any] = {
                "wrap_target": lambda: setattr(program, "wrap_target", len(program.instructions)),
                "wrap": lambda: setattr(program, "wrap", len(program.instructions)),
                "label": lambda name: program.labels.update({name: len(program.instructions)}),
                "pull": lambda mode: program.add("pull", mode),
                "out": lambda where, bits: program.add("out", where, bits),
                "jmp": lambda *given: program.add("jmp", *given),
                "nop": lambda: program.add("nop"),
                "mov": lambda to, source: program.add("mov", to, source),
                "in_": lambda source, bits: program.add("in", source, bits),
                **{name: name for name in ("block", "x", "y", "osr", "pins", "x_dec", "y_dec")},
            }
            exec(function.__code__, names)
            return program

        return assemble


class Amplifier:
    """An HX711 whose conversion is done. It checks its clock by the data sheet."""

    def __init__(self, value: int | None) -> None:
        self.value = value  # None: not ready
        self.pulses = 0
        self.gain_pulses = 0  # of the last reading
        self.off = False
        self._level = 0
        self._changed = -MIN_LOW

    def clock(self, level: int, now: int) -> None:
        if level == self._level:
            self.off = self.off or bool(level and now - self._changed > POWER_DOWN)
            return
        lasted = now - self._changed
        if level:
            assert lasted >= MIN_LOW, f"PD_SCK was low for {lasted} ns only"
            self.pulses += 1
        else:
            assert MIN_HIGH <= lasted <= MAX_HIGH, f"PD_SCK was high for {lasted} ns"
        self._level, self._changed = level, now

    def data(self) -> int:
        if self.value is None or self.off:
            return 1
        if self.pulses == 0:
            return 0
        return (self.value & 0xFFFFFF) >> (24 - self.pulses) & 1 if self.pulses <= 24 else 1


class Registers:
    """74HC165s in a chain. While SH/LD is low they follow their inputs; a rising CLK shifts."""

    def __init__(self, amplifiers: Sequence[Amplifier], inputs: int) -> None:
        self._amplifiers = amplifiers
        self._bits = deque([1] * inputs)
        self._clk = 0

    def update(self, load: int, clk: int) -> None:
        if not load:
            self._bits = deque([each.data() for each in self._amplifiers])
            self._bits.extend([1] * (-len(self._bits) % 8))
        elif clk and not self._clk:
            self._bits.popleft()
            self._bits.append(0)  # SER of the last register
        self._clk = clk

    def output(self) -> int:
        return self._bits[0]


class StateMachine:
    """Runs a program, an instruction each `1 / frequency`, over amplifiers and registers."""

    def __init__(self, program: Program, frequency: int, amplifiers: Sequence[Amplifier]) -> None:
        self.amplifiers = amplifiers
        self.now = 0
        self._registers = Registers(amplifiers, len(amplifiers) + -len(amplifiers) % 8)
        self._program = program
        self._step_ns = 10**9 // frequency
        self._at = self._x = self._y = self._osr = self._isr = self._count = 0
        self._tx: deque[int] = deque()
        self._rx: deque[int] = deque()

    def active(self, value: int) -> None:
        assert value == 1

    def put(self, word: int) -> None:
        assert len(self._tx) < DEPTH
        self._tx.append(word)

    def get(self, buffer: bytearray) -> None:
        """Fill the buffer, as late as the program allows: it has to wait with full FIFOs all the time."""
        for at in range(len(buffer)):
            for _ in range(2000):
                self.step()
            assert self._rx, "the program gives no word"
            buffer[at] = self._rx.popleft() & 0xFF

    def step(self) -> None:
        """Run an instruction, or stall. A stalled instruction still sets its side-set pins."""
        instruction = self._program.instructions[self._at]
        levels = instruction.levels
        assert levels is not None, "every instruction sets the pins"
        self._registers.update(levels >> 1 & 1, levels >> 2 & 1)
        for amplifier in self.amplifiers:
            amplifier.clock(levels & 1, self.now)
        self.now += self._step_ns
        following = self._execute(*instruction.operation)
        if following is not None:
            self._at = self._program.wrap_target if following == self._program.wrap else following

    def _execute(self, name: str, *operands: Any) -> int | None:
        """Return the next instruction; None: this one stalls."""
        following = self._at + 1
        if name == "pull":
            if not self._tx:
                return None
            self._osr = self._tx.popleft()
        elif name == "out":
            assert (operands[0], self._program.options["out_shiftdir"]) == ("x", "right")
            self._x = self._osr & (1 << operands[1]) - 1
            self._osr >>= operands[1]
        elif name == "mov":
            assert operands == ("y", "osr")
            self._y = self._osr
        elif name == "in":
            threshold = self._program.options["push_thresh"]
            if self._count + 1 == threshold and len(self._rx) == DEPTH:
                return None
            assert self._program.options["in_shiftdir"] == "left"
            self._isr = self._isr << 1 | self._registers.output()
            self._count += 1
            if self._count == threshold:
                self._rx.append(self._isr)
                self._isr = self._count = 0
        elif name == "jmp":
            target = self._program.labels[operands[-1]]
            if len(operands) == 1:
                return target
            value = self._x if operands[0] == "x_dec" else self._y
            if operands[0] == "x_dec":
                self._x = (self._x - 1) & 0xFFFFFFFF
            else:
                self._y = (self._y - 1) & 0xFFFFFFFF
            return target if value else following
        return following
