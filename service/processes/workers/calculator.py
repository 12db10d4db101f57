"""Calculations in processes of their own: they keep a core busy, and may hold the interpreter's lock for a second.

Where the system can fork, such a process is a copy of one that has loaded what most calculations need.
"""

from __future__ import annotations

import os
import tempfile
import time
import traceback
from collections.abc import Callable, Generator
from contextlib import closing
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from typing import Any

from inkeek.drivers.detection import diagnosis
from inkeek.records import RecordsError, findings
from inkeek.service.errors import ServiceError, TookTooLong
from inkeek.service.processes import system
from inkeek.service.processes.child_process import end_with_parent
from inkeek.service.processes.places import Places, Sender

from . import analyst, painter

NICE = 10  # of processes that only compute: recording goes first
LOOK_EVERY = 0.05  # seconds between two calls of `look`
REPORT, END, ERROR, FAULT = range(4)  # what a process sends
MAX_FOLDER = 71  # bytes of the path of temporary files: that of a fork server's socket has 32 more, of 103 on macOS
_FORKS = "forkserver" in get_all_start_methods() and len(os.fsencode(tempfile.gettempdir())) <= MAX_FOLDER
CONTEXT = get_context("forkserver" if _FORKS else "spawn")
CONTEXT.set_forkserver_preload([__name__, *(module.__name__ for module in (analyst, painter, findings, diagnosis))])

Function = Callable[..., Any]
"""What a process calls: a function of a module. Its arguments and its answer can be pickled."""
Look = Callable[[], None]
"""Called every `LOOK_EVERY` while a process calculates. What it raises ends the process."""


class CalculationFault(Exception):
    """Where and why a calculation failed: the traceback in its process."""


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
            as `reports`.
        """
        deadline = time.monotonic() + self._seconds
        with self.places.taken(sender, self._seconds):
            return calculate(function, *arguments, seconds=deadline - time.monotonic())


def calculate(function: Function, *arguments: Any, seconds: float, nice: int = NICE, look: Look = lambda: None) -> Any:
    """What `function` returns. Raises what `reports` does."""
    with closing(reports(_report_answer, function, *arguments, seconds=seconds, nice=nice, look=look)) as answers:
        (answer,) = answers
    return answer


def reports(
    function: Function, *arguments: Any, seconds: float, nice: int = NICE, look: Look = lambda: None
) -> Generator[Any, None, None]:
    """Yield what `function` reports, as soon as it does: its first argument is a function that reports.

    The process is ended after so many seconds, and if the iterator is closed.

    :raises TookTooLong: it did not end in time. :raises RecordsError: the function does. :raises ServiceError: the
        function does, or it raises what it should not, or its process cannot be started, or died.
    """
    deadline = time.monotonic() + seconds
    reader, writer = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(  # type: ignore[attr-defined]
        target=_run, args=(writer, nice, function, arguments), daemon=True
    )
    with reader:
        with writer:
            try:
                process.start()
            except (OSError, EOFError) as error:  # EOFError: the fork server has ended
                raise ServiceError("The process that calculates cannot be started.") from error
        try:
            while (report := _receive(reader, deadline, look))[0] == REPORT:
                yield report[1]
        finally:
            process.kill()
            process.join()
            process.close()
    kind, value = report
    if kind == ERROR:
        raise value
    if kind == FAULT:
        failed = ServiceError("The calculation failed. The log of the service has the details.")
        raise failed from CalculationFault(value)


def _receive(reader: Connection, deadline: float, look: Look) -> tuple[int, Any]:
    is_there = False
    while not is_there:  # also where reports come without a pause
        look()
        if time.monotonic() > deadline:
            raise TookTooLong("There was no answer in time.")
        is_there = reader.poll(LOOK_EVERY)
    try:
        message: tuple[int, Any] = reader.recv()
    except (EOFError, OSError) as error:  # OSError: within a message
        raise ServiceError("The process that calculates has ended.") from error
    return message


def _run(writer: Connection, nice: int, function: Function, arguments: tuple[Any, ...]) -> None:
    """In the process."""
    end_with_parent()
    system.lower_priority(nice)
    end: tuple[int, Any] = END, None
    try:
        function(lambda report: writer.send((REPORT, report)), *arguments)
    except (RecordsError, ServiceError) as error:
        end = ERROR, error
    except Exception:  # noqa: BLE001 - the caller raises it, and logs it with the request
        end = FAULT, traceback.format_exc()
    writer.send(end)


def _report_answer(report: Callable[[Any], None], function: Function, *arguments: Any) -> None:
    report(function(*arguments))
