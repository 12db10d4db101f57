"""A reload: `inkeek serve` is run again in the same process, as it is on the disk now, and keeps the port open.

The listening socket is passed as systemd passes sockets (sd_listen_fds(3)), so a service that systemd activates by a
socket starts in the same way. The supervisor and its processes go on until new ones can take their place.
"""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import msgspec

from records.structs import decode_json
from service.errors import SettingError

from . import child_process, logs, system

log = logging.getLogger(__name__)

SUPERVISOR_STOPS_WITHIN = child_process.STOP_WITHIN + 1  # seconds: it stops its children first
STOPS_WITHIN = SUPERVISOR_STOPS_WITHIN + 1
CHECKS_WITHIN = 60.0  # seconds for the check of the program on the disk
PASSED = 3  # the number of the first file that systemd passes
LEFT = "_INKEEK_LEFT"  # the variable with what the program before has left; no setting
# What the processes of a supervisor say: a web server serves; the database must be upgraded, but another supervisor
# runs still.
SERVES, WAITS = b"s", b"w"


class ProcessFamily(msgspec.Struct, frozen=True):
    """A supervisor and its processes: its id, the pipe that is its standard input, and the read end of another one,
    whose write end all of them hold."""

    pid: int
    stdin: int
    pipe: int

    def words(self, within: float = 0.0) -> bytes | None:
        """What they say within so many seconds: None if nothing, empty if all are gone."""
        return os.read(self.pipe, 64) if select.select([self.pipe], [], [], within)[0] else None

    def end(self) -> None:
        """Have the supervisor of the program before stop, and wait until it and its processes are gone."""
        os.close(self.stdin)
        self.wait_gone()
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def wait_gone(self) -> None:
        """Wait until all are gone, but not for ever."""
        deadline = time.monotonic() + STOPS_WITHIN
        while self.words(max(0.0, deadline - time.monotonic())) != b"":
            if time.monotonic() > deadline:
                log.error("processes of the last supervisor still run, after %g s", STOPS_WITHIN)
                break
        os.close(self.pipe)


class Left(msgspec.Struct, frozen=True):
    """What a program leaves to the one after it: its processes and the folder of metrics."""

    family: ProcessFamily
    figures: str


def take_left() -> Left | None:
    """What the program before has left in this process."""
    text = os.environ.pop(LEFT, "")
    return decode_json(text, Left) if text else None


def take_passed() -> socket.socket | None:
    """The listening socket that was passed to this process.

    :raises SettingError: there are several, or one that is not of TCP.
    """
    if os.environ.get("LISTEN_PID") != str(os.getpid()):
        return None
    listener = socket.socket(fileno=PASSED)
    if os.environ.get("LISTEN_FDS") != "1" or listener.family not in (socket.AF_INET, socket.AF_INET6):
        listener.close()
        raise SettingError("the service takes one socket of TCP: name one ListenStream=ADDRESS:PORT in its socket unit")
    return listener


def fault_on_disk() -> str:
    """Why the program on the disk cannot run with its settings; empty if it can."""
    try:
        command = [*_command(), "--check"]
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CHECKS_WITHIN, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return done.stderr.strip().rpartition("\n")[2] if done.returncode else ""


def run_again(listener: socket.socket | None, left: Left) -> NoReturn:
    """Run the program on the disk in place of this one, with signals held. `listener`: None without the web server."""
    family = left.family
    stdin, pipe = (system.keep_open(fd, PASSED) for fd in (family.stdin, family.pipe))
    left = msgspec.structs.replace(left, family=ProcessFamily(family.pid, stdin, pipe))
    passed = {"LISTEN_PID": "", LEFT: msgspec.json.encode(left).decode()}
    logs.stop_collecting()  # before another file takes the number of the log
    if listener is not None:
        os.dup2(listener.fileno(), PASSED)
        os.set_inheritable(PASSED, True)  # if it has that number already, it is still to be closed
        passed |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
    command = _command()
    os.execve(command[0], command, os.environ | passed)


def _command() -> list[str]:
    """What has started this process. A script says itself which Python runs it: its path may lead elsewhere by now."""
    arguments = sys.orig_argv[1:]
    is_script = bool(arguments) and Path(arguments[0]).is_file() and os.access(arguments[0], os.X_OK)
    return arguments if is_script else [sys.executable, *arguments]


def notify(state: str) -> None:
    """Tell systemd how the service is (sd_notify(3)), if that has started it."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
            sender.sendto(state.encode(), f"\0{address[1:]}" if address.startswith("@") else address)
