"""A driver that searches for a board in one environment, which remembers the ports it has asked."""

from __future__ import annotations

from inkeek.drivers.base import Connection, Driver, Environment, Resume, SupportsRecording

from .environment import check_url


class RememberingDriver:
    """The driver it is made of; its environment for a ``board:`` URL is kept until another one is searched."""

    def __init__(self, driver: Driver) -> None:
        assert isinstance(driver, SupportsRecording)
        self.name, self.title = driver.name, driver.title
        self.check_url = getattr(driver, "check_url", check_url)
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
