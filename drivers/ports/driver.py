"""The base class of drivers for boards on ports."""

from __future__ import annotations

from collections.abc import Callable

from inkeek.drivers.base import Environment, Resume

from .connection import BoardSession, PortConnection
from .environment import HelloProbe, SystemEnvironment


class PortDriver:
    """A `base.Driver` that supports recording. Subclasses set `name` and `title` and implement `session`.

    `probe` asks boards of this kind for their serial number, for ``board:`` URLs; None: they cannot be asked.
    """

    name: str
    title: str
    probe: type[HelloProbe] | None = None

    def session(self, token: Callable[[], str], resume: Resume | None) -> BoardSession:
        """Return a new session; `token` returns boot ids for boards that have none, `resume` is as for `open`."""
        raise NotImplementedError

    def open(self, url: str, resume: Resume | None = None) -> PortConnection:
        """See `base.Driver.open`."""
        return self.connect(self.environment(url), resume)

    def environment(self, url: str) -> Environment:
        """See `base.SupportsRecording.environment`."""
        return SystemEnvironment(url, self.probe)

    def connect(self, environment: Environment, resume: Resume | None = None) -> PortConnection:
        """See `base.SupportsRecording.connect`."""
        return PortConnection(self.session(environment.token, resume), environment)
