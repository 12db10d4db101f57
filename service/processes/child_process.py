"""Child processes that end with their parent.

A child's standard input is a pipe that its parent holds. When the parent is gone, however it ended, the pipe closes and
the child stops. ``python -m inkeek.service.processes.child_process <module> …`` runs any module as such a child.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing import parent_process

from . import system

SIMULATOR = "inkeek.firmware_sim"  # the module of the simulated board
STOP_WITHIN = 5.0  # seconds that a child has to stop before it is killed
STOP_FAMILY_WITHIN = STOP_WITHIN + 2  # seconds for one that must stop its own children first


def start(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    *,
    inherited: Sequence[int] = (),
    gives_way: bool = False,
    **more: object,
) -> subprocess.Popen[bytes]:
    """Start ``python …`` so that Ctrl-C at the terminal reaches only the parent.

    `inherited` and `gives_way`: see `system.child_options`. `more` goes to `subprocess.Popen`.
    """
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [sys.executable, *arguments],
        stdin=subprocess.PIPE,
        env={**os.environ, **environ},
        **system.child_options(inherited, gives_way=gives_way),
        **more,
    )


def ended(child: subprocess.Popen[bytes]) -> int | None:
    """The exit status of a child that has ended, None while it runs. Kills what the child left in its group."""
    if child.returncode is None and child.poll() is not None:
        _clean_up(child)
    return child.returncode


def stop(*children: subprocess.Popen[bytes], within: float = STOP_WITHIN) -> None:
    """Terminate children together, and kill those that take longer than `within` seconds. Returns when all are gone."""
    running = [child for child in children if ended(child) is None]
    deadline = time.monotonic() + within
    for child in running:
        system.ask_to_stop(child)
    for child in running:
        with suppress(subprocess.TimeoutExpired):
            child.wait(max(0.0, deadline - time.monotonic()))
        _clean_up(child)
        child.wait()
    for child in children:
        _close_pipe(child)


def _clean_up(child: subprocess.Popen[bytes]) -> None:
    """Kill a child, if it still runs, with the processes that it has forked, and close the pipe to it.

    Call this once, when the child ends: later its id may be another process's.
    """
    system.kill(child)
    _close_pipe(child)


def _close_pipe(child: subprocess.Popen[bytes]) -> None:
    if child.stdin is not None:
        child.stdin.close()


def release(child: subprocess.Popen[bytes]) -> None:
    """In the parent: let a child go on that waits in `wait_release`."""
    assert child.stdin is not None
    with suppress(OSError):  # it has ended; whoever watches it finds out
        child.stdin.write(b"\n")
        child.stdin.flush()


def wait_release(fd: int = 0) -> bool:
    """In the child: wait until the parent calls `release`. Return False if the parent is gone instead."""
    return bool(os.read(fd, 1))


def watch(on_parent_exit: Callable[[], None], fd: int = 0, within: float = STOP_WITHIN) -> None:
    """In the child: call a function from a thread when the parent is gone.

    If the process still runs `within` seconds later, it is ended: nobody else would do it.
    """

    def wait() -> None:
        while os.read(fd, 64):
            pass
        on_parent_exit()
        time.sleep(within)
        os._exit(1)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def end_with_parent() -> None:
    """In a process of `multiprocessing`, or of a pool as its initializer: end when the parent is gone, also in the
    middle of a call."""
    parent = parent_process()
    assert parent is not None

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, name="parent", daemon=True).start()


def main() -> None:
    """Run the module that the first argument names, with the rest as its arguments."""
    watch(system.stop_this_process)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
