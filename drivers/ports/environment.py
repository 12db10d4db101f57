"""From a port's URL to an open port, and to the same board again when it comes back under another name.

A URL is one of `transport`, or ``board:SERIAL``: the board with that serial number, on whatever serial port it is.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable

from inkeek.drivers.base import ByteStream, OpenPort
from inkeek.drivers.errors import UrlError

from . import transport
from .finder import Finder, HelloProbe
from .transport import Port, Transport, real_name

MAX_SERIAL = 100  # characters of a serial number in a URL
_BOARD = re.compile(r"board:(?P<serial>[!-#%-)+\--~](?:[ -#%-)+\--~]*[!-#%-)+\--~])?)")  # as a field of the protocol


def check_url(url: str) -> None:
    """Check that `url` can name a port, or a board on any port; opens nothing.

    :raises UrlError: it cannot; says what is expected.
    """
    if not url.startswith("board:"):
        transport.check_url(url)
    elif _BOARD.fullmatch(url) is None or len(url) > MAX_SERIAL + len("board:"):
        raise UrlError(
            "%(port)r is not a port: expected board: and a serial number, such as board:SIM-0001, of at most "
            "%(characters)s printable characters other than '$', '*' and ','",
            port=url[:100],
            characters=MAX_SERIAL,
        )


class SystemEnvironment:
    """The `base.Environment` of this machine: its ports, its clock, its randomness.

    A serial device that comes back under another name is found by the USB serial number of its adapter, also if
    another device has its old name now. `open_port` is the port that was opened last. `probe` asks boards who they
    are; without it ``board:`` URLs use USB serial numbers alone.

    :raises UrlError: `url` cannot name a port.
    """

    def __init__(
        self,
        url: str,
        probe: type[HelloProbe] | None = None,
        *,
        ports: Callable[[], list[Port]] = transport.ports,
    ) -> None:
        check_url(url)
        board = _BOARD.fullmatch(url)
        self._url = url
        self._finder = None if board is None else Finder(board["serial"], probe, ports=ports)
        self._ports = ports
        self.open_port: OpenPort | None = None
        self.clock = time.monotonic
        self.wait = time.sleep

    def token(self) -> str:
        """See `base.Environment.token`."""
        return secrets.token_hex(4)

    def open(self) -> ByteStream:
        """See `base.Environment.open`."""
        stream = Transport.open(self._where()) if self._finder is None else self._finder.open()
        adapter = None
        if "://" not in stream.url:
            name = real_name(stream.url)
            listed = sorted(self._ports(), key=lambda port: port.url != stream.url)  # the one of this name first
            adapter = next((port.serial_number for port in listed if real_name(port.url) == name), None)
        self.open_port = OpenPort(stream.url, adapter)
        return stream

    def _where(self) -> str:
        """The port where the device is now that was opened before, if exactly one has its USB serial number."""
        if self.open_port is None or self.open_port.adapter is None:
            return self._url
        found = [port.url for port in self._ports() if port.serial_number == self.open_port.adapter]
        return found[0] if len(found) == 1 else self._url
