"""A board that restarts with a boot id that came before: no event is swallowed, and none is acknowledged too early."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings, strategies as st

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Button, Connected, Disconnected, Event, Gap, Numbered
from inkeek.drivers.ports.connection import PortConnection
from inkeek.drivers.protocol.runs import MAX_NAMES, RunNames
from tests.foreign_board import Bench, ForeignBoard

BOOT = "00000001"


class Table:
    """A foreign board on a bench, and a connection whose caller acknowledges every event."""

    def __init__(self, board: ForeignBoard | None = None) -> None:
        self.bench = Bench(TransportError)
        self.board = board or ForeignBoard(row=5, clock=self.bench.clock, boot=BOOT)
        self.board.clock = self.bench.clock
        self.environment = self.bench.plug("a", self.board)
        self.acknowledged = 0
        self.connection = self.open()

    def open(self, resume: tuple[str, int] | None = None) -> PortConnection:
        self.connection = StandardBoard().connect(self.environment, resume)
        return self.connection

    def poll(self, seconds: float = 3.0, *, acknowledge: bool = True) -> list[Event]:
        """The events of some seconds."""
        events: list[Event] = []
        until = self.bench.now + seconds
        while self.bench.now < until:
            found = list(self.connection.poll(0.2))
            events += found
            numbered = [event for event in found if isinstance(event, Numbered)]
            if numbered and acknowledge:
                self.connection.acknowledge(numbered[-1])
        return events


def presses(events: list[Event]) -> list[tuple[str, int]]:
    return [(event.boot, event.seq) for event in events if isinstance(event, Button)]


def acks(board: ForeignBoard) -> list[str]:
    return [",".join(line[1:]) for line in board.heard if line[0] == "ACK"]


@pytest.mark.parametrize("greets", [True, False], ids=["told", "hello-lost"])
def test_a_press_of_the_next_run_is_not_swallowed(greets: bool) -> None:
    table = Table()
    for side in "snsns":
        table.bench.now += 1.0
        table.board.press(side)
    assert presses(table.poll()) == [(BOOT, number) for number in range(1, 6)]
    table.bench.now += 60.0
    table.board.restart(BOOT)
    if not greets:
        table.board.take()
    table.board.heard.clear()
    table.board.press("s")
    table.board.press("n", "undo")
    events = table.poll(6.0)
    assert presses(events) == [(f"{BOOT}.2", 1), (f"{BOOT}.2", 2)]
    assert [type(event) for event in events if isinstance(event, Connected | Disconnected | Gap)] == [
        Disconnected,
        Connected,
        Gap,
    ]
    assert set(acks(table.board)) <= {f"{BOOT},1", f"{BOOT},2"}
    assert table.board.held == []


def test_a_host_that_starts_later_finds_the_next_run_too() -> None:
    table = Table()
    table.board.restart(BOOT)
    table.board.press("s")
    table.open((BOOT, 7))
    events = table.poll()
    (gap,) = [event for event in events if isinstance(event, Gap)]
    assert (gap.boot, gap.seq) == (f"{BOOT}.2", 0)
    assert presses(events) == [(f"{BOOT}.2", 1)]
    assert acks(table.board) == [f"{BOOT},1"]
    table.open((f"{BOOT}.2", 1))  # goes on under the same name
    table.board.press("n")
    assert presses(table.poll()) == [(f"{BOOT}.2", 2)]
    table.board.restart(BOOT)
    table.board.press("n")
    assert presses(table.poll()) == [(f"{BOOT}.3", 1)]


def test_a_run_that_has_sent_as_many_events_is_found_by_what_they_are() -> None:
    """Neither its last number nor its clock is clearly behind: two known numbers have other events."""
    table = Table()
    table.poll(1.0)
    table.board.lift(1)
    table.board.put(2, 1)
    table.board.press("s")
    sent = len(table.board.events)
    assert presses(table.poll(1.0)) == [(BOOT, sent)]
    table.bench.pull("a")
    table.poll(0.5)
    table.board.restart(BOOT)
    table.bench.now += 1.0
    table.bench.plug("a", table.board)
    table.board.lift(3)
    table.board.put(4, 1)
    table.board.press("n")
    assert len(table.board.held) == sent
    assert presses(table.poll(6.0)) == [(f"{BOOT}.2", sent)]


def test_an_earlier_boot_id_that_comes_back_gets_another_name() -> None:
    table = Table()
    table.board.press("s")
    table.poll()
    table.board.restart("00000002")
    table.board.press("s")
    assert presses(table.poll()) == [("00000002", 1)]
    table.board.restart(BOOT)
    table.board.press("s")
    assert presses(table.poll()) == [(f"{BOOT}.2", 1)]


def test_an_old_greeting_on_a_bad_cable_is_no_restart() -> None:
    table = Table()
    table.board.press("s")
    events = table.poll()
    table.board.last = 0
    table.board._greet()  # as it was before the press
    table.board.last = 1
    table.board.press("n")
    events += table.poll()
    assert presses(events) == [(BOOT, 1), (BOOT, 2)]
    assert not any(isinstance(event, Gap) for event in events)


@pytest.mark.parametrize("silently", [True, False])
def test_another_board_with_the_same_boot_id_is_not_acknowledged(silently: bool) -> None:
    """It is told apart by its serial number; nothing of it is acknowledged before the caller has seen that."""
    table = Table()
    table.connection.poll(1.0)
    other = ForeignBoard(row=5, clock=table.bench.clock, boot=BOOT, serial="FB-2")
    for side in "sns":
        other.press(side)
    for side in "sn":
        table.board.press(side)
    table.poll()
    table.bench.plug("b", other)
    other.take()
    table.bench.exchange("a", "b", silently=silently)
    if silently:
        other._greet()
    found: list[Event] = []
    until = table.bench.now + 10.0
    while not any(isinstance(event, Connected) for event in found) and table.bench.now < until:
        found += table.connection.poll(0.2)
    assert [event.serial for event in found if isinstance(event, Connected)] == ["FB-2"]
    table.connection.close()
    assert acks(other) == []
    assert other.held == [1, 2, 3]


def test_names_of_runs_are_bounded() -> None:
    names = RunNames("00000000")
    for number in range(2 * MAX_NAMES):
        assert names.begin(f"{number + 1:08x}") == f"{number + 1:08x}"
    assert names.begin(f"{2 * MAX_NAMES:08x}") == f"{2 * MAX_NAMES:08x}.2"
    assert len(names._counts) <= MAX_NAMES


PERIOD = 2**32
UPTIMES = (0, 1, 1999, 2001, 2**31 - 1, 2**31, 2**31 + 5, 3_000_000_000, PERIOD - 60_001, PERIOD - 1500, PERIOD - 1)
DAY = 86_400.0


def late_table(uptime: int) -> Table:
    """A table whose board has been powered for so many milliseconds when its port is opened."""
    table = Table()
    table.board.ms_offset = uptime
    return table


@settings(max_examples=60, deadline=None)
@given(st.integers(0, PERIOD - 1), st.floats(0.0, 60 * DAY), st.booleans())
@example(2**31 + 7, 26 * DAY, True)
@example(0, 49.8 * DAY, True)
@example(PERIOD - 3000, 0.0, False)
def test_a_board_plays_however_long_it_is_powered_or_away(uptime: int, away: float, touched: bool) -> None:
    """Its clock begins at 0 again, once or while nobody listens: the run stays the same."""
    table = late_table(uptime)
    for side in "sn":
        table.board.press(side)
        table.bench.now += 1.0
    events = table.poll(1.0)
    table.bench.pull("a")
    events += table.poll(0.5)
    for _ in range(3):
        table.bench.now += away / 3
        if touched:
            table.board.lift(1)
    table.bench.plug("a", table.board)
    table.board.press("s")
    events += table.poll(5.0)
    assert len(presses(events)) == 3
    assert {boot for boot, _ in presses(events)} == {BOOT}
    assert not any(isinstance(event, Gap) for event in events)
    assert table.board.held == []


@pytest.mark.parametrize("uptime", UPTIMES)
def test_a_restart_is_found_by_the_clock_after_any_time(uptime: int) -> None:
    """Its last number is not lower: only the time in its lines shows that it has restarted."""
    table = late_table(uptime)
    table.board.press("s")
    table.poll(70.0)
    table.environment.mute = True  # the cable is bad while it restarts and is played on
    table.board.ms_offset = 0
    table.board.restart(BOOT)
    table.board.take()
    table.bench.now += 0.5
    table.board.press("s")
    table.board.press("n")
    table.environment.mute = False
    table.board.press("s")
    events = table.poll(6.0)
    assert presses(events) == [(f"{BOOT}.2", number) for number in (1, 2, 3)]
    assert any(isinstance(event, Gap) for event in events)
