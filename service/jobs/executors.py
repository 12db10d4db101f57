"""Where searches run: processes of this machine, or the workers of a Dask cluster.

They get games, and do all that takes time: the process of jobs has the priority of those who record.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from typing import Any

from inkeek.records import BadRecord, Game
from inkeek.records.analysis import Limits
from inkeek.records.analysis.annotation import PositionSearch, judge, searches, turns_before_gap
from inkeek.records.json_codec import to_json
from inkeek.service.errors import SettingError
from inkeek.service.processes import system
from inkeek.service.processes.workers.calculator import Processes

SLICE = 1.0  # seconds after which a worker says what it has found
LONGEST = 3600.0  # seconds until a process is ended whose limits should have ended it long before
NICE = 15  # of workers where there is nothing better: whoever records goes first


def open_executor(workers: int, dask: str) -> Executor:
    """An executor for searches: so many processes, or the workers of the Dask scheduler at an address.

    :raises SettingError: Dask is not installed, or there is no scheduler.
    """
    if not dask:
        return Processes(workers, LONGEST)
    try:
        client = import_module("distributed").Client  # optional
    except ImportError as error:
        raise SettingError(f"dask is {dask!r}, and Dask is not installed: pip install 'inkeek[dask]'") from error
    try:
        executor: Executor = client(dask, timeout=10, set_as_default=False).get_executor(pure=False)
    except (OSError, ValueError) as error:
        raise SettingError(f"dask is {dask!r}: there is no scheduler: {error}") from error
    return executor


def search_positions(game: bytes, numbers: Sequence[int], limits: Limits) -> tuple[bytes, int, float]:
    """In a worker: search positions of a game, by their numbers from 0, one after another until `SLICE` seconds have
    passed. Return what the first of them found, one at least, for `judge_game`; how many those are; and the seconds
    that they took. `game` is a pickled `Game`."""
    give_way()
    began, found = time.monotonic(), []
    todo = _searches(game)
    for number in numbers:
        found.append((number, todo[number].run(limits)))
        if time.monotonic() - began > SLICE:
            break
    return pickle.dumps(found), len(found), time.monotonic() - began


def judge_game(game: bytes, found: Sequence[bytes]) -> dict[str, Any]:
    """In a worker: the JSON of a game's annotation. `found`: what `search_positions` returned for all its positions."""
    give_way()
    record = _read(game)
    analyses = dict(pair for part in found for pair in pickle.loads(part))
    replay, judged = record.replay(), turns_before_gap(record)
    in_order = [analyses[number] for number in range(judged + 1)]
    positions, turns = replay.positions[: judged + 1], replay.turns[:judged]
    annotation: dict[str, Any] = to_json(judge(record.rules(), positions, turns, in_order))
    return annotation


@lru_cache(4)  # several tasks of a game follow one another
def _read(game: bytes) -> Game:
    """:raises BadRecord: the record has errors."""
    record: Game = pickle.loads(game)
    if record.errors:
        raise BadRecord(record.errors)
    return record


@lru_cache(4)
def _searches(game: bytes) -> list[PositionSearch]:
    record = _read(game)
    return searches(record.rules(), record.replay().positions)


def give_way() -> None:
    """Let this thread of a worker, also of Dask, compute only when no other wants to. With `nice` it would end its
    slice of time first."""
    if hasattr(os, "SCHED_IDLE"):  # Linux
        with suppress(OSError):  # not allowed
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        system.lower_priority(NICE)
