"""Schemas of rule sets, games, turns and events. Unknown fields are refused (marshmallow's default)."""

from __future__ import annotations

from typing import Any

from marshmallow import INCLUDE, Schema, fields, validate

from records.language import language_ids
from records.notation.tags import MAX_VALUE, RESULTS, TERMINATIONS
from records.position import MAX_SEEDS
from records.ruleset import ruleset_ids
from service.games import endings
from service.games.plies import SIDES
from service.storage import change_list, game_list
from service.storage.search import SORTS, STATES

from .board_schemas import BoardSchema
from .constraints import JsonBoolean, JsonInteger, bounded_by, describe, optional_integer, time_field
from .record_schemas import RemarksSchema
from .text_fields import (
    by_field,
    comments_field,
    move_field,
    options_field,
    options_text,
    position_field,
    ruleset_field,
    said_field,
    tags_field,
    text_field,
)

SIDE = validate.OneOf(tuple(SIDES))
MAX_TIME = 40  # characters of a time


def expected_ply(description: str = "the expected number of the turn") -> fields.Integer:
    """The turn that the caller means, to detect a lost race."""
    return optional_integer(1, 10**9, description)


def filter_field(description: str, most: int, *checks: validate.Validator) -> fields.String:
    """A text in a query, of 1 to `most` characters, which may be missing."""
    validators = [validate.Length(1, most), *checks]
    return fields.String(load_default=None, validate=validators, metadata=describe(description))


class ProblemSchema(Schema):
    """RFC 9457. Some problems have more members, as `docs/api.md` tells."""

    class Meta:
        unknown = INCLUDE

    type = fields.String(required=True, metadata=describe("stable name of the type of problem"))
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    detail = fields.String(required=True)
    instance = fields.String()


class OptionSchema(Schema):
    name = fields.String(required=True)
    default = fields.Raw(required=True)
    allowed = fields.List(fields.Raw(), required=True)
    says = fields.String(required=True)
    attested = fields.Boolean(required=True, metadata=describe("whether a sentence of the source bears the default"))
    attested_values = fields.List(
        fields.Raw(), required=True, metadata=describe("the values that a sentence of the source bears")
    )
    decided = fields.String(required=True, metadata=describe("why there are other values; empty if there are none"))
    needs = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.Raw()),
        required=True,
        metadata=describe("options, with the values that allow other values than the default"),
    )


class ClauseSchema(Schema):
    quote = fields.String(required=True, metadata=describe("the words of the source; empty where it says nothing"))
    reading = fields.String(required=True)
    mark = fields.String(required=True, validate=validate.OneOf(("attested", "decided", "silent")))
    options = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.Raw()),
        required=True,
        metadata=describe("options about the sentence, with the values that it bears"),
    )


class RulesetSchema(Schema):
    id = fields.String(required=True)
    name = fields.String(required=True)
    title = fields.String(required=True)
    options = fields.List(fields.Nested(OptionSchema), required=True)
    terms = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    setups = fields.List(fields.Dict(), required=True)
    sources = fields.List(fields.String(), required=True)
    text = fields.String(required=True, metadata=describe("the name of the text of the source; empty: none is kept"))
    clauses = fields.List(fields.Nested(ClauseSchema), required=True)


class RulesetsSchema(Schema):
    items = fields.List(fields.Nested(RulesetSchema), required=True)


class NewGameSchema(Schema):
    game = ruleset_field()
    options = options_field()
    tags = tags_field()
    setup = position_field("position to start from", load_default=None, allow_none=True)
    by = by_field()


class TagsSchema(Schema):
    tags = tags_field(removes=True)
    by = by_field()


class EndSchema(Schema):
    termination = fields.String(required=True, validate=validate.OneOf(endings.TERMINATIONS))
    winner = fields.String(load_default=None, allow_none=True, validate=SIDE)
    by = by_field()


def confirm_field() -> JsonBoolean:
    """Whether the caller knows that later games of the match have begun."""
    return JsonBoolean(load_default=False, metadata=describe("also if the next game of the match has begun"))


