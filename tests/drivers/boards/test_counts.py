from __future__ import annotations

import pytest

from inkeek.drivers.boards.counts import CountsSession, read_button, read_counts
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import Connected
from inkeek.records import NORTH, SOUTH


@pytest.mark.parametrize(
    ("text", "counts", "stores"),
    [
        ("4 4 4 0", (4, 4, 4, 0), False),
        ("4,4;4, 0,", (4, 4, 4, 0), False),
        ("4.01 3.98", (4.01, 3.98), False),
        ("4 4 | 3 12", (4, 4, 3, 12), True),
        ("4 4|3,12", (4, 4, 3, 12), True),
        ("[4, 4, 0.5, 1]", (4, 4, 0.5, 1), False),
        ('{"pits": [4, 4], "stores": [0, 1]}', (4, 4, 0, 1), True),
        ('{"pits": [4, 4], "stores": []}', (4, 4), False),
    ],
)
def test_counts_are_read_in_many_forms(text: str, counts: tuple[float, ...], stores: bool) -> None:
    assert read_counts(text) == (counts, stores)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("ready", "'ready'"),
        ("4 4 4", "3 pits"),
        ("|", "0 pits"),
        ("1 " * 34, "34 pits"),
        ("4 4 | 1", "1 stores"),
        ("4 4 | 1 2 | 3", "'4 4 | 1 2 | 3'"),
        ("4 4.4.4", "'4 4.4.4'"),
        ("4 -4", "'4 -4'"),
        ("4 1001", "1001: expected 0 to 1000"),
        ("[4, NaN]", "nan"),
        ("[4, null]", "'[4, null]'"),
        ("[4", "'[4'"),
        ("{}", "'{}'"),
        ("[[]]", "'[[]]'"),
        ("[1e999, 2]", "inf"),
        ('{"pits": 7}', '{"pits": 7}'),
        ("[" * 900, "'" + "[" * 60 + "'"),
    ],
)
def test_other_lines_are_refused(text: str, quoted: str) -> None:
    with pytest.raises(DriverError) as caught:
        read_counts(text)
    assert quoted in str(caught.value)


def test_buttons_are_read() -> None:
    assert read_button("commit s") == (SOUTH, "commit")
    assert read_button("UNDO North") == (NORTH, "undo")
    assert read_button("eat s") is None
    assert read_button("commit") is None


def test_a_board_may_name_itself() -> None:
    session = CountsSession(lambda: "0000000a", None)
    session.port_opened(0.0)
    (connected, _) = session.receive(b"board B-17\n4 4\n", 0.0)
    assert isinstance(connected, Connected)
    assert connected.serial == "B-17"
