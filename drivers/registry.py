"""Finds drivers: plugins of the entry-point group ``inkeek.drivers``, this project's own among them.

All are listed by the metadata of their distributions; `driver` imports one. A driver of another distribution may do
anything then: the service has it do so in a process of its own.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distributions

from inkeek.records.errors import ErrorText, message_of

from .base import Driver
from .errors import DriverError, UnknownDriverError
from .ports import environment
from .ports.transport import Port, ports
from .recording.file import Recording
from .recording.playback import Playback

GROUP = "inkeek.drivers"
OWN = "inkeek"  # the project's distribution

log = logging.getLogger(__name__)

__all__ = [
    "GROUP",
    "InstalledDriver",
    "Port",
    "check_url",
    "driver",
    "drivers",
    "installed_points",
    "is_own",
    "origin",
    "playback",
    "ports",
]


@dataclass(frozen=True, slots=True)
class Plugin:
    """A driver as its distribution declares it: its `name`, and its class as ``module:attribute``. `summary`: what the
    distribution says of itself."""

    name: str
    target: str
    distribution: str
    version: str
    summary: str = ""


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


def drivers(points: Iterable[EntryPoint] | None = None, *, loads: bool = False) -> list[InstalledDriver]:
    """List the installed drivers, or those of `points`. One that fails does not affect the others.

    The title of another distribution's driver is what that says of itself, unless all drivers are imported (`loads`).
    """
    names: set[str] = set()
    installed = []
    for point, plugin in _plugins(points):
        error: str | None = None
        title = plugin.summary or plugin.name
        if plugin.name in names:
            error = ErrorText("another driver is already named %(driver)r", driver=plugin.name)
        elif loads or _is_own(plugin):
            try:
                title = _load(point).title
            except DriverError as fault:
                error = message_of(fault)
        names.add(plugin.name)
        shown = title if error is None else plugin.target
        installed.append(InstalledDriver(plugin.name, shown, plugin.distribution, plugin.version, error))
    return installed


def driver(name: str, points: Iterable[EntryPoint] | None = None) -> Driver:
    """Import and return the driver of that name. No other one is imported.

    :raises UnknownDriverError: there is none, or it failed to load; lists those that are installed.
    """
    return _load(_find(name, points)[0])


def is_own(name: str, points: Iterable[EntryPoint] | None = None) -> bool:
    """Whether a driver is one of this project. Imports none.

    :raises UnknownDriverError: there is none; lists those that are installed.
    """
    return _is_own(_find(name, points)[1])


def origin(name: str) -> str:
    """The distribution of a driver with its version; empty: it is not installed."""
    found = [plugin for _, plugin in _plugins(None) if plugin.name == name]
    return f"{found[0].distribution} {found[0].version}".rstrip() if found else ""


def _find(name: str, points: Iterable[EntryPoint] | None) -> tuple[EntryPoint, Plugin]:
    found = _plugins(points)
    for point, plugin in found:
        if plugin.name == name:
            return point, plugin
    names = ", ".join(sorted({plugin.name for _, plugin in found})) or "none"
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


def playback(recording: Recording, wait: Callable[[float], None] | None = None) -> Playback:
    """Play a recording again with the driver that made it.

    :raises DriverError: it is not installed, or does not support recording.
    """
    return Playback(recording, driver(recording.header.driver), wait)


def _plugins(points: Iterable[EntryPoint] | None) -> list[tuple[EntryPoint, Plugin]]:
    """The entry points of drivers with their distributions: the project's own, then others by name."""
    found = [(point, _plugin(point)) for point in (installed_points(GROUP) if points is None else points)]
    return sorted(found, key=lambda pair: (not _is_own(pair[1]), pair[1].name, pair[1].distribution, pair[1].target))


def installed_points(group: str) -> list[EntryPoint]:
    """The entry points of a group in the metadata of all distributions, the first of each name on the path."""
    found: dict[str, list[EntryPoint]] = {}
    for distribution in distributions():
        try:
            if group in (distribution.read_text("entry_points.txt") or ""):
                points = list(distribution.entry_points.select(group=group))
                found.setdefault(_normal(_metadata(distribution, "Name")) or repr(distribution), points)
        except (OSError, ValueError, TypeError, AttributeError) as error:  # damaged metadata
            _complain(f"a plugin in {distribution.locate_file('')} is left out, its metadata is damaged: {error}")
    return [point for points in found.values() for point in points]


def _plugin(point: EntryPoint) -> Plugin:
    if point.dist is None:
        return Plugin(point.name, point.value, "?", "")
    name, version = _metadata(point.dist, "Name") or "?", _metadata(point.dist, "Version")
    metadata: Mapping[str, str] = getattr(point.dist, "metadata", {})
    summary = metadata["Summary"] if "Summary" in metadata else ""  # noqa: SIM401 - a message is no mapping
    return Plugin(point.name, point.value, name, version, summary)


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
    """:raises UnknownDriverError: it cannot be imported, or is no driver."""
    try:
        made: Driver = point.load()()
        for name in ("name", "title"):
            if not isinstance(getattr(made, name, None), str):
                raise TypeError(f"the driver has no text {name!r}")
        if not callable(getattr(made, "open", None)):
            raise TypeError("the driver has no method 'open'")
        if made.name != point.name:
            raise TypeError(f"the driver's name is {made.name[:80]!r}, but its entry point is {point.name!r}")
        return made
    except Exception as error:  # whatever its module raises
        raise UnknownDriverError(
            "driver %(name)r (%(target)s) failed to load: %(reason)s",
            name=point.name,
            target=point.value,
            reason=f"{type(error).__name__}: {error}",
        ) from error
