"""The ports and drivers of this machine, and who may open which port."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.drivers import registry
from inkeek.drivers.errors import DriverError, UrlError
from inkeek.drivers.ports.transport import real_name
from inkeek.drivers.registry import InstalledDriver
from inkeek.records.errors import message_of
from inkeek.service.errors import Invalid, OutsideLimit
from inkeek.service.storage import Limit
from inkeek.service.storage.rows import FAR

from .identity import PREFIX

MAX_URL = 4096  # characters of a port


@dataclass(frozen=True)
class KnownPort:
    """A serial port of this machine."""

    url: str
    title: str


def known_ports() -> list[KnownPort]:
    return [KnownPort(port.url, port.description) for port in registry.ports()]


def known_drivers() -> list[InstalledDriver]:
    """The installed drivers."""
    return registry.drivers()


def check_port(driver: str, url: str, limit: Limit | None) -> None:
    """Check that a port can be opened with a driver, by whoever has a key with this limit. Opens nothing.

    What a port of a driver of another distribution looks like, only that driver knows: the board's status says it.

    :raises Invalid: the driver or the port cannot be used.
    :raises OutsideLimit: with a limit, the port is no serial port of this machine: on the network it could be any
        program's, whose answers the board's page would show.
    """
    try:
        if driver == FAR:
            _check_far(url)
        elif registry.is_own(driver):
            registry.check_url(registry.driver(driver), url)
        elif not url.isprintable() or not 0 < len(url) <= MAX_URL:
            raise UrlError(f"{url[:100]!r} is not a port: expected at most {MAX_URL} printable characters")
    except UrlError as error:
        raise Invalid("port: %(error)s", field="port", error=message_of(error)) from error
    except DriverError as error:
        raise Invalid("driver: %(error)s", field="driver", error=message_of(error)) from error
    if limit is not None and not _is_serial(url):
        raise OutsideLimit(
            "The key is limited to %(limit)s. It opens serial ports that this machine lists, not %(port)s.",
            limit=limit,
            port=url[:80],
        )


def _check_far(port: str) -> None:
    """:raises Invalid: this cannot be the port of a remote board."""
    if not (port.startswith(PREFIX) and len(port) > len(PREFIX) and port.isprintable()):
        raise Invalid(f"port is {port[:80]!r}: expected {PREFIX} and a name, like far:bench:/dev/ttyACM0", field="port")


def _is_serial(url: str) -> bool:
    """Whether a port is a serial port of this machine, or a remote board."""
    name = real_name(url)
    return url.startswith((PREFIX, "board:")) or any(real_name(port.url) == name for port in known_ports())
