"""Finds drivers: plugins of the entry-point group ``inkeek.drivers``, this project's own among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from records.errors import ErrorText

from .base import Driver
from .errors import UnknownDriverError
from .ports import environment
from .ports.transport import Port, ports

GROUP = "inkeek.drivers"

__all__ = ["GROUP", "BrokenDriver", "InstalledDrivers", "Port", "check_url", "driver", "drivers", "ports"]


@dataclass(frozen=True, slots=True)
class BrokenDriver:
    """A plugin that cannot be used: its name, its target (``module:attribute``), and why."""

    name: str
    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class InstalledDrivers:
    """All drivers by name, and the plugins that failed to load."""

    drivers: dict[str, Driver]
    broken: tuple[BrokenDriver, ...]


def drivers(points: Iterable[EntryPoint] | None = None) -> InstalledDrivers:
    """Load all installed drivers, or those of `points`. A plugin that fails does not affect the others."""
    good: dict[str, Driver] = {}
    broken: list[BrokenDriver] = []
    for point in sorted(entry_points(group=GROUP) if points is None else points, key=lambda p: (p.name, p.value)):
        try:
            loaded = _load(point)
            if point.name in good:
                raise ValueError(f"another driver is already named {point.name!r}")
            good[point.name] = loaded
        except Exception as error:  # noqa: BLE001 - foreign code may raise anything
            broken.append(BrokenDriver(point.name, point.value, f"{type(error).__name__}: {error}"))
    return InstalledDrivers(good, tuple(broken))


def driver(name: str, points: Iterable[EntryPoint] | None = None) -> Driver:
    """Return the driver of that name.

    :raises UnknownDriverError: there is none, or it failed to load; lists those that work.
    """
    installed = drivers(points)
    if name in installed.drivers:
        return installed.drivers[name]
    working = ", ".join(installed.drivers) or "none"
    for plugin in installed.broken:
        if plugin.name == name:
            values = {"name": name, "target": plugin.target, "reason": plugin.reason, "working": working}
            raise UnknownDriverError(
                ErrorText(
                    "driver %(name)r (%(target)s) failed to load: %(reason)s. Drivers that work: %(working)s", **values
                )
            )
    if not installed.drivers and not installed.broken:
        raise UnknownDriverError(
            f"driver {name!r} is unknown, and no driver is installed: drivers are found through the entry points of "
            "installed distributions. Install this project: pip install -e ."
        )
    raise UnknownDriverError(
        ErrorText("driver %(name)r is unknown. Drivers that work: %(working)s", name=name, working=working)
    )


def check_url(chosen: Driver, url: str) -> None:
    """Check that `url` can name a port of this driver; opens nothing.

    :raises UrlError: it cannot; says what is expected.
    """
    getattr(chosen, "check_url", environment.check_url)(url)


def _load(point: EntryPoint) -> Driver:
    loaded: Driver = point.load()()
    for attribute in ("name", "title"):
        if not isinstance(getattr(loaded, attribute, None), str):
            raise TypeError(f"the driver has no text {attribute!r}")
    if not callable(getattr(loaded, "open", None)):
        raise TypeError("the driver has no method 'open'")
    if loaded.name != point.name:
        raise ValueError(f"the driver's name is {loaded.name!r}, but its entry point is {point.name!r}")
    return loaded
