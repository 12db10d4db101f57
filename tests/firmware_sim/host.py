"""A small host for these tests. It knows the planned game and judges a commit by its counts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count

from inkeek.firmware_sim.firmware.codec import LineDecoder, encode
from inkeek.firmware_sim.hands.plan import GamePlan
from inkeek.firmware_sim.scenarios import Scenario, Stage, stage
from tests.firmware_sim.conftest import Clock, MemoryCable


class Host:
    """Acknowledges every event in order, and answers commits of `plan` with lights (docs/protocol.md)."""

    def __init__(self, plan: GamePlan, write: Callable[[bytes], None], stores: bool = True) -> None:
        self.lines: list[list[str]] = []
        self.events: list[list[str]] = []  # each once: fields after the boot id
        self.refusals: list[tuple[int, tuple[int, ...]]] = []
        self.repeated = 0
        self.boot = ""
        self.acknowledged = 0
        self.played = 0
        self._plan = plan
        self._write = write
        self._sensors = 2 * plan.row + (2 if stores else 0)
        self._decoder = LineDecoder()

    def send(self, *fields: str) -> None:
        self._write(encode(list(fields)))

    def greet(self) -> None:
        self.send("HELLO", "1.0", "test", "0")

    def show(self) -> None:
        """Set all lights for the present position."""
        turns = self._plan.turns
        side = turns[self.played - 1].next_side if self.played else self._plan.first_side
        self.send("LED", "clear")
        if side:
            self.send("LED", "row", side, "on")
        else:
            self.send("LED", "row", "s", "blink")
            self.send("LED", "row", "n", "blink")

    def receive(self, data: bytes) -> None:
        for line in self._decoder.feed(data):
            self.lines.append(line)
            if line[0] == "HELLO":
                if line[4] != self.boot:  # a restarted board counts events from 1
                    self.acknowledged = 0
                self.boot = line[4]
                self.send("REPLAY", self.boot, str(self.acknowledged + 1))
                self.show()
            elif line[0] == "EVT":
                self._event(line[2:])

    def _event(self, event: list[str]) -> None:
        number = int(event[0])
        if number <= self.acknowledged:
            self.repeated += 1
        elif number == self.acknowledged + 1:
            self.events.append(event)
            self.acknowledged = number
            if event[2] == "BTN":
                self._commit(event[3], [int(count) for count in event[5].split(".")])
        self.send("ACK", self.boot, str(self.acknowledged))

    def _commit(self, side: str, counts: list[int]) -> None:
        turn = self._plan.turns[self.played]
        weighed = tuple(round(count / 100) for count in counts)
        wanted = turn.after[: self._sensors]
        assert len(weighed) == self._sensors
        if side == turn.side and weighed == wanted:
            self.played += 1
            self.show()
            return
        self.refusals.append((turn.ply, tuple(have - want for have, want in zip(weighed, wanted, strict=True))))
        self.show()
        self.send("LED", "error", "1")
        for pit, (have, want) in enumerate(zip(weighed, wanted, strict=True)):
            if have != want and pit < 2 * self._plan.row:
                self.send("LED", "pit", str(pit), "error")


class Staged:
    """A scenario, and a host at the other end of its cable. `received`: all bytes that the host got."""

    def __init__(self, scenario: Scenario, cable: MemoryCable | None = None) -> None:
        self.cable, self.clock = cable or MemoryCable(), Clock()
        self.reported: list[Mapping[str, object]] = []
        self.received = b""
        self.present = True  # the host reads and answers
        self.waits = 0
        boots = (f"{number:08x}" for number in count(1))
        self.stage: Stage = stage(scenario, self.cable, self.clock, self._wait, self.reported.append, boots)
        self.device, self.plan = self.stage.device, self.stage.plan
        self.host = Host(self.plan, self.cable.write, scenario.board.stores)
        self.cable.plug()

    def play(self, limit: float = 3600) -> None:
        """Run until the game is over, or for `limit` seconds."""
        self.host.greet()
        self.device.run(lambda: not self.device.playing or self.clock.now > limit)

    def events(self, kind: str) -> list[Mapping[str, object]]:
        return [event for event in self.reported if event["event"] == kind]

    def _wait(self, files: list[int], seconds: float) -> None:
        assert files == self.cable.files()
        self.waits += 1
        self.clock.now += seconds or 0.001
        if self.present:
            data = self.cable.read()
            self.received += data
            self.host.receive(data)
