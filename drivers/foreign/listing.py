"""What foreign drivers say of themselves: asked once in a short-lived process, then kept for each version."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from inkeek.drivers.errors import StillAsked, TooManyChecks

from .faults import DriverFault, Plugin
from .limits import DriverLimits
from .messages import Description
from .process import CAN_ISOLATE, PluginProcess, check_isolation

FAULT_KEPT = 60.0  # seconds after which a driver that failed is asked again
ASKED_AT_ONCE = 4  # drivers
CHECKS_AT_ONCE = 2  # ports

_asking = threading.BoundedSemaphore(ASKED_AT_ONCE)
_checking = threading.BoundedSemaphore(CHECKS_AT_ONCE)
_lock = threading.Lock()
_descriptions: dict[Plugin, Description] = {}
_faults: dict[Plugin, tuple[DriverFault, float]] = {}  # with the time until which they are kept
_asked: dict[Plugin, threading.Thread] = {}


def ask(plugins: Iterable[Plugin], limits: DriverLimits, patience: float) -> None:
    """Ask drivers what they are, and wait at most `patience` seconds for those of which nothing is known."""
    if not CAN_ISOLATE:
        return
    deadline = time.monotonic() + patience
    for thread in [_ask(plugin, limits) for plugin in plugins]:
        if thread is not None:
            thread.join(min(max(0.0, deadline - time.monotonic()), threading.TIMEOUT_MAX))


def description(plugin: Plugin) -> Description:
    """What a driver said of itself.

    :raises DriverFault: it cannot be imported, or is no driver. :raises StillAsked: it has not answered yet.
    :raises DriverError: see `check_isolation`.
    """
    check_isolation(plugin)
    with _lock:
        if plugin in _descriptions:
            return _descriptions[plugin]
        if plugin in _faults:
            raise _faults[plugin][0].renewed()
    raise StillAsked("driver %(driver)r is still being loaded: try again", driver=plugin.name)


def _ask(plugin: Plugin, limits: DriverLimits) -> threading.Thread | None:
    """Ask a driver in a thread, unless it has answered; None: something is known of it already."""
    with _lock:
        if plugin in _descriptions:
            return None
        _, until = _faults.get(plugin, (None, 0.0))
        if time.monotonic() >= until and plugin not in _asked:
            _asked[plugin] = threading.Thread(target=_learn, args=(plugin, limits), name="driver", daemon=True)
            _asked[plugin].start()
        return None if plugin in _faults else _asked.get(plugin)


def _learn(plugin: Plugin, limits: DriverLimits) -> None:
    try:
        with _asking:
            process = PluginProcess(plugin, limits)
            process.stop()
        with _lock:
            _descriptions[plugin] = process.description
    except DriverFault as error:
        with _lock:
            _faults[plugin] = error, time.monotonic() + FAULT_KEPT
    finally:
        with _lock:
            _asked.pop(plugin, None)


@contextmanager
def checking_process(plugin: Plugin, limits: DriverLimits) -> Iterator[PluginProcess]:
    """A process that checks a port.

    :raises DriverFault: the driver cannot be imported, or is none. :raises TooManyChecks: no place is free in time.
    """
    if not _checking.acquire(timeout=limits.call):
        raise TooManyChecks("too many ports are being checked: try again")
    try:
        process = PluginProcess(plugin, limits)
        try:
            yield process
        finally:
            process.stop()
    finally:
        _checking.release()


def forget() -> None:
    """Ask every driver again."""
    with _lock:
        asked = list(_asked.values())
    for thread in asked:
        thread.join()
    with _lock:
        _descriptions.clear()
        _faults.clear()
