"""Schemas of disputes: claims, findings, proposals, rulings, what they would change, and appeals."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from records.notation.dispute_commands import OUTCOMES, PENALTIES
from service.games import endings
from service.games.courses import STATES
from service.games.disputes import ABOUT
from service.games.ruling_terms import MAX_PENALTIES, MAX_SECONDS, MAX_SEEDS
from service.storage.dispute_table import CURSOR

from .constraints import JsonBoolean, describe, exactly_one, only_with, optional_integer, time_field
from .evidence_schemas import GivenEvidenceSchema
from .finding_schemas import ACCOUNT_KINDS
from .name_schemas import NameSchema
from .people_schemas import side_field
from .schemas import (
    SIDE,
    GameSchema,
    PageSchema,
    TurnSchema,
    confirm_field,
    cursor_field,
    expected_ply,
    ruleset_filter,
    score_field,
)
from .text_fields import by_field, move_field, note_field, position_field, said_field


def _seen() -> fields.String:
    return position_field("the position on the board", load_default=None, allow_none=True)


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
    move = move_field("with 'corrected' of a turn: the move that replaces it", load_default=None, allow_none=True)
    position = position_field(
        "with 'corrected' of a turn: the position after it, if it is against the rules",
        load_default=None,
        allow_none=True,
    )
    to = optional_integer(0, 10**9, "with 'retracted': the last turn that stays; null: the one before the disputed one")
    keeps = JsonBoolean(
        load_default=False,
        metadata=describe("with 'corrected' of a turn: later turns are played again as far as they are legal"),
    )
    termination = fields.String(
        load_default=None,
        allow_none=True,
        validate=validate.OneOf(endings.TERMINATIONS),
        metadata=describe("with 'ended', or 'corrected' of an end: how the game ended"),
    )
    winner = fields.String(load_default=None, allow_none=True, validate=SIDE)
    score = score_field()
    penalties = fields.List(
        fields.Nested(PenaltySchema), load_default=list, validate=validate.Length(max=MAX_PENALTIES)
    )
    clocks = fields.List(fields.Nested(ClockSchema), load_default=list, validate=validate.Length(max=MAX_PENALTIES))


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
    side = side_field(load_default=None, allow_none=True, metadata=describe("null: neither side"))
    by = by_field()


class NewWithdrawalSchema(Schema):
    note = said_field("why")
    by = by_field()


class RulingSchema(Schema):
    outcome = fields.String(required=True, validate=validate.OneOf(OUTCOMES))
    by = fields.String(required=True)
    note = fields.String(required=True)
    time = time_field(required=True)


class DisputeSchema(Schema):
    id = fields.String(required=True)
    game = fields.String(required=True)
    seq = fields.Integer(required=True, metadata=describe("number of the event that opened it"))
    time = time_field(required=True)
    about = fields.String(required=True, validate=validate.OneOf(ABOUT))
    ply = fields.Integer(required=True, metadata=describe("number of the disputed turn"))
    turn = fields.Integer(
        required=True,
        metadata=describe("number of the event of the disputed turn or end; `seq` if the turn is not recorded"),
    )
    side = side_field(required=True)
    claim = fields.String(required=True)
    seen = fields.String(required=True, allow_none=True)
    by = fields.String(required=True)
    state = fields.String(required=True, validate=validate.OneOf(STATES))
    ruling = fields.Nested(
        RulingSchema, required=True, allow_none=True, metadata=describe("the last one; null: none yet")
    )
    slip = fields.String(
        required=True,
        allow_none=True,
        metadata=describe("the kind of the likeliest account of the finding that there was for who ruled"),
    )


class _SaidSchema(Schema):
    seq = fields.Integer(required=True, metadata=describe("number of its event"))
    time = time_field(required=True)
    by = fields.String(required=True)


class SaidClaimSchema(_SaidSchema):
    claim = fields.String(required=True)
    seen = fields.String(required=True, allow_none=True)


class GivenEndSchema(Schema):
    termination = fields.String(required=True)
    winner = fields.String(required=True, allow_none=True)
    result = fields.String(required=True, allow_none=True)
    score = fields.List(fields.Integer(), required=True, allow_none=True)


class GivenPenaltySchema(Schema):
    side = side_field(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(PENALTIES))
    seeds = fields.Integer(required=True, allow_none=True)
    note = fields.String(required=True)


class GivenClockSchema(Schema):
    side = side_field(required=True)
    to = fields.Integer(required=True, allow_none=True)
    add = fields.Integer(required=True, allow_none=True)


class _GivenTermsSchema(_SaidSchema):
    outcome = fields.String(required=True, validate=validate.OneOf(OUTCOMES))
    note = fields.String(required=True)
    move = fields.String(required=True, allow_none=True)
    position = fields.String(required=True, allow_none=True)
    to = fields.Integer(required=True, allow_none=True)
    keeps = fields.Boolean(required=True)
    end = fields.Nested(GivenEndSchema, required=True, allow_none=True)
    penalties = fields.List(fields.Nested(GivenPenaltySchema), required=True)
    clocks = fields.List(fields.Nested(GivenClockSchema), required=True)


class ResponseSchema(_SaidSchema):
    side = side_field(required=True)
    accepts = fields.Boolean(required=True)


class ProposalSchema(_GivenTermsSchema):
    side = side_field(required=True)
    answer = fields.Nested(ResponseSchema, required=True, allow_none=True)


class SeenAccountSchema(Schema):
    turn = fields.Integer(
        required=True, allow_none=True, metadata=describe("counted from the disputed one, if turns followed it")
    )
    kinds = fields.List(fields.String(), required=True)
    probability = fields.Float(required=True)
    equal = fields.Boolean(required=True)
    legal = fields.Boolean(required=True, allow_none=True)
    move = fields.String(required=True, allow_none=True)
    sentence = fields.String(required=True)
    rule = fields.String(required=True, allow_none=True)


class SeenFindingSchema(Schema):
    """What there was to see of the finding for who ruled."""

    legal = fields.Boolean(required=True, allow_none=True)
    accounts = fields.List(fields.Nested(SeenAccountSchema), required=True)


class GivenRulingSchema(_GivenTermsSchema):
    withdrawn = fields.Boolean(required=True, metadata=describe("the side that disputed it withdrew"))
    finding = fields.Nested(SeenFindingSchema, required=True, allow_none=True)


class AppealSchema(_SaidSchema):
    side = side_field(required=True, allow_none=True)
    reason = fields.String(required=True)
    corrects = fields.Boolean(required=True, metadata=describe("the arbiter replaces their own ruling"))


class SensorsSchema(Schema):
    counts = fields.List(fields.Float(allow_none=True), required=True, allow_none=True)
    lifts = fields.List(fields.Integer(), required=True, allow_none=True)


class CourseSchema(DisputeSchema):
    """A dispute with its whole course."""

    sensors = fields.Nested(
        SensorsSchema,
        required=True,
        allow_none=True,
        metadata=describe("what a board reported: counts by sensor, pits lifted in the turn (indices)"),
    )
    claims = fields.List(fields.Nested(SaidClaimSchema), required=True)
    evidence = fields.List(fields.Nested(GivenEvidenceSchema), required=True)
    proposals = fields.List(fields.Nested(ProposalSchema), required=True)
    rulings = fields.List(fields.Nested(GivenRulingSchema), required=True)
    appeals = fields.List(fields.Nested(AppealSchema), required=True)


class DisputesSchema(Schema):
    items = fields.List(fields.Nested(DisputeSchema), required=True)


class DisputePageSchema(DisputesSchema):
    next = fields.String(required=True, allow_none=True)


class DisputeListSchema(PageSchema):
    cursor = cursor_field(CURSOR)
    state = fields.String(load_default=None, validate=validate.OneOf(STATES))
    slip = fields.String(
        load_default=None,
        validate=validate.OneOf(ACCOUNT_KINDS),
        metadata=describe("earlier rulings about that kind of slip"),
    )
    game = ruleset_filter()


class RuledSchema(Schema):
    dispute = fields.Nested(DisputeSchema, required=True)
    game = fields.Nested(GameSchema, required=True)


class EvidenceSchema(Schema):
    before = fields.String(required=True, metadata=describe("the position before the disputed turn"))
    claimed = fields.String(required=True, allow_none=True, metadata=describe("the move that the record has"))
    counts = fields.List(
        fields.Float(allow_none=True),
        required=True,
        metadata=describe("what lies on the board: pits by index, then the stores; null: nobody knows"),
    )
    lifted = fields.List(fields.String(), required=True, metadata=describe("pits that a board saw lifted"))


class DisputeFindingSchema(Schema):
    evidence = fields.Nested(EvidenceSchema, required=True, allow_none=True)
    finding = fields.Dict(
        required=True, allow_none=True, metadata=describe("what happened in the turn, as of `POST /findings`")
    )
    since = fields.Dict(
        required=True,
        allow_none=True,
        metadata=describe("the same if turns followed the disputed one, or an earlier one may have gone wrong"),
    )
    first = fields.Integer(
        required=True, allow_none=True, metadata=describe("the number of the turn from which `since` counts")
    )
    examined = fields.Integer(
        required=True,
        allow_none=True,
        metadata=describe("the first turn that was examined: those before it are taken as right"),
    )


class GameThenSchema(Schema):
    ply = fields.Integer(required=True)
    position = fields.String(required=True)
    state = fields.String(required=True)
    result = fields.String(required=True)
    score = fields.List(fields.Integer(), required=True, allow_none=True)


class LaterTurnSchema(Schema):
    ply = fields.Integer(required=True)
    move = fields.String(required=True)
    then = fields.String(
        required=True, allow_none=True, metadata=describe("the move with what it would do; null: not legal")
    )
    position = fields.String(required=True, allow_none=True)
    same = fields.Boolean(required=True, metadata=describe("it would do what it did"))
    why = fields.String(required=True, metadata=describe("why it could not be played"))


class BreakSchema(Schema):
    ply = fields.Integer(required=True)
    move = fields.String(required=True)
    why = fields.String(required=True)


class PlaceThenSchema(Schema):
    place = fields.String(required=True, metadata=describe("the letter of a pit, or `South` or `North` for a store"))
    lies = fields.Integer(required=True, metadata=describe("seeds there, as they were counted or are recorded"))
    then = fields.Integer(required=True)


class RankSchema(Schema):
    rank = fields.Integer(required=True)
    points = fields.Float(required=True)


class RankChangeSchema(Schema):
    player = fields.Nested(NameSchema, required=True)
    now = fields.Nested(RankSchema, required=True)
    then = fields.Nested(RankSchema, required=True)


class LaterGameSchema(Schema):
    id = fields.String(required=True)
    number = fields.Integer(required=True)
    state = fields.String(required=True)
    result = fields.String(required=True)
    follows = fields.Boolean(
        required=True,
        allow_none=True,
        metadata=describe("false: it loses its result; null: it stands still until the games before it have ended"),
    )


class EffectsSchema(Schema):
    """What a ruling would change."""

    keeps = fields.Integer(required=True, metadata=describe("so many turns stay as they are"))
    now = fields.Nested(GameThenSchema, required=True)
    then = fields.Nested(GameThenSchema, required=True)
    stores = fields.List(
        fields.Integer(), required=True, metadata=describe("seeds that South and North would have more in store")
    )
    turns = fields.List(fields.Nested(TurnSchema), required=True, metadata=describe("turns that would be played"))
    later = fields.List(
        fields.Nested(LaterTurnSchema), required=True, metadata=describe("turns after a corrected one, if kept")
    )
    breaks = fields.Nested(
        BreakSchema, required=True, allow_none=True, metadata=describe("the first that could not be played")
    )
    board = fields.List(
        fields.Nested(PlaceThenSchema), required=True, metadata=describe("what hands must put right on the board")
    )
    match = fields.List(
        fields.Nested(LaterGameSchema), required=True, metadata=describe("games of the match that were begun after it")
    )
    standings = fields.List(
        fields.Nested(RankChangeSchema),
        required=True,
        allow_none=True,
        metadata=describe("the players whose standing in the event changes; null: no event, or too many games"),
    )
    penalties = fields.List(fields.Nested(GivenPenaltySchema), required=True)
    clocks = fields.List(fields.Nested(GivenClockSchema), required=True)
