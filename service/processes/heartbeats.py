"""Whether the desk and the process of jobs go on: each touches a file now and then, in the folder of the metrics.

There, another file for each part of the service has a byte for each time that the part was started again. Not in
`metrics`, which loads the database: the process of a far board has none.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from inkeek.service.errors import NotReady
from inkeek.service.settings import METRICS_FOLDER

STILL_AFTER = 30.0  # seconds without a beat, after which a process counts as standing still
PARTS = ("web", "desk", "jobs")
_SUFFIX = ".beat"
_RESTARTS = ".restarts"


def beat(part: str) -> None:
    """Say that a part of the service goes on."""
    folder = os.environ.get(METRICS_FOLDER)
    if folder:
        Path(folder, part + _SUFFIX).touch()


def seconds_since_beats() -> dict[str, float]:
    """By part that has begun: the time since it last said that it goes on."""
    return {file.stem: time.time() - file.stat().st_mtime for file in _files(_SUFFIX)}


def note_restart(folder: Path, part: str) -> None:
    """Count that a part of the service is started again."""
    with (folder / (part + _RESTARTS)).open("ab") as file:
        file.write(b".")


def restarts() -> dict[str, int]:
    """How often each part was started again."""
    return dict.fromkeys(PARTS, 0) | {file.stem: file.stat().st_size for file in _files(_RESTARTS)}


def _files(suffix: str) -> Iterator[Path]:
    return Path(os.environ.get(METRICS_FOLDER) or os.devnull).glob(f"*{suffix}")


def check_heartbeats() -> None:
    """:raises NotReady: a part that has begun stands still; says which."""
    for part, seconds in seconds_since_beats().items():
        if seconds > STILL_AFTER:
            raise NotReady("%(part)s stands still for %(seconds)d seconds", part=part, seconds=int(seconds))
