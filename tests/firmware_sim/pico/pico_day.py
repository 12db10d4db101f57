"""A day of a real board with fake hardware: what its parts do. Runs under CPython and MicroPython."""

from fake_machine import Chain, Dog, Gauge, Lamps, Level, Memory, Wire

from firmware_sim.firmware.board import Board
from firmware_sim.firmware.codec import Decoder, encode
from firmware_sim.pico import wiring
from firmware_sim.pico.amplifiers import Amplifiers
from firmware_sim.pico.loop import Loop
from firmware_sim.pico.parts import Gauges, Keys, Line, Pixels

WRAP = 1 << 30  # where a Pico's counter of milliseconds begins again
BOOT = "0123abcd"


class Bench:
    """A board of three pits a row with stores, its hardware, and the host's end of the line."""

    def __init__(self, stored=b""):
        self.chain = Chain([-40000 + 500 * index for index in range(8)])
        self.pins = [Level() for _ in wiring.BUTTONS]
        self.lamps = Lamps(11)
        self.wire = Wire()
        self.memory = Memory(stored)
        self.dog = Dog()
        self.supply = Gauge(31000)
        self.clock = WRAP - 300
        board = Board(3, True, "PICO", BOOT, unit=wiring.unit(), calibrated=False, stuck_ms=30000)
        self.loop = Loop(
            board,
            Amplifiers(8, self.chain.pulse, self.chain, self.chain),
            Keys(self.pins),
            Pixels(self.lamps, wiring.COLOURS),
            Line(self.wire, self.wire, lambda: self.wire.coming, lambda: not self.wire.full),
            self.memory,
            Gauges(self.supply, Gauge(14021)),
            self.dog,
            lambda: self.clock % WRAP,
            lambda new, old: (new - old) % WRAP,
        )
        self.decoder = Decoder()
        self.wobble = 0

    def run(self, ms, late=()):
        """Let time pass, a conversion every 12 ms."""
        for _ in range(ms // 4):
            self.clock += 4
            if self.clock % 12 == 0:
                self.wobble = 7 - self.wobble
                self.chain.convert(*late)
                self.chain.values = [
                    value + (self.wobble * 2 - 7) if isinstance(value, int) else value for value in self.chain.values
                ]
            self.loop.step()

    def heard(self):
        lines = self.decoder.feed(self.wire.gone)
        self.wire.gone = b""
        return [",".join(line) for line in lines]

    def say(self, *fields):
        self.wire.coming += encode(list(fields))
        self.run(60)
        return self.heard()


def main(argument):
    """Everything that a maker does with a board; what it said and showed in each part of the day."""
    day = []
    bench = Bench()
    bench.run(400)
    day.append(bench.heard())
    day.append(bench.say("HELLO", "1.0", "bench", "1"))
    day.append(bench.say("CAL", "tare"))
    bench.chain.values = [value + 10 * 10700 + 100 for value in bench.chain.values]
    bench.run(300)
    for pit in range(8):
        day.append(bench.say("CAL", "seeds", str(pit), "10"))
        bench.run(200)
    day.append([bench.memory.saved, bench.memory.data.decode()])
    bench.chain.values = [value - 3 * 10710 for value in bench.chain.values]
    bench.run(300)
    bench.pins[4].level = 0
    bench.run(100)
    bench.pins[4].level = 1
    bench.run(100)
    day.append(bench.heard())
    bench.say("LED", "row", "s", "on")
    day.append(bench.say("LED", "pit", "2", "error"))
    shown = bench.lamps.shown
    colours = [list(bench.lamps.colours)]
    bench.run(252)
    colours.append(list(bench.lamps.colours))
    day.append([colours, bench.lamps.shown - shown])
    bench.chain.values[1] = None
    bench.chain.values[2] = "low"
    bench.run(600)
    day.append(bench.say("PING"))
    bench.supply.value = 27000
    bench.run(1100)
    bench.wire.full = True
    bench.run(100)
    day.append(bench.heard())
    bench.wire.full = False
    fed = bench.dog.fed
    bench.run(120)
    day.append(bench.dog.fed - fed)
    again = Bench(bench.memory.data)
    again.chain.values = [value if isinstance(value, int) else 0 for value in bench.chain.values]
    again.run(400)
    again.heard()
    day.append(again.say("SNAP?"))
    return day
