"""``/feed``: the events of all games, as a live stream or as NDJSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import fields, validate

from inkeek.service.errors import Ahead, Invalid, NotFound
from inkeek.service.games.event_kinds import KINDS
from inkeek.service.http import sse
from inkeek.service.http.access.limits import check_named
from inkeek.service.http.answers.event_kinds import standalone_schema
from inkeek.service.http.answers.games import CURSOR, FeedEndJson, FeedEventJson
from inkeek.service.http.answers.shape import component_name, json_schema, reference
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import AnyOf
from inkeek.service.http.api.games.schemas import HeartbeatSchema, OfGamesByRulesetSchema, filter_field
from inkeek.service.http.api.games.views import NDJSON, game_filter
from inkeek.service.http.api.responses import respond_bytes, to_json, while_allowed
from inkeek.service.http.api.text_fields import id_field, text_field
from inkeek.service.http.context import current_limit, current_services
from inkeek.service.http.names import check_event
from inkeek.service.http.services import Services
from inkeek.service.live.topics import FEED, FEED_BATCH
from inkeek.service.storage import FeedCursor, FeedFilter, FeedPage
from inkeek.service.storage.search import name_key

from .game_events import streamed

JSON_SCHEMA = "application/schema+json"
END = "end"  # as a cursor: the end of the feed
_CURSOR = re.compile(r"([0-9]{1,18})(?:\.([0-9]{1,9}))?", re.ASCII)

blueprint = ApiBlueprint("feed", "The events of all games.")


class FeedSchema(OfGamesByRulesetSchema, HeartbeatSchema):
    """Which events, and from where."""

    after = text_field(f"{CURSOR}|end", 1, 40, "a cursor of the feed; end: only what comes now", load_default="0")
    format = fields.String(load_default=None, validate=validate.OneOf(("sse", "ndjson")))
    game_id = id_field(load_default=None)
    match = id_field("id of a match", load_default=None)
    board = id_field("id of a board: its game", load_default=None)
    kind = AnyOf(filter_field("kind of event", validate.OneOf(tuple(KINDS))))


@blueprint.operation(
    "GET",
    "/feed",
    scope="read",
    limited=True,
    query=FeedSchema,
    sends={sse.MEDIA_TYPE: (FeedEventJson,), NDJSON: (FeedEventJson, FeedEndJson)},
    resumes=CURSOR,
    problems=(404, 507),
)
def get_feed(query: dict[str, Any]) -> ResponseReturnValue:
    """Follow all games. Resumes after the cursor in ``Last-Event-ID`` (or `after`)."""
    services = current_services()
    services.store.update_ledger()
    with services.store.reading() as transaction:
        last = transaction.ledger.head().position
    after, where = _resume_after(query["after"], last), _filter(services, query)

    def read(cursor: FeedCursor) -> FeedPage:
        with services.store.reading() as transaction:
            head = transaction.ledger.head().position
            return transaction.feed.read(cursor, FEED_BATCH, head, where)

    accepted = request.accept_mimetypes.best_match([sse.MEDIA_TYPE, NDJSON], default=sse.MEDIA_TYPE)
    if query["format"] == "ndjson" or (query["format"] is None and accepted == NDJSON):
        return Response(while_allowed(_lines(services, read, after)), content_type=NDJSON)
    return streamed(
        FEED,
        FeedCursor(last).number,
        lambda subscriber, end: sse.FeedStream(read, where, subscriber, after, services.settings, end),
        where.game_id,
    )


@blueprint.operation("GET", "/feed/schema", scope="read", limited=True, sends={JSON_SCHEMA: ()}, conditional=True)
def get_feed_schema() -> Response:
    """Get the JSON Schema of the events of the feed: their data by kind."""
    schema = standalone_schema(component_name(FeedEventJson), json_schema(FeedEventJson, _refer))
    return respond_bytes(schema, 200, JSON_SCHEMA, {})


def _refer(kind: type) -> dict[str, Any]:
    return reference(component_name(kind))


def _lines(services: Services, read: Callable[[FeedCursor], FeedPage], after: FeedCursor) -> Iterator[bytes]:
    """The events, until all were sent or so many were read, and the cursor from which to go on."""
    left, more = services.settings.max_feed, True
    while more and left > 0:
        page = read(after)
        for item in page.items:
            yield to_json(FeedEventJson.of(item))
        left -= max(len(page.items), page.after.position - after.position)
        after, more = page.after, page.more
    yield to_json(FeedEndJson(cursor=str(after), more=more))


def _filter(services: Services, query: dict[str, Any]) -> FeedFilter:
    """The filter in a query, within the limit of the caller's key.

    :raises NotFound: there is no such game, match or board, or it is outside the limit.
    """
    game_id, match, limit = query["game_id"], query["match"], current_limit()
    if limit is not None:
        check_named(services.store, limit, {"game_id": game_id, "match_id": match, "board_id": query["board"]})
        for event in query["event"] or ():
            check_event(name_key(event))
    if query["board"] is not None:
        of_board = services.boards.get(query["board"]).game
        if game_id not in (None, of_board):
            raise Invalid(f"board {query['board']} plays game {of_board}, not {game_id}: give one of the two")
        game_id = of_board
    for found in (game_id, match):
        if found is not None:
            row = services.games.row(found)
            if found == match and row.match_id != match:
                raise NotFound(f"There is no match {match!r}.")
    with services.store.reading() as transaction:
        of_games = transaction.persons.resolve(game_filter(query))
    return FeedFilter(game_id, match, query["kind"], of_games).within(limit)


def _resume_after(after: str, last: int) -> FeedCursor:
    """The cursor in ``Last-Event-ID``, else `after`; `last` is the last position of the ledger.

    :raises Invalid: it is no cursor. :raises Ahead: it is beyond the end.
    """
    text = request.headers.get("Last-Event-ID", after)
    for name, given in (("after", after), ("Last-Event-ID", text)):
        if given != END and _CURSOR.fullmatch(given) is None:
            raise Invalid(f"{name} is {given[:40]!r}: expected the cursor of an event of the feed, or {END!r}.")
    match = _CURSOR.fullmatch(text)
    if match is None:
        return FeedCursor(last)
    cursor = FeedCursor(int(match[1])) if match[2] is None else FeedCursor(int(match[1]), int(match[2]))
    if cursor.position > last:
        raise Ahead(f"The cursor {text} does not exist; the last one is {last}. Start again: `after=0`.", last=last)
    return cursor
