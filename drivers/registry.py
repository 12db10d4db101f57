"""Finds drivers: plugins of the entry-point group ``inkeek.drivers``, this project's own among them.

Only the project's own drivers are imported here. All others are known by the metadata of their distributions, and
run in processes of their own (`inkeek.drivers.foreign`).
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions

from inkeek.records.errors import ErrorText, message_of

from .base import Driver
from .errors import DriverError, StillAsked, UnknownDriverError
from .foreign import listing
from .foreign.driver import ForeignDriver, ForeignPlayback
from .foreign.faults import Plugin
from .foreign.limits import DriverLimits
from .ports import environment
from .ports.transport import Port, ports
from .recording.file import Recording
from .recording.playback import Playback

GROUP = "inkeek.drivers"
LIMITS = DriverLimits()
OWN = "inkeek"  # the distribution whose drivers are imported here

log = logging.getLogger(__name__)

__all__ = ["GROUP", "InstalledDriver", "Port", "check_url", "driver", "drivers", "playback", "ports"]


@dataclass(frozen=True, slots=True)
class InstalledDriver:
    """An installed driver with its distribution. `error` says why it cannot be used; None: it can."""

    name: str
    title: str
    distribution: str
    version: str
    error: str | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is one of this project."""
        return _normal(self.distribution) == OWN


def drivers(
    points: Iterable[EntryPoint] | None = None, limits: DriverLimits = LIMITS, patience: float = math.inf
) -> list[InstalledDriver]:
    """List the installed drivers, or those of `points`. One that fails does not affect the others.

    Waits at most `patience` seconds for what drivers say of themselves. A title that is not known by then is the
    driver's name.
    """
    found = _plugins(points)
    listing.ask({plugin for _, plugin in found if not _is_own(plugin)}, limits, patience)
    names: set[str] = set()
    installed = []
    for point, plugin in found:
        error: str | None = None
        title = plugin.name
        if plugin.name in names:
            error = ErrorText("another driver is already named %(driver)r", driver=plugin.name)
        else:
            try:
                title = _load(point).title if _is_own(plugin) else listing.description(plugin).title
            except StillAsked:
                pass
            except DriverError as fault:
                error = message_of(fault)
        names.add(plugin.name)
        shown = title if error is None else plugin.target
        installed.append(InstalledDriver(plugin.name, shown, plugin.distribution, plugin.version, error))
    return installed


def driver(name: str, points: Iterable[EntryPoint] | None = None, limits: DriverLimits = LIMITS) -> Driver:
    """Return the driver of that name. No other driver is loaded; one of another distribution is loaded when used.

    :raises UnknownDriverError: there is none, or it failed to load; lists those that are installed.
    """
    found = _plugins(points)
    names = ", ".join(sorted({plugin.name for _, plugin in found})) or "none"
    for point, plugin in found:
        if plugin.name == name:
            return _load(point) if _is_own(plugin) else ForeignDriver(plugin, limits)
    if not found:
        raise UnknownDriverError(
            "driver %(name)r is unknown, and no driver is installed: drivers are found through the entry points of "
            "installed distributions. Install this project: pip install -e .",
            name=name,
        )
    raise UnknownDriverError("driver %(name)r is unknown. Installed drivers: %(names)s", name=name, names=names)


def check_url(chosen: Driver, url: str) -> None:
    """Check that `url` can name a port of this driver; opens nothing.

    :raises UrlError: it cannot; says what is expected.
    """
    getattr(chosen, "check_url", environment.check_url)(url)


def playback(recording: Recording, wait: Callable[[float], None] | None = None) -> Playback | ForeignPlayback:
    """Play a recording again with the driver that made it.

    :raises DriverError: it is not installed, or does not support recording.
    """
    made_by = driver(recording.header.driver)
    if isinstance(made_by, ForeignDriver):
        return made_by.playback(recording, wait)
    return Playback(recording, made_by, wait)


def _plugins(points: Iterable[EntryPoint] | None) -> list[tuple[EntryPoint, Plugin]]:
    """The entry points of drivers with their distributions: the project's own, then others by name."""
    found = [(point, _plugin(point)) for point in (_installed_points() if points is None else points)]
    return sorted(found, key=lambda pair: (not _is_own(pair[1]), pair[1].name, pair[1].distribution, pair[1].target))


def _installed_points() -> list[EntryPoint]:
    """The entry points of drivers in the metadata of all distributions, the first of each name on the path."""
    found: dict[str, list[EntryPoint]] = {}
    for distribution in distributions():
        try:
            if GROUP in (distribution.read_text("entry_points.txt") or ""):
                points = list(distribution.entry_points.select(group=GROUP))
                found.setdefault(_normal(_metadata(distribution, "Name")) or repr(distribution), points)
        except (OSError, ValueError, TypeError, AttributeError) as error:  # damaged metadata
            _complain(f"a driver in {distribution.locate_file('')} is left out, its metadata is damaged: {error}")
    return [point for points in found.values() for point in points]


def _plugin(point: EntryPoint) -> Plugin:
    if point.dist is None:
        return Plugin(point.name, point.value, "?", "")
    return Plugin(point.name, point.value, _metadata(point.dist, "Name") or "?", _metadata(point.dist, "Version"))


def _metadata(distribution: Distribution, field: str) -> str:
    """A field of the metadata of a distribution; empty if it is missing."""
    try:
        return getattr(distribution, field.lower()) or ""
    except KeyError:  # as later versions of Python say it
        return ""


@cache
def _complain(text: str) -> None:
    log.warning(text)


def _is_own(plugin: Plugin) -> bool:
    return _normal(plugin.distribution) == OWN


def _normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _load(point: EntryPoint) -> Driver:
    """:raises UnknownDriverError: it cannot be imported."""
    try:
        loaded: Driver = point.load()()
    except (ImportError, AttributeError) as error:
        raise UnknownDriverError(
            "driver %(name)r (%(target)s) failed to load: %(reason)s",
            name=point.name,
            target=point.value,
            reason=f"{type(error).__name__}: {error}",
        ) from error
    return loaded
