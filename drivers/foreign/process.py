"""The process of one driver of another distribution, as seen from ours: calls with deadlines, bounded answers, an end.

What the process sends is read as a stranger's: its length is bounded before it is read, it is JSON, and it must fit
the type that the call expects. At the first fault the process is killed, with all that it started.
"""

from __future__ import annotations

import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from typing import Any, TypeVar

import msgspec

from inkeek.drivers.attention import Attention
from inkeek.drivers.errors import DriverError, RecordingError, UrlError
from inkeek.records.errors import ErrorText, message_of
from inkeek.records.structs import convert, decode_json

from .faults import MAX_TEXT, DriverFault, Kind, Plugin, clipped
from .limits import DriverLimits
from .messages import HEAD, Description, HostAnswer, frame
from .usage import family_of, is_computing, usage_of

T = TypeVar("T")

HOST = "inkeek.drivers.foreign.host"
GREW_STATUS = 66  # the exit status of a process that ran out of memory
LOOK_EVERY = 0.25  # seconds between two looks whether a call is still wanted
ENDS_WITHIN = 1.0  # seconds that a process which closed its channel has to end by itself
SETTINGS = "INKEEK_"  # variables of the service, which may hold passwords: no business of a driver
MAX_READ = 1 << 16
CAN_ISOLATE = hasattr(os, "killpg")  # not on Windows, which has no sessions and inherits no sockets by number

ERRORS = {"driver": DriverError, "url": UrlError, "recording": RecordingError}  # what a driver may raise


def check_isolation(plugin: Plugin) -> None:
    """:raises DriverError: this system has no way to keep a driver of another distribution apart."""
    if not CAN_ISOLATE:
        raise DriverError(
            "driver %(driver)r of %(distribution)s does not run on this system: only Linux and macOS can keep it apart "
            "from the service. Connect the board to a computer with one of them, and run `inkeek board attach` there",
            driver=plugin.name,
            distribution=plugin.distribution,
        )


