"""A board's status: what the board and its controller last said. Its JSON is stored, sent by the API, and shown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Annotated, Any

from inkeek.drivers.events import Status
from inkeek.records import Side, Turn
from inkeek.records.errors import joined_texts
from inkeek.records.json_codec import LATER, from_json, to_json
from inkeek.service.errors import ErrorText

_FAULTY = re.compile("(open|stuck|overload)([0-9]{1,3})")  # the codes of health reports that make a sensor useless

REASONS = {  # why a sensor is not used, in sentences
    "open": ErrorText("it does not answer"),
    "stuck": ErrorText("it is stuck"),
    "overload": ErrorText("it is overloaded"),
    "broken": ErrorText("the board says that it is broken"),
    "no-bowl": ErrorText("its bowl seems to be off"),
    "unsure": ErrorText("the board is not sure of it"),
}
SAME = 0.5  # seeds: when no count differs by more, the board is as it was


@dataclass(frozen=True, slots=True)
class Choice:
    """A turn, or a course of turns, that people may say was played."""

    move: Annotated[str, "the move; of a course the first one"]
    probability: float
    sentence: str
    fits: Annotated[bool, "whether the board need not be corrected for it"]
    course: Annotated[str, "all moves of a course, with blanks between them; empty: it is one turn"] = ""

    @property
    def moves(self) -> list[str]:
        return (self.course or self.move).split()


@dataclass(frozen=True, slots=True)
class Press:
    """A press of commit, or a board without buttons that had settled, while a question was open."""

    event: Annotated[str, "the event, as `boot:number`"]
    side: Annotated[str | None, "who pressed; null: nobody, the board had settled"]
    counts: Annotated[tuple[float, ...], "what was seen"]
    saw: Annotated[str, "the question whose offer the lights showed, as in `first`; empty: none, or another"] = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A turn that was not recorded. It stays until it is answered, mended, or the board is as the record says."""

    ply: int
    number: str
    side: str
    cause: str
    meant: Annotated[str | None, "the nearest legal turn"]
    message: str
    sentences: tuple[str, ...]
    mend: Annotated[Mapping[str, int], "as in the board's status"]
    candidates: Annotated[tuple[Choice, ...], "what people may answer, the likeliest first"] = ()
    question: Annotated[str, "the event that asked last, as `boot:number`"] = ""
    counts: Annotated[tuple[float, ...], "what was seen"] = ()
    at: Annotated[int, "the last event of the game when it was asked"] = 0
    shown: Annotated[bool, "the lights have shown the likeliest turn"] = False
    offers: Annotated[bool, "a long press may answer: the lights tell the first candidate from what else fits"] = False
    presses: Annotated[tuple[Press, ...], "what was pressed since it is open, in order"] = ()
    first: Annotated[str, "the event that first asked the same, whose offer the lights show"] = ""

    @property
    def offered(self) -> Choice | None:
        """The turn that a long press of commit may record."""
        is_turn = self.offers and self.cause != "turned" and self.candidates
        return self.candidates[0] if is_turn and not self.candidates[0].course else None

    def is_accepted_by(self, side: Side) -> bool:
        """Whether a long press of this side answers the question: when it began, the lights showed the offer."""
        press = next((press for press in reversed(self.presses) if press.side == str(side)), None)
        return press is not None and press.saw == self.first != ""


@dataclass(frozen=True, slots=True)
class PendingUndo:
    """A turn that is to be taken back once the seeds lie as before it; `boot` and `seq` name the button's event."""

    ply: int
    side: str
    boot: str
    seq: int
    at: Annotated[int, "the last event of the game when the button was pressed"] = 0


@dataclass(frozen=True, slots=True)
class RunningTrial:
    """A move that is being tried as turn `ply`."""

    ply: int
    side: str
    boot: str
    seq: int
    from_: Annotated[str | None, "the pit it began in"] = None
    move: str | None = None
    touched: Annotated[bool, "whether seeds were moved"] = False
    at: Annotated[int, "the last event of the game when the button was pressed"] = 0


@dataclass(frozen=True, slots=True)
class LastTurn:
    """The last turn, and what it did."""

    ply: int
    move: str
    position: str
    captured: tuple[int, ...]
    special: str
    laps: int
    lifts: Annotated[tuple[int, ...] | None, "the pits that were lifted; null: events are missing"] = None

    @classmethod
    def of(cls, ply: int, turn: Turn, lifts: tuple[int, ...] | None) -> LastTurn:
        return cls(ply, str(turn.move), str(turn.position), tuple(turn.captured), turn.special, turn.laps, lifts)


