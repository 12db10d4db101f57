"""Joining an event or a game: the code, the page of an invitation, and the place of who has joined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.service.errors import Conflict, Invalid, NotFound
from inkeek.service.games.events.plan import plan_of
from inkeek.service.http.access import needs
from inkeek.service.http.access.guard import set_cookie
from inkeek.service.http.access.guesses import read_code
from inkeek.service.http.access.keys import MAX_NAME
from inkeek.service.http.access.roles import KEEPER, ROLES, WATCH, role_of
from inkeek.service.http.context import current_caller, current_services
from inkeek.service.http.language import error_text
from inkeek.service.http.names import hidden_names
from inkeek.service.http.web.base import blueprint, render_page, see_other, unchanged_or, wanted_path
from inkeek.service.http.web.games.pages import games_of
from inkeek.service.http.web.games.view_models import GameCard
from inkeek.service.storage import GameFilter, GameRow, KeyRow
from inkeek.service.storage.search import NAMELESS, name_key, table_of

LOOKED_AT = 200  # newest games of an event among which its tables and players are found
MOST_NAMES = 128  # offered as buttons: all players of an event


@dataclass(frozen=True, slots=True)
class InvitedPlace:
    """What an invitation leads to: the game at its table, the names that are likely and the one that is the likeliest,
    and the other tables."""

    invitation: KeyRow
    game: GameCard | None
    names: tuple[str, ...]
    likely: str
    others: tuple[tuple[str, str], ...]
    keeper: str
    has_games: bool


@blueprint.get("/join")
@needs("open")
def join() -> ResponseReturnValue:
    """Ask for a code; a guest sees their place."""
    code = request.args.get("code", "").strip()
    if code:
        if read_code(code):
            return redirect(url_for("web.join_with", code=read_code(code), next=wanted_path() or None))
        return _page(
            refusal=error_text(Invalid("%(text)r is not a code. A code looks like K7PM-3XQ9.", text=code[:20])),
            typed=code[:20],
        )
    found = current_services().invitations.place(current_caller())
    return _page() if found is None else unchanged_or(_page(_place_of(found[0]), me=True))


@blueprint.post("/join")
@needs("read", limited=True)
def ask_to_keep() -> ResponseReturnValue:
    """Ask to keep the score of the table, which somebody else does."""
    current_services().invitations.ask(current_caller())
    return see_other("web.join")


@blueprint.get("/join/<code>")
@needs("open")
def join_with(code: str) -> ResponseReturnValue:
    """Show an invitation. Fetching it changes nothing: previews, robots and images fetch addresses too."""
    try:
        row = current_services().invitations.find(code, request.remote_addr)
    except NotFound as error:
        return _page(refusal=error_text(error)), 404
    return _page(_place_of(row), me=_came_with(row))


@blueprint.post("/join/<code>")
@needs("open")
def join_as(code: str) -> ResponseReturnValue:
    """Join with an invitation, and store the session in the browser."""
    services, form = current_services(), request.form
    try:
        row = services.invitations.find(code, request.remote_addr)
    except NotFound as error:
        return _page(refusal=error_text(error)), 404
    if _came_with(row):
        return redirect(wanted_path() or url_for("web.join"), 303)
    name = " ".join((form.get("other", "").strip() or form.get("name", "")).replace('"', "’").replace(":", " ").split())
    if not name:
        return _page(_place_of(row), error_text(Invalid("Choose your name, or write it."))), 422
    if _left_alone(row) and form.get("leave") != "yes":
        return _page(_place_of(row)), 409
    try:
        key, session, lifetime = services.invitations.join(
            row.id, name, watches=form.get("do") == WATCH, caller=current_caller()
        )
    except (Invalid, Conflict) as error:
        return _page(_place_of(row), error_text(error)), error.status
    place = _place_of(row)
    if wanted_path():
        return _joined(wanted_path(), session, lifetime)
    if place.game is None or key.asked:
        return _joined(url_for("web.join"), session, lifetime)
    return _joined(url_for("web.game", game_id=place.game.id), session, lifetime)


def _came_with(row: KeyRow) -> bool:
    """Whether the caller has joined with this invitation."""
    found = current_services().invitations.place(current_caller())
    return found is not None and found[0].id == row.id


def _left_alone(row: KeyRow) -> str:
    """The table whose going game nobody would keep if the caller joined with this invitation; empty: none."""
    before = current_services().invitations.left_alone(current_caller(), row)
    game = None if before is None else _place_of(before).game
    return before.table if before and game and game.row.ply and game.row.state == "live" else ""


def _joined(url: str, session: str, lifetime: timedelta) -> Response:
    response = redirect(url, 303)
    assert isinstance(response, Response)
    set_cookie(response, session, lifetime)
    return response


def _page(place: InvitedPlace | None = None, refusal: str = "", *, me: bool = False, typed: str = "") -> Response:
    caller, services = current_caller(), current_services()
    key = services.keys.get(caller.id) if me else None
    return render_page(
        "accounts/join.html",
        place=place,
        refusal=refusal,
        typed=typed,
        wanted=wanted_path(),
        me=key,
        role=None if place is None else ROLES[role_of((key or place.invitation).scopes)],
        invited="" if place is None else role_of(place.invitation.scopes),
        keeps=key is not None and role_of(key.scopes) == KEEPER,
        left_alone="" if place is None or me else _left_alone(place.invitation),
        max_name=MAX_NAME,
        shows_others=bool(caller.id or services.keys.anyone()),
    )


def _place_of(row: KeyRow) -> InvitedPlace:
    services, event = current_services(), name_key(row.event)
    if row.game:
        (game,) = games_of([services.games.row(row.game)])
        return InvitedPlace(row, game, tuple(_names(_played([game.row]))), "", (), "", False)
    rows, _ = services.games.page(LOOKED_AT, None, GameFilter(event=event))
    rows = sorted(rows, key=lambda game: game.state != "live")  # newest first, live ones before
    planned = services.events.row(event)
    if planned is not None and plan_of(planned).rounds:
        rows = plan_of(planned).at_tables(rows)
    here = [game for game in rows if row.table and table_of(game.tags) == name_key(row.table)]
    players = [player.name for player in plan_of(planned).players] if planned else []
    planned_keys = {name_key(name) for name in players}
    names = _names([*_played(here[:1]), *(players or _played(rows))])[:MOST_NAMES]
    names = [name for name in names if not players or name_key(name) in planned_keys]  # as they are spelt now
    joined = {name_key(guest.key.name) for guest in services.invitations.of_event(event)[1] if guest.good}
    planned_here = planned_keys.intersection(map(name_key, _played(here[:1])))
    left = [name for name in names if name_key(name) in planned_here - joined]
    return InvitedPlace(
        row,
        games_of(here[:1])[0] if here else None,
        tuple(names),
        left[0] if len(left) == 1 else "",
        tuple(_other_tables(rows, name_key(row.table))),
        services.invitations.keeper(row.event, row.table) if row.table else "",
        bool(rows),
    )


def _played(rows: Iterable[GameRow]) -> list[str]:
    """The players of these games, in the order in which a board has them from above."""
    return [row.tags.get(side, "") for row in rows for side in ("North", "South")]


def _names(names: Iterable[str]) -> list[str]:
    """Those of these names that can be offered, each once; who is shown by initials writes their name."""
    found: dict[str, str] = {}
    for name in (" ".join(name.split()) for name in names):
        if name_key(name) not in (*NAMELESS, *hidden_names()) and len(name) <= MAX_NAME:
            found.setdefault(name_key(name), name)
    return list(found.values())


def _other_tables(rows: Sequence[GameRow], table: str) -> list[tuple[str, str]]:
    """The other tables at which a game goes on, and its id."""
    found: dict[str, str] = {}
    for row in rows:
        if row.state == "live" and table_of(row.tags) not in ("", table):
            found.setdefault(table_of(row.tags), row.id)
    return sorted(found.items(), key=lambda one: (len(one[0]), one[0]))
