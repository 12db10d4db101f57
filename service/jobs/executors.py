"""Where searches run: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context

from records.analysis import Analysis, Limits
from records.analysis.annotation import PositionSearch
from service.errors import SettingError
from service.processes import system
from service.processes.child_process import end_with_parent

SLICE = 0.25  # seconds after which a worker says what it has found
NICE = 15  # of workers where there is nothing better: whoever records goes first


def open_executor(workers: int, dask: str) -> Executor:
    """An executor for `run_searches`: a pool of so many processes, or the workers of the Dask scheduler at an address.

    :raises SettingError: Dask is not installed, or there is no scheduler.
    """
    if not dask:
        return ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent)
    try:
        client = import_module("distributed").Client  # optional
    except ImportError as error:
        raise SettingError(f"dask is {dask!r}, and Dask is not installed: pip install 'inkeek[dask]'") from error
    try:
        executor: Executor = client(dask, timeout=10, set_as_default=False).get_executor(pure=False)
    except (OSError, ValueError) as error:
        raise SettingError(f"dask is {dask!r}: there is no scheduler: {error}") from error
    return executor


def run_searches(searches: Sequence[PositionSearch], limits: Limits) -> tuple[list[Analysis], float]:
    """As `search_in_turn`, in a worker, whose thread gives way to all others from then on: also one of Dask."""
    _give_way()
    return search_in_turn(searches, limits)


def search_in_turn(searches: Sequence[PositionSearch], limits: Limits) -> tuple[list[Analysis], float]:
    """Search positions one after another, until `SLICE` seconds have passed. Return what the first of them found, one
    at least, and the seconds that it took."""
    began, found = time.monotonic(), []
    for search in searches:
        found.append(search.run(limits))
        if time.monotonic() - began > SLICE:
            break
    return found, time.monotonic() - began


def _give_way() -> None:
    """Let this thread compute only when no other wants to. With `nice` it would end its slice of time first."""
    if hasattr(os, "SCHED_IDLE"):  # Linux
        with suppress(OSError):  # not allowed
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        system.lower_priority(NICE)
