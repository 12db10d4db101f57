from __future__ import annotations

import re
from pathlib import Path

import pytest

from inkeek.drivers.boards.recorded import RecordedBoard, RecordedConnection
from inkeek.drivers.errors import RecordingError, UnknownDriverError, UrlError
from inkeek.drivers.events import Connected, Disconnected, Event, Gap, Numbered, Refused
from inkeek.drivers.recording.file import Header, Item, RecordingWriter
from tests.drivers.recording.test_playback import HEADER, live

pytestmark = pytest.mark.usefixtures("installed")


class Time:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 50.0

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += max(seconds, 0.001)

    def board(self) -> RecordedBoard:
        return RecordedBoard(self.clock, self.wait)


def all_of(connection: RecordedConnection) -> list[Event]:
    """The events up to the end of the recording."""
    events: list[Event] = []
    for _ in range(20_000):
        new = connection.poll(0.2)
        events += new
        for event in new:
            if isinstance(event, Numbered):
                connection.acknowledge(event)
        if connection.over:
            break
    else:
        raise AssertionError(f"no end after {len(events)} events")
    for _ in range(20):
        events += connection.poll(0.5)
    assert connection.poll(5.0) == []
    connection.close()
    return events


def kinds(events: list[Event]) -> list[type]:
    return [type(event) for event in events if not isinstance(event, Disconnected)]


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 5])  # time is not exact: now and then the host reacts a moment later
@pytest.mark.parametrize("speed", ["", "?speed=20", "?speed=max"])
def test_the_boards_side_is_replayed(seed: int, speed: str, tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    recorded = live(seed, path, 150)
    time = Time()
    again = all_of(time.board().open(f"recorded:{path}{speed}", HEADER.resume))
    assert kinds(again) == kinds(recorded)
    assert [e for e in again if isinstance(e, Numbered)] == [e for e in recorded if isinstance(e, Numbered)]


def test_the_speed_is_that_of_the_url(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    writer = RecordingWriter(path, HEADER)
    for t, kind in ((0.0, "open"), (60.0, "end")):
        writer.add(Item(t, kind, True))
    writer.add(Item(60.0, "lost", "pulled"))
    writer.close()
    for speed, seconds in (("", 60.0), ("?speed=20", 3.0), ("?speed=max", 0.0)):
        time = Time()
        connection = time.board().open(f"recorded:{path}{speed}")
        while connection._recorded.is_open or not connection.over:
            connection.poll(0.0)
        assert time.now - 50 == pytest.approx(seconds, abs=0.2)
        connection.close()


def test_a_replay_resumes_after_the_last_acknowledged_event(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    recorded = [event for event in live(2, path) if isinstance(event, Numbered)]
    at = len(recorded) // 2
    resume = (recorded[at].boot, recorded[at].seq)
    again = all_of(Time().board().open(f"recorded:{path}?speed=max", resume))
    assert [event for event in again if isinstance(event, Numbered)] == recorded[at + 1 :]
    first = next(i for i, event in enumerate(again) if not isinstance(event, Connected | Disconnected | Refused))
    assert not any(isinstance(event, Gap) for event in again[:first])


@pytest.mark.parametrize(
    "url",
    [
        "recorded:",
        "/dev/ttyACM0",
        "recorded:x?speed=0",
        "recorded:x?speed=fast",
        "recorded:x\n",
        "recorded:x?speed=99999",
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(UrlError, match=re.escape(repr(url))):
        RecordedBoard().check_url(url)


def test_recordings_that_cannot_be_played_are_refused(tmp_path: Path) -> None:
    RecordedBoard().check_url(f"recorded:{tmp_path}/a file.jsonl?speed=2.5")
    with pytest.raises(RecordingError, match="No such file"):
        RecordedBoard().open(f"recorded:{tmp_path}/a file.jsonl")
    path = tmp_path / "board.jsonl"
    RecordingWriter(path, Header("clay", "p", "s", "h")).close()
    with pytest.raises(UnknownDriverError, match="'clay'"):
        RecordedBoard().open(f"recorded:{path}")
    other = tmp_path / "again.jsonl"
    RecordingWriter(other, Header("recorded", "p", "s", "h")).close()
    with pytest.raises(RecordingError, match="'recorded'"):
        RecordedBoard().open(f"recorded:{other}")
