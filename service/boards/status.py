"""A board's status: what the board and its controller last said. Its JSON is stored, sent by the API, and shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from records import Turn
from records.json_codec import from_json, to_json
from service.errors import ErrorText

_FAULTY = re.compile("(open|stuck|overload)([0-9]{1,3})")  # the codes of health reports that make a sensor useless

REASONS = {  # why a sensor is not used, in sentences
    "open": ErrorText("it does not answer"),
    "stuck": ErrorText("it is stuck"),
    "overload": ErrorText("it is overloaded"),
    "broken": ErrorText("the board says that it is broken"),
    "no-bowl": ErrorText("its bowl seems to be off"),
    "unsure": ErrorText("the board is not sure of it"),
}
PROVED, SAYS = "proved", "says"  # how the serial number of a board is known
SAME = 0.5  # seeds: when no count differs by more, the board is as it was

# Keys that the JSON has once they are known.
OPTIONAL = (
    "device",
    "buttons",
    "last",
    "refusals",
    "misfits",
    "identity",
    "faulty",
    "found",
    "port_state",
    "port",
    "heard",
    "fault",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """A turn that people may say was played, with its probability. `fits`: the board need not be corrected for it."""

    move: str
    probability: float
    sentence: str
    fits: bool


@dataclass(frozen=True, slots=True)
class Refusal:
    """A turn that was not recorded. `meant` is the nearest legal turn; `mend` as in `BoardStatus`.

    `candidates`: what people may answer, the likeliest first. `question` names the event that asked first, as
    ``boot:number``; `repeated`: another event asked again, and the likeliest is the same. `counts`: what was seen.
    """

    ply: int
    number: str
    side: str
    cause: str
    meant: str | None
    message: str
    sentences: tuple[str, ...]
    mend: Mapping[str, int]
    candidates: tuple[Choice, ...] = ()
    question: str = ""
    repeated: bool = False
    counts: tuple[float, ...] = ()

    @property
    def offered(self) -> Choice | None:
        """The likeliest turn, if a long press of commit may record it: the board need not be corrected after it."""
        return self.candidates[0] if self.candidates and self.candidates[0].fits else None


@dataclass(frozen=True, slots=True)
class PendingUndo:
    """Turn `ply` is to be taken back once the seeds lie as before it; `boot` and `seq` name the button's event."""

    ply: int
    side: str
    boot: str
    seq: int


