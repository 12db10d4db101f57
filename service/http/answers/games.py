"""Games, their turns, their events and what an import made of them, as JSON objects."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Self

from msgspec import UNSET, UnsetType

from inkeek.records import Side
from inkeek.records.notation.tags import RESULTS, TERMINATIONS
from inkeek.service.errors import Illegal
from inkeek.service.games.event_kinds import KINDS
from inkeek.service.http.page_urls import page_url
from inkeek.service.storage.search import GAME_STATES

from .boards import BoardJson
from .event_kinds import one_of_the_kinds
from .rules import ImportErrorJson, OutcomeJson, TurnJson, trace_json
from .shape import Form, Page, Pair, Shape, SideName, Time, Url, one_of

TRACED = ("endless-sowing", "false-claim")  # illegal moves that can be sown, so that there is a trace to show


class LeanGameJson(Shape):
    """The least of a game in a list."""

    id: str
    game: str
    tags: Annotated[dict[str, str], "in a lean list only South and North"]
    state: Annotated[str, one_of(GAME_STATES)]
    ply: int
    result: Annotated[str, one_of(RESULTS)]
    updated: Time
    seq: int


class SummaryJson(LeanGameJson):
    """A game in a list."""

    url: Url
    options: dict[str, Any]
    position: str
    to_move: SideName | None
    score: Pair | None
    termination: Annotated[str, one_of(TERMINATIONS)] | None
    winner: SideName | None
    created: Time
    match: Annotated[str | None, "id of its match"]
    dispute: Annotated[str | None, "id of the dispute for whose ruling it waits"]

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        """`source`: its row. The side to move comes from the position's text, which need not be parsed for it."""
        to_move = Side.SOUTH if source.position.split(" ")[2] == "s" else Side.NORTH
        return super().of(
            source,
            to_move=None if source.state == "ended" else to_move,
            match=source.match_id,
            dispute=source.dispute_id,
            **{"url": page_url("games", source.id), **given},
        )


class GamesJson(Page):
    items: list[SummaryJson]
    missing: Annotated[list[str] | UnsetType, "of the ids that were asked for, those of no game"] = UNSET


class LeanGamesJson(Page):
    items: list[LeanGameJson]
    missing: Annotated[list[str] | UnsetType, "of the ids that were asked for, those of no game"] = UNSET


class GameJson(SummaryJson):
    legal: list[str]
    warnings: Annotated[list[str], "what tags lack: a race that the options ask for …"]
    board: BoardJson | None

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        """`source`: its snapshot."""
        return super().of(
            source.row,
            warnings=source.warnings,
            board=source.board,
            **given,
        )


class CurrentJson(Shape):
    """The state of a game, for a client whose write came too late."""

    id: str
    seq: int
    ply: int
    position: str
    state: str


class IntegrityJson(Shape):
    ok: bool
    events: int
    head: str
    faults: list[str]


class PlacedJson(Shape):
    ply: int
    position: str
    to_move: SideName | None


class StoredTurnJson(TurnJson):
    seq: int
    ended: OutcomeJson | None


class EventJson(Shape):
    """A stored event, with the position after it if it changes the position."""

    FORM: ClassVar[dict[str, Any]] = one_of_the_kinds()

    seq: Annotated[int, "its number in the game, from 1"]
    time: Time
    actor: str
    source: Annotated[str, "`api:…`, `page:…`, `board:…`, `rules` …"]
    kind: Annotated[str, one_of(KINDS)]
    data: Annotated[dict[str, Any], "depends on the kind"]
    position: Annotated[str | UnsetType, "after the event, if it changes the position"] = UNSET

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        return super().of(source, position=source.data.get("position", UNSET), **given)


class ChainedEventJson(EventJson, kw_only=True):
    """A stored event with its place in the hash chain."""

    prev_hash: str
    hash: str


CURSOR = r"[0-9]{1,18}(\.[0-9]{1,9})?"
Cursor = Annotated[str, Form(pattern=f"^(?:{CURSOR})$")]


class FeedEventJson(EventJson, kw_only=True):
    """An event in the feed, with its game and its place in the feed."""

    cursor: Cursor
    game_id: str
    game: Annotated[str, "rule set id"]
    match: Annotated[str | None, "id of its match"]

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        event, more = source.event, {"cursor": source.cursor, "game": source.game, "match": source.match}
        return super().of(event, game_id=event.game, **more, **given)


class FeedEndJson(Shape):
    """The last line."""

    cursor: Annotated[Cursor, "read on after it"]
    more: Annotated[bool, "whether there is more now"]


class ImportedJson(Shape):
    """What became of a game of an import."""

    index: Annotated[int, "its number in the body, from 1"]
    ok: bool
    id: Annotated[str | UnsetType | None, "of the stored game, if `ok`; null: a dry run would store it"] = UNSET
    present: Annotated[bool | UnsetType, "if `ok`: whether a game with the same content was stored before"] = UNSET
    warnings: Annotated[list[str] | UnsetType, "if `ok`: what may not have been written down, as of a race"] = UNSET
    left_out: Annotated[list[str] | UnsetType, "if `ok`: lines of the record that are not stored, with their text"] = (
        UNSET
    )
    error: Annotated[ImportErrorJson | UnsetType, "unless `ok`"] = UNSET

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        missing = ("error",) if source.ok else ("id", "present", "warnings", "left_out")
        return super().of(source, **dict.fromkeys(missing, UNSET), **given)


def illegal_json(illegal: Illegal) -> dict[str, Any]:
    """The members of the problem of an illegal move: the reason, the legal moves, and a trace if it can be sown."""
    error = illegal.error
    traced = error.reason in TRACED
    return {
        "reason": error.reason,
        "move": str(error.move),
        "position": str(error.position),
        "legal": [str(move) for move in error.legal],
        "trace": trace_json(illegal.rules.trace(error.position, error.move.choice)) if traced else [],
    }
