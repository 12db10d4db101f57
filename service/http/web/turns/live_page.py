"""The live page: the game as it stands, and turns played without scripts."""

from __future__ import annotations

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.records import Move, Position
from inkeek.service.errors import Invalid
from inkeek.service.games.validation import may_arrange
from inkeek.service.http.access import allows, needs
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.web.base import blueprint, render_page, see_other, view_name
from inkeek.service.http.web.feed_address import feed_address, feed_end
from inkeek.service.http.web.forms import read_number, shows_refusals, tag_fields, whole_or_none
from inkeek.service.http.web.games import view_models
from inkeek.service.http.web.games.view_models import GameCard
from inkeek.service.http.web.suggestions import name_hints
from inkeek.service.storage import GameFilter, GameRow, covers, event_of
from inkeek.service.storage.search import name_key, players_of, table_and_event, table_of

from .lay_out import board_fields, lay_out_form

LOOKED_AT = 200  # newest games that go on in an event, among which the next one at a table is found


def live_page(game_id: str, refusal: str | None = None) -> Response:
    """The live page, with why something was refused."""
    services, limit = current_services(), current_caller().limit
    snapshot, feed, following = services.games.load(game_id), "", None
    event, table = event_of(snapshot.row.tags), table_of(snapshot.row.tags)
    if limit is not None and limit.kind == "table" and _plays(snapshot.row):
        table = name_key(table_and_event(limit)[0])  # players go on where they play next
    if snapshot.row.state == "ended" and event and table:  # the next game at the table matters too
        feed = feed_address(feed_end(), event=event)
        snapshot = services.games.load(game_id)
        live, _ = services.games.page(LOOKED_AT, None, GameFilter(event=event, state="live", within=current_limit()))
        here = [row for row in live if table_of(row.tags) == table and row.created >= snapshot.row.created]
        following = GameCard(here[0]) if here else None
    view = view_models.game_view(snapshot)
    near = view_models.view_side(request.args.get("view"))
    laid = lay_out_form(snapshot, view.position, request.form) if view.may_enter else None
    missed = _board_after_gap(view)
    may_write = allows(current_caller().scopes, "record")
    shown = {"view": view, "game": snapshot, "near": int(near), "view_name": view_name(near)}
    disputed = request.args.get("dispute", type=whole_or_none)
    entered = {"disputed": disputed, "lay_out": laid, "missed": missed and board_fields(missed)}
    may_name = may_write and may_arrange(limit)
    hints = name_hints(snapshot.row.tags) if "names" in request.args and may_name else ()
    asks = may_name and view.ended and not any(players_of(snapshot.row.tags))
    named = {"name_hints": hints, "asks_names": asks, "tag_fields": tag_fields(snapshot.row.tags)}
    leads = following is not None and limit is not None and limit.kind == "table" and covers(limit, following.row)
    next_game = {"feed": feed, "following": following, "leads": leads}
    series = services.matches.games_with(snapshot.row)
    return render_page("turns/live.html", refusal=refusal, match_games=series, **next_game, **named, **shown, **entered)


def _board_after_gap(view: view_models.GamePage) -> Position | None:
    """What a board that reports the turns says of where turns led that nobody saw, if that is all there is to know: it
    does not say which pits are special."""
    board, is_asked = view.board, not (view.ended or view.dispute or view.may_enter)
    return board.measured if board and board.measures_all and is_asked and "special" not in view.terms else None


def _plays(row: GameRow) -> bool:
    """Whether the caller is a player of the game, by whatever name it is stored with."""
    with current_services().store.reading() as transaction:
        owner = transaction.persons.owner
        return owner(name_key(current_caller().name)) in map(owner, players_of(row.tags))


@blueprint.get("/games/<game_id>/live")
@needs("read")
def live(game_id: str) -> ResponseReturnValue:
    """The game as it stands, with its board."""
    return live_page(game_id)


@blueprint.post("/games/<game_id>/live")
@needs("record")
@shows_refusals(live_page)
def play(game_id: str) -> ResponseReturnValue:
    """Play a turn, for browsers without scripts; the script uses the API."""
    text = request.form.get("move", "").strip()
    if not text:
        raise Invalid("No move was given. Choose a pit or type the move.")
    write = current_write(expected_ply=read_number(request.form, "ply"))
    current_services().games.play(game_id, Move.parse(text), write)
    return see_other("web.live", game_id=game_id, view=request.args.get("view"))
