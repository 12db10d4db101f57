from __future__ import annotations

import pytest

from inkeek.drivers.boards.counts import CountsSession
from inkeek.drivers.boards.unnumbered import DEFAULT_CONFIDENCE, MAX_DUE, MAX_LINE, UnnumberedBoard
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import Button, Connected, Disconnected, Gap, PitChanged, Snapshot
from inkeek.records import NORTH, SOUTH

BOOTS = ("0000000a", "0000000b", "0000000c")
NONE: frozenset[str] = frozenset()


def board(resume: tuple[str, int] | None = None) -> UnnumberedBoard:
    return UnnumberedBoard(iter(BOOTS).__next__, resume)


def session() -> CountsSession:
    found = CountsSession(iter(BOOTS).__next__, None)
    found.port_opened(0.0)
    return found


def test_the_first_counts_connect_the_board() -> None:
    assert board().connect("S", (4, 4, 3.9, 0, 1, 2), True, NONE) == [
        Connected("S", "", (0, 0), "0000000a", 2, True, NONE),
        Snapshot("0000000a", 0, (4, 4, 3.9, 0, 1, 2), (DEFAULT_CONFIDENCE,) * 6),
    ]


def test_changes_are_numbered() -> None:
    one = board()
    one.connect("S", (4, 4, 4, 4), False, NONE)
    assert one.update((0, 5, 4.4, 4), 1.5) == [
        PitChanged("0000000a", 1, 1500, 0, 0),
        PitChanged("0000000a", 2, 1500, 1, 5),
    ]
    assert one.update((0, 5, 4.6, 4), 1.6) == [PitChanged("0000000a", 3, 1600, 2, 4.6)]
    (button,) = one.press(NORTH, "commit", 2.0)
    assert button == Button("0000000a", 4, 2000, NORTH, "commit", (0, 5, 4.6, 4))
    one.acknowledge(button)


def test_impossible_reports_are_refused() -> None:
    one = board()
    with pytest.raises(DriverError):
        one.press(SOUTH, "commit", 0.0)
    one.connect("S", (4, 4), False, NONE)
    with pytest.raises(DriverError, match=r"4 .*2"):
        one.update((1, 2, 3, 4), 0.0)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_lines_may_come_in_pieces(size: int) -> None:
    one = session()
    data = b"\r\n4 4\r4 3\n\n\nboot\xff\n4 2"
    events = []
    for at in range(0, len(data), size):
        events += one.receive(data[at : at + size], 1.0)
    assert [type(event) for event in events] == [Connected, Snapshot, PitChanged]
    assert one.counters == {"damaged": 1, "misfits": 0, "duplicates": 0}


def test_a_line_without_end_is_dropped() -> None:
    one = session()
    assert one.receive(b"4 " * 100_000 + b"\n4 4\n", 0.0) != []
    assert one.counters["damaged"] == 1
    one.receive(b"4 " * 100_000, 0.0)
    assert len(one._line) <= MAX_LINE + 1


def test_lines_that_nobody_reads_are_dropped() -> None:
    one = session()
    for _ in range(10_000):
        one.send_line("x" * 50)
    assert MAX_DUE - 60 < len(one.bytes_to_send()) <= MAX_DUE
    assert one.bytes_to_send() == b""


def test_a_lost_port_is_reported_once() -> None:
    one = session()
    assert one.port_closed("pulled") == []
    one.port_opened(0.0)
    one.receive(b"4 4\n", 0.0)
    assert one.port_closed("pulled") == [Disconnected("pulled")]
    assert one.port_closed("pulled") == []
    one.port_opened(1.0)
    assert [type(event) for event in one.receive(b"4 4\n", 1.0)] == [Connected, Gap, Snapshot]


def test_lines_that_are_refused_are_kept_from_when_the_board_is_there() -> None:
    one = session()
    for data in (b"hello\n", b"4 4 4 4\n", b"4 4 x 4\n"):
        one.receive(data, 0.0)
    assert [line.text for line in one.refused_lines] == ["4 4 x 4"]
    assert one.counters["misfits"] == 2
