"""The events of a game, and the feed of all games, each as a live stream or as NDJSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import fields, validate

from inkeek.service.boards.answers import BoardJson
from inkeek.service.errors import Ahead, Invalid, NotFound
from inkeek.service.games.answers import (
    CURSOR,
    ChainedEventJson,
    EventJson,
    FeedEndJson,
    FeedEventJson,
    standalone_schema,
)
from inkeek.service.games.api import NDJSON, game_filter
from inkeek.service.games.event_kinds import KINDS
from inkeek.service.games.repository import Games
from inkeek.service.games.schemas import EventsSchema, HeartbeatSchema, OfGamesByRulesetSchema, filter_field
from inkeek.service.http import sse
from inkeek.service.http.access.limits import check_named
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import AnyOf, id_field, text_field
from inkeek.service.http.api.responses import respond_bytes, to_json, while_allowed
from inkeek.service.http.context import current_limit, current_right, current_sender, current_services, on_hang_up
from inkeek.service.http.names import check_event
from inkeek.service.http.services import Services
from inkeek.service.http.shape import component_name, json_schema, reference
from inkeek.service.processes.places import Places
from inkeek.service.storage.search import name_key
from inkeek.service.storage.tables.feed import FeedCursor, FeedFilter, FeedPage

from .publisher import Subscriber
from .topics import BATCH, FEED, FEED_BATCH, Update

events_blueprint = ApiBlueprint("events", "The events of a game.")


@events_blueprint.operation(
    "GET",
    "/games/<game_id>/events",
    scope="read",
    query=EventsSchema,
    sends={sse.MEDIA_TYPE: (EventJson, BoardJson, None), NDJSON: (ChainedEventJson,)},
    resumes=True,
)
def get_events(query: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Follow a game. Resumes after ``Last-Event-ID`` (or `after`)."""
    games = current_services().games
    seq = games.row(game_id).seq
    after = resume_after(query["after"], seq)
    accepted = request.accept_mimetypes.best_match([sse.MEDIA_TYPE, NDJSON], default=sse.MEDIA_TYPE)
    if query["format"] == "ndjson" or (query["format"] is None and accepted == NDJSON):
        return Response(while_allowed(_lines(games, game_id, after)), content_type=NDJSON)
    return stream_response(game_id, seq, reader(games, game_id), after)


def reader(games: Games, game_id: str) -> sse.Read:
    """Reads the stored events of a game and the state of its board."""

    def read(after: int) -> tuple[Iterable[Update], Iterable[Update]]:
        events, board = games.news(game_id, after, BATCH)
        return events, [board]

    return read


def stream_response(topic: str, seq: int, read: sse.Read, after: int) -> Response:
    """A live stream of `topic`, whose last number is `seq`, for a client that knows everything up to `after`.

    :raises TooManyStreams: no more streams can be open.
    """
    settings = current_services().settings
    return streamed(topic, seq, lambda subscriber, end: sse.LiveStream(read, subscriber, after, settings, end))


def streamed(
    topic: str,
    seq: int,
    stream: Callable[[Subscriber, Callable[[], None]], sse.LiveStream],
    game_id: str | None = None,
) -> Response:
    """A live stream of `topic`, whose last number is `seq`. `stream` makes it of a subscriber and of what ends it.
    `game_id`: the only game that it is about, if the path does not say so.

    :raises TooManyStreams: no more streams can be open.
    """
    if request.method == "HEAD":
        response = Response(iter(()), content_type=sse.MEDIA_TYPE)
    else:
        # The web server gets the stream itself: it has ways of its own to serve it.
        live = stream(*subscribe(topic, seq, game_id=game_id))
        live.shows_heartbeats = request.args.get("heartbeat") in fields.Boolean.truthy
        response = Response(live, content_type=sse.MEDIA_TYPE, direct_passthrough=True)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def subscribe(
    topic: str, seq: int, places: Places | None = None, game_id: str | None = None
) -> tuple[Subscriber, Callable[[], None]]:
    """Subscribe the caller to `topic` from number `seq` on. Returns also the function that ends it, to be called once.

    It takes one of `places`, by default of those for live streams. `game_id`: as for `streamed`.

    :raises TooManyStreams: no more streams can be open.
    """
    services = current_services()
    give_back = (services.places.streams if places is None else places).take(current_sender())
    subscriber = Subscriber(topic, current_right(game_id))
    on_hang_up(subscriber.close)

    def end() -> None:
        services.publisher.unsubscribe(subscriber)
        give_back()

    try:
        services.publisher.subscribe(subscriber, seq)
    except BaseException:
        end()
        raise
    return subscriber, end


