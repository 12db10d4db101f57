"""Opens a board's port, and follows the board if it is on another port of this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial

from drivers import registry
from drivers.base import Connection, Driver, Environment, Resume, SupportsRecording
from drivers.errors import DriverError, UrlError
from records.errors import ErrorText, joined_texts, message_of

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
        self._driver = _Remembering(driver) if isinstance(driver, SupportsRecording) else driver
        self._url = url
        self._open_with = open_with
        self._ports = ports or registry.ports
        self._clock = clock
        self._bound: Identity | None = None
        self._avoided: dict[str, float] = {}  # until when, by URL

    def open(self, bound: Identity | None, resume: Resume | None, *, search: bool = True) -> Connection:
        """Open the port of the `bound` board; None: of whichever is there. Without `search` other ports are not asked
        for its serial number.

        :raises DriverError: it cannot be opened now, or the board is on no port.
        """
        if bound != self._bound:
            self._bound = bound
            self._avoided.clear()
        problems: list[str] = []
        for url in self._candidates(bound, search):
            if self._avoided.get(url, 0.0) > self._clock():
                problems.append(ErrorText("another board is at %(port)s", port=url))
                continue
            try:
                return self._open_with(self._driver, url, resume)
            except DriverError as error:
                problems.append(message_of(error))
        raise DriverError(joined_texts(problems, "; "))

    def avoid(self, url: str) -> None:
        """Leave this port alone for a while: another board is there, or nobody."""
        self._avoided[url] = self._clock() + AVOIDED_FOR

    def can_follow(self, bound: Identity | None) -> bool:
        """Whether the board may be found on another port."""
        return len(self._candidates(bound, True)) > 1 and any(port.url != self._url for port in self._ports())

    def _candidates(self, bound: Identity | None, searches: bool) -> list[str]:
        """The URLs where the board may be, the likeliest first."""
        home = self._url
        if bound is None or "://" in home or home.startswith(("board:", "far:", "recorded:")):
            return [home]
        found = [home]
        if bound.adapter is not None:
            there = [port.url for port in self._ports() if port.serial_number == bound.adapter]
            if len(there) == 1 and there[0] != home:
                found.insert(0, there[0])
        search = f"board:{bound.serial}"
        if searches and isinstance(self._driver, _Remembering) and bound.has_name(self._driver.name):
            try:
                registry.check_url(self._driver, search)
            except UrlError:  # this driver cannot search, or not for such a number
                return found
            found.append(search)
        return found


class _Remembering:
    """A driver that searches for a board in one environment, which remembers the ports it has asked."""

    def __init__(self, driver: Driver) -> None:
        assert isinstance(driver, SupportsRecording)
        self.name, self.title = driver.name, driver.title
        self.check_url = partial(registry.check_url, driver)
        self._driver: SupportsRecording = driver
        self._searches: dict[str, Environment] = {}

    def open(self, url: str, resume: Resume | None = None) -> Connection:
        """See `base.Driver.open`."""
        return self.connect(self.environment(url), resume)

    def environment(self, url: str) -> Environment:
        """See `base.SupportsRecording.environment`."""
        if not url.startswith("board:"):
            return self._driver.environment(url)
        if url not in self._searches:
            self._searches = {url: self._driver.environment(url)}
        return self._searches[url]

    def connect(self, environment: Environment, resume: Resume | None = None) -> Connection:
        """See `base.SupportsRecording.connect`."""
        return self._driver.connect(environment, resume)
