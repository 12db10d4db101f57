"""Calculations in processes of their own: they keep a core busy, and may hold the interpreter's lock for a second.

Where the system can fork, such a process is a copy of one that has loaded what most calculations need.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from concurrent.futures import Future, wait
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from typing import Any

from pebble import ProcessExpired, concurrent

from drivers.detection import diagnosis
from records import RecordsError, findings
from service.errors import ServiceError, TookTooLong
from service.processes import system
from service.processes.child_process import end_with_parent
from service.processes.scheduling.fair_queue import Sender
from service.processes.scheduling.one_cpu import every_cpu
from service.processes.scheduling.places import Places
from service.processes.scheduling.thread_turns import waiting

from . import analyst, painter

NICE = 10  # of processes that only compute: recording goes first
LOOK_EVERY = 0.05  # seconds between two calls of `look`
CONTEXT = get_context("forkserver" if "forkserver" in get_all_start_methods() else "spawn")
CONTEXT.set_forkserver_preload([module.__name__ for module in (concurrent, analyst, painter, findings, diagnosis)])

Function = Callable[..., Any]
"""What a process calls: a function of a module. Its arguments and its answer can be pickled."""
Look = Callable[[], None]
"""Called every `LOOK_EVERY` while a process calculates. What it raises ends the process."""


class Calculator:
    """Calls functions, each in a process: `processes` at once, while at most `places` callers compute or wait, each of
    them as many as its share (`Places`). A call may take so many `seconds`, with waiting."""

    def __init__(self, what: str, places: int, seconds: float, processes: int = 1) -> None:
        running = min(processes, places)
        self.places = Places(what, running, places - running)
        self._seconds = seconds

    def call(self, function: Function, *arguments: Any, sender: Sender) -> Any:
        """What `function` returns.

        :raises TooBusy: all places that the sender may have are taken. :raises TookTooLong, RecordsError, ServiceError:
            as `calculate`.
        """
        deadline = time.monotonic() + self._seconds
        with self.places.taken(sender, self._seconds):
            return calculate(function, *arguments, seconds=deadline - time.monotonic())


def calculate(function: Function, *arguments: Any, seconds: float, nice: int = NICE, look: Look = lambda: None) -> Any:
    """What `function` returns. After so many seconds its process is ended.

    :raises TookTooLong: there was no answer in time. :raises RecordsError: the function does. :raises ServiceError: the
        function does, or it raises what it should not, or its process died.
    """
    future = _start(seconds, nice, None, function, arguments)
    try:
        with waiting():
            while not wait([future], LOOK_EVERY).done:
                look()
    finally:
        future.cancel()
    return _result(future)


def reports(
    function: Function, *arguments: Any, seconds: float, nice: int = NICE, look: Look = lambda: None
) -> Generator[Any, None, None]:
    """Yield what `function` reports, as soon as it does: its first argument is a function that reports.

    If the iterator is closed before its end, the process is ended. Raises what `calculate` does.
    """
    reader, writer = CONTEXT.Pipe(duplex=False)
    with reader:
        with writer:
            future = _start(seconds, nice, writer, function, arguments)
        try:
            while (report := _next(reader, look)) is not _END:
                yield report
        except BaseException:
            future.cancel()
            while _next(reader, lambda: None) is not _END:  # until the process has ended
                pass
            raise
    _result(future)


_END = object()


def _next(reader: Connection, look: Look) -> Any:
    """The next report; `_END` if the process has reported all, or has ended."""
    with waiting():
        while not reader.poll(LOOK_EVERY):
            look()
    try:
        return reader.recv()
    except (EOFError, OSError):  # OSError: within a report
        return _END


def _start(
    seconds: float, nice: int, reporting: Connection | None, function: Function, arguments: tuple[Any, ...]
) -> Future[Any]:
    run = concurrent.process(timeout=seconds, context=CONTEXT)(_run)  # type: ignore[call-overload]
    with every_cpu():
        future: Future[Any] = run(nice, reporting, function, arguments)
    return future


def _run(nice: int, reporting: Connection | None, function: Function, arguments: tuple[Any, ...]) -> Any:
    """In the process."""
    end_with_parent()
    system.lower_priority(nice)
    if reporting is None:
        return function(*arguments)
    with reporting:
        return function(reporting.send, *arguments)


def _result(future: Future[Any]) -> Any:
    try:
        with waiting():
            return future.result()
    except (RecordsError, ServiceError):
        raise
    except TimeoutError as error:
        raise TookTooLong("There was no answer in time.") from error
    except ProcessExpired as error:
        raise ServiceError("The process that calculates has ended.") from error
    except Exception as error:
        raise ServiceError("The calculation failed. The log of the service has the details.") from error
