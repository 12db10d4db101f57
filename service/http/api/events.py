"""``/games/{id}/events``: what happens in a game, live as Server-Sent Events or so far as NDJSON."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import RAISE

from service.errors import Invalid, TooManyStreams
from service.games.repository import Games
from service.http import services
from service.http.json_views import chained_json
from service.live.publisher import Follower
from service.live.topics import BATCH, Message, board_message, event_message
from service.settings import Settings

from .games import NDJSON
from .schemas import EventsSchema
from .smorest import blueprint as make_blueprint

STREAM = "text/event-stream"
Read = Callable[[int], tuple[list[Message], Message | None]]  # at most BATCH messages after a number, and the state
RETRY_MS = 1000  # how soon a browser that lost the stream comes back

blueprint = make_blueprint("events", "What happens in a game.")


@blueprint.route("/games/<game_id>/events")
@blueprint.needs("read")
@blueprint.arguments(EventsSchema, location="query", unknown=RAISE)
@blueprint.response(
    200, description="Server-Sent Events, or NDJSON with format=ndjson", content_type="text/event-stream"
)
@blueprint.problems(404)
def get_events(asked: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Follow a game. Resumes after ``Last-Event-ID`` (or `after`)."""
    parts = services.parts()
    after = resumed(asked["after"])
    seq = parts.games.row(game_id).seq
    accepted = request.accept_mimetypes.best_match([STREAM, NDJSON], default=STREAM)
    if asked["format"] == "ndjson" or (asked["format"] is None and accepted == NDJSON):
        return Response(_lines(parts.games, game_id, after), content_type=NDJSON)
    return live(game_id, seq, lambda follower: follow(parts.games, follower, after, parts.settings, time.monotonic))


def live(topic: str, seq: int, follow: Callable[[Follower], Iterator[bytes]]) -> Response:
    """A stream for one who follows `topic`, of which `seq` is the last number.

    :raises TooManyStreams: no more can be open.
    """
    if request.method == "HEAD":
        return _stream(iter(()))
    follower, end = begin(topic, seq)
    response = _stream(follow(follower))
    response.call_on_close(end)
    return response


def _stream(messages: Iterable[bytes]) -> Response:
    response = Response(messages, content_type=STREAM)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def begin(topic: str, seq: int) -> tuple[Follower, Callable[[], None]]:
    """Somebody who follows `topic` from its number `seq` on; and what ends it, to be called once.

    :raises TooManyStreams: no more can follow.
    """
    parts = services.parts()
    if not parts.streams.acquire(blocking=False):
        raise TooManyStreams(f"{parts.settings.max_streams} live streams are open: try again in a moment")
    follower = Follower(topic, services.caller().id, request.environ.get("gunicorn.socket"))

    def end() -> None:
        parts.news.leave(follower)
        parts.streams.release()

    try:
        parts.news.follow(follower, seq)
    except BaseException:
        end()
        raise
    return follower, end


def follow(
    games: Games, follower: Follower, after: int, settings: Settings, clock: Callable[[], float]
) -> Iterator[bytes]:
    """The game's events with numbers above `after`, and its board whenever that says something new, until the follower
    is let go or ``stream_lifetime`` is over. He follows already (`Publisher.follow`)."""

    def read(after: int) -> tuple[list[Message], Message | None]:
        events, board = games.news(follower.topic, after, BATCH)
        return [event_message(event) for event in events], board_message(board)

    return tell(read, follower, after, settings, clock)


def tell(read: Read, follower: Follower, after: int, settings: Settings, clock: Callable[[], float]) -> Iterator[bytes]:
    """What there is after the number `after`, then the state, then what comes, each once."""
    born = clock()
    seen: tuple[str, int] | None = None
    yield f"retry: {RETRY_MS}\n\n".encode()
    come: list[Message] | None
    while True:
        there, state = read(after)
        if len(there) < BATCH:
            break
        yield b"".join(message.text for message in there)
        after = there[-1].seq or after
    come = there if state is None else [*there, state]
    while come is not None:
        new = []
        for message in come:
            if message.seq is not None:
                fresh, after = message.seq > after, max(message.seq, after)
            else:
                fresh, seen = message.board != seen, message.board
            if fresh:
                new.append(message.text)
        if new:
            yield b"".join(new)
        elif not come:
            yield b": still here\n\n"
        left = born + settings.stream_lifetime - clock()
        if left <= 0:
            return
        come = follower.wait(min(left, settings.stream_heartbeat))


def _lines(games: Games, game_id: str, after: int) -> Iterator[str]:
    while True:
        events, _ = games.news(game_id, after, BATCH)
        if not events:
            return
        for event in events:
            yield json.dumps(chained_json(event), ensure_ascii=False) + "\n"
        after = events[-1].seq


def resumed(after: int) -> int:
    """The number that a reader who lost the stream had last, else `after`.

    :raises Invalid: what he says is no number.
    """
    text = request.headers.get("Last-Event-ID")
    if not text:
        return after
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(f"Last-Event-ID is {text[:40]!r}: expected the number of an event")
    return int(text)
