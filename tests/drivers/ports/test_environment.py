from __future__ import annotations

import os
import re
import tty
from collections.abc import Iterator
from pathlib import Path

import pytest

from inkeek.drivers.errors import TransportError, UrlError
from inkeek.drivers.ports.environment import SystemEnvironment, check_url
from inkeek.drivers.ports.transport import Port, Transport


@pytest.mark.parametrize("url", ["board:SIM-0001", "board:B 17/a", "board:" + "x" * 100, "/dev/ttyACM0", "loop://"])
def test_ports_and_boards_are_urls(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize(
    "url",
    ["board:", "board: x", "board:x ", "board:a,b", "board:\n", "board:é", "board:" + "x" * 101, "ttyACM0"],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(UrlError, match=re.escape(repr(url[:100]))):
        SystemEnvironment(url)


class Computer:
    """Ports whose names come and go, as symbolic links; `listed` is the system's list of them."""

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
def computer(tmp_path: Path) -> Iterator[Computer]:
    computer = Computer(tmp_path)
    yield computer
    for end in computer.ends:
        os.close(end)


def opened(environment: SystemEnvironment) -> str:
    """The port it opens."""
    stream = environment.open()
    assert isinstance(stream, Transport)
    stream.close()
    return stream.url


def test_an_adapter_is_found_again_under_another_name(computer: Computer) -> None:
    computer.plug("ttyACM9", "A9")
    old = computer.plug("ttyACM0", "A1")
    environment = computer.environment(old)
    assert opened(environment) == old
    computer.unplug(old)
    with pytest.raises(TransportError, match=f"cannot open {old}"):
        environment.open()
    new = computer.plug("ttyACM1", "A1")
    assert opened(environment) == new
    computer.unplug(new)
    computer.plug("ttyACM0", "A1")
    assert opened(environment) == old


def test_an_adapter_is_found_although_another_device_has_its_old_name(computer: Computer) -> None:
    first, second = computer.plug("ttyACM0", "A1"), computer.plug("ttyACM1", "A2")
    environment = computer.environment(first)
    assert opened(environment) == first
    for url in (first, second):
        computer.unplug(url)
    computer.plug("ttyACM0", "A2")
    computer.plug("ttyACM1", "A1")
    assert opened(environment) == second
    assert environment.open_port is not None
    assert (environment.open_port.url, environment.open_port.adapter) == (second, "A1")


def test_an_adapter_without_a_number_is_not_found_again(computer: Computer) -> None:
    old = computer.plug("ttyACM0", None)
    environment = computer.environment(old)
    assert opened(environment) == old
    computer.unplug(old)
    computer.plug("ttyACM1", None)
    with pytest.raises(TransportError, match="No such file"):
        environment.open()


def test_an_adapter_is_not_found_if_two_have_its_number(computer: Computer) -> None:
    old = computer.plug("ttyACM0", "A1")
    environment = computer.environment(old)
    assert opened(environment) == old
    computer.unplug(old)
    first, second = computer.plug("ttyACM1", "A1"), computer.plug("ttyACM2", "A1")
    with pytest.raises(TransportError, match="No such file"):
        environment.open()
    computer.unplug(second)
    assert opened(environment) == first
