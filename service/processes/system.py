"""What the service needs of the operating system, where it is Unix and where it is not, as on Windows.

Only this module and the drivers of other distributions (`drivers.foreign`) use what only Unix has. Each function asks
for what it needs, not for the name of a system, so that a test can take that away.
"""

from __future__ import annotations

import os
import queue
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

try:
    import fcntl
    import resource
except ImportError:  # Windows
    fcntl = resource = None  # type: ignore[assignment]

# Whether children inherit file descriptors by their numbers, and can be stopped and killed by signals.
IS_UNIX = hasattr(os, "killpg")
NOT_INHERITED = -1  # instead of the number of a file that a child inherits
HAS_FOLDER_LOCKS = fcntl is not None
MAX_SOCKETS = sys.maxsize if IS_UNIX else 480  # of a process: the `select` of Windows waits for 512 at most
MAX_READ = 1 << 20  # bytes


def child_options(inherited: Sequence[int], *, gives_way: bool) -> dict[str, Any]:
    """Options of `subprocess.Popen` for a child that Ctrl-C at the terminal does not reach. It inherits these file
    descriptors on Unix only. With `gives_way` it computes after others there where `lower_priority` does nothing."""
    if IS_UNIX:  # a group, not a session of its own: Linux heeds niceness only within a session (autogroup)
        return {"process_group": 0, "pass_fds": inherited}
    flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return {"creationflags": flags | (getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0) if gives_way else 0)}


def ask_to_stop(child: subprocess.Popen[bytes]) -> None:
    """Have a child that watches its standard input stop. Without signals that is the only way to ask for it."""
    if IS_UNIX:
        child.terminate()
    elif child.stdin is not None:
        with suppress(OSError):
            child.stdin.close()


def kill(child: subprocess.Popen[bytes]) -> None:
    """Kill a child, and the processes of its group. Without groups these notice that their parent is gone."""
    with suppress(ProcessLookupError, PermissionError):  # none of them lives; on macOS: all are zombies
        if IS_UNIX:
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()


def may_run(pid: int) -> bool:
    """Whether a process with this number may run. Where asking would end it, nobody asks."""
    if IS_UNIX:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # another user's
            return True
    return True


def stop_this_process() -> None:
    """From any thread: do what SIGTERM does."""
    if IS_UNIX:
        os.kill(os.getpid(), signal.SIGTERM)
    else:
        signal.raise_signal(signal.SIGTERM)  # `os.kill` would end the process without its handler


def write_in_background() -> None:
    """Let this process and its children write to a terminal that stops programs in the background (`stty tostop`)."""
    if IS_UNIX:
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)


def lower_priority(nice: int) -> None:
    """Let other processes compute first."""
    if hasattr(os, "nice"):
        os.nice(nice)


def allow_files(count: int) -> None:
    """Allow this process to have so many files open, if the system lets it."""
    if resource is None:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_memory() -> int:
    """The most bytes of memory that this process has had, 0 where nobody says."""
    if resource is None:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


@contextmanager
def folder_lock(folder: Path) -> Iterator[int]:
    """Hold the lock of a folder for the block. Processes that inherit the file descriptor, which it yields, hold it
    until they end.

    :raises OSError: another process holds it, the folder is gone, or folders have no locks.
    """
    if not HAS_FOLDER_LOCKS:
        raise OSError("folders have no locks")
    fd = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder.stat()
        yield fd
    finally:
        os.close(fd)


class PipeReader:
    """Reads what a child writes, without waiting for ever."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)

    def wait(self, seconds: float) -> bool:
        """Wait so long at most until there is something to read, or the end."""
        return bool(self._poll.poll(1000 * seconds))

    def read(self, size: int) -> bytes:
        """After `wait`: at most so many bytes, none at the end."""
        return os.read(self._pipe.fileno(), min(size, MAX_READ))

    def close(self) -> None:
        """Call this when the child has ended."""
        self._pipe.close()


class ThreadedPipeReader(PipeReader):
    """The same where nothing can wait for a pipe: a thread reads it, and closes it at its end."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._parts: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._part: bytes | None = None
        threading.Thread(target=self._run, name="pipe", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        if self._part is None:
            with suppress(queue.Empty):
                self._part = self._parts.get(timeout=seconds)
        return self._part is not None

    def read(self, size: int) -> bytes:
        data = self._part or b""
        self._part = data[size:] or (None if data else b"")  # the end stays
        return data[:size]

    def close(self) -> None:
        """The thread does it."""

    def _run(self) -> None:
        with self._pipe:
            while data := os.read(self._pipe.fileno(), MAX_READ):
                self._parts.put(data)
        self._parts.put(b"")


def pipe_reader(pipe: IO[bytes]) -> PipeReader:
    """What reads a child's output on this system."""
    return PipeReader(pipe) if hasattr(select, "poll") else ThreadedPipeReader(pipe)