@dataclass(frozen=True, slots=True)
class Question:
    """What people must answer."""

    kind: Annotated[
        str,
        "`taken-back` (the last `plies` turns?), `trial` (which move?), or `turned` (does the board lie the wrong way "
        "round?)",
    ]
    ply: int
    side: str | None
    message: str
    plies: int | None = None
    move: Annotated[str | None, "the turn that a board shows that lies the wrong way round"] = None
    at: Annotated[int, "the last event of the game when it was asked"] = 0
    name: Annotated[str, "what an answer names: another question may be open when it arrives"] = ""
    stays: Annotated[bool, "whether a board that looks the same both ways does not answer it"] = False


@dataclass(frozen=True, slots=True)
class Device:
    """What the board says of itself."""

    firmware: str
    can: Annotated[tuple[str, ...], "its capabilities"]
    row: Annotated[int, "pits a row"]
    stores: Annotated[bool, "whether it weighs its stores"]


@dataclass(frozen=True, slots=True)
class HeardLine:
    """A line of the board that was not accepted, and why."""

    text: Annotated[str, "escaped"]
    reason: str


@dataclass(frozen=True, slots=True)
class FaultReport:
    """How the process of a board ended."""

    reason: str
    times: Annotated[int, "how often in a row"]
    last: Annotated[str, "when it did so last"]
    next: Annotated[str | None, "when the desk tries again; null: when a person says so"]


_LATER = {LATER: True}


@dataclass(frozen=True, slots=True)
class BoardStatus:
    """A board's status. Its JSON, the API's document and the tables of the docs follow from these fields."""

    state: Annotated[
        str,
        "`waiting`, `opening`, `connected`, `gone`, `failed`, `refused` (another board is there), "
        "`same-serial` (that of another game's), `quarantined` (its driver rests until `retry`), or `closed`",
    ] = "waiting"
    message: str = ErrorText("Waiting for the desk to open the port.")
    counts: Annotated[tuple[float, ...] | None, "seeds by sensor"] = None
    verdict: Annotated[str | None, "what lies on the board"] = None
    sentences: Annotated[tuple[str, ...], "the verdict in words"] = ()
    mend: Annotated[Mapping[str, int], "seeds to add, by the pit's index; negative: to take out"] = field(
        default_factory=dict
    )
    refusal: Annotated[Refusal | None, "the turn that was not recorded"] = None
    note: str | None = None
    undo: Annotated[PendingUndo | None, "the turn that is being taken back"] = None
    trial: Annotated[RunningTrial | None, "the move that is being tried"] = None
    dispute: Annotated[str | None, "the id of the open dispute"] = None
    ask: Annotated[Question | None, "the question to the players"] = None
    before: Annotated[tuple[float, ...] | None, "the counts when the board last agreed with the record"] = None
    health: Annotated[Status | None, "the board's last health report"] = None
    device: Annotated[Device | None, "what the board says of itself"] = field(default=None, metadata=_LATER)
    buttons: Annotated[bool | None, "whether turns end with a button"] = field(default=None, metadata=_LATER)
    last: Annotated[LastTurn | None, "the last recorded turn"] = field(default=None, metadata=_LATER)
    refusals: Annotated[int, "how many turns were not recorded"] = field(default=0, metadata=_LATER)
    questions: Annotated[int, "how many questions were asked in `ask`"] = field(default=0, metadata=_LATER)
    found: Annotated[str | None, "the serial number of the board that is refused, as another one is bound"] = field(
        default=None, metadata=_LATER
    )
    port_state: Annotated[str | None, "`closed`, `silent`, `unreadable` or `connected`"] = field(
        default=None, metadata=_LATER
    )
    port: Annotated[str | None, "the port that is open"] = field(default=None, metadata=_LATER)
    heard: Annotated[tuple[HeardLine, ...], "the last lines that were not accepted"] = field(
        default=(), metadata=_LATER
    )
    fault: Annotated[FaultReport | None, "how its process ended last"] = field(default=None, metadata=_LATER)
    faulty: Annotated[Mapping[str, str], "by sensor, why it is not used"] = field(default_factory=dict, metadata=_LATER)
    turned: Annotated[bool, "whether it lies the wrong way round"] = False
    misfits: Annotated[int, "how many of its events and lines did not fit it or could not be handled"] = field(
        default=0, metadata=_LATER
    )
    seen: Annotated[
        tuple[int, ...] | None, "each pit lifted since the board last agreed with the record; null: unknown"
    ] = None
    at: Annotated[int, "the last event of the game that the lights showed while the board was heard"] = field(
        default=0, metadata=_LATER
    )
    passed: Annotated[
        tuple[tuple[int, ...], ...], "seeds by sensor, each time that a legal turn leaves what lay there since then"
    ] = field(default=(), metadata=_LATER)

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

    def is_put_right(self, counts: Sequence[float]) -> bool:
        """Whether a board that no turn had left was changed since: what was lifted belongs to no turn any more."""
        refusal = self.refusal
        has_fit = refusal is None or any(one.fits for one in refusal.candidates)
        return not has_fit and not self.is_as_seen(counts)

    @property
    def question(self) -> str:
        """The name of the question that a long press of commit answers; empty: none."""
        refusal = self.refusal
        return refusal.first if refusal is not None and refusal.offers else ""

    @property
    def asked_at(self) -> tuple[int, ...]:
        """The events of the game at which what is open was asked."""
        return tuple(one.at for one in (self.refusal, self.ask, self.undo, self.trial) if one is not None)

    @property
    def is_unanswered(self) -> bool:
        """Whether a question is open about what lies on the board. A trial is over when it is asked about."""
        return self.refusal is not None or (self.ask is not None and self.ask.kind != "trial")

    def without_refusal(self) -> BoardStatus:
        """The same with no turn refused, no question about the board, and nothing to mend."""
        ask = self.ask if self.ask is not None and self.ask.kind == "trial" else None
        return replace(self, sentences=(), mend={}, refusal=None, ask=ask)

    def asking(self, question: Question) -> BoardStatus:
        """The same with a question, under a name that none had before; one that is open already keeps its name."""
        if self.ask is not None and replace(self.ask, name="") == question:
            return self
        number = self.questions + 1
        return replace(self, questions=number, ask=replace(question, name=f"{question.kind}:{number}"))

    def given_up(self, by: Side | None = None) -> BoardStatus:
        """The same without the refusal, which nobody has answered. `note` says who had pressed, except for the side
        `by`, which does something else now or whose turn was recorded: what they played may still be missing."""
        presses = () if self.refusal is None else self.refusal.presses
        sides = [side for press in presses for side in Side if press.side == str(side) and side is not by]
        note = self.note
        if sides:
            note = ErrorText(
                "The board had asked, and was pressed by %(sides)s: if more was played than is recorded, lay the board "
                "out as recorded, play it again, and press.",
                sides=joined_texts(sides, ", "),
            )
        return replace(self.without_refusal(), note=note)

    def cleared(self, by: Side | None = None) -> BoardStatus:
        """The same with nothing to mend, finish or answer. `by`: see `given_up`."""
        return replace(self.given_up(by), verdict=None, undo=None, trial=None, ask=None)


