"""A small host for these tests: it knows the game that will be played, and judges a commit by its counts alone."""

from __future__ import annotations

from collections.abc import Callable

from firmware_sim.firmware.codec import Decoder, encode
from firmware_sim.hands.plan import Plan


class Host:
    """Acknowledges every event in order; answers commits of `plan` with lights as docs/protocol.md tells."""

    def __init__(self, plan: Plan, send: Callable[[bytes], None], stores: bool = True) -> None:
        self.lines: list[list[str]] = []
        self.events: list[list[str]] = []  # new ones: fields after the boot id
        self.refusals: list[tuple[int, tuple[int, ...]]] = []
        self.repeated = 0
        self.boot = ""
        self.safe = 0
        self.played = 0
        self._plan = plan
        self._send = send
        self._sensors = 2 * plan.row + (2 if stores else 0)
        self._decoder = Decoder()

    def say(self, *fields: str) -> None:
        self._send(encode(list(fields)))

    def greet(self) -> None:
        self.say("HELLO", "1.0", "test", "0")

    def show(self) -> None:
        """All lights for the position that has been reached."""
        turns = self._plan.turns
        side = turns[self.played - 1].following if self.played else self._plan.starts
        self.say("LED", "clear")
        if side:
            self.say("LED", "row", side, "on")
        else:
            self.say("LED", "row", "s", "blink")
            self.say("LED", "row", "n", "blink")

    def hear(self, data: bytes) -> None:
        for line in self._decoder.feed(data):
            self.lines.append(line)
            if line[0] == "HELLO":
                if line[4] != self.boot:  # what the board before had is over
                    self.safe = 0
                self.boot = line[4]
                self.say("REPLAY", self.boot, str(self.safe + 1))
                self.show()
            elif line[0] == "EVT":
                self._event(line[2:])

    def _event(self, event: list[str]) -> None:
        number = int(event[0])
        if number <= self.safe:
            self.repeated += 1
        elif number == self.safe + 1:
            self.events.append(event)
            self.safe = number
            if event[2] == "BTN":
                self._commit(event[3], [int(count) for count in event[5].split(".")])
        self.say("ACK", self.boot, str(self.safe))

    def _commit(self, side: str, counts: list[int]) -> None:
        turn = self._plan.turns[self.played]
        seen = tuple(round(count / 100) for count in counts)
        wanted = turn.counts[: self._sensors]
        assert len(seen) == self._sensors
        if side == turn.side and seen == wanted:
            self.played += 1
            self.show()
            return
        self.refusals.append((turn.ply, tuple(have - want for have, want in zip(seen, wanted, strict=True))))
        self.show()
        self.say("LED", "error", "1")
        for pit, (have, want) in enumerate(zip(seen, wanted, strict=True)):
            if have != want and pit < 2 * self._plan.row:
                self.say("LED", "pit", str(pit), "error")
