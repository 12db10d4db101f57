"""The data of the events of disputes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from inkeek.records.notation.commands import (
    ANSWERS,
    OUTCOMES,
    PENALTIES,
    Appeal,
    ChangedClaim,
    ClockChange,
    Command,
    Dispute,
    Penalty,
    Proposal,
    Response,
    Ruling,
)
from inkeek.service.games.event_data import SIDES, EventData, Result, Score, SideName, Termination, given, one_of

Outcome = Annotated[str, one_of(OUTCOMES)]
Seen = Annotated[str | None, Meta(description="the position on the board, with ? where nobody counted")]
OfDispute = Annotated[int, Meta(description="number of the event that opened the dispute")]


class EndTermsData(msgspec.Struct):
    """How a ruling ends the game."""

    termination: Termination
    winner: SideName | None
    score: Score
    result: Result | UnsetType = UNSET


class PenaltyData(msgspec.Struct):
    """A penalty."""

    side: SideName
    kind: Annotated[str, one_of(PENALTIES)]
    seeds: int | UnsetType = UNSET
    note: str | UnsetType = UNSET


class ClockData(msgspec.Struct):
    """A clock is set to, or gets, so many seconds."""

    side: SideName
    to: int | UnsetType = UNSET
    add: int | UnsetType = UNSET


class SensorsData(msgspec.Struct):
    """What a board measured."""

    counts: Annotated[list[float | None] | None, Meta(description="by sensor")]
    lifts: Annotated[list[int] | None, Meta(description="pits that were lifted in the turn")]


class DisputeData(EventData):
    """An objection to a turn, or to the end. The game waits for a ruling. In the record: `%dispute`."""

    kind = "dispute"

    ply: Annotated[int, Meta(description="of the turn; one more than the last: it lies on the board only")]
    turn: Annotated[int, Meta(description="number of the event of that turn, or of the end; or of this event")]
    side: SideName
    claim: str
    seen: Seen
    by: str
    about: Annotated[str | UnsetType, one_of(("end",))] = UNSET
    last: Annotated[int | UnsetType, Meta(description="the last turn, if that is another")] = UNSET
    sensors: SensorsData | UnsetType = UNSET

    def commands(self) -> Sequence[Command]:
        ply = None if self.last is UNSET else self.ply
        return [Dispute(SIDES[self.side], self.claim, given(self.about, ""), ply, self.seen or "")]


class CourseData(EventData):
    """What follows a dispute."""

    dispute: OfDispute


class ClaimData(CourseData):
    """Said later, in place of what was said; empty and null change nothing. In the record: `%claim`."""

    kind = "claim"

    claim: str
    seen: Seen
    by: str

    def commands(self) -> Sequence[Command]:
        return [ChangedClaim(self.claim, self.by, self.seen or "")]


class PhotoData(msgspec.Struct):
    """A photograph, which is stored beside the events."""

    sha256: str
    type: str
    bytes: int


class EvidenceData(CourseData):
    """What somebody saw. Not in the record."""

    kind = "evidence"

    witness: str
    text: str
    by: str
    photo: PhotoData | UnsetType = UNSET


class ReleaseData(CourseData):
    """Everybody may see a photograph. Not in the record."""

    kind = "release"

    evidence: Annotated[int, Meta(description="number of the event that has it")]
    by: str


class RemovalData(CourseData):
    """Who stored a photograph, or an administrator, removed it: only its hash is left. Not in the record."""

    kind = "removal"

    evidence: Annotated[int, Meta(description="number of the event that had it")]
    by: str


MeantMove = Annotated[str | UnsetType, Meta(description="that was meant")]
LeadsTo = Annotated[str | UnsetType, Meta(description="after the turn, which broke the rules")]
To = Annotated[int | UnsetType, Meta(description="the last turn that stays, if not the one before the disputed one")]
Keeps = Annotated[bool | UnsetType, Meta(description="later turns are played again as far as they can be")]


class ProposalData(CourseData):
    """How a side would settle the dispute. In the record: `%propose`, `%penalty`, `%clock`."""

    kind = "proposal"

    side: SideName
    by: str
    outcome: Outcome
    note: str
    move: MeantMove = UNSET
    position: LeadsTo = UNSET
    end: EndTermsData | UnsetType = UNSET
    to: To = UNSET
    keeps: Keeps = UNSET
    penalties: list[PenaltyData] | UnsetType = UNSET
    clocks: list[ClockData] | UnsetType = UNSET

    def commands(self) -> Sequence[Command]:
        end = given(self.end, None)
        proposal = Proposal(
            SIDES[self.side],
            self.outcome,
            given(self.move, ""),
            given(self.position, ""),
            given(self.to, None),
            given(end.result, "") if end else "",
            end.termination if end else "",
            self.by,
            self.note,
        )
        return [proposal, *_amends(self)]


class ResponseData(CourseData):
    """The other side's answer to a proposal; if it accepts, a ruling follows. In the record: `%respond`."""

    kind = "response"

    proposal: Annotated[int, Meta(description="number of its event")]
    side: SideName
    accepts: bool
    by: str

    def commands(self) -> Sequence[Command]:
        return [Response(SIDES[self.side], ANSWERS[not self.accepts], self.by)]


class RulingData(CourseData):
    """A ruling. What it changes follows as events `reopening`, `retraction`, `turn`, `ended` or `correction`. In the
    record: `%ruling`, `%penalty`, `%clock`."""

    kind = "ruling"

    by: str
    outcome: Outcome
    note: str
    move: MeantMove = UNSET
    position: LeadsTo = UNSET
    end: EndTermsData | UnsetType = UNSET
    to: To = UNSET
    keeps: Keeps = UNSET
    penalties: list[PenaltyData] | UnsetType = UNSET
    clocks: list[ClockData] | UnsetType = UNSET
    withdrawn: Annotated[bool | UnsetType, Meta(description="the side that disputed it withdrew")] = UNSET
    finding: Annotated[dict[str, Any] | UnsetType, Meta(description="what the arbiter saw of it")] = UNSET

    def commands(self) -> Sequence[Command]:
        return [Ruling(self.outcome, self.by, self.note, "yes" if self.withdrawn is True else ""), *_amends(self)]


class AppealData(CourseData):
    """An appeal against the last ruling: the game waits for another. In the record: `%appeal`."""

    kind = "appeal"

    side: SideName | None
    reason: str
    by: str
    corrects: Annotated[bool | UnsetType, Meta(description="an arbiter corrects their own ruling")] = UNSET

    def commands(self) -> Sequence[Command]:
        side = None if self.side is None else SIDES[self.side]
        return [Appeal(self.reason, side, self.by, "yes" if self.corrects is True else "")]


def _amends(data: ProposalData | RulingData) -> list[Command]:
    """The penalties and clocks that go with a ruling or a proposal."""
    penalties = (
        Penalty(SIDES[one.side], one.kind, given(one.seeds, None), given(one.note, ""))
        for one in given(data.penalties, [])
    )
    clocks = (ClockChange(SIDES[one.side], given(one.to, None), given(one.add, None)) for one in given(data.clocks, []))
    return [*penalties, *clocks]
