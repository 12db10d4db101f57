"""Where searches run: processes of this machine, or the workers of a Dask cluster."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from importlib import import_module
from multiprocessing import get_context

from records.analysis import Analysis, Limits
from records.analysis.annotation import PositionSearch
from service.errors import SettingError
from service.processes import system
from service.processes.child_process import end_with_parent

NICE = 15  # of the process of jobs, and where there is nothing better: whoever records goes first


def open_executor(workers: int, dask: str) -> Executor:
    """An executor for `run_search`: a pool of so many processes, or the workers of the Dask scheduler at this address.

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


def run_search(search: PositionSearch, limits: Limits) -> Analysis:
    """Search a position. Runs in a worker, whose thread gives way to all others from then on: also one of Dask."""
    _give_way()
    return search.run(limits)


def _give_way() -> None:
    """Let this thread compute only when no other wants to. With `nice` it would end its slice of time first."""
    if hasattr(os, "SCHED_IDLE"):  # Linux
        with suppress(OSError):  # not allowed
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        system.lower_priority(NICE)
