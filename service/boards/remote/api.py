"""``/boards/{id}/report``, ``…/news``: what the process of a far board reports and hears (`docs/far.md`)."""

from __future__ import annotations

import json
import time
from typing import Annotated, Any

from marshmallow import EXCLUDE, Schema, fields, validate
from msgspec import UNSET, UnsetType

from inkeek.service.boards.identity import MAX_SERIAL
from inkeek.service.games.answers import ChainedEventJson
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import (
    JsonInteger,
    Pattern,
    QueryInteger,
    describe,
    optional_integer,
    optional_text,
)
from inkeek.service.http.api.responses import check_right
from inkeek.service.http.context import current_right, current_services
from inkeek.service.http.services import Services
from inkeek.service.http.shape import Shape
from inkeek.service.live.api import subscribe
from inkeek.service.live.topics import BATCH
from inkeek.service.storage import BoardRow, GameEvent
from inkeek.service.storage.text_json import dump_texts

from .reports import CHANGES, FarReport, ReportedChange, Reports, far_board

MAX_WAIT = 30  # seconds that a request waits for news
MAX_NUMBER = 2**53  # all readers of JSON agree on integers up to here
MAX_SEQ = 10**9
MAX_CHANGES = 20  # in a report: what one press can do
MAX_LOG = 400
HASH = "([0-9a-f]{64})?"

blueprint = ApiBlueprint("far", "Far boards.")


class OfProcess(Schema):
    """What a process of any version sends: unknown fields are passed over."""

    class Meta:
        unknown = EXCLUDE


class ReportedEntrySchema(OfProcess):
    kind = fields.String(required=True, validate=Pattern("[a-z-]{1,32}"))
    data = fields.Dict(required=True)


class ReportedChangeSchema(OfProcess):
    kind = fields.String(required=True, validate=validate.OneOf(tuple(CHANGES)))
    source = fields.String(
        required=True, validate=validate.Length(1, 200), metadata=describe("`board:`, serial number, `boot`, `seq`")
    )
    follows = fields.String(
        required=True,
        validate=validate.Length(1, 200),
        metadata=describe(
            "the last turn or decision before it: its hash, or, if it is not in the game yet, its source"
        ),
    )
    data = fields.Dict(required=True, metadata=describe("as in the event"))


class ReportSchema(OfProcess):
    id = fields.String(required=True, validate=Pattern("[0-9a-f]{32}"), metadata=describe("of this report, by chance"))
    after = JsonInteger(required=True, validate=validate.Range(0, MAX_SEQ), metadata=describe("the last known event"))
    hash = fields.String(load_default="", validate=Pattern(HASH), metadata=describe("its hash"))
    serial = optional_text(MAX_SERIAL, "the board's serial number; null: none was connected yet")
    adapter = optional_text(MAX_SERIAL, "that of its USB adapter")
    boot = optional_text(16, "all events up to this one are handled")
    seq = optional_integer(0, MAX_NUMBER, "its number")
    status = fields.Dict(load_default=None, allow_none=True, metadata=describe("replaces the status, as it is stored"))
    log = fields.List(fields.Nested(ReportedEntrySchema), load_default=list, validate=validate.Length(max=MAX_LOG))
    changes = fields.List(
        fields.Nested(ReportedChangeSchema), load_default=list, validate=validate.Length(max=MAX_CHANGES)
    )
    tried = fields.List(JsonInteger(validate=validate.Range(0, MAX_NUMBER)), load_default=list)
    done = fields.List(JsonInteger(validate=validate.Range(0, MAX_NUMBER)), load_default=list)


class NewsSchema(Schema):
    after = QueryInteger(load_default=0, validate=validate.Range(0, MAX_SEQ))
    hash = fields.String(load_default="", validate=Pattern(HASH))
    request = QueryInteger(load_default=0, validate=validate.Range(0, MAX_NUMBER))
    wait = fields.Float(load_default=0.0, validate=validate.Range(0, MAX_WAIT))


class AskedJson(Shape):
    number: int
    kind: str
    data: dict[str, Any]
    age: Annotated[float, "seconds since it was made"]
    tries: Annotated[int, "how often it was begun"]


