from __future__ import annotations

import os
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.errors import TransportError, UrlError
from drivers.ports.environment import SystemEnvironment, check_url
from drivers.ports.transport import Port, Transport


@pytest.mark.parametrize("url", ["board:SIM-0001", "board:B 17/a", "board:" + "x" * 100, "/dev/ttyACM0", "loop://"])
def test_urls(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("board:", "board: and a serial number is needed, as board:SIM-0001"),
        ("board: x", "not a port: 'board: x'"),
        ("board:x ", "not a port"),
        ("board:a,b", "not a port"),
        ("board:\n", "not a port"),
        ("board:é", "not a port"),
        ("board:" + "x" * 101, "of at most 100 printable characters"),
        ("ttyACM0", "a device such as /dev/ttyACM0 or COM3"),
    ],
)
def test_what_is_no_url(url: str, complaint: str) -> None:
    with pytest.raises(UrlError) as caught:
        SystemEnvironment(url)
    assert complaint in str(caught.value)


class BoardSession:
    """Ports whose names come and go, as symbolic links; `listed` is what the system tells of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ends = os.openpty()
        tty.setraw(self.ends[1])
        self.listed: list[Port] = []

    def plug(self, name: str, number: str | None) -> str:
        (self.folder / name).symlink_to(os.ttyname(self.ends[1]))
        self.listed.append(Port(str(self.folder / name), "A cable", number))
        return self.listed[-1].url

    def unplug(self, url: str) -> None:
        Path(url).unlink()
        self.listed = [port for port in self.listed if port.url != url]

    def environment(self, url: str) -> SystemEnvironment:
        return SystemEnvironment(url, ports=lambda: self.listed)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[BoardSession]:
    machine = BoardSession(tmp_path)
    yield machine
    for end in machine.ends:
        os.close(end)


def opened(wires: SystemEnvironment) -> str:
    """Which port it opens."""
    line = wires.open()
    assert isinstance(line, Transport)
    line.close()
    return line.url


def test_an_adapter_is_found_again_under_another_name(machine: BoardSession) -> None:
    machine.plug("ttyACM9", "A9")
    was = machine.plug("ttyACM0", "A1")
    wires = machine.environment(was)
    assert opened(wires) == was
    machine.unplug(was)
    with pytest.raises(TransportError, match=f"cannot open {was}"):
        wires.open()
    now = machine.plug("ttyACM1", "A1")
    assert opened(wires) == now
    machine.unplug(now)
    machine.plug("ttyACM0", "A1")
    assert opened(wires) == was


def test_without_a_number_nothing_is_guessed(machine: BoardSession) -> None:
    was = machine.plug("ttyACM0", None)
    wires = machine.environment(was)
    assert opened(wires) == was
    machine.unplug(was)
    machine.plug("ttyACM1", None)
    with pytest.raises(TransportError, match="No such file"):
        wires.open()


def test_a_number_that_two_have_is_nobodys(machine: BoardSession) -> None:
    was = machine.plug("ttyACM0", "A1")
    wires = machine.environment(was)
    assert opened(wires) == was
    machine.unplug(was)
    first, second = machine.plug("ttyACM1", "A1"), machine.plug("ttyACM2", "A1")
    with pytest.raises(TransportError, match="No such file"):
        wires.open()
    machine.unplug(second)
    assert opened(wires) == first


def test_a_port_that_is_there_and_in_use_is_waited_for(machine: BoardSession) -> None:
    was = machine.plug("ttyACM0", "A1")
    wires = machine.environment(was)
    holder = wires.open()
    machine.plug("ttyACM1", "A1")
    with pytest.raises(TransportError, match="another program is using it"):
        wires.open()
    holder.close()


def test_time_and_chance_are_those_given() -> None:
    waited: list[float] = []
    wires = SystemEnvironment("loop://", clock=lambda: 7.0, wait=waited.append, token=lambda: "0000000a")
    wires.wait(0.5)
    assert (wires.clock(), waited, wires.token()) == (7.0, [0.5], "0000000a")
    assert len(SystemEnvironment("loop://").token()) == 8
