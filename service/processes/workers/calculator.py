"""Calculations in processes of their own: they keep a core busy, and may hold the interpreter's lock for a second.

Where the system can fork, such a process is a copy of one that has loaded what most calculations need.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection
from typing import Any
from weakref import WeakSet

from pebble import ProcessExpired, ProcessPool

from inkeek.drivers.detection import diagnosis
from inkeek.records import RecordsError, analysis, findings
from inkeek.service.errors import ServiceError, TookTooLong
from inkeek.service.processes import system
from inkeek.service.processes.child_process import end_with_parent
from inkeek.service.processes.places import Places, Sender

TASKS = 200  # calls after which a process of a pool is replaced, with the memory that they took
NICE = 10  # of processes that only compute: recording goes first
LOOK_EVERY = 0.05  # seconds between two calls of `look`
REPORT, END, ERROR, FAULT = range(4)  # what a process sends
MAX_FOLDER = 71  # bytes of the path of temporary files: that of a fork server's socket has 32 more, of 103 on macOS
_FORKS = "forkserver" in get_all_start_methods() and len(os.fsencode(tempfile.gettempdir())) <= MAX_FOLDER
CONTEXT = get_context("forkserver" if _FORKS else "spawn")
CONTEXT.set_forkserver_preload([__name__, *(module.__name__ for module in (analysis, findings, diagnosis))])

Function = Callable[..., Any]
"""What a process calls: a function of a module. Its arguments and its answer can be pickled."""
Look = Callable[[], None]
"""Called every `LOOK_EVERY` while a process calculates. What it raises ends the process."""


class CalculationFault(Exception):
    """Where and why a calculation failed: the traceback in its process."""


class Processes(Executor):
    """Processes that call functions, `count` at once, each call for at most so many `seconds`. They begin with the
    first call, begin again if they have ended, and end with this process. To cancel a call ends its process."""

    def __init__(self, count: int, seconds: float, nice: int = 0) -> None:
        self._open = partial(ProcessPool, count, TASKS, _begin, (nice,), CONTEXT)
        self._seconds = seconds
        self._lock = threading.Lock()
        self._pool = self._open()
        self._futures = WeakSet[Future[Any]]()
        self._is_over = False

    def submit(self, function: Function, /, *arguments: Any, **named: Any) -> Future[Any]:
        """Its future raises `TimeoutError`, `BrokenProcessPool` if no process can be started, and `ProcessExpired` if
        its process ends.

        :raises RuntimeError: after `shutdown`.
        """
        with self._lock:
            try:
                if not self._pool.active and not self._is_over:
                    self._pool = self._open()
                future: Future[Any] = self._pool.schedule(function, arguments, named, self._seconds)
            except BrokenProcessPool as error:
                future = Future()
                future.set_exception(error)
            self._futures.add(future)
            return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """End the processes: what they calculate is not wanted."""
        with self._lock:
            self._is_over = True
            for future in self._futures:
                future.cancel()
            self._pool.stop()  # type: ignore[no-untyped-call]
        if wait:
            self._pool.join()


class Calculator:
    """Calls functions in processes: `processes` at once, while at most `places` callers compute or wait, each of them
    as many as its share (`Places`). A call may take so many `seconds`, with waiting."""

    def __init__(self, what: str, places: int, seconds: float, processes: int = 1) -> None:
        running = min(processes, places)
        self.places = Places(what, running, places - running)
        self._seconds = seconds
        self._processes = Processes(running, seconds, NICE)

    def call(self, function: Function, *arguments: Any, sender: Sender) -> Any:
        """What `function` returns.

        :raises TooBusy: all places that the sender may have are taken. :raises TookTooLong, RecordsError, ServiceError:
            as `reports`.
        """
        deadline = time.monotonic() + self._seconds
        with self.places.taken(sender, self._seconds):
            future = self._processes.submit(function, *arguments)
            try:
                return future.result(deadline - time.monotonic())
            except (RecordsError, ServiceError):
                raise
            except TimeoutError as error:
                raise TookTooLong("There was no answer in time.") from error
            except (BrokenProcessPool, ProcessExpired) as error:
                raise ServiceError("The process that calculates cannot be started, or has ended.") from error
            except Exception as error:
                raise ServiceError("The calculation failed. The log of the service has the details.") from error
            finally:
                future.cancel()

    def close(self) -> None:
        """End the processes."""
        self._processes.shutdown()


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
    _begin(nice)
    end: tuple[int, Any] = END, None
    try:
        function(lambda report: writer.send((REPORT, report)), *arguments)
    except (RecordsError, ServiceError) as error:
        end = ERROR, error
    except Exception:  # noqa: BLE001 - the caller raises it, and logs it with the request
        end = FAULT, traceback.format_exc()
    writer.send(end)


def _begin(nice: int) -> None:
    end_with_parent()
    system.lower_priority(nice)
