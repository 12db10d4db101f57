"""What foreign drivers say of themselves: asked once in a short-lived process, then kept for each version."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from drivers.errors import DriverError
from records.errors import ErrorText

from .faults import DriverFault, Plugin
from .limits import DriverLimits
from .messages import Description
from .process import PluginProcess

FAULT_KEPT = 60.0  # seconds for which a driver that failed is not asked again
AT_ONCE = 4  # short-lived processes

_places = threading.BoundedSemaphore(AT_ONCE)
_lock = threading.Lock()
_descriptions: dict[Plugin, Description] = {}
_faults: dict[Plugin, tuple[DriverFault, float]] = {}  # with the time until which they are kept
_asked: set[Plugin] = set()


class StillAsked(DriverError):
    """The driver is being asked for somebody else, or too many are: what it says is not known yet."""


def describe(plugin: Plugin, limits: DriverLimits) -> Description:
    """What the driver says of itself. Whoever asks while it is asked for another does not wait.

    :raises DriverFault: it cannot be imported, or is no driver. :raises StillAsked: it is not known yet.
    """
    with _lock:
        if plugin in _descriptions:
            return _descriptions[plugin]
        fault, until = _faults.get(plugin, (None, 0.0))
        if fault is not None and time.monotonic() < until:
            raise fault.renewed()
        if plugin in _asked:
            raise StillAsked(ErrorText("driver %(driver)r is still being loaded: try again", driver=plugin.name))
        _asked.add(plugin)
    try:
        with short_process(plugin, limits) as process:
            description = process.description
        with _lock:
            _descriptions[plugin] = description
        return description
    except DriverFault as error:
        with _lock:
            _faults[plugin] = error, time.monotonic() + FAULT_KEPT
        raise
    finally:
        with _lock:
            _asked.discard(plugin)


@contextmanager
def short_process(plugin: Plugin, limits: DriverLimits) -> Iterator[PluginProcess]:
    """A process for one question.

    :raises DriverFault: the driver cannot be imported, or is none. :raises StillAsked: too many are asked now.
    """
    if not _places.acquire(blocking=False):
        raise StillAsked(ErrorText("too many drivers are being loaded: try again"))
    try:
        process = PluginProcess(plugin, limits)
        try:
            yield process
        finally:
            process.stop()
    finally:
        _places.release()


def forget() -> None:
    """Ask every driver again."""
    with _lock:
        _descriptions.clear()
        _faults.clear()
