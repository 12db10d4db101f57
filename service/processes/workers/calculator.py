"""Calculations in child processes: they keep a core busy, and may hold the interpreter's lock for a second.

``python -m service.processes.workers.calculator`` is the child: it reads pickled calls from its standard input, and
writes pickled messages, each after its length, to its standard output. It ends when its parent is gone.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import subprocess
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from typing import IO, Any

from drivers.attention import Attention
from records import RecordsError
from service.errors import ServiceError, TookTooLong
from service.processes import child_process, system
from service.processes.places import Places, Sender

NICE = 10  # of children that only compute: recording goes first
LOOK_EVERY = 0.05  # seconds between two looks whether a call is still wanted
STALLED_AFTER = 120.0  # seconds without a part, after which a child is ended that may hold the lock on the database
_LENGTH = struct.Struct("!Q")
PART, ANSWER, ERROR, FAULT = range(4)

Report = Callable[[Any], None]
Function = Callable[..., Any]
"""What a child calls: it gets the function that reports a part, the event that asks it to stop, and the arguments. The
module that defines it must be cheap to import."""


class CalculationFault(Exception):
    """What a child raised against all expectation. Its text is the traceback there: not every exception can be sent."""


class Calculator:
    """Calls functions in `processes` children, which it starts for the first calls and which run at `nice`.

    At most `places` callers compute or wait at once, each of them as many as its share (`Places`).
    """

    def __init__(self, what: str, places: int, processes: int = 1, nice: int = NICE) -> None:
        running = min(processes, places)
        self.places = Places(what, running, places - running)
        self._idle = [CalculatorChild(nice) for _ in range(running)]

    def call(self, function: Function, *arguments: Any, seconds: float, sender: Sender) -> Any:
        """What `function` returns, within so many seconds, with waiting.

        :raises TooBusy: all places that the sender may have are taken. :raises TookTooLong: there was no answer in
            time. :raises RecordsError: the function does.
        """
        deadline = time.monotonic() + seconds
        with self.child(sender, patience=seconds) as child:
            return child.call(function, *arguments, deadline=deadline)

    @contextmanager
    def child(self, sender: Sender, *, patience: float) -> Iterator[CalculatorChild]:
        """Have a child for the block, waiting for one `patience` seconds at most.

        :raises TooBusy: all places that the sender may have are taken, or no child gets free in time.
        """
        with self.places.taken(sender, patience):
            child = self._idle.pop()
            try:
                yield child
            finally:
                self._idle.append(child)

    def close(self) -> None:
        """End the children that are idle; the others end with this process."""
        for child in tuple(self._idle):
            child.stop()


class CalculatorChild:
    """A child process that is started for the first call, and again when it has ended."""

    def __init__(self, nice: int = NICE) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self._nice = nice
        self._reader: system.PipeReader | None = None
        self._finalizer: weakref.finalize[[subprocess.Popen[bytes], system.PipeReader], CalculatorChild] | None = None

    def call(
        self,
        function: Function,
        *arguments: Any,
        deadline: float,
        on_part: Report | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> Any:
        """What `function` returns until `deadline`, by the monotonic clock.

        `on_part` is called with each part that it reports. Once `is_wanted` is false it is asked to stop, and returns
        what it has.
        :raises TookTooLong: there was no answer in time. :raises RecordsError: the function does. :raises ServiceError:
            the function does, or it raises what it should not: then `CalculationFault` is the cause.
        """
        asked_to_stop = False

        def look() -> None:
            nonlocal asked_to_stop
            if not asked_to_stop and not is_wanted():
                asked_to_stop = True
                self._send(None)

        with closing(self._messages((function, arguments), lambda: deadline, look)) as messages:
            for kind, value in messages:
                if kind == PART and on_part is not None:
                    on_part(value)
        return value

    def parts(self, function: Function, *arguments: Any) -> Generator[Any, None, None]:
        """Yield each part that `function` reports, as soon as it does; what it returns is dropped. If the iterator is
        closed before its end, the child is ended.

        :raises TookTooLong: nothing came for `STALLED_AFTER` seconds. :raises RecordsError: the function does.
        :raises ServiceError: the function does.
        """
        soon = lambda: time.monotonic() + STALLED_AFTER  # noqa: E731
        with closing(self._messages((function, arguments), soon, lambda: None)) as messages:
            for kind, value in messages:
                if kind == PART:
                    yield value

    def _messages(
        self, call: object, deadline: Callable[[], float], look: Callable[[], None]
    ) -> Generator[tuple[int, Any], None, None]:
        """Send a call, and yield its parts and at last its answer, each before the `deadline` there is then. `look` is
        called now and then."""
        try:
            if self.process is None or child_process.ended(self.process) is not None:
                self._start()
            self._send(call)
            kind = PART
            while kind == PART:
                until = deadline()
                size = _LENGTH.unpack(self._read(_LENGTH.size, until, look))[0]
                kind, value = pickle.loads(self._read(size, until, look))
                if kind in (ERROR, FAULT):
                    break
                yield kind, value
        except BaseException as error:
            self.stop()  # what it still writes would be taken for the next answer
            if isinstance(error, TimeoutError):
                raise TookTooLong("There was no answer in time.") from error
            if isinstance(error, OSError | EOFError):
                raise ServiceError("The process that calculates has ended.") from error
            raise
        if kind == FAULT:
            raise ServiceError("The calculation failed. The log of the service has the details.") from CalculationFault(
                value
            )
        if kind == ERROR:
            raise value

    def _start(self) -> None:
        self.stop()
        command = ["-m", __name__, str(self._nice)]
        self.process = child_process.start(command, {}, gives_way=self._nice > 0, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self._reader = system.pipe_reader(self.process.stdout)
        self._finalizer = weakref.finalize(self, _kill, self.process, self._reader)

    def _send(self, message: object) -> None:
        assert self.process is not None
        assert self.process.stdin is not None
        pickle.dump(message, self.process.stdin)
        self.process.stdin.flush()

    def _read(self, size: int, deadline: float, look: Callable[[], None]) -> bytes:
        assert self._reader is not None
        return _read(self._reader, size, deadline, look)

    def stop(self) -> None:
        if self._finalizer is not None:
            self._finalizer()
        self.process = self._reader = self._finalizer = None


def _kill(child: subprocess.Popen[bytes], reader: system.PipeReader) -> None:
    with suppress(OSError):  # it ended before it read a question
        child_process.stop(child, within=0.0)
    reader.close()


def _read(reader: system.PipeReader, size: int, deadline: float, look: Callable[[], None]) -> bytes:
    """So many bytes. `look` is called now and then.

    :raises TimeoutError: they did not arrive in time. :raises EOFError: the other end is closed.
    """
    parts = []
    attention = Attention(time.monotonic())
    while size:
        look()
        left = deadline - attention.at(time.monotonic())
        if left <= 0:
            raise TimeoutError
        if not reader.wait(min(left, LOOK_EVERY)):
            continue
        part = reader.read(size)
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def answer_calls(calls: IO[bytes], answers: IO[bytes], on_end: Callable[[], None]) -> None:
    """In the child: answer until there are no more calls. Then `on_end` is called in a thread, while the last call may
    still run."""
    waiting: queue.SimpleQueue[tuple[Any, threading.Event] | None] = queue.SimpleQueue()

    def read() -> None:
        stop = threading.Event()
        try:
            while True:
                call = pickle.load(calls)
                if call is None:
                    stop.set()
                else:
                    stop = threading.Event()
                    waiting.put((call, stop))
        except (EOFError, pickle.UnpicklingError):  # the parent is gone, perhaps in the middle of a call
            stop.set()
            waiting.put(None)
            on_end()

    def send(kind: int, value: object) -> None:
        data = pickle.dumps((kind, value))
        answers.write(_LENGTH.pack(len(data)) + data)
        answers.flush()

    threading.Thread(target=read, name="calls", daemon=True).start()
    while (next_call := waiting.get()) is not None:
        (function, arguments), stop = next_call
        try:
            send(ANSWER, function(lambda part: send(PART, part), stop, *arguments))
        except (RecordsError, ServiceError) as error:
            send(ERROR, error)
        except Exception:  # noqa: BLE001 - the caller raises it, and logs it with the request
            send(FAULT, traceback.format_exc())


def _end_soon() -> None:
    """End the process: not every call looks whether it is to stop, and nobody waits for it any more."""
    time.sleep(child_process.STOP_WITHIN)
    os._exit(1)


if __name__ == "__main__":
    system.lower_priority(int(sys.argv[1]))
    answer_calls(sys.stdin.buffer, sys.stdout.buffer, _end_soon)
