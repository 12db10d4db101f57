"""Finding drivers: plugins of the entry-point group ``inkeek.drivers``, the project's own among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from .base import Driver
from .errors import UnknownDriverError
from .ports import environment
from .ports.transport import Port, ports

GROUP = "inkeek.drivers"

__all__ = ["GROUP", "BrokenDriver", "InstalledDrivers", "Port", "check_url", "driver", "drivers", "ports"]


@dataclass(frozen=True, slots=True)
class BrokenDriver:
    """A plugin that could not be used: its name, where it points, and why."""

    name: str
    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class InstalledDrivers:
    """All drivers by name, and the plugins that failed, which never hide the others."""

    drivers: dict[str, Driver]
    broken: tuple[BrokenDriver, ...]


def drivers(points: Iterable[EntryPoint] | None = None) -> InstalledDrivers:
    """Load every installed driver; `points` in place of what is installed."""
    good: dict[str, Driver] = {}
    broken: list[BrokenDriver] = []
    for point in sorted(entry_points(group=GROUP) if points is None else points, key=lambda p: (p.name, p.value)):
        try:
            loaded = _load(point)
            if point.name in good:
                raise ValueError(f"another driver is called {point.name!r} already")
            good[point.name] = loaded
        except Exception as error:  # noqa: BLE001 - a stranger's code; whatever it does, it is reported
            broken.append(BrokenDriver(point.name, point.value, f"{type(error).__name__}: {error}"))
    return InstalledDrivers(good, tuple(broken))


def driver(name: str, points: Iterable[EntryPoint] | None = None) -> Driver:
    """The driver of that name.

    :raises UnknownDriverError: there is none, or it failed to load; names those that work.
    """
    listing = drivers(points)
    if name in listing.drivers:
        return listing.drivers[name]
    known = ", ".join(listing.drivers) or "none"
    for plugin in listing.broken:
        if plugin.name == name:
            raise UnknownDriverError(
                f"driver {name!r} ({plugin.target}) failed to load: {plugin.reason}; working: {known}"
            )
    if not listing.drivers and not listing.broken:
        raise UnknownDriverError(
            f"no driver is called {name!r}, and none is installed at all: they are found through the entry points of "
            "installed distributions, the project's own too; install the project: pip install -e ."
        )
    raise UnknownDriverError(f"no driver is called {name!r}: known are {known}")


def check_url(chosen: Driver, url: str) -> None:
    """Whether `url` can name a port of this driver; opens nothing.

    :raises UrlError: it cannot; says what could.
    """
    getattr(chosen, "check_url", environment.check_url)(url)


def _load(point: EntryPoint) -> Driver:
    made = point.load()()
    for attribute, kind in (("name", str), ("title", str)):
        if not isinstance(getattr(made, attribute, None), kind):
            raise TypeError(f"it has no text {attribute!r}")
    if not callable(getattr(made, "open", None)):
        raise TypeError("it has no method 'open'")
    if made.name != point.name:
        raise ValueError(f"it calls itself {made.name!r}, and its entry point {point.name!r}")
    loaded: Driver = made
    return loaded
