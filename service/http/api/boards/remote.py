"""``/boards/{id}/claim``, ``…/inbox``, ``…/lights``: remote boards (`docs/far.md`)."""

from __future__ import annotations

import time
from typing import Annotated, Any, Self

from marshmallow import EXCLUDE, Schema, fields, validate

from inkeek.drivers.base import Guidance
from inkeek.drivers.recording.json_form import KINDS
from inkeek.service.boards.remote.inbox import MAX_NUMBER
from inkeek.service.http.answers.shape import Shape
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import JsonBoolean, JsonInteger, Pattern, describe, optional_integer
from inkeek.service.http.api.live import subscribe
from inkeek.service.http.api.responses import check_right
from inkeek.service.http.context import current_right, current_services
from inkeek.service.live.topics import lights_topic
from inkeek.service.storage import InboxRow

MAX_BATCH = 500  # events per request
MAX_WAIT = 30  # seconds that a request for the lights waits for news
MAX_CLAIM = 2**31 - 1
PLAIN = [
    *({"type": kind} for kind in ("string", "boolean", "null")),
    {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
]
EVENT = {  # in JSON Schema; what fits the kind and the board, the inbox decides
    "required": ["event"],
    "properties": {"event": {"type": "string", "examples": list(KINDS)}},
    "additionalProperties": {"anyOf": [*PLAIN, {"type": "array", "items": {"anyOf": PLAIN}}]},
}

blueprint = ApiBlueprint("far", "Remote boards.")


class MessageOfAgent(Schema):
    """What an agent of any version sends: unknown fields are passed over."""

    class Meta:
        unknown = EXCLUDE


class NewClaimSchema(MessageOfAgent):
    spool = fields.String(required=True, validate=Pattern("[0-9a-f]{16,64}"), metadata=describe("name of the spool"))
    first = optional_integer(
        0, MAX_NUMBER, "the first number that the spool holds or will hold; null: the spool is new"
    )
    last = optional_integer(0, MAX_NUMBER, "the last number so far; null: the spool is new")
    take_over = JsonBoolean(load_default=False, metadata=describe("even if another spool uses the inbox"))


class ResumeJson(Shape):
    boot: str
    seq: int


class ClaimJson(Shape):
    claim: Annotated[int, "required with every delivery"]
    far_version: Annotated[int, "of what agent and service say to each other (`docs/far.md`)"]
    last: Annotated[int, "the last event received"]
    resume: Annotated[ResumeJson | None, "where a new spool starts"]


class NewDeliverySchema(MessageOfAgent):
    claim = JsonInteger(required=True, validate=validate.Range(1, MAX_CLAIM))
    first = JsonInteger(
        required=True,
        validate=validate.Range(0, MAX_NUMBER),
        metadata=describe("number of the first event; the others follow"),
    )
    events = fields.List(
        fields.Dict(metadata=EVENT),
        required=True,
        validate=validate.Length(max=MAX_BATCH),
        metadata=describe("empty: a sign of life"),
    )


class LightsJson(Shape):
    last: Annotated[int, "the last event stored"]
    dealt: Annotated[int, "the last event that the desk handled"]
    version: Annotated[int, "how often the lights were set"]
    answers: Annotated[int, "the last event handled when they were set"]
    guidance: Annotated[Guidance | None, "what the lights show"]
    serial: Annotated[str | None, "the board that is bound; null: the first that plays"]

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        """`source`: the row of the inbox."""
        return super().of(source, serial=current_services().boards.get(source.board).serial, **given)


class RefusedEventJson(Shape):
    number: int
    reason: str


class DeliveredJson(LightsJson):
    refused: Annotated[
        list[RefusedEventJson], "events that do not fit the board: they are delivered, and have no effect"
    ]


class LightsQuerySchema(Schema):
    after = fields.Integer(load_default=-1, validate=validate.Range(-1, MAX_CLAIM))
    dealt = fields.Integer(load_default=None, validate=validate.Range(0, MAX_NUMBER))
    wait = fields.Float(load_default=0.0, validate=validate.Range(0, MAX_WAIT))


@blueprint.operation(
    "POST",
    "/boards/<board_id>/claim",
    scope="attach",
    body=NewClaimSchema,
    example={"spool": "5f0c1d6e2b7a4f3895ad0c41e7b26d90", "first": 3, "last": 4, "take_over": False},
    problems=(409,),
    idempotent=False,
    status=200,
)
def claim_inbox(body: dict[str, Any], board_id: str) -> ClaimJson:
    """Make a spool the source of the board's events."""
    held = None if body["first"] is None or body["last"] is None else (max(1, body["first"]), body["last"])
    claim = current_services().inboxes.claim(board_id, body["spool"], held, body["take_over"])
    return ClaimJson.of(claim, resume=claim.resume and ResumeJson(boot=claim.resume[0], seq=claim.resume[1]))


@blueprint.operation(
    "POST",
    "/boards/<board_id>/inbox",
    scope="attach",
    body=NewDeliverySchema,
    example={
        "claim": 1,
        "first": 3,
        "events": [{"event": "pit-changed", "boot": "0a1b2c3d", "seq": 97, "ms": 61250, "pit": 4, "seeds": 3.98}],
    },
    problems=(409,),
    idempotent=False,
    status=200,
)
def deliver_events(body: dict[str, Any], board_id: str) -> DeliveredJson:
    """Store events of the board, durably. Events that are stored already are skipped."""
    delivery = current_services().inboxes.append(board_id, body["claim"], body["first"], body["events"])
    return DeliveredJson.of(delivery.row, refused=delivery.refused)


@blueprint.operation("GET", "/boards/<board_id>/lights", scope="read", waits=True, query=LightsQuerySchema)
def get_lights(query: dict[str, Any], board_id: str) -> LightsJson:
    """Get what the board's lights show. Waits at most `wait` seconds until they have been set more than `after` times,
    or until event `dealt` was handled."""
    inboxes = current_services().inboxes
    row = inboxes.get(board_id)
    if not query["wait"] or _is_new(row, query):
        return LightsJson.of(row)
    right = current_right()
    subscriber, end = subscribe(lights_topic(board_id), 0, current_services().waits)
    try:
        until = time.monotonic() + query["wait"]
        while True:
            row = inboxes.get(board_id)
            left = until - time.monotonic()
            if _is_new(row, query) or left <= 0:
                return LightsJson.of(row)
            messages = subscriber.wait(left)
            if messages is None:
                if right is not None:
                    check_right(current_services().keys, right)
                return LightsJson.of(row)
    finally:
        end()


def _is_new(row: InboxRow, query: dict[str, Any]) -> bool:
    return row.version > query["after"] or (query["dealt"] is not None and row.dealt >= query["dealt"])
