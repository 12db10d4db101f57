"""The worked session of docs/protocol.md: the host's session and the foreign board, line by line."""

from __future__ import annotations

from inkeek.drivers.base import Guidance
from inkeek.drivers.boards.standard import StandardSession
from inkeek.drivers.events import Event, Numbered
from inkeek.records import NORTH, SOUTH
from tests.foreign_board import ForeignBoard

STEP = 0.05  # seconds
HOST_VERSION = "0.1.0"


class WorkedSession:
    """Plays the session when made. `lines` are those of the page; `sent` has those of each side, without their ends."""

    def __init__(self) -> None:
        self.now = 0.0
        self.board = ForeignBoard(
            2, serial="MY-1", firmware="0.1", boot="3f09a6c1", capabilities=("buttons", "leds"), clock=lambda: self.now
        )
        self.board.set_counts([3.02, 2.97, 3.05, 2.99])
        self.host = StandardSession("inkeek", HOST_VERSION)
        self.lines: list[str] = []
        self.sent: dict[str, list[str]] = {"host": [], "board": []}
        self.events: list[Event] = []
        self._play()

    def _play(self) -> None:
        self._say(
            "The host opens the port. It has stored no event of this boot id, so it requests them from number 1 on."
        )
        self.host.port_opened(self.now)
        self.host.show(Guidance(SOUTH))
        self._exchange()
        self._say(
            "South lifts the seeds of pit a (index 0) and sows them; the line to the host is cut in the middle of it."
        )
        self.now += 5.0
        self.board.lift(0)
        self.board.put(1, 3.98)
        self._exchange(cut=True)
        self._say("The host has seen a damaged line. It asks for everything again, and drops what it knows.")
        self._exchange()
        self._say("South presses the button. The host stores the turn, acknowledges the event, and lights North's row.")
        self.now += 2.0
        self.board.set_counts([0, 3.98, 4.06, 4.01])
        self.board.press("s")
        self._exchange()
        self._acknowledge()
        self.host.show(Guidance(NORTH, last=frozenset({0, 3})))
        self._exchange()
        self._say("Nothing happens for two seconds.")
        self.now += 2.0
        self.events += self.host.tick(self.now)
        self._exchange()
        self._say("The board restarts, with a new boot id: the host reports a gap.")
        self.board.restart("b41277e0")
        self._exchange()

    def _say(self, text: str) -> None:
        self.lines += ["", f"# {text}"] if self.lines else [f"# {text}"]

    def _exchange(self, *, cut: bool = False) -> None:
        """Pass on what both sides send, until neither says more; `cut`: the board's last line breaks off."""
        for _ in range(10):
            to_board = self.host.bytes_to_send()
            self._note("host", to_board)
            self.board.receive(to_board)
            to_host = self.board.take()
            if cut:
                to_host = to_host[:-10] + b"\r\n"
            self._note("board", to_host)
            self.now += STEP
            self.events += self.host.receive(to_host, self.now) if to_host else []
            if cut or not (to_board or to_host):
                return
        raise AssertionError("they do not stop talking")

    def _acknowledge(self) -> None:
        self.host.acknowledge([event for event in self.events if isinstance(event, Numbered)][-1])

    def _note(self, sender: str, data: bytes) -> None:
        lines = data.decode("ascii").splitlines()
        self.sent[sender] += lines
        self.lines += (f"{sender:5}  {line}" for line in lines)


if __name__ == "__main__":
    print("\n".join(WorkedSession().lines))