_LATER_NAMES = frozenset(one.name for one in fields(BoardStatus) if LATER in one.metadata)


def status_json(status: BoardStatus) -> dict[str, Any]:
    """The JSON of a status."""
    data: dict[str, Any] = to_json(status)
    return {name: value for name, value in data.items() if name not in _LATER_NAMES or value or value is False}


def read_status(data: Mapping[str, Any]) -> BoardStatus:
    """Read what `status_json` of this or a later version made."""
    return from_json(data, BoardStatus, is_tolerant=True)


CALIBRATION_REASONS = {  # why a step of a calibration failed (`docs/protocol.md`, "Version 1.1")
    "moving": ErrorText("its load did not rest. Keep hands off the board and try again"),
    "silent": ErrorText("its sensor does not answer, or repeats one value. Check its cable and amplifier"),
    "overload": ErrorText("its sensor is overloaded. Check what the bowl rests on"),
    "not-empty": ErrorText("it is not empty. Take out its seeds and try again"),
    "untared": ErrorText("it was not set to zero before. Empty every pit and set all sensors to zero first"),
    "too-light": ErrorText(
        "it holds too little weight for that many seeds. Count the seeds, and check that they lie in this pit"
    ),
}
UNKNOWN_REASON = ErrorText("the board does not say why. Keep hands off the board and try again")


def reason_text(reason: str) -> str:
    """Say in words why a step failed. `reason`: the board's word, "" if it gave none."""
    if reason:
        return CALIBRATION_REASONS.get(reason) or ErrorText("the board says %(word)r", word=reason)
    return UNKNOWN_REASON
