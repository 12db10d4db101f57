"""``/games/{id}/events``: the events of a game, as a live stream or as NDJSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import fields

from inkeek.service.errors import Ahead, Invalid
from inkeek.service.games.repository import Games
from inkeek.service.http import sse
from inkeek.service.http.answers.boards import BoardJson
from inkeek.service.http.answers.games import ChainedEventJson, EventJson
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.games.schemas import EventsSchema
from inkeek.service.http.api.games.views import NDJSON
from inkeek.service.http.api.responses import to_json, while_allowed
from inkeek.service.http.context import current_right, current_sender, current_services, on_hang_up
from inkeek.service.live.publisher import Subscriber
from inkeek.service.live.topics import BATCH, Update
from inkeek.service.processes.places import Places

blueprint = ApiBlueprint("events", "The events of a game.")


@blueprint.operation(
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
    give_back = (services.streams if places is None else places).take(current_sender())
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
            raise Invalid(f"`Last-Event-ID` is {text[:40]!r}. Expected the number of an event.")
        after = int(text)
    if after > last:
        message = f"Event {after} does not exist; the last one is {last}. Read again from the start: `after=0`."
        raise Ahead(message, last=last)
    return after
