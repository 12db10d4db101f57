"""What a board's sensors noticed around a turn, with times: out of the recorded sessions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from inkeek.drivers import registry
from inkeek.drivers.errors import DriverError, RecordingError
from inkeek.drivers.events import Button, Connected, Event, Lifted, PitChanged
from inkeek.drivers.orientation import turn_event
from inkeek.drivers.recording.file import Recording
from inkeek.service.settings import Settings

MAX_PLAYED = 4 << 20  # bytes of recordings that are played for one turn; an idle board produces about 8 MB a day
MAX_TOUCHES = 2000  # things that are noticed in one turn
_NAME_TIME = "%Y%m%dT%H%M%S.%fZ"


@dataclass(frozen=True, slots=True)
class Touch:
    """One thing that a board noticed.

    `kind` is ``lift`` (all seeds of `pit` were picked up), ``count`` (`pit` holds `seeds` now), or ``button``: then
    `pit` is the side that pressed it, and `action` says which. Pits are indices as in `records.Position`, and after
    them South's store and North's.
    """

    time: datetime
    kind: str
    pit: int
    seeds: float = 0.0
    action: str = ""


@dataclass(frozen=True, slots=True)
class TurnRecording:
    """What was noticed, in order. `complete` is False if a recording was too long, damaged, or made by a driver that is
    not installed."""

    touches: tuple[Touch, ...]
    complete: bool


def recorded_touches(
    settings: Settings, boards: Collection[tuple[str, bool]], since: datetime, until: datetime
) -> TurnRecording:
    """What the boards noticed from `since` to `until`.

    `boards`: the id of each, and whether it lies the wrong way round.
    """
    touches: list[Touch] = []
    complete, left = True, MAX_PLAYED
    for board_id, turned in boards:
        for path in _files(settings, board_id, since, until):
            try:
                size = path.stat().st_size
                if size > left:
                    complete = False
                    continue
                left -= size
                with closing(Recording(path)) as recording:
                    for touch in _touches(recording, turned, until):
                        if touch.time >= since:
                            touches.append(touch)
                        if len(touches) >= MAX_TOUCHES:
                            return TurnRecording(tuple(touches), False)
            except (DriverError, RecordingError, OSError):
                complete = False
    return TurnRecording(tuple(sorted(touches, key=lambda touch: touch.time)), complete)


def _files(settings: Settings, board_id: str, since: datetime, until: datetime) -> list[Path]:
    """The recordings of a board that may reach into that time, in order."""
    if not settings.recordings:
        return []
    started = [
        (begin, path)
        for path in sorted(Path(settings.recordings).glob(f"*-{board_id}.jsonl"))
        if (begin := _begin(path)) is not None and begin <= until
    ]
    following = [begin for begin, _ in started[1:]]
    return [path for (_, path), end in zip(started, [*following, until], strict=False) if end > since]


def _begin(path: Path) -> datetime | None:
    """When a recording began, by its name; None if that is no recording's."""
    try:
        return datetime.strptime(path.name.partition("-")[0], _NAME_TIME).replace(tzinfo=UTC)
    except ValueError:
        return None


def _touches(recording: Recording, turned: bool, until: datetime) -> Iterator[Touch]:
    """All that a recorded session noticed before `until`."""
    begin = datetime.fromisoformat(recording.header.started)
    row = 0
    for seconds, event in registry.playback(recording).events():
        if isinstance(event, Connected):
            row = event.row
        time = begin + timedelta(seconds=seconds)
        if time > until:
            return
        touch = _touch(time, turn_event(event, row) if turned and row else event)
        if touch is not None:
            yield touch


def _touch(time: datetime, event: Event) -> Touch | None:
    match event:
        case Lifted(pit=pit):
            return Touch(time, "lift", pit)
        case PitChanged(pit=pit, seeds=seeds):
            return Touch(time, "count", pit, seeds)
        case Button(side=side, action=action):
            return Touch(time, "button", int(side), action=action)
    return None
