"""What a board's sensors noticed around a turn, with times: out of the recorded sessions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from inkeek.drivers import registry
from inkeek.drivers.errors import DriverError, RecordingError
from inkeek.drivers.events import Button, Connected, Event, Lifted, PitChanged
from inkeek.drivers.orientation import turn_event
from inkeek.drivers.recording.file import Recording
from inkeek.service.errors import ServiceError
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.processes.workers.calculator import reports
from inkeek.service.settings import Settings
from inkeek.service.storage import DisputeRow, LogRow

LOOK_BACK = timedelta(minutes=10)  # before the turn was stored, from which a recording is read
MAX_PLAYED = 4 << 20  # bytes of recordings that are played for one turn; an idle board produces about 8 MB a day
LONGEST = 20.0  # seconds that playing may take
MAX_REPORTED = 1000  # of them, the last ones, that a far board's process reports
MAX_TOUCHES = 2000  # things that are noticed in one turn
_NAME_TIME = "%Y%m%dT%H%M%S.%fZ"

log = logging.getLogger(__name__)


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


def recording_span(then: GameSnapshot, dispute: DisputeRow) -> tuple[datetime, datetime]:
    """From when to when a recording tells of the disputed turn: from the turn before to the dispute."""
    times = [datetime.fromisoformat(event.time) for event in then.events]
    end = times[-1]
    turn = times[dispute.turn - 1]
    before = [times[seq - 1] for seq in then.state.turns if seq < dispute.turn]
    return max(before[-1] if before else times[0], turn - LOOK_BACK), end


def recorded_touches(
    settings: Settings, boards: Collection[tuple[str, bool]], since: datetime, until: datetime
) -> TurnRecording:
    """What the boards noticed from `since` to `until`. A process plays the recordings: a driver of another distribution
    may have made them.

    `boards`: the id of each, and whether it lies the wrong way round.
    """
    files = [(path, turned) for board, turned in boards for path in _files(settings, board, since, until)]
    try:
        if not files:
            return TurnRecording((), True)
        with closing(reports(report_touches, files, since, until, seconds=LONGEST)) as answers:
            (found,) = answers
        return found  # type: ignore[no-any-return]
    except ServiceError as error:
        log.warning("recordings cannot be played: %s", error, exc_info=error)
        return TurnRecording((), False)


def report_touches(report: Callable[[TurnRecording], None], *arguments: Any) -> None:
    """Report what `read_touches` returns."""
    report(read_touches(*arguments))


def read_touches(files: Sequence[tuple[Path, bool]], since: datetime, until: datetime) -> TurnRecording:
    """As `recorded_touches`, from these files, each with whether its board lies the wrong way round."""
    touches: list[Touch] = []
    complete, left = True, MAX_PLAYED
    for path, turned in files:
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


def touches_data(found: TurnRecording, dispute: str, ahead: timedelta) -> dict[str, Any]:
    """The data of the log entry with what a far board noticed before a dispute. `ahead`: how far the service's clock is
    ahead of that machine's."""
    touches = [
        [(touch.time + ahead).isoformat(), touch.kind, touch.pit, touch.seeds, touch.action]
        for touch in found.touches[-MAX_REPORTED:]
    ]
    return {
        "dispute": dispute,
        "touches": touches,
        "complete": found.complete and len(found.touches) <= MAX_REPORTED,
    }


def reported_touches(entries: Iterable[LogRow], dispute: str) -> TurnRecording | None:
    """What a far board's process reported of a dispute, by the board's log; None: nothing.

    A strange entry of a later version is no recording.
    """
    for entry in entries:
        if entry.kind == "touches" and entry.data.get("dispute") == dispute:
            try:
                touches = tuple(
                    Touch(datetime.fromisoformat(time), str(kind), int(pit), float(seeds), str(action))
                    for time, kind, pit, seeds, action in entry.data["touches"]
                )
            except (LookupError, TypeError, ValueError):
                return TurnRecording((), False)
            return TurnRecording(touches, entry.data.get("complete") is True)
    return None


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
