"""Games, their turns, their events and what an import made of them, as JSON objects."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET, UnsetType

from inkeek.records import Side, Teams
from inkeek.records.notation.commands import REASONS
from inkeek.records.notation.tags import RESULTS, TERMINATIONS
from inkeek.records.record import MAX_NAG
from inkeek.service.boards.answers import BoardJson
from inkeek.service.errors import Illegal
from inkeek.service.http.addresses import page_url
from inkeek.service.http.shape import (
    COMPONENTS,
    Form,
    Page,
    Pair,
    Shape,
    SideName,
    Time,
    Url,
    one_of,
    reference,
)
from inkeek.service.storage.search import GAME_STATES

from .event_kinds import KINDS
from .rules_answers import ImportErrorJson, OutcomeJson, TurnJson, trace_json


def kind_schemas() -> dict[str, Any]:
    """For each kind the schema of its data and, as ``TurnEvent``, of what an event of this kind has in it."""
    _, schemas = msgspec.json.schema_components(list(KINDS.values()), ref_template=COMPONENTS + "{name}")
    for schema in schemas.values():
        del schema["title"]
        for field in schema.get("properties", {}).values():
            if "default" in field:  # it is left out of the data then
                del field["default"]
                field |= next((kind for kind in field.pop("anyOf", ()) if kind != {"type": "null"}), {})
    for name, kind in KINDS.items():
        schemas[_event_name(name)] = {
            "type": "object",
            "description": schemas[kind.__name__]["description"],
            "properties": {"kind": {"type": "string", "const": name}, "data": reference(kind.__name__)},
            "required": ["data", "kind"],
        }
    return schemas


def one_of_the_kinds() -> dict[str, Any]:
    """JSON Schema: an event has the data of its kind."""
    # Within `allOf`, generators of clients that know no such choice keep the fields that all events have. `kind` is
    # constant in each: a discriminator would have some of them declare it twice.
    return {"allOf": [{"oneOf": [reference(_event_name(name)) for name in KINDS]}]}


def standalone_schema(name: str, schema: dict[str, Any]) -> bytes:
    """A JSON Schema that holds all the kinds it refers to."""
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": reference(name)["$ref"],
        "$defs": {name: schema, **kind_schemas()},
    }
    return json.dumps(whole, ensure_ascii=False).replace(COMPONENTS, "#/$defs/").encode()


def _event_name(kind: str) -> str:
    return f"{kind.capitalize()}Event"


ID = "[0-9]{1,9}-[0-9]{1,9}"
Nag = Annotated[int, Form(minimum=0, maximum=MAX_NAG)]
Variation = Annotated[Any, Form(**reference("Variation"))]  # as in the request that adds it


class AnnotationJson(Shape):
    """An annotation: its value under the name of its kind, the other kinds null."""

    id: Annotated[str, Form(pattern=f"^(?:{ID})$")]
    ply: Annotated[int, "the turn it is about; 0: before the first"]
    nag: Nag | None
    comment: str | None
    variation: Variation | None
    by: Annotated[str, "its author"]
    source: Annotated[str, "where it came from, as an event's"]
    created: Time
    updated: Time
    seq: Annotated[int, "number of the event that changed it last"]
    analysis: Annotated[bool, "whether an analysis wrote it, and nobody has changed it since"]

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        value = {"nag": None, "comment": None, "variation": None, source.kind: source.value}
        return super().of(source, analysis=source.from_analysis, **value, **given)


class AnnotationsJson(Shape):
    seq: Annotated[int, "number of the game's last event"]
    items: list[AnnotationJson]


class PlyJson(TurnJson):
    """A turn with its remarks in the record."""

    nags: list[Nag] | UnsetType = UNSET
    comments: list[str] | UnsetType = UNSET
    variations: list[Variation] | UnsetType = UNSET


class TurnsJson(Shape):
    items: list[PlyJson]


class ReplayJson(Shape):
    start: str
    comments: Annotated[list[str], "before the first turn"]
    plies: list[PlyJson]
    outcome: OutcomeJson | None


class ExportedJson(Shape):
    """A record. An import ignores id and cursor."""

    id: str
    cursor: Annotated[str, "an export with this cursor goes on after the game"]
    tags: dict[str, str]
    comments: list[str]
    plies: list[Annotated[Any, Form(**reference("RecordPly"))]]
    ended: Annotated[str | None, "null: the tag Result has the result"]


class TrialJson(Shape):
    ply: Annotated[int, "the number of the turn that was tried"]
    move: str
    by: str


class TrialsJson(Shape):
    items: list[TrialJson]


class RetractionJson(Shape):
    ply: Annotated[int, "the number of the turn that was taken back"]
    move: str
    side: Annotated[SideName | None, "null: a ruling took it back"]
    reason: Annotated[str, one_of(REASONS)]
    note: str


class RetractionsJson(Shape):
    items: list[RetractionJson]


class TeamsJson(Shape):
    South: list[str]
    North: list[str]


def teams_json(teams: Teams) -> TeamsJson:
    return TeamsJson(South=list(teams.south), North=list(teams.north))


class FaultJson(Shape):
    reason: str
    ply: int
    name: str
    side: SideName | None
    message: str


class PeopleJson(Shape):
    teams: Annotated[TeamsJson, "for the next turn"]
    makers: Annotated[list[str | None], "who played each turn; null: unknown"]
    faults: list[FaultJson]


TRACED = ("endless-sowing", "false-claim")  # illegal moves that can be sown, so that there is a trace to show


class SummaryJson(Shape):
    """A game in a list."""

    id: str
    game: str
    tags: dict[str, str]
    state: Annotated[str, one_of(GAME_STATES)]
    ply: int
    result: Annotated[str, one_of(RESULTS)]
    updated: Time
    seq: int
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
