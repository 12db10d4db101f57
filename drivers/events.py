"""What any board says to the rest of the program, whatever its driver.

Pits are indices (`records.Position`; then South's and North's store on a board that weighs them), counts are
seeds as floats: a board weighs, it does not round. `Numbered` events are held by the board until they are
acknowledged.
"""

from __future__ import annotations

from dataclasses import dataclass

from records import Side


@dataclass(frozen=True, slots=True)
class Event:
    """The root of all events."""


@dataclass(frozen=True, slots=True)
class Connected(Event):
    """A board answered. Sent again after each reconnection and restart.

    `serial` is who it is, `boot` which of its runs this is, `row` its pits a row, `stores` whether it weighs
    them.
    """

    serial: str
    firmware: str
    version: tuple[int, int]
    boot: str
    row: int
    stores: bool
    capabilities: frozenset[str]

    @property
    def sensors(self) -> int:
        return 2 * self.row + (2 if self.stores else 0)


@dataclass(frozen=True, slots=True)
class Disconnected(Event):
    """The board is gone; the connection tries to have it back by itself."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused(Event):
    """A board is there that cannot be used, and why; the connection listens on, in case it is exchanged."""

    reason: str


@dataclass(frozen=True, slots=True)
class Gap(Event):
    """Events are lost for good: whatever they told is not in the record. A `Snapshot` follows.

    What comes next is after event (`boot`, `seq`): once that is stored, the loss is not told again.
    """

    reason: str
    boot: str
    seq: int


@dataclass(frozen=True, slots=True)
class Snapshot(Event):
    """All counts at once; `confidence` 0 (broken) to 15 (calibrated and still) a sensor.

    `last` is the last numbered event that happened before it, 0 if none.
    """

    boot: str
    last: int
    counts: tuple[float, ...]
    confidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Status(Event):
    """The board's health: supply in volts, temperature in degrees Celsius, its faults, events it still
    holds."""

    volts: float
    celsius: float
    faults: tuple[str, ...]
    held: int


@dataclass(frozen=True, slots=True)
class Complaint(Event):
    """The board did not like a line: `code` as in the protocol."""

    code: str
    text: str


@dataclass(frozen=True, slots=True)
class Numbered(Event):
    """An event that must be acknowledged: (boot, seq) names it for ever. `ms`: the board's clock."""

    boot: str
    seq: int
    ms: int


@dataclass(frozen=True, slots=True)
class PitChanged(Numbered):
    pit: int
    seeds: float


@dataclass(frozen=True, slots=True)
class Lifted(Numbered):
    """A hand emptied the pit."""

    pit: int


@dataclass(frozen=True, slots=True)
class Button(Numbered):
    """A side pressed ``commit``, ``undo``, ``dispute`` or ``trial``; `counts` as they lay in that moment."""

    side: Side
    action: str
    counts: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Fault(Numbered):
    """The sensor of a pit is ``open``, ``stuck``, ``overload``, or ``ok`` again."""

    pit: int
    code: str


@dataclass(frozen=True, slots=True)
class Calibrated(Numbered):
    pit: int
    ok: bool


@dataclass(frozen=True, slots=True)
class Unrecognized(Numbered):
    """An event of a kind this version does not know, or that does not fit the board; kept as it came."""

    kind: str
    fields: tuple[str, ...]
