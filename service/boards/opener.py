"""Opens a board's port, and follows the board if it is on another port of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from inkeek.drivers import registry
from inkeek.drivers.base import Connection, Driver, Resume, SupportsRecording
from inkeek.drivers.errors import DriverError
from inkeek.drivers.ports.remembering import RememberingDriver
from inkeek.drivers.ports.transport import real_name
from inkeek.records.errors import ErrorText, joined_texts, message_of

from .identity import Identity

AVOIDED_FOR = 10.0  # seconds that a port is left alone on which another board was found


class Opener:
    """Opens one board again and again. `open_with` opens a URL with a driver; `ports` lists this machine's ports."""

    def __init__(
        self,
        driver: Driver,
        url: str,
        open_with: Callable[[Driver, str, Resume | None], Connection],
        ports: Callable[[], Sequence[registry.Port]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._driver = RememberingDriver(driver) if isinstance(driver, SupportsRecording) else driver
        self._url = url
        self._open_with = open_with
        self._ports = ports or registry.ports
        self._clock = clock
        self._bound: Identity | None = None
        self._avoided: dict[str, tuple[float, str]] = {}  # until when, and why, by URL

    def open(
        self, bound: Identity | None, resume: Resume | None, *, search: bool = True, seen: Sequence[str] = ()
    ) -> Connection:
        """Open the port of the `bound` board; None: of whichever is there. Without `search` other ports are not asked
        for its serial number. `seen`: other ports where it was seen.

        :raises DriverError: it cannot be opened now, or the board is on no port.
        """
        if bound != self._bound:
            self._bound = bound
            self._avoided.clear()
        problems: list[str] = []
        for url in dict.fromkeys(self._candidates(bound, search, seen)):
            until, why = self._avoided.get(url, (0.0, ""))
            if until > self._clock():
                problems.append(why)
                continue
            try:
                return self._open_with(self._driver, url, resume)
            except DriverError as error:
                problems.append(message_of(error))
        raise DriverError(joined_texts(problems, "; "))

    def avoid(self, url: str, *, is_another: bool) -> None:
        """Leave this port alone for a while: another board is there, or nobody."""
        why = ErrorText("nobody answered at %(port)s", port=url)
        if is_another:
            why = ErrorText("another board is at %(port)s", port=url)
        self._avoided[url] = self._clock() + AVOIDED_FOR, why

    def can_follow(self, bound: Identity | None) -> bool:
        """Whether the board may be found on another port."""
        return len(self._candidates(bound, True, ())) > 1 and any(port.url != self._url for port in self._ports())

    def _candidates(self, bound: Identity | None, searches: bool, seen: Sequence[str]) -> list[str]:
        """The URLs where the board may be, the likeliest first."""
        home = self._url
        if bound is None or "://" in home or home.startswith(("board:", "recorded:")):
            return [home, *seen]
        found = [home, *seen]
        if bound.adapter is not None:
            there = [port.url for port in self._ports() if port.serial_number == bound.adapter]
            if len(there) == 1 and real_name(there[0]) != real_name(home):
                found.insert(0, there[0])
        search = f"board:{bound.serial}"
        if searches and bound.has_name(self._driver.name):
            try:
                if isinstance(self._driver, RememberingDriver):
                    registry.check_url(self._driver, search)
                    found.append(search)
            except DriverError:  # this driver cannot search, or not for such a number
                return found
        return found
