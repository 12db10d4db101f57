"""What a driver is, and what an open board is: the two protocols a plugin implements, and what more it may offer
(`docs/drivers.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from records import Side

from .events import Event, Numbered

Resume = tuple[str, int]  # (boot, seq) of the last event whose consequences are durable


@dataclass(frozen=True, slots=True)
class Guidance:
    """What the players should be told by lights: an offer, which a board without lights ignores.

    `to_move`: whose turn it is, or who must mend; None: nobody's. `errors`: pits that hold too many or too
    few. `refused`: the turn on the board was not recorded. `over`: the game has ended. `trial`: a move is being
    tried. `disputed`: the game waits for a ruling. `last`: the pits that the last recorded turn began from and
    ended in. `pending`: a button was pressed and is kept safe, but what follows from it is not known yet.
    """

    to_move: Side | None
    errors: frozenset[int] = frozenset()
    over: bool = False
    refused: bool = False
    trial: bool = False
    disputed: bool = False
    last: frozenset[int] = frozenset()
    pending: bool = False


class ByteStream(Protocol):
    """An open port, as bytes (`transport.Transport`)."""

    def read(self) -> bytes:
        """What has come; waits a moment for the first byte, then returns nothing.

        :raises TransportError: the other end is gone.
        """

    def write(self, data: bytes) -> None:
        """Send all of it.

        :raises TransportError: the other end is gone.
        """

    def close(self) -> None:
        """Give the port back. May be called twice.

        :raises TransportError: the system cannot; it is given up all the same.
        """


class Environment(Protocol):
    """All that a connection gets from the world: a port, time, and chance (`environment.SystemEnvironment`).

    Whatever a connection does follows from these and from what its caller says, so that a recording of both can be
    played again.
    """

    def open(self) -> ByteStream:
        """Open the port; called again after it was lost.

        :raises TransportError: it cannot be opened now.
        """

    def clock(self) -> float:
        """Seconds of a clock that never goes back."""

    def wait(self, seconds: float) -> None:
        """Let time pass while no port is open."""

    def token(self) -> str:
        """8 lower-case hex digits by chance: a boot id for a board that has none."""


class Connection(Protocol):
    """An open board. One thread uses it."""

    def poll(self, timeout: float) -> Sequence[Event]:
        """What happened, in order; waits up to about `timeout` seconds for the first. Also keeps the line
        alive, and reopens it when it was lost: call it at least every second."""

    def acknowledge(self, event: Numbered) -> None:
        """Say that this event and all before it are durable: the board may forget them.

        :raises DriverError: the event was never delivered here. One of an earlier boot is silently fine.
        """

    def show(self, guidance: Guidance) -> None:
        """Show this from now on, also after a reconnection."""

    def close(self) -> None:
        """Give the port back. May be called twice."""


@runtime_checkable
class SupportsCalibration(Protocol):
    """A connection to a board that may be calibrated from here."""

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        """Have the board take a step: with `pit` None all its sensors are empty now, else `seeds` lie in that pit.
        The answer is a `Calibrated` for each sensor.

        :raises DriverError: no board is there that could, or no such pit or number.
        """


@runtime_checkable
class SupportsCounters(Protocol):
    """A connection that counts what went wrong on its line."""

    @property
    def counters(self) -> Mapping[str, int]:
        """How often, by name: ``damaged``, ``misfits``, ``duplicates``."""


class Driver(Protocol):
    """One kind of board. Instances are made without arguments and open nothing by themselves.

    A driver may also have `check_url(url: str) -> None`, when its ports are not those of `ports.environment.check_url`,
    and implement `SupportsRecording`.
    """

    name: str  # short, stable, as in "inkeek"
    title: str  # for people

    def open(self, url: str, resume: Resume | None = None) -> Connection:
        """Open the board on a port.

        `resume` is the last event that was acknowledged or could have been: delivery goes on with the one
        after it.

        :raises DriverError: the URL is none, or the port cannot be opened now.
        """


@runtime_checkable
class SupportsRecording(Protocol):
    """A driver whose connections get all they need from a `Environment`: its sessions can be recorded and played again.

    Then ``open(url, resume)`` is ``connect(environment(url), resume)``.
    """

    def environment(self, url: str) -> Environment:
        """What the port gives; nothing is opened yet.

        :raises DriverError: the URL is none.
        """

    def connect(self, environment: Environment, resume: Resume | None = None) -> Connection:
        """As `Driver.open`, on the port of `environment`."""