def score_field() -> fields.Field[Any]:
    """South's and North's seeds at an end."""
    return fields.List(
        JsonInteger(validate=validate.Range(0, MAX_SEEDS)),
        load_default=None,
        allow_none=True,
        validate=validate.Length(equal=2),
        metadata=describe("South's and North's seeds; null: they do not matter"),
    )


class EndCorrectionSchema(EndSchema):
    score = score_field()
    reason = said_field()
    confirm = confirm_field()
    by = by_field("the arbiter")


class ReopeningSchema(Schema):
    reason = said_field()
    confirm = confirm_field()
    by = by_field("the arbiter")


class PositionQuerySchema(Schema):
    """Any position of a game."""

    game = ruleset_field()
    options = text_field(
        options_text(),
        0,
        MAX_VALUE,
        "options that differ from the rule set's, as key=value, separated by spaces",
        load_default="",
    )
    position = position_field("by default the start", load_default=None)


class PageSchema(Schema):
    limit = fields.Integer(load_default=50, validate=validate.Range(1), metadata=bounded_by("max_page"))


def cursor_field(pattern: str, description: str = "`next` of a page of the same list") -> fields.String:
    return text_field(pattern, 1, 200, description, load_default=None)


def ruleset_filter() -> fields.String:
    return filter_field("rule set id", 64, validate.OneOf(ruleset_ids()))


def day_filter(description: str) -> fields.String:
    metadata = {"format": "date", **describe(description)}
    return fields.String(load_default=None, validate=validate.Length(1, 10), metadata=metadata)


def time_filter(description: str) -> fields.String:
    metadata = {"anyOf": [{"format": "date"}, {"format": "date-time"}], **describe(description)}
    return fields.String(load_default=None, validate=validate.Length(1, MAX_TIME), metadata=metadata)


def player_filter() -> fields.String:
    return filter_field("the name of South or North, in any case", MAX_VALUE)


def event_filter() -> fields.String:
    return filter_field("the Event tag, in any case", MAX_VALUE)


class FilterSchema(Schema):
    """Which games; a missing filter matches all."""

    game = ruleset_filter()
    player = player_filter()
    event = event_filter()
    since = day_filter("first day of the Date tag, as 2026-11-20")
    until = day_filter("last day of the Date tag")
    result = filter_field("the Result tag", 7, validate.OneOf(RESULTS))
    state = filter_field("live or ended", 5, validate.OneOf(STATES))
    position = position_field("a position that occurred, ignoring stores and ply; needs game", load_default=None)
    created_since = time_filter("stored on that day or at that time, as 2026-11-20T18:30:00Z, or later")
    created_until = time_filter("stored on that day or at that time, or earlier")


class ExportSchema(FilterSchema):
    """Which games to export, and from where on."""

    cursor = cursor_field(game_list.CURSOR, "of a line: the export goes on after that game")


class ImportSchema(Schema):
    dry_run = fields.Boolean(load_default=False, metadata=describe("check and report, but store nothing"))


class GameListSchema(FilterSchema, PageSchema):
    """A page of the games that match."""

    cursor = cursor_field(f"{game_list.CURSOR}|{change_list.CURSOR}")
    updated_since = time_filter("changed on that day or at that time, or later; the oldest change first")
    sort = filter_field("created: the oldest game first; -created: the newest", 8, validate.OneOf(SORTS))


class SummarySchema(Schema):
    id = fields.String(required=True)
    game = fields.String(required=True)
    options = fields.Dict(required=True)
    tags = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    state = fields.String(required=True, validate=validate.OneOf(("live", "ended")))
    ply = fields.Integer(required=True)
    position = fields.String(required=True)
    to_move = fields.String(required=True, allow_none=True, validate=SIDE)
    result = fields.String(required=True, validate=validate.OneOf(RESULTS))
    score = fields.List(fields.Integer(), required=True, allow_none=True)
    termination = fields.String(required=True, allow_none=True, validate=validate.OneOf(TERMINATIONS))
    winner = fields.String(required=True, allow_none=True, validate=SIDE)
    created = time_field(required=True)
    updated = time_field(required=True)
    seq = fields.Integer(required=True)
    match = fields.String(required=True, allow_none=True, metadata=describe("id of its match"))
    dispute = fields.String(
        required=True, allow_none=True, metadata=describe("id of the dispute for whose ruling it waits")
    )


