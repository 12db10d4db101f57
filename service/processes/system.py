"""What the service needs of the operating system, where it is Unix and where it is not, as on Windows.

Only this module uses what only Unix has. Each function asks for what it needs, not for the name of a system, so that a
test can take that away.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import SimpleQueue
from typing import Any

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


def lead_group() -> None:
    """Make this process the first of a group: those that it starts are killed with it."""
    if IS_UNIX:
        os.setpgid(0, 0)


def print_nothing() -> None:
    """Drop what this process writes to standard output and standard error."""
    null = os.open(os.devnull, os.O_WRONLY)
    for fd in (1, 2):
        os.dup2(null, fd)


def limit_memory(more: int) -> None:
    """Let this process have at most so many bytes of address space more than it has, on Linux."""
    if sys.platform == "linux":
        most = more + int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def kill(child: subprocess.Popen[bytes] | BaseProcess) -> None:
    """Kill a child, and the processes of its group. Without groups these notice that their parent is gone."""
    with suppress(ProcessLookupError, PermissionError):  # none of them lives; on macOS: all are zombies
        if IS_UNIX:
            os.killpg(child.pid, signal.SIGKILL)  # type: ignore[arg-type]
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


def set_on_signals(event: threading.Event, *numbers: int) -> None:
    """Set an event when one of these signals comes. Its handler must not: the thread that it interrupts may be about to
    wait for the event, and holds its lock."""
    caught = SimpleQueue[int]()

    def set_when_caught() -> None:
        caught.get()
        event.set()

    threading.Thread(target=set_when_caught, name="signals", daemon=True).start()
    for number in numbers:
        signal.signal(number, lambda received, _: caught.put(received))


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
