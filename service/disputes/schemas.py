"""Schemas of disputes: claims, findings, proposals, rulings, what they would change, and appeals."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from inkeek.records.notation.commands import OUTCOMES, PENALTIES, SIDES_REASONS
from inkeek.records.structs import convert
from inkeek.service.errors import Invalid
from inkeek.service.findings.answers import ACCOUNT_KINDS
from inkeek.service.games import endings
from inkeek.service.games.schemas import (
    SIDE,
    PageSchema,
    confirm_field,
    cursor_field,
    expected_ply,
    filter_field,
    ruleset_filter,
    score_field,
    side_field,
)
from inkeek.service.http.api.constraints import (
    OPTIONAL,
    AnyOf,
    JsonBoolean,
    by_field,
    describe,
    exactly_one,
    move_field,
    note_field,
    only_with,
    optional_integer,
    position_field,
    said_field,
)
from inkeek.service.storage.tables.disputes import CURSOR

from .courses import DISPUTE_STATES
from .disputes import ABOUT
from .terms import MAX_PENALTIES, MAX_SECONDS, MAX_SEEDS, Terms


def _seen() -> fields.String:
    return position_field("the position on the board; ? where nobody counted", **OPTIONAL)


class NewRetractionSchema(Schema):
    reason = fields.String(required=True, validate=validate.OneOf(SIDES_REASONS))
    side = side_field(**OPTIONAL, metadata=describe("who takes it back; null: its player"))
    note = note_field()
    ply = expected_ply("the number of the last turn")
    by = by_field()


class NewDisputeSchema(Schema):
    side = side_field(required=True, metadata=describe("who disputes the turn"))
    claim = said_field()
    seen = _seen()
    about = fields.String(
        load_default="turn", validate=validate.OneOf(ABOUT), metadata=describe("the last turn, or how the game ended")
    )
    disputed = optional_integer(
        1,
        10**9,
        "the number of the disputed turn; null: the last one; the one after that lies on the board and is not recorded",
    )
    ply = expected_ply("the number of the last turn")
    by = by_field()


class ChangedClaimSchema(Schema):
    claim = note_field()
    seen = _seen()
    by = by_field()


class PenaltySchema(Schema):
    """What a ruling changes on the board, its outcome says: a penalty is a note."""

    FORM = only_with("kind", "seeds", "seeds")
    side = side_field(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(PENALTIES))
    seeds = optional_integer(0, MAX_SEEDS, "with the kind `seeds`")
    note = note_field()


class ClockSchema(Schema):
    FORM = exactly_one("to", "add")
    side = side_field(required=True)
    to = optional_integer(0, MAX_SECONDS, "the clock is set to so many seconds")
    add = optional_integer(0, MAX_SECONDS, "it gets so many seconds more")


class TermsSchema(Schema):
    """What is ruled, or proposed."""

    outcome = fields.String(required=True, validate=validate.OneOf(OUTCOMES))
    note = note_field()
    move = move_field("with 'corrected' of a turn: the move that replaces it", **OPTIONAL)
    position = position_field(
        "with 'corrected' of a turn: the position after it, if it is against the rules", **OPTIONAL
    )
    to = optional_integer(0, 10**9, "with 'retracted': the last turn that stays; null: the one before the disputed one")
    keeps = JsonBoolean(
        load_default=False,
        metadata=describe("with 'corrected' of a turn: later turns are played again as far as they are legal"),
    )
    termination = fields.String(
        **OPTIONAL,
        validate=validate.OneOf(endings.TERMINATIONS),
        metadata=describe("with 'ended', or 'corrected' of an end: how the game ended"),
    )
    winner = fields.String(**OPTIONAL, validate=SIDE)
    score = score_field()
    penalties = fields.List(
        fields.Nested(PenaltySchema), load_default=list, validate=validate.Length(max=MAX_PENALTIES)
    )
    clocks = fields.List(fields.Nested(ClockSchema), load_default=list, validate=validate.Length(max=MAX_PENALTIES))


def terms_in(body: dict[str, Any]) -> Terms:
    """The terms in a body of `TermsSchema`.

    :raises Invalid: a winner or a score without a termination.
    """
    if body["termination"] is None and (body["winner"] is not None or body["score"] is not None):
        raise Invalid("winner or score is given without a termination: give the termination too", field="winner")
    end = body["termination"] and {name: body[name] for name in ("termination", "winner", "score")}
    return convert({**body, "end": end}, Terms)


class NewRulingSchema(TermsSchema):
    confirm = confirm_field()
    corrects = note_field("why the arbiter replaces their own last ruling; empty: the dispute waits for a ruling")
    by = by_field("the arbiter")


class NewProposalSchema(TermsSchema):
    side = side_field(required=True, metadata=describe("who proposes"))
    by = by_field()


class NewResponseSchema(Schema):
    side = side_field(required=True, metadata=describe("who answers: the other side"))
    accepts = JsonBoolean(required=True)
    confirm = confirm_field()
    by = by_field()


class NewAppealSchema(Schema):
    reason = said_field()
    side = side_field(**OPTIONAL, metadata=describe("null: neither side"))
    by = by_field()


class NewWithdrawalSchema(Schema):
    note = said_field("why")
    by = by_field()


class DisputeListSchema(PageSchema):
    cursor = cursor_field(CURSOR)
    state = AnyOf(filter_field("state of the dispute", validate.OneOf(DISPUTE_STATES)))
    slip = AnyOf(filter_field("earlier rulings about that kind of slip", validate.OneOf(ACCOUNT_KINDS)))
    game = AnyOf(ruleset_filter())


class NewPhotographSchema(Schema):
    witness = said_field("who took it, or saw it")
    text = note_field("what is to be seen")
    by = by_field()


class NewEvidenceSchema(NewPhotographSchema):
    text = said_field("what they saw")


class NewReleaseSchema(Schema):
    by = by_field()


class NewRemovalSchema(Schema):
    by = by_field()
