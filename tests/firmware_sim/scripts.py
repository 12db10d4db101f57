"""Scripts for `replayer`: settling loads, pressed buttons, requests of the host, and damaged lines."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from inkeek.firmware_sim.firmware.codec import encode
from inkeek.firmware_sim.firmware.panel import ACTIONS, SIDES, contact

Step = list[Any]
Script = list[Step]

BOOT = "0123abcd"
ALL = 1 << 20  # more than a board ever sends
TICK_MS = 10


class Author:
    """Writes a script. It keeps track of loads, contacts and time."""

    def __init__(
        self,
        row: int = 3,
        stores: bool = True,
        *,
        ring: int = 512,
        unit: int = 100,
        calibrated: bool = True,
        stuck_ms: int = 0,
        noise: int = 3,
        seed: int = 1,
    ) -> None:
        self.random = Random(seed)
        self.unit = unit
        self.noise = noise
        self.now = 0
        self.loads: list[int | None] = [4 * unit] * (2 * row + 2 * stores)
        self.contacts = 0
        self.script: Script = [["start", row, stores, BOOT, ring, unit, calibrated, stuck_ms]]

    def sense(self, ms: int) -> None:
        """Let time pass, with noise on the loads."""
        for _ in range(ms // TICK_MS):
            self.now += TICK_MS
            readings = [None if load is None else load + round(self.random.gauss(0, self.noise)) for load in self.loads]
            self.script.append(["sense", readings, self.contacts, self.now])

    def output(self, most: int = ALL) -> None:
        self.script.append(["output", self.now, most])

    def send(self, *fields: str) -> None:
        """Send a line as the host and collect the answer."""
        self.bytes(encode(list(fields)))
        self.output()

    def bytes(self, data: bytes) -> None:
        self.script.append(["receive", data.hex()])

    def press(self, side: str, action: str) -> None:
        """Press a bouncing button."""
        button = contact(side, action)
        for closed in (True, False):
            for _ in range(2):
                self.contacts ^= button * self.random.getrandbits(1)
                self.sense(TICK_MS)
            self.contacts = self.contacts | button if closed else self.contacts & ~button
            self.sense(60)

    def hold(self, side: str) -> None:
        """Hold the commit button down."""
        self.contacts |= contact(side, "commit")
        for _ in range(17):
            self.now += 90
            self.sense(TICK_MS)
        self.contacts &= ~contact(side, "commit")
        self.sense(60)

    def look(self) -> None:
        """Collect the board's other outputs."""
        self.script += [["lamps", self.now], ["served"], ["calibration"], ["counters"]]


def drifting() -> Script:
    """Empty pits that drift for a minute, in raw units of a real amplifier; then a stuck converter."""
    author = Author(unit=10700, calibrated=False, stuck_ms=30000, noise=60)
    author.loads = [-84000 + 977 * pit for pit in range(len(author.loads))]
    author.sense(400)
    author.send("CAL", "tare")
    for pit in range(len(author.loads)):
        author.loads[pit] = (author.loads[pit] or 0) + 10 * 10650 + 31 * pit
        author.sense(300)
        author.send("CAL", "seeds", str(pit), "10")
        author.loads[pit] = (author.loads[pit] or 0) - 10 * 10650 - 31 * pit
        author.sense(300)
    author.look()
    author.send("ACK", BOOT, "30")
    for _ in range(10):
        for pit in range(len(author.loads)):
            author.loads[pit] = (author.loads[pit] or 0) + 160 * (pit - 4)  # a hundredth of a seed is 107
        author.sense(6000)
        author.send("SNAP?")
        author.send("PING")
    author.noise = 0
    author.sense(31000)
    author.send("PING")
    author.look()
    return author.script


def random_script(seed: int, steps: int) -> Script:
    """Random steps of every kind."""
    random = Random(seed)
    author = Author(
        row=random.randint(1, 16),
        stores=random.random() < 0.5,
        ring=random.choice((5, 512)),
        stuck_ms=random.choice((0, 2000)),
        noise=random.choice((0, 3, 12)),
        seed=seed,
    )
    author.sense(100)
    for action in _actions(random, author):
        action()
        if len(author.script) >= steps:
            break
    author.look()
    return author.script


def _actions(random: Random, author: Author) -> Iterator[Any]:
    sensors = len(author.loads)

    def load() -> None:
        author.loads[random.randrange(sensors)] = random.choice((None, 0, 0, 15000, *range(100, 1300, 100)))
        author.sense(random.randrange(0, 250))

    def press() -> None:
        if random.random() < 0.1:
            author.hold(random.choice(SIDES))
        else:
            author.press(random.choice(SIDES), random.choice(ACTIONS))

    def ask() -> None:
        number = str(random.randrange(60))
        pit = str(random.randrange(sensors + 1))
        author.send(
            *random.choice(
                (
                    ["SNAP?"],
                    ["PING"],
                    ["NAK"],
                    ["ACK", random.choice((BOOT, BOOT, "ffffffff")), number],
                    ["REPLAY", BOOT, number],
                    ["HELLO", random.choice(("1.0", "1.9", "2.0", "x")), "host", "1"],
                    ["HELLO", random.choice(("1.0", "1.1")), "host", "1"],
                    ["LED", "pit", pit, random.choice(("off", "on", "blink", "error", "red"))],
                    ["LED", "row", random.choice("snx"), random.choice(("on", "blink"))],
                    ["LED", "error", random.choice("012")],
                    ["LED", "clear"],
                    ["CAL", "tare"],
                    ["TEST", *random.choice(([], [], ["stop"], ["wait"]))],
                    ["CAL", "seeds", pit, random.choice(("0", "4", "100"))],
                    ["LED", "all", number, random.choice((BOOT, BOOT, "ffffffff")), number, "b" * sensors, "10", "1"],
                    ["LED", "all", number, BOOT, "0", "01be" * 9, "0e", "0"],
                )
            )
        )

    def damage() -> None:
        line = bytearray(encode(["LED", "pit", "0", "blink"]) * random.randint(1, 3))
        for _ in range(random.randint(1, 4)):
            line[random.randrange(len(line))] = random.randrange(256)
        cut = random.randrange(len(line))
        author.bytes(bytes(line[:cut]))
        author.bytes(bytes(line[cut:]))

    def world() -> None:
        author.script.append(
            random.choice((["supply", random.randint(3800, 5200)], ["temperature", random.randint(-200, 600)]))
        )

    while True:
        yield random.choice((load, load, press, ask, ask, damage, world, author.look, author.output))
        if random.random() < 0.2:
            author.output(random.randrange(300))
