"""Recorded sessions with boards: a file each time the desk opens a board. The oldest files make room for new ones."""

from __future__ import annotations

import logging
from pathlib import Path

from inkeek.drivers.base import Connection, Driver, Resume
from inkeek.drivers.errors import RecordingError
from inkeek.drivers.recording.file import MAX_SIZE, Header, RecordingWriter
from inkeek.drivers.recording.recorder import record
from inkeek.records import __version__
from inkeek.service.settings import Settings
from inkeek.service.storage.clock import Clock, stamp, utc_now

log = logging.getLogger(__name__)

NAMES = "????????T??????.??????Z-*.jsonl"
FOLDER_SHARE = 4  # a file takes at most this part of the folder, so one long session does not replace all others


class Recordings:
    """Records sessions if the settings say so."""

    def __init__(self, settings: Settings, clock: Clock = utc_now) -> None:
        self._folder = Path(settings.recordings) if settings.recordings else None
        self._size = settings.recordings_size
        self._clock = clock

    def open(self, driver: Driver, board_id: str, url: str, resume: Resume | None) -> Connection:
        """Open the board, and record the session if possible. Without a recording the board is opened too.

        :raises DriverError: as `Driver.open`.
        """
        if self._folder is None:
            return driver.open(url, resume)
        try:
            return record(driver, url, resume, lambda: RecordingWriter(*self._file(driver, board_id, url, resume)))
        except RecordingError as error:
            log.warning("no recording of board %s at %s: %s", board_id, url, error)
            return driver.open(url, resume)

    def _file(self, driver: Driver, board_id: str, url: str, resume: Resume | None) -> tuple[Path, Header, int]:
        """Make room for a recording: its path, its header, and how many bytes it may have."""
        assert self._folder is not None
        now = self._clock()
        limit = min(MAX_SIZE, self._size // FOLDER_SHARE)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            make_room(self._folder, self._size - limit)
        except OSError as error:
            raise RecordingError(f"cannot record to {self._folder}: {error.strerror}") from error
        path = self._folder / f"{now:%Y%m%dT%H%M%S.%fZ}-{board_id}.jsonl"
        return path, Header(driver.name, url, stamp(now), f"inkeek {__version__}", resume), limit


def make_room(folder: Path, size: int) -> None:
    """Delete the oldest recordings until the rest have at most `size` bytes.

    :raises OSError: the folder cannot be read, or a file cannot be deleted.
    """
    files = sorted(folder.glob(NAMES), reverse=True)  # their names begin with the time
    kept = 0
    for file in files:
        kept += file.stat().st_size
        if kept > size:
            file.unlink()
