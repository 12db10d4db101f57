from __future__ import annotations

import pytest

from drivers.boards.counts import CountsSession
from drivers.boards.unnumbered import MAX_DUE, MAX_LINE, SURE, UnnumberedBoard
from drivers.errors import DriverError
from drivers.events import Button, Connected, Disconnected, Gap, PitChanged, Snapshot
from records import NORTH, SOUTH

BOOTS = ("0000000a", "0000000b", "0000000c")
NONE: frozenset[str] = frozenset()


def board(resume: tuple[str, int] | None = None) -> UnnumberedBoard:
    return UnnumberedBoard(iter(BOOTS).__next__, resume)


def machine() -> CountsSession:
    found = CountsSession(iter(BOOTS).__next__, None)
    found.opened(0.0)
    return found


def test_what_is_there_at_first() -> None:
    assert board().connected("S", (4, 4, 3.9, 0, 1, 2), True, NONE) == [
        Connected("S", "", (0, 0), "0000000a", 2, True, NONE),
        Snapshot("0000000a", 0, (4, 4, 3.9, 0, 1, 2), (SURE,) * 6),
    ]


def test_after_a_reconnection_or_another_desk_something_may_be_lost() -> None:
    again = board()
    again.connected("S", (4, 4), False, NONE)
    for told in (again.connected("S", (4, 3), False, NONE), board(("ffffffff", 3)).connected("S", (4, 3), False, NONE)):
        kinds = [type(event) for event in told]
        assert kinds == [Connected, Gap, Snapshot]
        gap, snapshot = told[1:]
        assert isinstance(gap, Gap)
        assert isinstance(snapshot, Snapshot)
        assert (gap.boot, gap.seq) == (snapshot.boot, snapshot.last)


def test_what_changes_is_numbered() -> None:
    one = board()
    one.connected("S", (4, 4, 4, 4), False, NONE)
    assert one.lie((0, 5, 4.4, 4), 1.5) == [
        PitChanged("0000000a", 1, 1500, 0, 0),
        PitChanged("0000000a", 2, 1500, 1, 5),
    ]
    assert one.lie((0, 5, 4.6, 4), 1.6) == [PitChanged("0000000a", 3, 1600, 2, 4.6)]
    (button,) = one.press(NORTH, "commit", 2.0)
    assert button == Button("0000000a", 4, 2000, NORTH, "commit", (0, 5, 4.6, 4))
    one.acknowledge(button)


def test_what_cannot_be() -> None:
    one = board()
    with pytest.raises(DriverError, match="before anything was known"):
        one.press(SOUTH, "commit", 0.0)
    one.connected("S", (4, 4), False, NONE)
    with pytest.raises(DriverError, match="4 counts: this board has 2"):
        one.lie((1, 2, 3, 4), 0.0)
    with pytest.raises(DriverError, match="event 1 of boot 0000000a was not delivered"):
        one.acknowledge(Button("0000000a", 1, 0, SOUTH, "commit", (4, 4)))
    one.acknowledge(Button("ffffffff", 9, 0, SOUTH, "commit", (4, 4)))  # of another boot


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_lines_come_in_pieces(size: int) -> None:
    one = machine()
    data = b"\r\n4 4\r4 3\n\n\nboot\xff\n4 2"
    events = []
    for at in range(0, len(data), size):
        events += one.receive(data[at : at + size], 1.0)
    assert [type(event) for event in events] == [Connected, Snapshot, PitChanged]
    assert one.counters == {"damaged": 1, "misfits": 0, "duplicates": 0}


def test_a_line_without_end_is_dropped() -> None:
    one = machine()
    assert one.receive(b"4 " * 100_000 + b"\n4 4\n", 0.0) != []
    assert one.counters["damaged"] == 1
    one.receive(b"4 " * 100_000, 0.0)
    assert len(one._line) <= MAX_LINE + 1


def test_what_nobody_reads_is_not_heaped_up() -> None:
    one = machine()
    for _ in range(10_000):
        one.say("x" * 50)
    assert MAX_DUE - 60 < len(one.take()) <= MAX_DUE
    assert one.take() == b""


def test_a_port_that_goes_is_told_once() -> None:
    one = machine()
    assert one.closed("pulled") == []
    one.opened(0.0)
    one.receive(b"4 4\n", 0.0)
    assert one.closed("pulled") == [Disconnected("pulled")]
    assert one.closed("pulled") == []
    one.opened(1.0)
    assert [type(event) for event in one.receive(b"4 4\n", 1.0)] == [Connected, Gap, Snapshot]


def test_it_cannot_be_calibrated() -> None:
    with pytest.raises(DriverError, match="cannot be calibrated from here"):
        machine().calibrate(None, 0)
