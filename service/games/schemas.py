"""Schemas of rule sets, games, turns and events. Unknown fields are refused (marshmallow's default)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields, validate

from inkeek.records.language import language_ids
from inkeek.records.notation.tags import MAX_VALUE, RESULTS
from inkeek.records.position import MAX_SEEDS
from inkeek.records.rules.ruleset import verify_ruleset_id
from inkeek.service.http.api.constraints import (
    ID,
    MAX_GAME,
    OPTIONAL,
    AnyOf,
    JsonBoolean,
    JsonInteger,
    Pattern,
    QueryInteger,
    bounded_by,
    by_field,
    comments_field,
    describe,
    known_rules_field,
    move_field,
    optional_integer,
    options_field,
    options_text,
    position_field,
    ruleset_field,
    ruleset_schema,
    said_field,
    tags_field,
    text_field,
)
from inkeek.service.storage.search import GAME_STATES, SORTS
from inkeek.service.storage.tables import game_list

from . import endings
from .event_data import SIDES
from .library.pseudonyms import PSEUDONYMS

SIDE = validate.OneOf(tuple(SIDES))
MAX_TIME = 40  # characters of a time


def expected_ply(description: str = "the expected number of the turn") -> fields.Integer:
    """The turn that the caller means, to detect a lost race."""
    return optional_integer(1, 10**9, description)


def side_field(**more: Any) -> fields.String:
    return fields.String(validate=SIDE, **more)


def filter_field(description: str, check: validate.Validator) -> fields.String:
    """A text in a query, which may be missing."""
    return fields.String(load_default=None, validate=check, metadata=describe(description))


class NewGameSchema(Schema):
    game = ruleset_field()
    options = options_field()
    tags = tags_field()
    setup = position_field("position to start from", **OPTIONAL)
    by = by_field()


class TagsSchema(Schema):
    tags = tags_field(removes=True)
    by = by_field()


def confirm_field() -> JsonBoolean:
    """Whether the caller knows that later games of the match have begun."""
    return JsonBoolean(load_default=False, metadata=describe("also if the next game of the match has begun"))


def score_field() -> fields.Field[Any]:
    """South's and North's seeds at an end."""
    return fields.List(
        JsonInteger(validate=validate.Range(0, MAX_SEEDS)),
        **OPTIONAL,
        validate=validate.Length(equal=2),
        metadata=describe("South's and North's seeds; null: they do not matter"),
    )


class EndSchema(Schema):
    termination = fields.String(required=True, validate=validate.OneOf((*endings.TERMINATIONS, endings.BY_ITS_RULES)))
    winner = fields.String(**OPTIONAL, validate=SIDE)
    score = score_field()
    by = by_field()


class EndCorrectionSchema(EndSchema):
    reason = said_field()
    confirm = confirm_field()
    by = by_field("the arbiter")


class ReopeningSchema(Schema):
    reason = said_field()
    confirm = confirm_field()
    by = by_field("the arbiter")


class PositionQuerySchema(Schema):
    """Any position of a game."""

    game = known_rules_field()
    options = text_field(
        options_text(),
        0,
        MAX_VALUE,
        "options that differ from the rule set's, as key=value, separated by spaces",
        load_default="",
    )
    position = position_field("by default the start", load_default=None)


class PageSchema(Schema):
    limit = QueryInteger(load_default=50, validate=validate.Range(1), metadata=bounded_by("max_page"))


def cursor_field(pattern: str, description: str = "`next` of a page of the same list") -> fields.String:
    return text_field(pattern, 1, 200, description, load_default=None)


def ruleset_filter(description: str = "rule set id") -> fields.String:
    validators: list[Callable[[str], object]] = [validate.Length(1, MAX_GAME), verify_ruleset_id]
    return fields.String(load_default=None, validate=validators, metadata=ruleset_schema(description))


def day_filter(description: str) -> fields.String:
    metadata = {"format": "date", **describe(description)}
    return fields.String(load_default=None, validate=validate.Length(1, 10), metadata=metadata)


def time_filter(description: str) -> fields.String:
    metadata = {"anyOf": [{"format": "date"}, {"format": "date-time"}], **describe(description)}
    return fields.String(load_default=None, validate=validate.Length(1, MAX_TIME), metadata=metadata)


class OfGamesSchema(Schema):
    """What every filter of games has, whatever they are asked for; a missing filter matches all."""

    player = AnyOf(filter_field("the name of South or North, in any case", validate.Length(1, MAX_VALUE)))
    event = AnyOf(filter_field("the Event tag, in any case", validate.Length(1, MAX_VALUE)))
    since = day_filter(
        "may have been played on this day, as 2026-11-20, or in this month or year, or later; a game without a date is "
        "left out"
    )
    until = day_filter("may have been played on this day, or in this month or year, or earlier")
    created_since = time_filter("stored on that day or at that time, as 2026-11-20T18:30:00Z, or later")
    created_until = time_filter("stored on that day or at that time, or earlier")


class OfGamesByRulesetSchema(OfGamesSchema):
    """The same for games of several rule sets."""

    game = AnyOf(ruleset_filter())


class FilterSchema(OfGamesByRulesetSchema):
    """Which games, also by how they went."""

    result = AnyOf(filter_field("the Result tag", validate.OneOf(RESULTS)))
    state = AnyOf(filter_field("live or ended", validate.OneOf(GAME_STATES)))
    position = position_field("a position that occurred, ignoring stores and ply; needs game", load_default=None)
    updated_since = time_filter("changed on that day or at that time, or later; the oldest change first")


def entered_field() -> fields.Boolean:
    """Whether a record says when each turn was entered, and by whom."""
    says = "with the time and the author of each turn, as its command `entered`"
    return fields.Boolean(load_default=False, metadata=describe(says))


class DataFilterSchema(FilterSchema):
    """Which games to export."""

    names = filter_field("pseudonyms: instead of names", validate.OneOf([PSEUDONYMS]))


class RecordSchema(Schema):
    """How to write a record."""

    entered = entered_field()


class ExportSchema(DataFilterSchema):
    """Which games to export, and from where on."""

    entered = entered_field()

    cursor = cursor_field(
        f"{game_list.CURSOR}|{game_list.CHANGE_CURSOR}", "of a line: the export goes on after that game"
    )


class ImportSchema(Schema):
    dry_run = fields.Boolean(load_default=False, metadata=describe("check and report, but store nothing"))


class GameListSchema(FilterSchema, PageSchema):
    """A page of the games that match."""

    cursor = cursor_field(f"{game_list.CURSOR}|{game_list.CHANGE_CURSOR}")
    sort = filter_field("created: the oldest game first; -created: the newest", validate.OneOf(SORTS))
    id = fields.List(
        fields.String(validate=Pattern(ID)),
        load_default=None,
        metadata=bounded_by("max_page", "these games, in this order; with it nothing else is given"),
    )


class NewTurnSchema(Schema):
    move = move_field(required=True)
    ply = expected_ply()
    by = by_field()
    comments = comments_field()


class NewIrregularTurnSchema(NewTurnSchema):
    position = position_field("position after the turn", required=True)


class NewGapSchema(Schema):
    turns = JsonInteger(
        load_default=None, allow_none=True, validate=validate.Range(1, 9999), metadata=describe("null: it is not known")
    )
    position = position_field("afterwards, with ? for what is not known", load_default=None, allow_none=True)
    ply = expected_ply()
    by = by_field()
    comments = comments_field()


class AfterSchema(Schema):
    after = QueryInteger(load_default=0, validate=validate.Range(0, 10**9))


class HeartbeatSchema(Schema):
    heartbeat = fields.Boolean(load_default=False, metadata=describe("as events, for the scripts of pages"))


class StreamSchema(AfterSchema, HeartbeatSchema):
    """From where a stream starts."""


class EventsSchema(StreamSchema):
    format = fields.String(load_default=None, validate=validate.OneOf(("sse", "ndjson")))


def language_field() -> fields.String:
    return fields.String(
        load_default="en", validate=validate.OneOf(language_ids()), metadata=describe("of the sentences")
    )


class LanguageSchema(Schema):
    language = language_field()