@dataclass(frozen=True, slots=True)
class Trial:
    """A move that is being tried as turn `ply`. `start` is the pit it began in, `touched` whether seeds were moved."""

    ply: int
    side: str
    boot: str
    seq: int
    start: str | None = None
    move: str | None = None
    touched: bool = False


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last turn, what it did, and the pits that the board saw lifted in it (None: events are missing)."""

    ply: int
    move: str
    position: str
    captured: tuple[int, ...]
    special: str
    laps: int
    lifts: tuple[int, ...] | None = None

    @classmethod
    def of(cls, ply: int, turn: Turn, lifts: tuple[int, ...] | None) -> LastTurn:
        return cls(ply, str(turn.move), str(turn.position), tuple(turn.captured), turn.special, turn.laps, lifts)


@dataclass(frozen=True, slots=True)
class Question:
    """What people must answer.

    `kind` is ``taken-back`` (the last `plies` turns?), ``trial`` (which move?), or ``turned`` (does the board lie the
    wrong way round? `move` is the turn that it then shows, if any).
    """

    kind: str
    ply: int
    side: str | None
    message: str
    plies: int | None = None
    move: str | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """Supply, temperature, faulty parts, and how many events the board holds."""

    volts: float
    celsius: float
    faults: tuple[str, ...]
    held: int


@dataclass(frozen=True, slots=True)
class Device:
    """What the board says of itself; `can` are its capabilities."""

    firmware: str
    can: tuple[str, ...]
    row: int
    stores: bool


@dataclass(frozen=True, slots=True)
class HeardLine:
    """A line of the board that was not accepted, escaped, and why."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class FaultReport:
    """What a driver of another distribution did that no driver may do; its process was ended.

    `kind`: ``ended``, ``blocked``, ``spun``, ``grew``, ``flooded``, ``nonsense`` or ``raised``. `place`: the call in
    which it did so. `times`: how often in a row. `next`: when the desk tries again; None: when a person says so.
    """

    driver: str
    distribution: str
    version: str
    kind: str
    place: str
    reason: str
    times: int
    last: str
    next: str | None


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """A board's status.

    `found`: the serial number of the board on the port while it is refused, because another one is bound. `port_state`:
    ``closed``, ``silent``, ``unreadable`` or ``connected`` (`drivers.base.PortReport`). `port`: the one that is open.
    `heard`: the last lines while nothing valid came. `fault`: what the driver did last that no driver may do.

    `counts`: seeds by sensor. `mend`: seeds to add, by the pit's index as text; negative: to take out. `before`: the
    counts when the board last agreed with the record. `refusals`: their number. `misfits`: how many of the board's
    events did not fit it or could not be handled. `identity`: how the serial number of the connected board is known:
    ``proved``, or ``says``. `faulty`: by sensor, why it is no
    evidence, as the board's events and snapshots said. `turned`: the board lies the wrong way round. `seen`: the pits
    that were lifted since the board last agreed with the record; None: unknown.
    """

    state: str = "waiting"
    message: str = ErrorText("Waiting for the desk to open the port.")
    counts: tuple[float, ...] | None = None
    verdict: str | None = None
    sentences: tuple[str, ...] = ()
    mend: Mapping[str, int] = field(default_factory=dict)
    refusal: Refusal | None = None
    note: str | None = None
    undo: PendingUndo | None = None
    trial: Trial | None = None
    dispute: str | None = None
    ask: Question | None = None
    before: tuple[float, ...] | None = None
    health: Health | None = None
    device: Device | None = None
    buttons: bool | None = None
    last: LastTurn | None = None
    refusals: int = 0
    found: str | None = None
    port_state: str | None = None
    port: str | None = None
    heard: tuple[HeardLine, ...] = ()
    fault: FaultReport | None = None
    faulty: Mapping[str, str] = field(default_factory=dict)
    turned: bool = False
    misfits: int = 0
    identity: str | None = None
    seen: tuple[int, ...] | None = None

    @property
    def unused(self) -> dict[int, str]:
        """The sensors that are no evidence now, and why: also those that the board's last health report names."""
        codes = () if self.health is None else self.health.faults
        reported = (match for code in codes if (match := _FAULTY.fullmatch(code)))
        return {int(match[2]): match[1] for match in reported} | {int(pit): why for pit, why in self.faulty.items()}

    def is_as_seen(self, counts: Sequence[float] | None) -> bool:
        """Whether the counts are still those of the turn that was not recorded."""
        refusal, unused = self.refusal, self.unused
        if refusal is None or counts is None or len(counts) != len(refusal.counts):
            return False
        pairs = zip(counts, refusal.counts, strict=True)
        return all(abs(now - then) < SAME or sensor in unused for sensor, (now, then) in enumerate(pairs))

    def without_refusal(self) -> BoardStatus:
        """The same with no turn refused and nothing to mend."""
        ask = None if self.ask is not None and self.ask.kind == "turned" else self.ask
        return replace(self, sentences=(), mend={}, refusal=None, ask=ask)

    def cleared(self) -> BoardStatus:
        """The same with nothing to mend, finish or answer."""
        return replace(self.without_refusal(), verdict=None, undo=None, trial=None, ask=None)


def status_json(status: BoardStatus) -> dict[str, Any]:
    """The JSON of a status."""
    data: dict[str, Any] = to_json(status)
    if status.trial is not None:
        data["trial"]["from"] = data["trial"].pop("start")
    if status.ask is not None:
        data["ask"] = {name: value for name, value in data["ask"].items() if value is not None or name == "side"}
    return {name: value for name, value in data.items() if name not in OPTIONAL or value or value is False}


def read_status(data: Mapping[str, Any]) -> BoardStatus:
    """Read what `status_json` made. Fields that this version does not know are dropped."""
    known = {name: value for name, value in data.items() if name in BoardStatus.__dataclass_fields__}
    if known.get("trial") is not None:
        known["trial"] = {"start" if name == "from" else name: value for name, value in known["trial"].items()}
    return from_json(known, BoardStatus)