class BoundJson(Shape):
    """What the service says of a far board."""

    serial: Annotated[str | None, "the board that is bound; null: the first that plays"]
    adapter: str | None
    boot: Annotated[str | None, "the last event that was handled"]
    seq: int
    buttons: bool
    wanted: str
    state: Annotated[str, "`state` of its status"]
    status: Annotated[dict[str, Any] | UnsetType, "as it is stored"] = UNSET


class ReportedJson(Shape):
    board: BoundJson
    after: Annotated[int, "the events follow this one: 0 if the last known event is not in the game"]
    events: Annotated[list[ChainedEventJson], "of the game, at most some hundred"]
    time: Annotated[str, "by the service's clock"]
    requests: Annotated[list[AskedJson], "all that wait"]


def _reports(services: Services) -> Reports:
    return Reports(services.boards, services.games)


@blueprint.operation(
    "POST",
    "/boards/<board_id>/report",
    scope="attach",
    body=ReportSchema,
    example={"id": "5f0c1d6e2b7a4f3895ad0c41e7b26d90", "after": 0},
    problems=(409, 412),
    idempotent=False,
    status=200,
)
def report_board(body: dict[str, Any], board_id: str) -> ReportedJson:
    """Report what was judged at a far board: all of it is done, or nothing. The same report again does nothing. One
    without anything is a sign of life."""
    services = current_services()
    after, last = body.pop("after"), body.pop("hash")
    changes = [ReportedChange(**change) for change in body.pop("changes")]
    log = [(entry["kind"], entry["data"]) for entry in body.pop("log")]
    report = FarReport(**{**body, "seq": body["seq"] or 0}, log=log, changes=changes)
    row = services.once(_reports).take(board_id, report)
    return _answer(row, after, last)


@blueprint.operation("GET", "/boards/<board_id>/news", scope="attach", waits=True, query=NewsSchema, problems=(409,))
def get_news(query: dict[str, Any], board_id: str) -> ReportedJson:
    """Get what is new at a far board for who knows its game up to event `after` with this `hash`, and the requests to
    it up to number `request`. Waits at most `wait` seconds for it."""
    services = current_services()
    row = far_board(services.boards, board_id)
    if not query["wait"] or _is_new(row, query):
        return _answer(row, query["after"], query["hash"], whole=True)
    right = current_right()
    subscriber, end = subscribe(row.game, query["after"], services.places.waits)
    try:
        until = time.monotonic() + query["wait"]
        while True:
            row = far_board(services.boards, board_id)
            left = until - time.monotonic()
            if _is_new(row, query) or left <= 0:
                break
            if subscriber.wait(left) is None:
                break
        if right is not None:
            check_right(services.keys, right)
        return _answer(row, query["after"], query["hash"], whole=True)
    finally:
        end()


def _is_new(row: BoardRow, query: dict[str, Any]) -> bool:
    services = current_services()
    after, events = _following(row.game, query["after"], query["hash"])
    asked = services.boards.requests_to(row.id)
    return after != query["after"] or bool(events) or any(one.number > query["request"] for one in asked)


def _following(game_id: str, after: int, last: str) -> tuple[int, tuple[GameEvent, ...]]:
    """The events after number `after`, which has the hash `last`; if that is not so, all from the start."""
    events = current_services().games.load(game_id).events
    if not 0 < after <= len(events) or events[after - 1].hash != last:
        after = 0
    return after, events[after : after + BATCH]


def _answer(row: BoardRow, after: int, last: str, *, whole: bool = False) -> ReportedJson:
    services = current_services()
    after, events = _following(row.game, after, last)
    status = json.loads(dump_texts(row.status)) if whole else UNSET
    return ReportedJson(
        board=BoundJson.of(row, state=row.status.get("state", ""), status=status),
        after=after,
        events=[ChainedEventJson.of(event) for event in events],
        time=services.boards.now(),
        requests=[AskedJson.of(one, age=services.boards.age(one)) for one in services.boards.requests_to(row.id)],
    )