class PluginProcess:
    """A process that has imported one driver. `released`: once it is set, calls end soon."""

    def __init__(self, plugin: Plugin, limits: DriverLimits, released: threading.Event | None = None) -> None:
        """:raises DriverFault: the driver cannot be imported, or is none.

        :raises DriverError: see `check_isolation`.
        """
        check_isolation(plugin)
        self.plugin = plugin
        self._limits = limits
        self._released = released
        self._number = 0
        self._output: deque[bytes] = deque(maxlen=2)
        self._looks: deque[tuple[float, float]] = deque()  # times, and the processor time used until then
        self._mark = f"{SETTINGS}DRIVER_PROCESS={secrets.token_hex(16)}"  # by which all that it started is found
        here, there = socket.socketpair()
        with there:
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                [sys.executable, "-m", HOST, str(there.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(there.fileno(),),
                env={name: value for name, value in os.environ.items() if not name.startswith(SETTINGS)}
                | dict([self._mark.split("=")]),
                start_new_session=True,
            )
        assert self._process.stdout is not None
        self._channel, self._stdout = here, self._process.stdout
        here.setblocking(False)
        os.set_blocking(self._stdout.fileno(), False)
        arguments = {"name": plugin.name, "target": plugin.target, "memory": limits.memory}
        try:
            self.description = self.call("import", Description, limits.load, **arguments)
        except DriverFault:
            raise
        except DriverError as error:  # it may raise one when a port is opened, not before
            raise self.fault("raised", "import", ErrorText("it raised %(error)s", error=message_of(error))) from error

    def call(self, place: str, kind: type[T], within: float, **arguments: Any) -> T:
        """What the driver answers.

        :raises DriverFault: no answer in time, or none that fits; the process has ended then.
        :raises DriverError: the driver raises one.
        """
        self._number += 1
        started = time.monotonic()
        self._attention = Attention(started)  # a pause of this machine is also one of the driver
        try:
            self._send(frame(msgspec.json.encode([self._number, place, arguments])), started + within)
            data = self._receive(place, started + within)
            self._check_usage(place)
        except TimeoutError:
            busy = is_computing(self._process.pid)
            what = ErrorText("it gave no answer within %(seconds)g seconds", seconds=within)
            if busy:
                what = ErrorText("it computed for %(seconds)g seconds without an answer", seconds=within)
            raise self.fault("spun" if busy else "blocked", place, what) from None
        except (OSError, EOFError) as error:
            raise self._ended(place) from error
        try:
            answer = decode_json(data, HostAnswer)
            if answer.id != self._number:
                raise msgspec.ValidationError("an answer that nobody asked for")
            value = None if answer.failure is not None else convert(answer.value, kind)
        except (ValueError, RecursionError) as error:
            raise self.nonsense(place, error) from error
        if answer.failure is None:
            return value  # type: ignore[return-value]
        text = clipped(answer.failure.text)
        if answer.failure.kind in ERRORS:
            raise ERRORS[answer.failure.kind](text)
        if answer.failure.kind == "grew":
            raise self._grew(place)
        if answer.failure.kind == "nonsense":
            raise self.nonsense(place, text)
        raise self.fault("raised", place, ErrorText("it raised %(error)s", error=text))

    def fault(self, kind: Kind, place: str, what: str) -> DriverFault:
        """End the process; the error that says why."""
        self.stop()
        output = clipped(b"".join(self._output).decode("utf-8", "replace")[-MAX_TEXT:])
        return DriverFault(self.plugin, kind, place, what, output)

    def nonsense(self, place: str, why: object) -> DriverFault:
        """End the process: it sent what does not fit."""
        return self.fault("nonsense", place, ErrorText("what it sent is not valid: %(error)s", error=clipped(why)))

    def stop(self) -> None:
        """Kill the process and all that it started. May be called twice."""
        if self._stdout.closed:
            return
        family = family_of(self._process.pid, self._mark)
        if self._process.returncode is None:
            self._kill_all()
            self._process.kill()
            self._process.wait()
            self._drain()
        while family:  # also what these have started meanwhile
            for pid in family:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            family = family_of(self._process.pid, self._mark) - family
        self._channel.close()
        self._stdout.close()

    def _kill_all(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # it has just ended
            os.killpg(self._process.pid, signal.SIGKILL)

    def _send(self, data: bytes, deadline: float) -> None:
        while data:
            self._wait(select.POLLOUT, deadline)
            with suppress(BlockingIOError):
                data = data[self._channel.send(data) :]

    def _receive(self, place: str, deadline: float) -> bytes:
        head = self._read(HEAD.size, deadline)
        size = HEAD.unpack(head)[0]
        if size > self._limits.frame:
            raise self.fault(
                "flooded",
                place,
                ErrorText("it sent %(size)s bytes at once; the limit is %(most)s", size=size, most=self._limits.frame),
            )
        return self._read(size, deadline)

    def _read(self, size: int, deadline: float) -> bytes:
        parts = []
        while size:
            self._wait(select.POLLIN, deadline)
            with suppress(BlockingIOError):
                part = self._channel.recv(min(size, MAX_READ))
                if not part:
                    raise EOFError
                parts.append(part)
                size -= len(part)
        return b"".join(parts)

    def _wait(self, event: int, deadline: float) -> None:
        """Wait until the channel is ready; drop what the process prints.

        :raises TimeoutError: it is not ready in time, or the call is no longer wanted. :raises EOFError: the process
            has ended, and a child of it may keep the channel open.
        """
        poll = select.poll()
        poll.register(self._channel, event)
        poll.register(self._stdout, select.POLLIN)
        until_released = None
        while True:
            now = self._attention.at(time.monotonic())
            if self._released is not None and self._released.is_set():
                until_released = until_released or now + self._limits.close
                deadline = min(deadline, until_released)
            if now >= deadline:
                raise TimeoutError
            ready = dict(poll.poll(1000 * max(0.001, min(deadline - now, LOOK_EVERY))))
            if self._stdout.fileno() in ready and not self._drain():
                poll.unregister(self._stdout)
            if self._channel.fileno() in ready:
                return
            if self._has_ended() and not poll.poll(0):
                raise EOFError

    def _has_ended(self) -> bool:
        """Whether the process has ended. It is not reaped: until then its group can be killed safely."""
        if not hasattr(os, "waitid"):  # macOS before Python 3.13
            if self._process.poll() is None:
                return False
            self._kill_all()  # now: its number will be another process's
            return True
        return os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def _drain(self) -> bool:
        """Read some of what was printed; whether there may be more."""
        with suppress(BlockingIOError):
            data = os.read(self._stdout.fileno(), MAX_READ)
            if data:
                self._output.append(data[-MAX_TEXT:])
            return bool(data)
        return True

    def _check_usage(self, place: str) -> None:
        """:raises DriverFault: the process and its children have used more than their share of a processor for a while,
        or need too much memory."""
        now, limits = time.monotonic(), self._limits
        if self._looks and now - self._looks[-1][0] < limits.window / 10:
            return
        usage = usage_of(self._process.pid)
        if usage.memory > limits.memory:
            raise self._grew(place)
        self._looks.append((now, usage.seconds))
        while len(self._looks) > 2 and now - self._looks[1][0] >= limits.window:
            self._looks.popleft()
        (then, before), (_, used) = self._looks[0], self._looks[-1]
        if now - then >= limits.window and used - before > limits.share * (now - then):
            what = ErrorText(
                "it used %(used)s %% of a processor for %(seconds)s seconds; the limit is %(most)s %%",
                used=round(100 * (used - before) / (now - then)),
                seconds=round(now - then),
                most=round(100 * limits.share),
            )
            raise self.fault("spun", place, what)

    def _ended(self, place: str) -> DriverFault:
        """The process has closed its channel: it ended, or it is ended now."""
        try:
            status = self._process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            return self.fault("ended", place, ErrorText("its process closed the channel"))
        self._drain()
        if status == GREW_STATUS:
            return self._grew(place)
        what = ErrorText("its process ended with status %(status)s", status=status)
        if status < 0:
            what = ErrorText("its process was killed by %(signal)s", signal=_signal_name(-status))
        return self.fault("ended", place, what)

    def _grew(self, place: str) -> DriverFault:
        megabytes = self._limits.memory >> 20
        return self.fault("grew", place, ErrorText("it needs more than %(size)s MB of memory", size=megabytes))


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
