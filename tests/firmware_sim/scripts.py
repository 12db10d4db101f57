"""Scripts for a board (`replayer`): loads that settle, hands that press, a host that asks, and damage."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from firmware_sim.firmware.buttons import ACTIONS, SIDES, contact
from firmware_sim.firmware.codec import encode

Step = list[Any]
Script = list[Step]

BOOT = "0123abcd"
ALL = 1 << 20  # more than a board ever has to send
TICK_MS = 10


class Author:
    """Writes a script, keeping the loads, the contacts and the time."""

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

    def pump(self, most: int = ALL) -> None:
        self.script.append(["pump", self.now, most])

    def say(self, *fields: str) -> None:
        """A line of the host, and the answer."""
        self.bytes(encode(list(fields)))
        self.pump()

    def bytes(self, data: bytes) -> None:
        self.script.append(["receive", data.hex()])

    def press(self, side: str, action: str) -> None:
        """Press a button that bounces."""
        button = contact(side, action)
        for closed in (True, False):
            for _ in range(2):
                self.contacts ^= button * self.random.getrandbits(1)
                self.sense(TICK_MS)
            self.contacts = self.contacts | button if closed else self.contacts & ~button
            self.sense(60)

    def look(self) -> None:
        """Everything else that comes out of a board."""
        self.script += [["lamps", self.now], ["healthy"], ["calibration"], ["counters"]]


def everything() -> Script:
    """All that a board can do, once."""
    author = Author()
    author.sense(200)
    author.say("HELLO", "1.0", "inkeek", "0.1.0")
    author.loads[0], author.loads[3] = 0, 500
    author.sense(300)
    for side in SIDES:
        for action in ACTIONS:
            author.press(side, action)
    author.pump()
    author.say("SNAP?")
    author.say("PING")
    author.say("REPLAY", BOOT, "2")
    author.say("NAK")
    author.sense(1100)
    author.pump()  # again, since nothing was acknowledged
    author.say("ACK", BOOT, "5")
    for order in (["pit", "1", "on"], ["pit", "2", "error"], ["row", "s", "blink"], ["row", "n", "on"], ["error", "1"]):
        author.say("LED", *order)
    for _ in range(9):
        author.sense(130)
        author.look()
    author.say("LED", "clear")
    author.loads = [0] * len(author.loads)
    author.sense(400)
    author.say("CAL", "tare")
    author.loads[2] = 1180
    author.sense(400)
    author.say("CAL", "seeds", "2", "10")
    author.say("CAL", "seeds", "4", "10")
    author.look()
    author.loads[1] = None
    author.loads[3] = 11000
    author.sense(300)
    author.say("PING")
    author.say("SNAP?")
    author.loads[1] = author.loads[3] = 100
    author.sense(300)
    author.script += [["supply", 4100], ["temperature", 410]]
    author.sense(100)
    author.say("SNAP?")
    author.say("PING")
    author.script.append(["supply", 5000])
    author.sense(100)
    for odd in ("HELLO 2.0 x y", "SNAP?", "HELLO 1.4 x y", "DANCE", "LED pit 99 on"):
        author.say(*odd.split())
    author.bytes(b"$SNAP?*0000\r\n\x00\xffnoise$$" + encode(["PING"]))
    author.pump()
    author.look()
    return author.script


def drifting() -> Script:
    """A minute in which empty pits drift in raw units of a real amplifier, and a converter hangs."""
    author = Author(unit=10700, calibrated=False, stuck_ms=30000, noise=60)
    author.loads = [-84000 + 977 * pit for pit in range(len(author.loads))]
    author.sense(400)
    author.say("CAL", "tare")
    for pit in range(len(author.loads)):
        author.loads[pit] = (author.loads[pit] or 0) + 10 * 10650 + 31 * pit
        author.sense(300)
        author.say("CAL", "seeds", str(pit), "10")
        author.loads[pit] = (author.loads[pit] or 0) - 10 * 10650 - 31 * pit
        author.sense(300)
    author.look()
    author.say("ACK", BOOT, "30")
    for _ in range(10):
        for pit in range(len(author.loads)):
            author.loads[pit] = (author.loads[pit] or 0) + 160 * (pit - 4)  # a hundredth of a seed is 107
        author.sense(6000)
        author.say("SNAP?")
        author.say("PING")
    author.noise = 0
    author.sense(31000)
    author.say("PING")
    author.look()
    return author.script


def overflowing(ring: int = 512) -> Script:
    """More presses than the ring holds while nobody reads, and then a replay."""
    author = Author(row=2, stores=False, ring=ring)
    author.sense(200)
    for number in range(ring + 20):
        author.press("s" if number % 2 else "n", "commit")
        if number % 40 == 0:
            author.say("SNAP?")
            author.pump(100)
    author.say("REPLAY", BOOT, "1")
    for _ in range(20):
        author.pump()
    author.look()
    return author.script


def by_chance(seed: int, steps: int) -> Script:
    """So many steps of any kind."""
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
    for deed in _deeds(random, author):
        deed()
        if len(author.script) >= steps:
            break
    author.look()
    return author.script


def _deeds(random: Random, author: Author) -> Iterator[Any]:
    sensors = len(author.loads)

    def load() -> None:
        author.loads[random.randrange(sensors)] = random.choice((None, 0, 0, 15000, *range(100, 1300, 100)))
        author.sense(random.randrange(0, 250))

    def press() -> None:
        author.press(random.choice(SIDES), random.choice(ACTIONS))

    def ask() -> None:
        number = str(random.randrange(60))
        pit = str(random.randrange(sensors + 1))
        author.say(
            *random.choice(
                (
                    ["SNAP?"],
                    ["PING"],
                    ["NAK"],
                    ["ACK", random.choice((BOOT, BOOT, "ffffffff")), number],
                    ["REPLAY", BOOT, number],
                    ["HELLO", random.choice(("1.0", "1.9", "2.0", "x")), "host", "1"],
                    ["HELLO", "1.0", "host", "1"],
                    ["LED", "pit", pit, random.choice(("off", "on", "blink", "error", "red"))],
                    ["LED", "row", random.choice("snx"), random.choice(("on", "blink"))],
                    ["LED", "error", random.choice("012")],
                    ["LED", "clear"],
                    ["CAL", "tare"],
                    ["CAL", "seeds", pit, random.choice(("0", "4", "100"))],
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
        yield random.choice((load, load, press, ask, ask, damage, world, author.look, author.pump))
        if random.random() < 0.2:
            author.pump(random.randrange(300))
