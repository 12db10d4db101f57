"""From a port's URL to an open port, and to the same board again when it comes back under another name.

A URL is one of `transport`, or ``board:SERIAL``: the board with that serial number, on whatever serial port it is.
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable

from drivers.base import ByteStream
from drivers.errors import TransportError, UrlError

from . import transport
from .finder import Finder, Probe
from .transport import Port, Transport

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
            f"{url[:100]!r} is not a port: expected board: and a serial number, such as board:SIM-0001, of at most "
            f"{MAX_SERIAL} printable characters other than '$', '*' and ','"
        )


class SystemEnvironment:
    """The `base.Environment` of this machine: its ports, its clock, its randomness.

    A serial device that comes back under another name is found by the USB serial number of its adapter. `probe` makes a
    `Probe` for boards that can be asked who they are; without it ``board:`` URLs use USB serial numbers alone.

    :raises UrlError: `url` cannot name a port.
    """

    def __init__(
        self,
        url: str,
        probe: Callable[[], Probe] | None = None,
        *,
        ports: Callable[[], list[Port]] = transport.ports,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
        token: Callable[[], str] = lambda: secrets.token_hex(4),
    ) -> None:
        check_url(url)
        board = _BOARD.fullmatch(url)
        self._url = url
        self._finder = None if board is None else Finder(board["serial"], probe, ports=ports, clock=clock)
        self._ports = ports
        self._adapter: str | None = None  # the USB serial number of the device that was opened
        self.clock = clock
        self.wait = wait
        self.token = token

    def open(self) -> ByteStream:
        """See `base.Environment.open`."""
        if self._finder is not None:
            return self._finder.open()
        if "://" in self._url:
            return Transport.open(self._url)
        try:
            stream = Transport.open(self._url)
        except TransportError:
            moved = self._moved()
            if moved is None:
                raise
            return Transport.open(moved)
        self._adapter = next((port.serial_number for port in self._ports() if port.url == self._url), None)
        return stream

    def _moved(self) -> str | None:
        """The port where the adapter is now, if there is exactly one."""
        if not self._adapter:
            return None
        ports = self._ports()
        if any(port.url == self._url for port in ports):
            return None  # it did not move, and cannot be opened for another reason
        found = [port.url for port in ports if port.serial_number == self._adapter]
        return found[0] if len(found) == 1 else None
