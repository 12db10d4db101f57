"""The data of the events of a game, its turns, its end and its people; and what all kinds of events share. Pure.

A kind is a class below `EventData`, declared once. Its docstring and its fields make the schemas of the API and
`docs/event-kinds.md`. Data is written by making an instance, and its JSON has the fields in their order: a hash depends
on it. Data is read tolerantly: unknown fields of other versions are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from inkeek.records import Move, Side
from inkeek.records.notation.commands import (
    REASONS,
    Command,
    Correction,
    End,
    Join,
    Leave,
    Reopening,
    Retraction,
    Trial,
)
from inkeek.records.notation.tags import RESULTS, TERMINATIONS

SIDES = {str(side): side for side in Side}
T = TypeVar("T")
D = TypeVar("D")


def one_of(values: Iterable[str]) -> Meta:
    """That a text is one of these, as the schema says; reading does not check it."""
    return Meta(extra_json_schema={"enum": list(values)})


SideName = Annotated[str, one_of(SIDES)]
Result = Annotated[str, one_of(RESULTS)]
Termination = Annotated[str, one_of(TERMINATIONS)]
Score = Annotated[list[int] | None, Meta(description="seeds of South and North; null: they do not matter")]
Cause = Annotated[int | UnsetType, Meta(description="a ruling on this dispute ordered it")]


class EventData(msgspec.Struct):
    """The data of an event."""

    kind: ClassVar[str]
    remarks: ClassVar[bool] = True  # whether it may say something of plies besides its own

    def commands(self) -> Sequence[Command]:
        """What the record says of it, at the last turn that stands just then.

        When that turn is taken back, the commands move to the turn before it.
        """
        return ()


def given(value: T | UnsetType, otherwise: D) -> T | D:
    """A field that may be missing, or something else then."""
    return otherwise if isinstance(value, UnsetType) else value


class LineData(msgspec.Struct):
    """A variation: turns that could replace the one that it stands at."""

    comments: list[str]
    plies: list[PlyData]


class PlyData(msgspec.Struct):
    """A turn as in the JSON of a record."""

    move: str
    nags: list[int]
    comments: list[str]
    variations: list[LineData]


class MatchData(msgspec.Struct):
    """The place in a match."""

    id: Annotated[str, Meta(description="id of its first game")]
    number: Annotated[int, Meta(description="in the match, from 1")]


class CreatedData(EventData):
    """A game begins. In the record: the tags, with `Game`, `Options` and `Setup`, and the comments before turn 1."""

    kind = "created"
    remarks = False

    game: Annotated[str, Meta(description="rule set id")]
    options: dict[str, Any]
    setup: Annotated[str | None, Meta(description="the position, if it is not that of the rules")]
    tags: Annotated[dict[str, str], Meta(description="the other tags")]
    comments: list[str]
    position: Annotated[str, Meta(description="at the start")]
    match: MatchData | UnsetType = UNSET


class TurnData(EventData):
    """A turn was played, or, as the move `~~2` or `~~`, two turns or some that nobody saw. In the record: the next
    turn. The position may have `?` for what is not known since then."""

    kind = "turn"
    remarks = False

    ply: Annotated[int, Meta(description="number of the turn, from 1")]
    turn: PlyData
    position: Annotated[str, Meta(description="after it")]


class TagsData(EventData):
    """Tags changed. In the record: the tags as they are now. With `names`, all events are given with the stand-ins for
    these names; events that had one do not fit their hashes then."""

    kind = "tags"
    remarks = False

    tags: Annotated[dict[str, str | None], Meta(description="new values; null takes a tag away")]
    names: Annotated[
        dict[str, str] | UnsetType,
        Meta(description="names that were taken out, as digests, with the stand-ins that replace them in all events"),
    ] = UNSET


class EndData(EventData):
    termination: Termination | None
    winner: SideName | None
    result: Result
    score: Score
    by: str

    def _end(self, kind: type[End] | type[Correction], **more: str) -> Command:
        score = "" if self.score is None else f"{self.score[0]}-{self.score[1]}"
        return kind(self.result, self.termination or "", score, " ".join(self.by.split()), **more)


class EndedData(EndData):
    """The game ended; by the rules if the source is `rules`. In the record: `Result`, `Score` and `Termination`. With a
    dispute also `%end`; without one, and not by the rules, `%end` comes before the `%correction` or `%reopen` that
    changes it."""

    kind = "ended"
    remarks = False

    dispute: Cause = UNSET

    def commands(self) -> Sequence[Command]:
        return [self._end(End)]


class CorrectionData(EndData):
    """An arbiter says that the game ended so, and not as it stood. In the record: the tags of the end, and
    `%correction`."""

    kind = "correction"

    reason: str
    dispute: Cause = UNSET

    def commands(self) -> Sequence[Command]:
        return [self._end(Correction, reason=self.reason)]


class ReopeningData(EventData):
    """An arbiter has the game go on: the end no longer counts. In the record: `Result` is `*`, and `%reopen`."""

    kind = "reopening"

    by: str
    reason: str
    dispute: Cause = UNSET

    def commands(self) -> Sequence[Command]:
        return [Reopening(self.by, self.reason)]


class RetractionData(EventData):
    """The last turn is taken back, and the end of the game with it. In the record: that turn goes, with its own
    comments; other commands at it move to the turn before, and `%retract` follows them."""

    kind = "retraction"

    ply: Annotated[int, Meta(description="of the turn")]
    move: str
    side: Annotated[SideName | None, Meta(description="who takes it back; null: a ruling did")]
    reason: Annotated[str, one_of(REASONS)]
    note: str
    position: Annotated[str, Meta(description="before that turn")]

    def commands(self) -> Sequence[Command]:
        side = None if self.side is None else SIDES[self.side]
        return [Retraction(Move.parse(self.move), side, self.reason, self.note)]


class TrialData(EventData):
    """A move was tried and taken back. In the record: `%trial`."""

    kind = "trial"

    ply: Annotated[int, Meta(description="of the turn that it was tried for")]
    move: str
    by: str

    def commands(self) -> Sequence[Command]:
        return [Trial(Move.parse(self.move), self.by)]


class TeamData(EventData):
    side: SideName
    name: str


class JoinData(TeamData):
    """A person joins a team from the next turn on. In the record: `%join`."""

    kind = "join"

    def commands(self) -> Sequence[Command]:
        return [Join(SIDES[self.side], self.name)]


class LeaveData(TeamData):
    """A person leaves a team from the next turn on. In the record: `%leave`."""

    kind = "leave"

    def commands(self) -> Sequence[Command]:
        return [Leave(SIDES[self.side], self.name)]


class ChangeData(msgspec.Struct):
    """An annotation is added, changed or removed. Its id is the number of the event that added it, `-`, and its number
    among that event's annotations or changes, from 1; of a turn's: NAGs, comments, variations."""

    add: Annotated[str | UnsetType, one_of(("nag", "comment", "variation"))] = UNSET
    change: Annotated[str | UnsetType, Meta(description="id")] = UNSET
    remove: Annotated[str | UnsetType, Meta(description="id")] = UNSET
    ply: Annotated[int | UnsetType, Meta(description="0: before the first turn")] = UNSET
    turn: Annotated[int | UnsetType, Meta(description="number of the event of that turn")] = UNSET
    value: int | str | LineData | UnsetType = UNSET


class AnnotationsData(EventData):
    """Annotations changed. In the record: NAGs, comments and variations, at each turn in the order they were added."""

    kind = "annotations"

    changes: list[ChangeData]
    analysis: Annotated[bool | UnsetType, Meta(description="an analysis wrote them")] = UNSET