def _lines(games: Games, game_id: str, after: int) -> Iterator[bytes]:
    while True:
        events, _ = games.news(game_id, after, BATCH)
        if not events:
            return
        for event in events:
            yield to_json(ChainedEventJson.of(event))
        after = events[-1].seq


def resume_after(after: int, last: int) -> int:
    """The number in ``Last-Event-ID``, else `after`; `last` is the number of the last event.

    :raises Invalid: the header is not a number. :raises Ahead: the number is above the last one.
    """
    text = request.headers.get("Last-Event-ID")
    if text is not None:
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise Invalid(f"`Last-Event-ID` is {text[:40]!r}. Expected the number of an event.", field="Last-Event-ID")
        after = int(text)
    if after > last:
        message = f"Event {after} does not exist; the last one is {last}. Read again from the start: `after=0`."
        raise Ahead(message, last=last)
    return after


JSON_SCHEMA = "application/schema+json"
END = "end"  # as a cursor: the end of the feed
_CURSOR = re.compile(r"([0-9]{1,18})(?:\.([0-9]{1,9}))?", re.ASCII)

feed_blueprint = ApiBlueprint("feed", "The events of all games.")


class FeedSchema(OfGamesByRulesetSchema, HeartbeatSchema):
    """Which events, and from where."""

    after = text_field(f"{CURSOR}|end", 1, 40, "a cursor of the feed; end: only what comes now", load_default="0")
    format = fields.String(load_default=None, validate=validate.OneOf(("sse", "ndjson")))
    game_id = id_field(load_default=None)
    match = id_field("id of a match", load_default=None)
    board = id_field("id of a board: its game", load_default=None)
    kind = AnyOf(filter_field("kind of event", validate.OneOf(tuple(KINDS))))


@feed_blueprint.operation(
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
        return Response(while_allowed(_feed_lines(services, read, after)), content_type=NDJSON)
    return streamed(
        FEED,
        FeedCursor(last).number,
        lambda subscriber, end: sse.FeedStream(read, where, subscriber, after, services.settings, end),
        where.game_id,
    )


@feed_blueprint.operation("GET", "/feed/schema", scope="read", limited=True, sends={JSON_SCHEMA: ()}, conditional=True)
def get_feed_schema() -> Response:
    """Get the JSON Schema of the events of the feed: their data by kind."""
    schema = json_schema(FeedEventJson, lambda kind: reference(component_name(kind)))
    document = standalone_schema(component_name(FeedEventJson), schema)
    return respond_bytes(document, 200, JSON_SCHEMA, {})


def _feed_lines(services: Services, read: Callable[[FeedCursor], FeedPage], after: FeedCursor) -> Iterator[bytes]:
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
    """:raises NotFound: there is no such game, match or board, or it is outside the limit."""
    game_id, match, limit = query["game_id"], query["match"], current_limit()
    if limit is not None:
        check_named(services.store, limit, {"game_id": game_id, "match_id": match, "board_id": query["board"]})
        for event in query["event"] or ():
            check_event(name_key(event))
    if query["board"] is not None:
        of_board = services.boards.get(query["board"]).game
        if game_id not in (None, of_board):
            raise Invalid(
                f"board {query['board']} plays game {of_board}, not {game_id}: give one of the two", field="board"
            )
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
    """:raises Invalid: it is no cursor. :raises Ahead: it is beyond `last`, the last position of the ledger."""
    text = request.headers.get("Last-Event-ID", after)
    for name, given in (("after", after), ("Last-Event-ID", text)):
        if given != END and _CURSOR.fullmatch(given) is None:
            raise Invalid(
                f"{name} is {given[:40]!r}: expected the cursor of an event of the feed, or {END!r}.", field=name
            )
    match = _CURSOR.fullmatch(text)
    if match is None:
        return FeedCursor(last)
    cursor = FeedCursor(int(match[1])) if match[2] is None else FeedCursor(int(match[1]), int(match[2]))
    if cursor.position > last:
        raise Ahead(f"The cursor {text} does not exist; the last one is {last}. Start again: `after=0`.", last=last)
    return cursor
