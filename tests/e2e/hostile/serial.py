"""A board on a pseudo-terminal that does, for some seconds each, what no board may do."""

import os
import time
from collections.abc import Callable
from random import Random

from tests.foreign_board.board import ForeignBoard
from tests.foreign_board.ports import PtyPort

LASTS = (2.0, 10.0)  # seconds of one kind: from, to
KINDS = ("HELLO", "EVT", "SNAP", "STAT", "PONG", "LIT", "ERR", "CAL", "TEST", "PROOF", "NOPE")
ABSURD = ("-1", "0", "4294967296", "1e308", "NaN", "", "x" * 200, "99999999999999999999", "00000001", "s", "BTN")
MOST_HELD = 1 << 16  # bytes that wait for a host which does not read


class HostileBoard:
    """`act` is called many times a second. `victims` are serial numbers of others; `only`: a part of the names of what
    it does; `pace`: by which `LASTS` is multiplied."""

    def __init__(self, number: int, random: Random, victims: list[str], only: str = "", pace: float = 1.0) -> None:
        self._random = random
        self._victims = victims
        self._serial = f"BAD-{number}"
        self.board = ForeignBoard(8, serial=self._serial, stores=True)
        self.port = PtyPort(self.board)
        self._until = 0.0
        self._pace = pace
        self._reads = True
        self._act: Callable[[], None] = self._rest
        acts: list[Callable[[], None]] = [
            self._press,
            self._flood,
            self._say_anything,
            self._send_bytes,
            self._claim,
            self._change_row,
            self._restart,
            self._read_nothing,
            self._never_forget,
        ]
        self._acts = [act for act in acts if only in act.__name__]

    def act(self) -> None:
        if time.monotonic() >= self._until:
            self._until = time.monotonic() + self._pace * self._random.uniform(*LASTS)
            self._act = self._random.choice(self._acts)
            self._reads = True
            self.board.deviations.never_forgets = False
            self.board.row, self.board.serial = 8, self._serial
            self.board.set_counts([4.0] * 18)
        if self._reads and (data := self.port._read(0)):
            self.board.receive(data)
        self.board.tick()
        if len(self.port._rest) < MOST_HELD:
            self._act()
        self.port._write()

    def close(self) -> None:
        self.port._close()

    def _rest(self) -> None: ...

    def _press(self) -> None:
        """Press with counts without sense."""
        if self._random.random() < 0.2:
            counts = [float(self._random.randrange(9)) for _ in range(self.board.sensors)]
            self.board.press(self._random.choice("sn"), self._random.choice(("commit", "commit", "undo")), counts)

    def _flood(self) -> None:
        for _ in range(50):
            self.board.emit("PIT", self._random.randrange(18), self._random.randrange(2000))

    def _say_anything(self) -> None:
        fields = [self._random.choice(ABSURD) for _ in range(self._random.randrange(9))]
        self.board.send(self._random.choice(KINDS), *fields)
        if self._random.random() < 0.3:
            self.board.emit(self._random.choice(("PIT", "LIFT", "BTN", "FAULT", "CAL", "WAVE")), *fields)

    def _send_bytes(self) -> None:
        self.board.send_bytes(self._random.choice((os.urandom(2000), b"$" * 2000, b"x" * 4000)))

    def _claim(self) -> None:
        """Say the serial number of another."""
        self.board.serial = self._random.choice(self._victims)
        self._greet()

    def _change_row(self) -> None:
        """Say another row, in the same run."""
        self.board.row = self._random.choice((6, 8, 12))
        self.board.seeds = [4.0] * self.board.sensors
        self.board.confidence = [15] * self.board.sensors
        self._greet()
        self.board.row, self.board.seeds, self.board.confidence = 8, [4.0] * 18, [15] * 18

    def _greet(self) -> None:
        if self._random.random() < 0.2:
            with self.board.lock:
                self.board._greet()

    def _restart(self) -> None:
        if self._random.random() < 0.05:
            self.board.restart()

    def _read_nothing(self) -> None:
        self._reads = False
        self.board.emit("PIT", 0, 400)

    def _never_forget(self) -> None:
        self.board.deviations.never_forgets = True
        self._press()
