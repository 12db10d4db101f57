"""A day of a board with fake hardware. Runs under CPython and MicroPython."""

from fake_machine import Chain, Gauge, Lamps, Memory, Pin, Watchdog, Wire

from inkeek.firmware_sim.firmware.board import BoardFirmware
from inkeek.firmware_sim.firmware.codec import LineDecoder, encode
from inkeek.firmware_sim.pico import wiring
from inkeek.firmware_sim.pico.hx711 import Amplifiers
from inkeek.firmware_sim.pico.loop import ButtonPins, Gauges, Loop, Pixels, UsbLine

WRAP = 1 << 30  # where a Pico's millisecond counter wraps
BOOT = "0123abcd"


class Bench:
    """A board of three pits per row with stores, its hardware, and its host."""

    def __init__(self, stored=b""):
        self.chain = Chain([-40000 + 500 * index for index in range(8)])
        self.pins = [Pin() for _ in wiring.BUTTONS]
        self.lamps = Lamps(11)
        self.wire = Wire()
        self.memory = Memory(stored)
        self.watchdog = Watchdog()
        self.supply = Gauge(31000)
        self.clock = WRAP - 300
        board = BoardFirmware(3, True, "PICO", BOOT, unit=wiring.unit(), calibrated=False, stuck_ms=30000)
        self.loop = Loop(
            board,
            Amplifiers(8, self.chain),
            ButtonPins(self.pins),
            Pixels(self.lamps, wiring.COLORS),
            UsbLine(self.wire, self.wire, lambda: self.wire.incoming, lambda: not self.wire.full),
            self.memory,
            Gauges(self.supply, Gauge(14021)),
            self.watchdog,
            lambda: self.clock % WRAP,
            lambda new, old: (new - old) % WRAP,
        )
        self.decoder = LineDecoder()
        self.wobble = 0

    def run(self, ms, late=()):
        """Let time pass with a conversion every 12 ms."""
        for _ in range(ms // 4):
            self.clock += 4
            if self.clock % 12 == 0:
                self.wobble = 7 - self.wobble
                self.chain.convert(*late)
                self.chain.values = [
                    value + (self.wobble * 2 - 7) if isinstance(value, int) else value for value in self.chain.values
                ]
            self.loop.step()

    def sent(self):
        lines = self.decoder.feed(self.wire.outgoing)
        self.wire.outgoing = b""
        return [",".join(line) for line in lines]

    def ask(self, *fields):
        self.wire.incoming += encode(list(fields))
        self.run(60)
        return self.sent()


def main(argument):
    """Set up, calibrate and use a board; return what it sent and showed in each part of the day."""
    day = []
    bench = Bench()
    bench.run(400)
    day.append(bench.sent())
    day.append(bench.ask("HELLO", "1.0", "bench", "1"))
    day.append(bench.ask("CAL", "tare"))
    bench.chain.values = [value + 10 * 10700 + 100 for value in bench.chain.values]
    bench.run(300)
    for pit in range(8):
        day.append(bench.ask("CAL", "seeds", str(pit), "10"))
        bench.run(200)
    day.append([bench.memory.saved, bench.memory.data.decode()])
    bench.chain.values = [value - 3 * 10710 for value in bench.chain.values]
    bench.run(300)
    bench.pins[4].level = 0
    bench.run(100)
    bench.pins[4].level = 1
    bench.run(100)
    day.append(bench.sent())
    bench.ask("LED", "row", "s", "on")
    day.append(bench.ask("LED", "pit", "2", "error"))
    shown = bench.lamps.shown
    colors = [list(bench.lamps.colors)]
    bench.run(252)
    colors.append(list(bench.lamps.colors))
    day.append([colors, bench.lamps.shown - shown])
    bench.chain.values[1] = None
    bench.chain.values[2] = "low"
    bench.run(600)
    day.append(bench.ask("PING"))
    bench.supply.value = 27000
    bench.run(1100)
    bench.wire.full = True
    bench.run(100)
    day.append(bench.sent())
    bench.wire.full = False
    fed = bench.watchdog.fed
    bench.run(120)
    day.append(bench.watchdog.fed - fed)
    again = Bench(bench.memory.data)
    again.chain.values = [value if isinstance(value, int) else 0 for value in bench.chain.values]
    again.run(400)
    again.sent()
    day.append(again.ask("SNAP?"))
    return day
