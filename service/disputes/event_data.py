"""The data of the events of disputes. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from inkeek.records.notation.commands import (
    ANSWERS,
    Appeal,
    ChangedClaim,
    Command,
    Dispute,
    Proposal,
    Response,
    Ruling,
)
from inkeek.service.games.event_data import SIDES, EventData, SideName, given, one_of

from .terms import Terms

Seen = Annotated[str | None, Meta(description="the position on the board, with ? where nobody counted")]
OfDispute = Annotated[int, Meta(description="number of the event that opened the dispute")]


class SensorsData(msgspec.Struct, frozen=True):
    """What a board measured."""

    # Pits in order of index, then the stores if it weighs them; None where a sensor is not used.
    counts: Annotated[tuple[float | None, ...] | None, Meta(description="by sensor")]
    # In order; None if events of it are missing.
    lifts: Annotated[tuple[int, ...] | None, Meta(description="pits that were lifted in the turn")]


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


class ClaimData(CourseData):
    """Said later, in place of what was said; empty and null change nothing. In the record: `%claim`."""

    kind = "claim"

    dispute: OfDispute
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

    dispute: OfDispute
    witness: str
    text: str
    by: str
    photo: PhotoData | UnsetType = UNSET


class ReleaseData(CourseData):
    """Everybody may see a photograph. Not in the record."""

    kind = "release"

    dispute: OfDispute
    evidence: Annotated[int, Meta(description="number of the event that has it")]
    by: str


class RemovalData(CourseData):
    """Who stored a photograph, or an administrator, removed it: only its hash is left. Not in the record."""

    kind = "removal"

    dispute: OfDispute
    evidence: Annotated[int, Meta(description="number of the event that had it")]
    by: str


class ProposalData(Terms, CourseData, kw_only=True, omit_defaults=True):
    """How a side would settle the dispute. In the record: `%propose`, `%penalty`, `%clock`."""

    kind = "proposal"
    first = ("dispute", "side", "by", "outcome", "note")

    dispute: OfDispute
    side: SideName
    by: str
    note: str

    def commands(self) -> Sequence[Command]:
        end = self.end
        proposal = Proposal(
            SIDES[self.side],
            self.outcome,
            self.move or "",
            self.position or "",
            self.to,
            end.result or "" if end else "",
            end.termination if end else "",
            self.by,
            self.note,
        )
        return [proposal, *self.amends()]


class ResponseData(CourseData):
    """The other side's answer to a proposal; if it accepts, a ruling follows. In the record: `%respond`."""

    kind = "response"

    dispute: OfDispute
    proposal: Annotated[int, Meta(description="number of its event")]
    side: SideName
    accepts: bool
    by: str

    def commands(self) -> Sequence[Command]:
        return [Response(SIDES[self.side], ANSWERS[not self.accepts], self.by)]


class RulingData(Terms, CourseData, kw_only=True, omit_defaults=True):
    """A ruling. What it changes follows as events `reopening`, `retraction`, `turn`, `ended` or `correction`. In the
    record: `%ruling`, `%penalty`, `%clock`."""

    kind = "ruling"
    first = ("dispute", "by", "outcome", "note")

    dispute: OfDispute
    by: str
    note: str
    withdrawn: Annotated[bool, Meta(description="the side that disputed it withdrew")] = False
    finding: Annotated[dict[str, Any] | None, Meta(description="what the arbiter saw of it")] = None

    def commands(self) -> Sequence[Command]:
        return [Ruling(self.outcome, self.by, self.note, "yes" if self.withdrawn else ""), *self.amends()]


class AppealData(CourseData, omit_defaults=True):
    """An appeal against the last ruling: the game waits for another. In the record: `%appeal`."""

    kind = "appeal"

    dispute: OfDispute
    side: SideName | None
    reason: str
    by: str
    corrects: Annotated[bool, Meta(description="an arbiter corrects their own ruling")] = False

    def commands(self) -> Sequence[Command]:
        side = None if self.side is None else SIDES[self.side]
        return [Appeal(self.reason, side, self.by, "yes" if self.corrects else "")]
