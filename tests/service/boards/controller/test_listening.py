"""A search for what happened that takes long, and a desk that was stopped: neither is the board's silence."""

from dataclasses import dataclass

import pytest

from inkeek.drivers import events as board_events
from inkeek.drivers.base import PortReport, RefusedLine
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.detection.diagnosis import leave_unexplained
from inkeek.drivers.errors import TransportError
from inkeek.service.boards.controller import FLUSH_AFTER, SETTLED_AFTER, BoardController, misfits
from inkeek.service.boards.controller.core import LOOKING
from tests.foreign_board import Bench, ForeignBoard
from tests.service.boards_double import counts_of

from .conftest import Table

SEARCH = 20.0  # seconds
PING_WITHIN = 2.5


@pytest.mark.parametrize("pressed", [True, False])
def test_the_line_is_served_while_a_search_goes_on(services, drivers_installed, pressed):
    """What came before a press is acknowledged; a board that has nothing to send is asked whether it is there."""
    table, bench = Table(services), Bench(TransportError)
    start = table.turn().before
    board = ForeignBoard(row=8, stores=True, clock=bench.clock)
    board.set_counts(counts_of(start))
    connection = StandardBoard().connect(bench.plug("a", board))
    row = table.boards.get(table.board)
    controller = BoardController(row, connection, table.games, table.boards, bench.clock)

    def go_on(seconds):
        until = bench.now + seconds
        while bench.now < until:
            controller.step(0.1)

    gaps, messages, held = [], [], []

    def search(rules, readings, turns, *rest):
        until, last, before = bench.now + SEARCH, bench.now, len(board.heard)
        while bench.now < until:
            bench.now += 0.05
            controller.wait_for_search()
            if len(board.heard) > before:
                gaps.append(bench.now - last)
                last, before = bench.now, len(board.heard)
            messages.append(table.boards.get(table.board).status["message"])
            held.append(list(board.held))
        gaps.append(bench.now - last)
        return leave_unexplained(readings, turns, "?")

    go_on(3.0)
    controller.explain = search
    controller.buttons = pressed
    for pit in range(16):
        board.put(pit, 3)
    if pressed:
        board.press("s")
    go_on(30.0)
    assert str(LOOKING) in messages
    assert held[40] == ([17] if pressed else [])
    assert pressed or max(gaps) < PING_WITHIN
    status = table.boards.get(table.board).status
    assert (status["state"], status["refusal"] is None) == ("connected", False)
    assert str(LOOKING) != status["message"]
    assert board.held == []
    assert table.boards.log(table.board)[-1].kind == "refused"
    assert not any(entry.kind == "gap" for entry in table.boards.log(table.board))


def test_a_board_is_not_settled_while_nobody_reads_it(playing, monkeypatch):
    """What it has sent meanwhile is read first."""
    playing.controller.buttons = False
    turn = playing.turn()
    playing.lay(turn.position, 1)
    playing.later(SETTLED_AFTER - 3 * FLUSH_AFTER)

    def stop(board):  # after a read
        playing.now += 12.0

    with monkeypatch.context() as patch:
        patch.setattr(misfits, "look_at_port", stop)
        playing.step()
    assert playing.games.row(playing.game).ply == 0
    playing.still()
    assert playing.games.row(playing.game).ply == 1


@dataclass
class Port:
    """Says what the port does as the test wants."""

    state: str = "silent"
    reason: str = ""
    lines: tuple[RefusedLine, ...] = ()
    misfits: int = 0

    def report_at(self, table: Table) -> None:
        """Have the connection of `table` say this."""
        said = {
            "port_report": property(lambda _: PortReport(self.state, reason=self.reason, lines=self.lines)),
            "counters": property(lambda _: {"misfits": self.misfits}),
        }
        table.connection.__class__ = type("Reporting", (type(table.connection),), said)


@pytest.mark.parametrize("said", ["silent", "unreadable", "connected"])
def test_what_a_refused_board_is_told_stands_until_its_port_is_closed(table, said):
    port = Port(said)
    port.report_at(table)
    table.hear(board_events.Refused("it speaks version 2.0"))
    for _ in range(3):
        table.later(2.0)
        assert "2.0" in table.status["message"]
        port.state = "silent" if port.state != "silent" else "unreadable"
    port.state, port.reason = "closed", "it was unplugged"
    table.later(2.0)
    table.later()
    assert (table.status["state"], "unplugged" in table.status["message"]) == ("gone", True)
    port.state = "silent"
    table.later(2.0)
    table.later()
    assert "unplugged" not in table.status["message"]


def test_lines_of_a_connected_board_that_do_not_fit_are_counted_and_logged(playing):
    before = Port("silent", misfits=3)  # while it was not connected
    before.report_at(playing)
    playing.later(2.0)
    said = Port("connected", lines=(RefusedLine("4 4 x", "'x' is no number"),), misfits=5)
    said.report_at(playing)
    playing.later(2.0)
    playing.later(2.0)
    assert playing.status["misfits"] == 2
    assert playing.status["heard"] == [{"text": "4 4 x", "reason": "'x' is no number"}]
    (entry,) = [entry for entry in playing.boards.log(playing.board) if entry.kind == "misfit"]
    assert entry.data == {"kind": "line", "reason": "'4 4 x': 'x' is no number", "count": 2}
