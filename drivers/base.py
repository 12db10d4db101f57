"""The protocols that a driver and its connections implement, and what they may offer besides (`docs/drivers.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, Protocol, runtime_checkable

from inkeek.records import Side

from .detection.noise_model import NoiseModel
from .events import Event, Numbered

Resume = tuple[str, int]  # boot id and number of the last event whose consequences are durable


@dataclass(frozen=True, slots=True)
class Guidance:
    """What the players should see on the board. Boards without lights ignore it."""

    to_move: Annotated[Side | None, "who is to move or must correct the board; null: neither"]
    errors: Annotated[frozenset[int], "pits with too many or too few seeds"] = frozenset()
    over: Annotated[bool, "the game has ended"] = False
    refused: Annotated[bool, "the turn on the board was not recorded"] = False
    trial: Annotated[bool, "a move is being tried"] = False
    disputed: Annotated[bool, "the game waits for a ruling"] = False
    last: Annotated[frozenset[int], "the pits where the last recorded turn began and ended"] = frozenset()
    pending: Annotated[bool, "a button was pressed and is stored, but the service has not answered yet"] = False
    offered: Annotated[
        frozenset[int],
        "the pits where the likeliest turn begins and ends, while a long press of commit records it",
    ] = frozenset()
    question: Annotated[str, "the name of the question that a long press of commit answers"] = ""


class Connection(Protocol):
    """An open board, used by one thread."""

    def poll(self, timeout: float) -> Sequence[Event]:
        """Return what happened, in order; wait up to about `timeout` seconds for the first event.

        This also keeps the line alive and reopens a lost port: call it at least every second.
        """

    def acknowledge(self, event: Numbered) -> None:
        """Tell the board that this event and all before it are durable, so that it may forget them.

        :raises DriverError: the event was never delivered here. Events of earlier boots are ignored.
        """

    def show(self, guidance: Guidance) -> None:
        """Show this from now on, also after a reconnection."""

    def close(self) -> None:
        """Release the port. May be called twice."""


@runtime_checkable
class SupportsCalibration(Protocol):
    """A connection to a board that can be calibrated."""

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        """Start a calibration step: all sensors are empty (`pit` None), or `seeds` lie in `pit`.

        A `Calibrated` event follows for each sensor. No seeds: `pit` is empty although it reads seeds; boards of
        protocol 1.0 do not have that step.

        :raises DriverError: no board is connected that supports this, or there is no such pit or number.
        """


@runtime_checkable
class SupportsSnapshots(Protocol):
    """A connection that can have the board read all its sensors again."""

    def request_snapshot(self) -> bool:
        """Request a `Snapshot` event. Return False if none will follow, such as while no board is connected."""


@runtime_checkable
class SupportsSelfTest(Protocol):
    """A connection to a board that can test itself."""

    def run_self_test(self, stop: bool = False) -> None:
        """Start the board's self-test, or `stop` it. `SelfTestReport` events follow; the last has the result ``end``.

        :raises DriverError: no board is connected that supports this.
        """


@runtime_checkable
class SupportsCounters(Protocol):
    """A connection that counts transmission errors."""

    @property
    def counters(self) -> Mapping[str, int]:
        """By name: ``damaged`` lines, ``misfits`` (good lines that do not fit), ``duplicates`` (events)."""


@runtime_checkable
class DeclaresNoise(Protocol):
    """A connection to a kind of board whose errors are known; for others, the default noise model is the start."""

    @property
    def noise(self) -> NoiseModel:
        """How such boards err. The controller learns the rest; a parameter that is 0 stays 0."""


@dataclass(frozen=True, slots=True)
class OpenPort:
    """A port that is open. `adapter` is the serial number of its USB adapter, if it has one; it is not the board's."""

    url: str
    adapter: str | None = None


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line of the board, escaped, that was not accepted for `reason`."""

    text: str
    reason: str


PortState = Literal["closed", "silent", "unreadable", "connected"]


@dataclass(frozen=True, slots=True)
class PortReport:
    """The state of a connection's port: ``closed`` for `reason`; open and ``silent``; open, but what came was
    ``unreadable``; or a board is ``connected``. `port`: the one that is open. `lines`: the last ones that were not
    accepted, of a connected board those since then."""

    state: PortState
    port: OpenPort | None = None
    reason: str = ""
    lines: tuple[RefusedLine, ...] = ()


@runtime_checkable
class SupportsPortReport(Protocol):
    """A connection that says what its port does, also while no board is connected."""

    @property
    def port_report(self) -> PortReport: ...


class Driver(Protocol):
    """One kind of board. The constructor takes no arguments and opens nothing.

    A driver may also have `check_url(url: str) -> None`, when its ports are not those of `ports.environment.check_url`,
    and implement `SupportsRecording`.
    """

    name: str  # short and stable, as in "inkeek"; also the name of the entry point

    @property
    def title(self) -> str:
        """For people; an attribute will do."""

    def open(self, url: str, resume: Resume | None = None) -> Connection:
        """Open the board on a port; deliver the events after `resume`, the last one that was acknowledged.

        :raises DriverError: the URL is not valid, or the port cannot be opened now.
        """


class ByteStream(Protocol):
    """An open port (`ports.transport.Transport`)."""

    def read(self) -> bytes:
        """Return what has arrived; wait a moment for the first byte, then return nothing.

        :raises TransportError: the other end is gone.
        """

    def write(self, data: bytes) -> None:
        """Send all of it.

        :raises TransportError: the other end is gone.
        """

    def close(self) -> None:
        """Release the port. May be called twice.

        :raises TransportError: the system reports an error; the port is released all the same.
        """


class Environment(Protocol):
    """Everything a connection takes from the outside: a port, time and randomness (`ports.environment`).

    What a connection does depends on these and on its caller alone, so a recording of both can be played again.
    """

    def open(self) -> ByteStream:
        """Open the port; called again after it was lost.

        :raises TransportError: it cannot be opened now.
        """

    def clock(self) -> float:
        """Return the seconds of a monotonic clock."""

    def wait(self, seconds: float) -> None:
        """Sleep while no port is open."""

    def token(self) -> str:
        """Return 8 random lower-case hex digits: a boot id for a board that has none."""


@runtime_checkable
class NamesPort(Protocol):
    """An environment that says which port it opened last."""

    @property
    def open_port(self) -> OpenPort | None: ...


@runtime_checkable
class SupportsRecording(Protocol):
    """A driver whose connections take everything from an `Environment`: their sessions can be recorded.

    ``open(url, resume)`` is then ``connect(environment(url), resume)``. What plays the recordings again is the driver's
    `session`, as a `ports.driver.PortDriver` has it.
    """

    def environment(self, url: str) -> Environment:
        """Return the environment for a port, without opening it.

        :raises DriverError: the URL is not valid.
        """

    def connect(self, environment: Environment, resume: Resume | None = None) -> Connection:
        """As `Driver.open`, on the port of `environment`."""
