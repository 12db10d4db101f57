"""``/games/{id}/events``: what happens in a game, live as Server-Sent Events or so far as NDJSON."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import RAISE

from .. import current
from ..errors import Invalid, TooManyStreams
from ..games import Games
from ..settings import Settings
from ..storage import BoardRow
from ..views import board_json, chained_json, event_json
from .games import NDJSON
from .schemas import EventsSchema
from .smorest import blueprint as make_blueprint

STREAM = "text/event-stream"
BATCH = 200  # events read at once
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
    parts = current.parts()
    resumed = _resumed()
    after = asked["after"] if resumed is None else resumed
    parts.games.row(game_id)
    accepted = request.accept_mimetypes.best_match([STREAM, NDJSON], default=STREAM)
    if asked["format"] == "ndjson" or (asked["format"] is None and accepted == NDJSON):
        return Response(_lines(parts.games, game_id, after), content_type=NDJSON)
    if not parts.streams.acquire(blocking=False):
        raise TooManyStreams(f"{parts.settings.max_streams} live streams are open: try again in a moment")
    gone = gone_within(request.environ, parts.stopping)
    response = Response(follow(parts.games, game_id, after, parts.settings, time.monotonic, gone), content_type=STREAM)
    response.call_on_close(parts.streams.release)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response


def follow(
    games: Games,
    game_id: str,
    after: int,
    settings: Settings,
    clock: Callable[[], float],
    gone_within: Callable[[float], bool],
) -> Iterator[str]:
    """The game's events with numbers above `after`, and its board whenever that says something new, until the reader
    has gone or ``stream_lifetime`` is over. `gone_within` waits so many seconds for the reader to go."""
    born = said = clock()
    seen: tuple[str, int] | None = None
    yield f"retry: {RETRY_MS}\n\n"
    while clock() - born < settings.stream_lifetime:
        events, board = games.news(game_id, after, BATCH)
        for event in events:
            yield _message(event.kind, event_json(event), event.seq)
            after = event.seq
        shown = None if board is None else (board.id, board.version)
        if shown != seen:
            seen = shown
            yield _message("board", _board(board))
        elif not events and clock() - said >= settings.stream_heartbeat:
            yield ": still here\n\n"
        elif not events:
            if gone_within(settings.stream_poll):
                return
            continue
        said = clock()


def gone_within(environ: Mapping[str, Any], stopping: threading.Event) -> Callable[[float], bool]:
    """What waits for the reader of this request to hang up, or for this process to be `stopping`. Writing would find
    out only much later, and until then he would hold a thread. Where the server does not show its socket it only waits.
    """
    line: socket.socket | None = environ.get("gunicorn.socket")

    def wait(seconds: float) -> bool:
        if stopping.is_set():
            return True
        if line is not None:
            if not select.select([line], [], [], seconds)[0]:
                return False
            try:
                if not line.recv(1, socket.MSG_PEEK):
                    return True
            except OSError:  # he went without a word
                return True
        time.sleep(seconds)  # there is no socket; or he has sent more, which nobody will read
        return False

    return wait


def _message(kind: str, data: object, seq: int | None = None) -> str:
    number = "" if seq is None else f"id: {seq}\n"
    return f"{number}event: {kind}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


def _board(board: BoardRow | None) -> dict[str, Any] | None:
    return None if board is None else board_json(board)


def _lines(games: Games, game_id: str, after: int) -> Iterator[str]:
    while True:
        events, _ = games.news(game_id, after, BATCH)
        if not events:
            return
        for event in events:
            yield json.dumps(chained_json(event), ensure_ascii=False) + "\n"
        after = events[-1].seq


def _resumed() -> int | None:
    """The event that a reader who lost the stream had last."""
    text = request.headers.get("Last-Event-ID")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Invalid(f"Last-Event-ID is {text[:40]!r}: expected the number of an event")
    return int(text)
