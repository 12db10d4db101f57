"""What the author of a driver provides for `driver_kit`: the driver, and a board that does what the tests say."""

from __future__ import annotations

from unittest import SkipTest

from inkeek.drivers.base import Connection, Driver, Resume, SupportsRecording
from inkeek.drivers.errors import TransportError
from inkeek.records import Side

READ_TAKES = 0.05  # seconds of virtual time


class BoardHarness:
    """A board and its driver. Subclasses implement `connect`, and the other methods as far as the board can do that.

    The board begins with some seeds in its pits. A test is skipped that needs a method which is not implemented.
    """

    driver: Driver
    wrong_url = "no such port"  # a URL that the driver must refuse

    def connect(self, resume: Resume | None = None) -> Connection:
        """Connect to the board as `Driver.open` does."""
        raise NotImplementedError

    def change(self, pit: int, seeds: int) -> None:
        """Make the board report that `seeds` lie in `pit` now."""
        raise SkipTest("this harness cannot change counts")

    def press(self, side: Side, action: str) -> None:
        """Press a button of the board. The kit presses ``commit`` alone: more a board need not have."""
        raise SkipTest("this board has no buttons")

    def unplug(self) -> None:
        """Unplug the board's port."""
        raise SkipTest("this harness cannot unplug the board")

    def plug(self) -> None:
        """Plug the port in again after `unplug`."""
        raise SkipTest("this harness cannot unplug the board")


class PortHarness(BoardHarness):
    """A harness for a `ports.driver.PortDriver`: a port in memory, with virtual time (`base.Environment`).

    Subclasses set `driver` and implement `change` and `press` by `send`, and `opened` if the board says something when
    its port is opened. `written` holds what the driver has sent.
    """

    def __init__(self) -> None:
        self.now = 100.0
        self.written = b""
        self._incoming = b""
        self._plugged = True
        self._tokens = 0

    def send(self, data: bytes) -> None:
        """Send bytes from the board. They are lost while the port is unplugged."""
        if self._plugged:
            self._incoming += data

    def opened(self) -> None:
        """Do what the board does when its port is opened."""

    def tick(self) -> None:
        """Do what the board does as time passes; called before each read."""

    def connect(self, resume: Resume | None = None) -> Connection:
        """See `BoardHarness.connect`."""
        if not isinstance(self.driver, SupportsRecording):
            raise TypeError(f"driver {self.driver.name!r} takes no environment: implement `connect`")
        return self.driver.connect(self, resume)

    def unplug(self) -> None:
        """See `BoardHarness.unplug`."""
        self._plugged, self._incoming = False, b""

    def plug(self) -> None:
        """See `BoardHarness.plug`."""
        self._plugged = True

    # The methods of `base.Environment` and of `base.ByteStream`

    def open(self) -> PortHarness:
        """:raises TransportError: the port is unplugged."""
        self._check()
        self._incoming = b""
        self.opened()
        return self

    def clock(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += max(seconds, 0.001)

    def token(self) -> str:
        self._tokens += 1
        return f"{self._tokens:08x}"

    def read(self) -> bytes:
        """:raises TransportError: the port is unplugged."""
        self._check()
        self.now += READ_TAKES
        self.tick()
        data, self._incoming = self._incoming, b""
        return data

    def write(self, data: bytes) -> None:
        """:raises TransportError: the port is unplugged."""
        self._check()
        self.written += data

    def close(self) -> None:
        """Do nothing: nothing is held."""

    def _check(self) -> None:
        if not self._plugged:
            self.now += READ_TAKES
            raise TransportError("the port is unplugged")
