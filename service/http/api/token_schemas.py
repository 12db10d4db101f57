"""Schemas of tokens and sessions."""

from __future__ import annotations

from marshmallow import Schema, fields, validate

from service.games.validation import LINE
from service.http.access import SCOPES
from service.http.access.caller import SESSION, TOKEN
from service.http.access.keys import HOLDER, LIMITS, MAX_DAYS, MAX_GRACE, MAX_LIMIT, MAX_NAME

from .constraints import JsonInteger, describe, optional_integer, time_field
from .text_fields import text_field


class LimitSchema(Schema):
    kind = fields.String(required=True, validate=validate.OneOf(LIMITS))
    value = text_field(LINE, 1, MAX_LIMIT, "id of the game or the match, or name of the event", required=True)


class NewTokenSchema(Schema):
    name = text_field(HOLDER, 1, MAX_NAME, "its holder", required=True)
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)), required=True, validate=validate.Length(1, len(SCOPES))
    )
    days = optional_integer(1, MAX_DAYS, "days until it expires; null: never")
    limit = fields.Nested(
        LimitSchema,
        load_default=None,
        allow_none=True,
        metadata=describe("all that it may use; null: no limit. Not with the scope admin"),
    )


class RotationSchema(Schema):
    grace = JsonInteger(
        load_default=0,
        validate=validate.Range(0, int(MAX_GRACE.total_seconds())),
        metadata=describe("seconds for which the old secret stays valid"),
    )
    days = optional_integer(1, MAX_DAYS, "days until the token expires, with the scope admin only; null: as before")


class TokenSchema(Schema):
    id = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf((TOKEN, SESSION)))
    name = fields.String(required=True)
    scopes = fields.List(fields.String(), required=True)
    limit = fields.Nested(LimitSchema, required=True, allow_none=True)
    good = fields.Boolean(required=True)
    created = time_field(required=True)
    expires = time_field(required=True, allow_none=True)
    used = time_field("last use, to within five minutes", required=True, allow_none=True)
    revoked = time_field(required=True, allow_none=True)
    previous_until = fields.String(
        required=True,
        allow_none=True,
        metadata=describe("until when the secret before the last rotation is valid, too"),
    )


class ShownTokenSchema(TokenSchema):
    token = fields.String(required=True, metadata=describe("the secret, shown only once"))


class TokensSchema(Schema):
    items = fields.List(fields.Nested(TokenSchema), required=True)
