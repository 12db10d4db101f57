from __future__ import annotations

from collections.abc import Iterator

import pytest

from inkeek.drivers.base import ByteStream
from inkeek.drivers.errors import TransportError
from inkeek.drivers.ports.environment import ASK_AGAIN, NOBODY, Finder, HelloProbe, probe_ports
from inkeek.drivers.ports.transport import Port, Transport
from tests.drivers.board_side import hello, line
from tests.foreign_board import Deviations, ForeignBoard, PtyPort


class Plugged(PtyPort):
    """A board on a pseudo-terminal, which greets the host if it has a serial number."""

    def __init__(self, serial: str | None, usb: str | None = None, version: str = "1.0") -> None:
        deviations = Deviations(never_greets=serial is None, debug_text=b"boot noise\r\n")
        made = {"firmware": "0.1", "version": version, "deviations": deviations}
        super().__init__(ForeignBoard(8, stores=True, serial=serial or "", **made))  # type: ignore[arg-type]
        self.port = Port(self.url, "A cable", usb)
        self.__enter__()

    @property
    def received(self) -> list[list[str]]:
        return self.board.heard

    def unplug(self) -> None:
        """Remove the board and its port."""
        self.__exit__()


@pytest.fixture
def boards() -> Iterator[list[Plugged]]:
    made: list[Plugged] = []
    yield made
    for board in made:
        board.unplug()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inkeek.drivers.ports.transport.READ_WAIT", 0.01)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests with boards that do not answer."""
    monkeypatch.setattr("inkeek.drivers.ports.environment.ANSWER_WITHIN", 2.0)


def greeted(found: ByteStream) -> str:
    """The serial number of the board on an open port."""
    probe = HelloProbe()
    found.write(probe.request())
    for _ in range(200):
        probe.receive(found.read())
        if probe.serial is not None:
            return probe.serial
    raise AssertionError("nobody answers")


@pytest.mark.usefixtures("impatient")
def test_all_ports_are_asked_at_once(boards: list[Plugged]) -> None:
    boards += [Plugged("B-1"), Plugged(None), Plugged("B-3", version="2.0")]
    results, found = probe_ports([board.port for board in boards])
    assert found is None
    found_there = {result.port: (result.serial, result.title) for result in results}
    assert found_there == {
        boards[0].port: ("B-1", "board B-1, 2×8 with stores, firmware 0.1, protocol 1.0"),
        boards[1].port: (None, NOBODY),
        boards[2].port: ("B-3", "board B-3, 2×8 with stores, firmware 0.1, protocol 2.0"),
    }
    for board in boards:  # all were released
        Transport.open(board.port.url).close()


def test_a_board_is_found_on_any_port(boards: list[Plugged]) -> None:
    boards += [Plugged("B-1"), Plugged("B-2"), Plugged("B-3")]
    finder = Finder("B-2", HelloProbe, ports=lambda: [board.port for board in boards])
    found = finder.open()
    assert greeted(found) == "B-2"
    found.close()
    boards.pop(1).unplug()
    boards.append(Plugged("B-2"))
    again = finder.open()
    assert greeted(again) == "B-2"
    again.close()


def test_a_usb_serial_number_is_enough(boards: list[Plugged]) -> None:
    """No port is asked, not even that of the board."""
    boards += [Plugged(None, usb="A50285BI"), Plugged("B-2", usb="77"), Plugged("B-3")]
    found = Finder("A50285BI", HelloProbe, ports=lambda: [board.port for board in boards]).open()
    assert isinstance(found, Transport)
    assert found.url == boards[0].port.url
    found.close()
    assert [board.received for board in boards] == [[], [], []]


def test_a_port_in_use_is_not_disturbed(boards: list[Plugged]) -> None:
    boards += [Plugged("B-1"), Plugged("B-2")]
    mine = Transport.open(boards[0].port.url)
    try:
        finder = Finder("B-1", HelloProbe, ports=lambda: [board.port for board in boards])
        with pytest.raises(TransportError) as caught:
            finder.open()
        assert boards[0].received == []
        message = str(caught.value)
        assert "'B-1'" in message
        assert boards[0].port.url in message
        assert f"{boards[1].port.url}: board B-2, 2×8" in message
    finally:
        mine.close()
    found = finder.open()  # a port that was in use is asked again at once
    assert greeted(found) == "B-1"
    found.close()


@pytest.mark.usefixtures("impatient")
def test_whoever_has_answered_is_left_alone_for_a_while(boards: list[Plugged]) -> None:
    boards += [Plugged("B-2"), Plugged(None)]
    now = 0.0
    finder = Finder("B-1", HelloProbe, ports=lambda: [board.port for board in boards], clock=lambda: now)
    asked = []
    for _ in range(5):
        with pytest.raises(TransportError, match="'B-1'"):
            finder.open()
        asked.append([len(board.received) for board in boards])
    assert asked[0][0] == 1  # who does not answer is asked more than once
    assert asked == asked[:1] * 5
    now = ASK_AGAIN + 1
    with pytest.raises(TransportError, match="board B-2, 2×8"):
        finder.open()
    assert all(len(board.received) > before for board, before in zip(boards, asked[0], strict=True))


def test_a_port_that_was_unplugged_is_asked_again(boards: list[Plugged]) -> None:
    boards += [Plugged("B-2")]
    plugged = [boards[0].port]
    finder = Finder("B-1", HelloProbe, ports=lambda: plugged)
    with pytest.raises(TransportError, match="board B-2"):
        finder.open()
    plugged.clear()
    with pytest.raises(TransportError, match="'B-1'"):
        finder.open()
    plugged.append(boards[0].port)
    boards[0].board.serial = "B-1"  # exchanged meanwhile
    finder.open().close()


def test_a_board_that_cannot_be_asked_needs_a_unique_usb_number() -> None:
    port = Port("/dev/ttyACM0", "A cable", None)
    finder = Finder("B-1", None, ports=lambda: [port])
    with pytest.raises(TransportError, match=r"'B-1'.*/dev/ttyACM0"):
        finder.open()
    twins = [Port(f"/dev/ttyACM{n}", "A cable", "B-1") for n in (0, 1)]
    with pytest.raises(TransportError, match=r"'B-1'.*/dev/ttyACM0 \(B-1\), /dev/ttyACM1 \(B-1\)"):
        Finder("B-1", None, ports=lambda: twins).open()


def test_other_devices_lines_are_not_an_answer() -> None:
    probe = HelloProbe()
    probe.receive(b"$GPGGA,123519*47\r\nhello\r\n" + line("HELLO", "x") + line("SNAP", "nonsense"))
    assert probe.serial is None
    probe.receive(hello())
    assert probe.serial == "B-1"