class GameSchema(SummarySchema):
    legal = fields.List(fields.String(), required=True)
    warnings = fields.List(
        fields.String(), required=True, metadata=describe("what tags lack: a race that the options ask for …")
    )
    board = fields.Nested(BoardSchema, required=True, allow_none=True)


class GamesSchema(Schema):
    items = fields.List(fields.Nested(SummarySchema), required=True)
    next = fields.String(required=True, allow_none=True)


class NewTurnSchema(Schema):
    move = move_field(required=True)
    ply = expected_ply()
    by = by_field()
    comments = comments_field()


class NewIrregularTurnSchema(NewTurnSchema):
    position = position_field("position after the turn", required=True)


class OutcomeSchema(Schema):
    termination = fields.String(required=True, validate=validate.OneOf(TERMINATIONS))
    winner = fields.String(required=True, allow_none=True, validate=SIDE)
    score = fields.List(fields.Integer(), required=True)
    result = fields.String(required=True, validate=validate.OneOf(RESULTS))


class TurnSchema(Schema):
    ply = fields.Integer(required=True)
    move = fields.String(required=True)
    position = fields.String(required=True)
    captured = fields.List(fields.Integer(), required=True)
    special = fields.String(required=True)
    laps = fields.Integer(required=True)


class StoredTurnSchema(TurnSchema):
    seq = fields.Integer(required=True)
    ended = fields.Nested(OutcomeSchema, required=True, allow_none=True)


class PlySchema(TurnSchema, RemarksSchema):
    """A turn with its remarks in the record."""


class TurnsSchema(Schema):
    items = fields.List(fields.Nested(PlySchema), required=True)


class ReplaySchema(Schema):
    start = fields.String(required=True)
    comments = fields.List(fields.String(), required=True, metadata=describe("before the first turn"))
    plies = fields.List(fields.Nested(PlySchema), required=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)


class StepSchema(Schema):
    kind = fields.String(required=True)
    pit = fields.Integer(required=True)
    letter = fields.String(required=True, allow_none=True)
    count = fields.Integer(required=True)
    other = fields.Integer(required=True)
    reason = fields.String(required=True)


class SownSeedSchema(Schema):
    place = fields.Integer(
        required=True, metadata=describe("a pit, or a store: South's comes after the pits, then North's")
    )
    lap = fields.Integer(required=True)


class TraceSchema(Schema):
    ply = fields.Integer(required=True)
    move = fields.String(required=True)
    before = fields.String(required=True)
    position = fields.String(required=True)
    events = fields.List(fields.Nested(StepSchema), required=True)
    path = fields.List(
        fields.Nested(SownSeedSchema),
        required=True,
        metadata=describe("the seeds in the order in which they were sown"),
    )
    sentences = fields.List(fields.String(), required=True)


class PlacedSchema(Schema):
    ply = fields.Integer(required=True)
    position = fields.String(required=True)
    to_move = fields.String(required=True, allow_none=True, validate=SIDE)


class IntegritySchema(Schema):
    ok = fields.Boolean(required=True)
    events = fields.Integer(required=True)
    head = fields.String(required=True)
    faults = fields.List(fields.String(), required=True)


class AfterSchema(Schema):
    after = fields.Integer(load_default=0, validate=validate.Range(0, 10**9))


class EventsSchema(AfterSchema):
    format = fields.String(load_default=None, validate=validate.OneOf(("sse", "ndjson")))


def language_field() -> fields.String:
    return fields.String(
        load_default="en", validate=validate.OneOf(language_ids()), metadata=describe("of the sentences")
    )


class LanguageSchema(Schema):
    language = language_field()
