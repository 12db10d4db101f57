from __future__ import annotations

from pathlib import Path

import pytest

from drivers.boards.recorded import RecordedBoard, RecordedSession
from drivers.errors import RecordingError, UnknownDriverError, UrlError
from drivers.events import Connected, Disconnected, Event, Gap, Numbered, Refused
from drivers.recording.file import Header, Item, RecordingWriter
from tests.drivers.recording.test_playback import HEADER, live

pytestmark = pytest.mark.usefixtures("installed")


class Time:
    """Passes only by waiting."""

    def __init__(self) -> None:
        self.now = 50.0

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += max(seconds, 0.001)

    def board(self) -> RecordedBoard:
        return RecordedBoard(self.clock, self.wait)


def all_of(session: RecordedSession) -> list[Event]:
    """The events up to the end of the recording."""
    events: list[Event] = []
    for _ in range(20_000):
        told = session.poll(0.2)
        events += told
        for event in told:
            if isinstance(event, Numbered):
                session.acknowledge(event)
        if session.over:
            break
    else:
        raise AssertionError(f"no end after {len(events)} events")
    for _ in range(20):
        events += session.poll(0.5)
    assert session.poll(5.0) == []
    session.close()
    return events


def kinds(events: list[Event]) -> list[type]:
    return [type(event) for event in events if not isinstance(event, Disconnected)]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("speed", ["", "?speed=20", "?speed=max"])
def test_the_board_says_it_all_again(seed: int, speed: str, tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    told = live(seed, path, 150)
    time = Time()
    again = all_of(time.board().open(f"recorded:{path}{speed}", HEADER.resume))
    assert kinds(again) == kinds(told)
    assert [e for e in again if isinstance(e, Numbered)] == [e for e in told if isinstance(e, Numbered)]


def test_it_takes_as_long_as_it_took_or_less(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    tape = RecordingWriter(path, HEADER)
    for t, kind in ((0.0, "open"), (60.0, "end")):
        tape.add(Item(t, kind, True))
    tape.add(Item(60.0, "lost", "pulled"))
    tape.close()
    for speed, seconds in (("", 60.0), ("?speed=20", 3.0), ("?speed=max", 0.0)):
        time = Time()
        session = time.board().open(f"recorded:{path}{speed}")
        while session._connection._line is not None:  # type: ignore[attr-defined]
            session.poll(0.1)
        assert time.now - 50 == pytest.approx(seconds, abs=0.2)
        session.close()


def test_a_desk_that_starts_again_goes_on_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "board.jsonl"
    told = [event for event in live(2, path) if isinstance(event, Numbered)]
    at = len(told) // 2
    resume = (told[at].boot, told[at].seq)
    again = all_of(Time().board().open(f"recorded:{path}?speed=max", resume))
    assert [event for event in again if isinstance(event, Numbered)] == told[at + 1 :]
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
def test_what_names_no_recording(url: str) -> None:
    with pytest.raises(UrlError, match=r"not a recording: .*: recorded:FILE is needed"):
        RecordedBoard().check_url(url)


def test_what_cannot_be_played(tmp_path: Path) -> None:
    RecordedBoard().check_url(f"recorded:{tmp_path}/a file.jsonl?speed=2.5")
    with pytest.raises(RecordingError, match="No such file"):
        RecordedBoard().open(f"recorded:{tmp_path}/a file.jsonl")
    path = tmp_path / "board.jsonl"
    RecordingWriter(path, Header("clay", "p", "s", "h")).close()
    with pytest.raises(UnknownDriverError, match="no driver is called 'clay'"):
        RecordedBoard().open(f"recorded:{path}")
    other = tmp_path / "again.jsonl"
    RecordingWriter(other, Header("recorded", "p", "s", "h")).close()
    with pytest.raises(RecordingError, match="driver 'recorded' cannot play recordings"):
        RecordedBoard().open(f"recorded:{other}")
