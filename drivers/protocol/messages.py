"""Every line of the board protocol as a frozen value, both ways (`docs/protocol.md`).

Counts are hundredths of a seed, pits are indices (South's from South's left, then North's, then the stores),
sides are ``s`` and ``n``, as on the line; `session` turns them into what the rest of the program speaks.
"""

from __future__ import annotations

from dataclasses import dataclass

SIDES = ("s", "n")
ACTIONS = ("commit", "undo", "dispute", "trial")
FAULT_CODES = ("open", "stuck", "overload", "ok")
ERROR_CODES = ("version", "overflow", "unknown", "damaged", "range")
LIGHTS = ("off", "on", "blink", "error")


# --- board to host ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BoardHello:
    """Who the board is. `last` is the last sequence number it has used since its boot."""

    version: tuple[int, int]
    firmware: str
    serial: str
    boot: str
    row: int
    stores: bool
    capabilities: frozenset[str]
    last: int

    @property
    def sensors(self) -> int:
        return 2 * self.row + (2 if self.stores else 0)


@dataclass(frozen=True, slots=True)
class BoardEvent:
    """What every numbered event has: its boot, its number in it, and the board's clock in ms."""

    boot: str
    seq: int
    ms: int


@dataclass(frozen=True, slots=True)
class PitEvent(BoardEvent):
    pit: int
    count: int


@dataclass(frozen=True, slots=True)
class LiftEvent(BoardEvent):
    pit: int


@dataclass(frozen=True, slots=True)
class ButtonEvent(BoardEvent):
    side: str
    action: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FaultEvent(BoardEvent):
    pit: int
    code: str


@dataclass(frozen=True, slots=True)
class CalibrationEvent(BoardEvent):
    pit: int
    ok: bool


@dataclass(frozen=True, slots=True)
class OtherEvent(BoardEvent):
    """An event of a kind this version does not know, or whose fields do not fit its kind; kept as it came."""

    kind: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BoardSnapshot:
    """All counts at once; `confidence` 0 (broken) to 15 for each sensor."""

    boot: str
    last: int
    ms: int
    counts: tuple[int, ...]
    confidence: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """Health: supply in mV, temperature in tenths of a degree Celsius, faults, and the ring of events."""

    boot: str
    ms: int
    millivolts: int
    temperature: int
    faults: tuple[str, ...]
    held: int
    first: int


@dataclass(frozen=True, slots=True)
class BoardError:
    code: str
    text: str


BoardMessage = BoardHello | BoardEvent | BoardSnapshot | BoardStatus | BoardError


# --- host to board ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HostHello:
    version: tuple[int, int]
    name: str
    host_version: str


@dataclass(frozen=True, slots=True)
class Ack:
    boot: str
    seq: int


@dataclass(frozen=True, slots=True)
class Nak:
    pass


@dataclass(frozen=True, slots=True)
class Replay:
    boot: str
    seq: int


@dataclass(frozen=True, slots=True)
class SnapRequest:
    pass


@dataclass(frozen=True, slots=True)
class PitLight:
    pit: int
    light: str


@dataclass(frozen=True, slots=True)
class RowLight:
    side: str
    light: str


@dataclass(frozen=True, slots=True)
class ErrorLight:
    on: bool


@dataclass(frozen=True, slots=True)
class LightsOut:
    pass


@dataclass(frozen=True, slots=True)
class Tare:
    pass


@dataclass(frozen=True, slots=True)
class CalibrateSeeds:
    pit: int
    seeds: int


@dataclass(frozen=True, slots=True)
class Ping:
    pass


HostMessage = (
    HostHello | Ack | Nak | Replay | SnapRequest | PitLight | RowLight | ErrorLight | LightsOut | Tare
    | CalibrateSeeds | Ping
)  # fmt: skip
