"""Whether the desk and the process of jobs go on: each touches a file now and then, in the folder of the metrics."""

from __future__ import annotations

import os
import time
from pathlib import Path

from service.errors import NotReady
from service.settings import METRICS_FOLDER

STILL_AFTER = 30.0  # seconds without a beat, after which a process counts as standing still
_SUFFIX = ".beat"


def beat(part: str) -> None:
    """Say that a part of the service goes on."""
    folder = os.environ.get(METRICS_FOLDER)
    if folder:
        Path(folder, part + _SUFFIX).touch()


def seconds_since_beats() -> dict[str, float]:
    """By part that has begun: the time since it last said that it goes on."""
    files = Path(os.environ.get(METRICS_FOLDER) or os.devnull).glob(f"*{_SUFFIX}")
    return {file.stem: time.time() - file.stat().st_mtime for file in files}


def check_heartbeats() -> None:
    """:raises NotReady: a part that has begun stands still; says which."""
    for part, seconds in seconds_since_beats().items():
        if seconds > STILL_AFTER:
            raise NotReady("%(part)s stands still for %(seconds)d seconds", part=part, seconds=int(seconds))
