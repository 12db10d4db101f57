"""Schemas of findings: what is known of a turn, and what happened in it."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from records.findings import KINDS
from records.findings.evidence_faults import MAX_COUNT, MAX_SEEN
from records.findings.kinds import LEGAL, TAKEN_BACK, UNKNOWN, UNPLAYED
from records.findings.several_turns import MAX_MOVES
from records.position import MARK_LETTERS, MAX_ROW, MAX_SEEDS
from service.http.finding_request import MAX_EARLIER, MAX_SPREAD, MIN_SPREAD

from .constraints import JsonBoolean, JsonInteger, JsonNumber, describe, exactly_one, optional_integer
from .schemas import StepSchema, language_field
from .text_fields import board_field, move_field, options_field, position_field, ruleset_field, text_field

ACCOUNT_KINDS = (*KINDS, LEGAL, UNPLAYED, TAKEN_BACK, UNKNOWN)
MAX_PLACES = 2 * MAX_ROW + 2


class SeenSchema(Schema):
    """A lift of all seeds of a pit, or a drop of one seed into it."""

    kind = fields.String(required=True, validate=validate.OneOf(("lift", "drop")))
    pit = text_field("[A-Za-z]", 1, 1, "its letter", required=True)


class PreviousTurnSchema(Schema):
    """The turn before, from the position before that."""

    position = position_field(required=True)
    move = move_field(required=True)


class NewFindingSchema(Schema):
    """What is known. Either `board` or `counts` says what lies there now."""

    FORM = exactly_one("board", "counts")
    game = ruleset_field()
    options = options_field()
    position = position_field("before the turn; null: the set-up of the game", load_default=None, allow_none=True)
    seeds = optional_integer(
        1, MAX_SEEDS, "how many seeds the game was set up with, if it is another number than the rules have"
    )
    board = board_field("now: `SOUTH/NORTH S-N`, `?` where nobody counted", load_default=None, allow_none=True)
    counts = fields.List(
        JsonNumber(allow_none=True, validate=validate.Range(-MAX_COUNT, MAX_COUNT)),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_PLACES),
        metadata=describe("now: the pits by index, then South's and North's store; null where nobody counted"),
    )
    spreads = fields.List(
        JsonNumber(allow_none=True, validate=validate.Range(MIN_SPREAD, MAX_SPREAD)),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_PLACES),
        metadata=describe("standard deviations of `counts`; null: the count is exact, a whole number"),
    )
    marks = fields.List(
        fields.String(allow_none=True, validate=validate.OneOf(MARK_LETTERS)),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, 2 * MAX_ROW),
        metadata=describe("with `counts`: what each pit is now, as in positions; null where unknown"),
    )
    hand = optional_integer(0, MAX_SEEDS, "seeds that are still in a hand")
    claimed = move_field("the move that the player says was played", load_default=None, allow_none=True)
    captured = fields.List(
        JsonInteger(validate=validate.Range(0, MAX_SEEDS)),
        load_default=None,
        allow_none=True,
        validate=validate.Length(equal=2),
        metadata=describe("seeds that South and North are said to have captured; by default those of `claimed`"),
    )
    seen = fields.List(
        fields.Nested(SeenSchema),
        load_default=list,
        validate=validate.Length(max=MAX_SEEN),
        metadata=describe("lifts, or lifts and drops, in order"),
    )
    seen_all = JsonBoolean(load_default=False, metadata=describe("none of them was missed"))
    previous = fields.Nested(PreviousTurnSchema, load_default=None, allow_none=True)
    earlier = fields.List(
        position_field(),
        load_default=list,
        validate=validate.Length(max=MAX_EARLIER),
        metadata=describe("the positions before `position`, the latest last: to find turns that were taken back"),
    )
    moves = fields.List(
        move_field(),
        load_default=None,
        allow_none=True,
        validate=validate.Length(1, MAX_MOVES),
        metadata=describe("turns that were written since `position`, if nobody knows which went wrong"),
    )
    slips = optional_integer(1, 2, "look for so many slips at most; null: for two if one does not explain the board")
    language = language_field()


class RuleTextSchema(Schema):
    id = fields.String(required=True)
    says = fields.String(required=True, metadata=describe("as it is read here"))
    quote = fields.String(required=True, metadata=describe("in the words of the source; may be empty"))
    source = fields.String(required=True)


class FindingStepSchema(StepSchema):
    lap = fields.Integer(required=True, metadata=describe("number of the lap, 0 before the first lift"))


class AccountSchema(Schema):
    """One way in which the board may have come about."""

    ply = fields.Integer(required=True, allow_none=True, metadata=describe("with `moves`: number of the turn, from 1"))
    kind = fields.String(required=True, validate=validate.OneOf(ACCOUNT_KINDS))
    kinds = fields.List(fields.String(validate=validate.OneOf(ACCOUNT_KINDS)), required=True)
    probability = fields.Float(required=True)
    equal = fields.Boolean(required=True, metadata=describe("as likely as the one before"))
    legal = fields.Boolean(required=True, allow_none=True)
    move = fields.String(required=True, allow_none=True)
    sentence = fields.String(required=True, metadata=describe("all `sentences`"))
    sentences = fields.List(fields.String(), required=True)
    start = fields.List(
        fields.Integer(),
        required=True,
        metadata=describe("the board on which the steps begin, in the order of `counts`"),
    )
    steps = fields.List(fields.Nested(FindingStepSchema), required=True)
    cut = fields.Integer(required=True, metadata=describe("steps that are not listed, because there are too many"))
    first_wrong_step = fields.Integer(required=True, allow_none=True, metadata=describe("index in `steps`"))
    rule = fields.Nested(RuleTextSchema, required=True, allow_none=True)
    board = fields.List(fields.Integer(), required=True, metadata=describe("the board that it leaves, likewise"))
    mend = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(),
        required=True,
        allow_none=True,
        metadata=describe("seeds to add to the pits, `south` and `north` (the stores); negative: to take away"),
    )
    target = fields.String(required=True, allow_none=True, metadata=describe("the position that the board has then"))
    distinction = fields.String(required=True, metadata=describe("what tells it from the next account"))


class FindingSchema(Schema):
    position = fields.String(required=True, metadata=describe("the position before"))
    legal = fields.Boolean(
        required=True, allow_none=True, metadata=describe("null: nobody can say, or the question is about `moves`")
    )
    agreed = fields.Integer(required=True, allow_none=True, metadata=describe("with `moves`: so many agree"))
    played = fields.Integer(required=True, allow_none=True, metadata=describe("with `moves`: so many can be played"))
    accounts = fields.List(fields.Nested(AccountSchema), required=True, metadata=describe("the likeliest first"))
    complete = fields.Boolean(required=True, metadata=describe("false: a limit was reached, some were not examined"))
    slips = fields.Integer(required=True, metadata=describe("how many slips in one turn were looked for"))
