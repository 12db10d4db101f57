from __future__ import annotations

import socket

import pytest

from inkeek.drivers.boards.counts import CountsBoard, CountsSession, read_button, read_counts
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import Button, Connected, Disconnected, Gap, PitChanged, Snapshot
from inkeek.records import NORTH, SOUTH
from tests.drivers.board_side import poll_for


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


def test_a_board_on_a_socket_that_comes_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inkeek.drivers.ports.connection.REOPEN_EVERY", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as server:
        connection = CountsBoard().open(f"socket://127.0.0.1:{server.getsockname()[1]}")
        peer, _ = server.accept()
        peer.sendall(b"Arduino ready.\r\n4 4 4 4\r\n4 4 4 4\r\n0 5 5 5\r\ncommit s\r\n")
        events = poll_for(connection, Button)
        assert [type(event) for event in events] == [Connected, Snapshot, *[PitChanged] * 4, Button]
        assert connection.counters["misfits"] == 1
        peer.close()
        poll_for(connection, Disconnected)
        connection.poll(0.02)
        connection.poll(0.02)
        peer, _ = server.accept()
        peer.sendall(b"0 5 5 5\r\n")
        again = poll_for(connection, Snapshot)
        assert [type(event) for event in again] == [Connected, Gap, Snapshot]
        peer.close()
        connection.close()
