"""The hall: a round's boards on one page and on a wall, a game in a frame, QR codes, score sheets."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.service.boards.view_models import BoardReport, board_view
from inkeek.service.errors import Invalid, NotFound
from inkeek.service.games.events.plan import counts_in, plan_of
from inkeek.service.games.events.results import is_unplayed
from inkeek.service.games.events.standings import EventStandings, load_standings
from inkeek.service.games.pages import games_of
from inkeek.service.games.view_models import GameCard, set_ups
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_limit, current_services, known_ruleset
from inkeek.service.http.names import event_of_page, page_name
from inkeek.service.http.request_log import SECURITY_HEADERS
from inkeek.service.http.web.base import (
    blueprint,
    feed_address,
    feed_end,
    qr_code,
    render_page,
    shared_url,
    unchanged_or,
)
from inkeek.service.http.web.labels import tag_value
from inkeek.service.storage import GameFilter, GameRow
from inkeek.service.storage.search import players_of

from .evening import follows_boards

MOST = 24  # boards on a page
MOST_ON_WALL = 72  # of which it shows some at a time
LOOKED_AT = 500  # newest games of an event among which its rounds are found
TURNS = 60  # rows of an empty score sheet


@blueprint.get("/events/<path:name>/hall")
@needs("read", limited=True)
def hall(name: str) -> ResponseReturnValue:
    """The boards of a round of an event, live."""
    return _hall(name, "hall")


@blueprint.get("/events/<path:name>/wall")
@needs("read", limited=True)
def wall(name: str) -> ResponseReturnValue:
    """The same for a wall, with the standings: large and dark, with nothing around."""
    return unchanged_or(_hall(name, "wall"))


@blueprint.get("/games/<game_id>/embed")
@needs("read")
def embed(game_id: str) -> ResponseReturnValue:
    """A game for a frame of another site's page."""
    after = feed_end()
    page = _page("embed", [current_services().games.row(game_id)], after, {"game_id": game_id})
    frames = f"frame-ancestors 'self' {current_services().settings.frame_ancestors}".strip()
    policy = SECURITY_HEADERS["Content-Security-Policy"]
    page.headers["Content-Security-Policy"] = policy.replace("frame-ancestors 'none'", frames)
    return page


@blueprint.get("/games/<game_id>/qr.svg")
@needs("read")
def game_qr(game_id: str) -> ResponseReturnValue:
    """The address of a game as a QR code."""
    current_services().games.row(game_id)
    code = qr_code(shared_url("web.game", game_id=game_id))
    if code is None:
        raise NotFound("This address is too long for a QR code.")
    file = io.BytesIO()
    code.save(file, kind="svg", scale=8, light="#fff")
    return Response(file.getvalue(), content_type="image/svg+xml")


@blueprint.get("/address")
@needs("read", limited=True)
def address() -> ResponseReturnValue:
    """The address of the service for other people's devices: pages with codes look whether it has changed."""
    return {"address": shared_url("web.games")}, {"Cache-Control": "no-store"}


@blueprint.get("/rules/<ruleset_id>/score-sheet")
@needs("open")
def score_sheet(ruleset_id: str) -> ResponseReturnValue:
    """An empty score sheet to print."""
    info = known_ruleset(ruleset_id)
    starts = set_ups(info)
    start = next((start for start in starts if start.value == request.args.get("start")), starts[0])
    return render_page("events/score_sheet.html", info=info, start=start, starts=starts, turns=range(1, TURNS + 1))


def _hall(name: str, kind: str) -> Response:
    key, services = event_of_page(name), current_services()
    after = feed_end()
    rows, _ = services.games.page(LOOKED_AT, None, GameFilter(event=key, within=current_limit()))
    planned = services.events.row(key)
    if not rows and planned is None:
        raise NotFound("No game has the event %(key)r.", key=key[:80])
    written = rows[0].tags["Event"] if planned is None else plan_of(planned).name
    rows = [row for row in rows if any(players_of(row.tags)[1:]) or not is_unplayed(row)]
    rows = [*filter(counts_in(None), rows)] if planned is None else plan_of(planned).at_tables(rows)
    rounds = sorted({round_of(row) for row in rows}, key=in_order)
    chosen = request.args.get("round")
    if chosen is None:
        chosen = next((round_of(row) for row in rows if row.state == "live"), round_of(rows[0]) if rows else "")
    found = [row for row in rows if round_of(row) == chosen]
    found.sort(key=lambda row: (in_order(tag_value(row.tags, "Board").strip()), row.created, row.id))
    most = MOST_ON_WALL if kind == "wall" else MOST
    return _page(
        kind,
        found[:most],
        after,
        {"event": key},
        name=written,
        rounds=rounds,
        chosen=chosen,
        hidden=max(0, len(found) - most),
        address=shared_url("web.hall", name=page_name(key), round=chosen or None),
        standings=_standings(key) if kind == "wall" else None,
    )


def _standings(key: str) -> EventStandings | None:
    """The standings of an event; None if it has too many games."""
    services = current_services()
    try:
        return load_standings(services.store, key, services.settings.max_event_games)
    except Invalid:
        return None


def _page(kind: str, rows: Sequence[GameRow], after: int, which: dict[str, Any], **values: Any) -> Response:
    feed = feed_address(after, **which)
    empty: dict[str, Any] = {"name": "", "rounds": (), "chosen": "", "hidden": 0, "address": "", "standings": None}
    games = games_of(rows)
    shown = {
        "games": games,
        "reports": _reports(games),
        "feed": feed,
        "follows_boards": kind == "hall" and follows_boards(),
        "shared_url": shared_url,
    }
    return render_page("events/hall.html", kind=kind, **shown, **{**empty, **values})


def _reports(games: Sequence[GameCard]) -> dict[str, BoardReport]:
    boards = {board.game: board for board in current_services().boards.open(current_limit())}
    return {game.id: board_view(boards[game.id], game.position) for game in games if game.id in boards}


def round_of(row: GameRow) -> str:
    """The round of a game; empty without one."""
    found = row.tags.get("Round", "").strip()
    return "" if found in ("?", "-") else found


def in_order(text: str) -> list[tuple[int, int | str]]:
    """Orders rounds and tables as people count: A2 before A10, and 3 before the final."""
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in re.split("([0-9]+)", text) if part]
