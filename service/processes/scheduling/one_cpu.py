"""Keeps the threads of a process on one CPU: Python runs one of them at a time.

Where they may run on several, each that goes on wakes another CPU and fetches what it needs from the cache of the last
one. `benchmarks.service.throughput` shows what that costs: with 16 clients that record, nearly half of the turns.
The system chooses the CPU, again every `EVERY` seconds, for which all are free for a moment.
"""

from __future__ import annotations

import os
from asyncio import AbstractEventLoop
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

EVERY = 1.0  # seconds
FREE = 0.02  # seconds for which the system may move the threads
THREADS = Path("/proc/self/task")
LAST_CPU = 36  # the place of the field in /proc/self/stat, after the name of the program

_lock = Lock()  # for what sets the CPUs of the threads
_cpus: set[int] = set()  # those that this process was given, if its threads are kept on one of them


def keep_on_one_cpu(loop: AbstractEventLoop) -> None:
    """Keep all threads of this process where the thread of the event loop runs. Not where processes have no say in
    it."""
    if not (hasattr(os, "sched_setaffinity") and THREADS.exists() and len(os.sched_getaffinity(0)) > 1):
        return
    global _cpus
    given = os.sched_getaffinity(0)

    def free() -> None:
        note_given()
        move(_cpus)
        loop.call_later(FREE, keep)

    def keep() -> None:
        note_given()
        move({_last_cpu()})
        loop.call_later(EVERY, free)

    def note_given() -> None:
        """What others have given this process since, as `taskset` does, are the CPUs that it has."""
        global _cpus
        if os.sched_getaffinity(0) != given:
            _cpus = os.sched_getaffinity(0)

    def move(cpus: set[int]) -> None:
        nonlocal given
        _move(cpus)
        given = os.sched_getaffinity(0)

    _cpus = given
    keep()


@contextmanager
def every_cpu() -> Iterator[None]:
    """A process that this thread starts in the block may run on all CPUs."""
    if not _cpus:
        yield
        return
    with _lock:
        own = os.sched_getaffinity(0)
        _let_run(0, _cpus)
        try:
            yield
        finally:
            _let_run(0, own)


def _move(cpus: set[int]) -> None:
    if not _lock.acquire(blocking=False):  # a process is being started; the next time comes soon
        return
    try:
        for thread in THREADS.iterdir():
            _let_run(int(thread.name), cpus)
    finally:
        _lock.release()


def _let_run(thread: int, cpus: set[int]) -> None:
    """Let a thread, 0 for the current one, run on these CPUs only."""
    with suppress(OSError):  # it has ended, the system has taken the CPU away, or a container forbids the call
        os.sched_setaffinity(thread, cpus)


def _last_cpu() -> int:
    """Where the main thread, which runs the event loop, ran last."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    return int(fields[LAST_CPU])
