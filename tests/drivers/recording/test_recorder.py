from __future__ import annotations

from pathlib import Path

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.detection.noise_model import NoiseModel
from inkeek.drivers.errors import DriverError, RecordingError, TransportError
from inkeek.drivers.events import Connected
from inkeek.drivers.recording.file import Header, Item, Recording, RecordingWriter
from inkeek.drivers.recording.json_form import guidance_json
from inkeek.drivers.recording.recorder import RecordingConnection, record
from inkeek.records import NORTH, SOUTH
from tests.drivers.board_side import hello
from tests.drivers.ports.test_connection import World, poll_for

HEADER = Header("inkeek", "test", "2026-11-21T11:00:00.000Z", "inkeek 0")


class On(StandardBoard):
    """The driver, in an environment of the test."""

    def __init__(self, world: World) -> None:
        self.world = world

    def environment(self, url: str) -> World:  # type: ignore[override]
        return self.world


class Old:
    """A driver that supports no recording."""

    name, title = "old", "An old driver"

    def open(self, url: str, resume: object = None) -> None: ...


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "board.jsonl"


def recorded(world: World, path: Path, max_size: int = 1 << 20) -> RecordingConnection:
    return record(On(world), "test", None, lambda: RecordingWriter(path, HEADER, max_size))


def items(path: Path) -> list[Item]:
    recording = Recording(path)
    found = list(recording.items())
    recording.close()
    return found


def kinds(path: Path) -> list[str]:
    return [item.kind for item in items(path)]


def test_everything_that_happens_is_recorded(path: Path) -> None:
    world = World()
    connection = recorded(world, path)
    world.incoming = [hello(capabilities="leds+cal")]
    poll_for(connection, Connected)
    connection.show(Guidance(NORTH))
    connection.calibrate(None)
    connection.poll(0.2)
    world.plugged = False
    connection.poll(0.2)
    world.plugged = True
    world.now += 2
    connection.poll(0.1)
    connection.close()
    connection.close()
    found = items(path)
    assert [item.kind for item in found] == [
        "open", "host", "board", "host", "show", "calibrate", "host", "lost", "open", "host", "end", "close",
    ]  # fmt: skip
    assert found[2].data == hello(capabilities="leds+cal")
    assert [item.t for item in found] == sorted(item.t for item in found)
    assert found[2].t == pytest.approx(0.05)
    assert found[4].value == guidance_json(Guidance(NORTH))
    assert found[5].value == [None, 0]
    assert connection.writer.stopped is not None


def test_a_quiet_line_records_nothing(path: Path) -> None:
    world = World()
    connection = recorded(world, path)
    world.incoming = [hello()]
    poll_for(connection, Connected)
    connection.poll(1.0)
    size = path.stat().st_size
    assert connection.poll(0.9) == []
    assert path.stat().st_size == size
    connection.close()


def test_a_port_that_cannot_be_opened_leaves_no_file(path: Path) -> None:
    world = World()
    world.plugged = False
    with pytest.raises(TransportError):
        recorded(world, path)
    assert not path.exists()


def test_a_file_that_cannot_be_created_leaves_no_port_open(path: Path) -> None:
    world = World()
    opened = []
    open_port = world.open
    world.open = lambda: opened.append(open_port()) or opened[-1]  # type: ignore[method-assign,func-returns-value]
    path.write_text("there")
    with pytest.raises(RecordingError, match="File exists"):
        recorded(world, path)
    assert [port.closed for port in opened] == [True]


def test_a_full_file_does_not_stop_the_session(path: Path) -> None:
    world = World()
    connection = recorded(world, path, 1000)
    world.incoming = [hello()]
    poll_for(connection, Connected)
    for _ in range(100):
        connection.show(Guidance(SOUTH))
        connection.poll(0.1)
    assert kinds(path)[-1] == "full"
    connection.close()
    assert world.take()


def test_a_driver_without_recording_is_refused(path: Path) -> None:
    with pytest.raises(RecordingError, match=r"'old'.*'connect'"):
        record(Old(), "test", None, lambda: RecordingWriter(path, HEADER))  # type: ignore[arg-type]
    assert not path.exists()


def test_a_call_that_fails_is_not_recorded(path: Path) -> None:
    connection = recorded(World(), path)
    with pytest.raises(DriverError):
        connection.calibrate(3, 10)
    connection.close()
    assert "calibrate" not in kinds(path)


def test_the_noise_that_a_connection_declares_is_that_of_its_recording(path: Path) -> None:
    world = World()
    connection = recorded(world, path)
    assert connection.noise == NoiseModel()
    camera = NoiseModel(miscounts=0.01)
    connection._connection.noise = camera  # type: ignore[attr-defined]
    assert connection.noise == camera
    connection.close()
