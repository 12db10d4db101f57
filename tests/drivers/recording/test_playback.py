from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import DriverError, RecordingError, TransportError
from inkeek.drivers.events import Event, Numbered
from inkeek.drivers.protocol.limits import MAX_READ
from inkeek.drivers.protocol.messages import host_hello
from inkeek.drivers.recording.file import Header, Recording, RecordingWriter
from inkeek.drivers.recording.playback import Playback
from inkeek.drivers.recording.recorder import record
from inkeek.records import NORTH, SOUTH, Side
from tests.drivers.board_side import BOOT, hello, lift, line
from tests.drivers.ports.test_connection import World
from tests.drivers.recording.test_recorder import Old, On

HEADER = Header("inkeek", "test", "2026-11-21T11:00:00.000Z", "inkeek 0", (BOOT, 2))

SEEDS = 24


class Troubled(World):
    """A board that sends anything at any time, on a bad line, at a port that comes and goes."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.random = Random(seed)
        self.boot, self.seq = BOOT, 2
        self.fails = self.greeted = False

    def disturb(self) -> None:
        """Cause a moment's trouble."""
        self.greeted = False
        for text in self.take():
            self.greeted |= text.startswith("HELLO")
            if text.startswith("REPLAY,") and self.random.random() < 0.9:
                self.seq = int(text.rpartition(",")[2]) - 1
        chance = self.random.random()
        if chance < 0.1:
            self.now += self.random.choice([0.0, 0.3, 1.0, 2.0, 2.5, 2.9]) + self.random.random() / 3
            if not self.incoming:
                return  # the host sees time pass before it receives anything
        elif chance < (0.13 if self.plugged else 0.4):
            self.plugged = not self.plugged
        elif chance < 0.14:
            self.boot, self.seq = f"{self.random.getrandbits(32):08x}", 0
        elif chance > 0.97:
            self.fails = True
        if self.greeted and self.random.random() < 0.8:
            self.incoming.append(hello(self.boot, self.seq))
        elif self.random.random() < 0.8:
            self.incoming.append(self.something())

    def something(self) -> bytes:
        kind = self.random.randrange(16)
        if kind == 0:
            data = hello(self.boot, self.seq, version=self.random.choice(["1.0"] * 8 + ["1.1", "2.0"]))
        elif kind == 1:
            data = line("SNAP", self.boot, self.seq, 5, "400.400.398.402", "ffff")
        elif kind == 2:
            data = line("ERR", *self.random.choice([("overflow", 9), ("damaged", ""), ("range", "x")]))
        elif kind == 3:
            data = self.random.randbytes(self.random.randrange(40))
        else:
            self.seq += self.random.choice([1, 1, 1, 1, 2, 0])
            data = lift(self.seq, self.boot) if self.seq else b""
        if self.random.random() < 0.05 and data:
            at = self.random.randrange(len(data))
            data = data[:at] + self.random.randbytes(1) + data[at + 1 :]
        return data[:MAX_READ]


def fail_now_and_then(world: Troubled) -> None:
    """Ports that fail while something is sent."""
    opened = world.open

    def open_port() -> object:
        port = opened()
        write = port.write

        def breaking(data: bytes) -> None:
            if data and world.fails:
                world.fails = False
                world.plugged = False
            write(data)

        port.write = breaking  # type: ignore[method-assign]
        return port

    world.open = open_port  # type: ignore[method-assign,assignment]


def live(seed: int, path: Path, steps: int = 250) -> list[Event]:
    """The events of a recorded session with every trouble."""
    world = Troubled(seed)
    fail_now_and_then(world)
    connection = record(On(world), "test", HEADER.resume, lambda: RecordingWriter(path, HEADER))
    events: list[Event] = []
    last: Numbered | None = None
    for _ in range(steps):
        world.disturb()
        new = connection.poll(world.random.choice([0.0, 0.1, 0.4]))
        events += new
        for event in new:
            if isinstance(event, Numbered):
                last = event
        if last is not None and world.random.random() < 0.5:
            with suppress(DriverError):  # the board restarted its numbers
                connection.acknowledge(last)
        if world.random.random() < 0.3:
            mover: Side | None = world.random.choice([SOUTH, NORTH, None])
            errors = frozenset({world.random.randrange(4)} if world.random.random() < 0.3 else ())
            connection.show(Guidance(mover, errors, refused=bool(errors)))
    with suppress(TransportError):  # the port may fail here too
        connection.close()
    return events


def play(path: Path, driver: StandardBoard | None = None) -> tuple[list[Event], Playback]:
    recording = Recording(path)
    playback = Playback(recording, driver or StandardBoard())
    events = [event for _, event in playback.events()]
    recording.close()
    return events, playback


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_session_is_replayed_exactly(seed: int, tmp_path: Path) -> None:
    """The playback compares what the host sends with the recording, byte for byte."""
    path = tmp_path / "board.jsonl"
    recorded = live(seed, path)
    events, playback = play(path)
    assert playback.differences == []
    assert events == recorded
    assert playback.recording.cut is None


def test_a_cut_file_plays_up_to_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    recorded = live(3, path)
    whole = path.read_bytes()
    for size in range(whole.index(b"\n") + 1, len(whole), 997):
        path.write_bytes(whole[:size])
        events, playback = play(path)
        assert playback.differences == []
        assert events == recorded[: len(events)]
        assert playback.recording.cut is not None


def test_another_host_differs(tmp_path: Path) -> None:
    class Other(StandardBoard):
        def session(self, token, resume):  # type: ignore[no-untyped-def]
            session = super().session(token, resume)
            session._hello = host_hello((1, 0), "another", "9")
            return session

    path = tmp_path / "board.jsonl"
    recorded = live(5, path)
    events, playback = play(path, Other())
    assert events == recorded
    assert playback.count == len(playback.differences) > 0
    assert "$HELLO,1.1,inkeek," in playback.differences[0]
    assert "$HELLO,1.0,another,9" in playback.differences[0]


def test_bytes_that_are_never_sent_are_differences(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    live(7, path)
    lines = path.read_text().splitlines(keepends=True)
    at = next(number for number, text in enumerate(lines) if '"host":"$HELLO' in text)
    lines.insert(at + 1, lines[at].replace("HELLO", "HOLLA"))
    path.write_text("".join(lines))
    _, playback = play(path)
    assert playback.count == 1
    assert "$HOLLA" in playback.differences[0]


def test_a_playback_can_take_as_long_as_the_session(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    live(1, path, 50)
    recording = Recording(path)
    waited: list[float] = []
    playback = Playback(recording, StandardBoard(), waited.append)
    times = [time for time, _ in playback.events()]
    recording.close()
    assert times == sorted(times)
    assert min(waited) > 0
    assert sum(waited) == pytest.approx(playback.time)


def test_a_driver_without_recording_plays_nothing(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    live(1, path, 5)
    recording = Recording(path)
    with pytest.raises(RecordingError, match="'old'"):
        Playback(recording, Old())  # type: ignore[arg-type]
    recording.close()
