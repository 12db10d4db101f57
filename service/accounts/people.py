"""Who may do what: the people of an event, what is a person's own (``/mine``), and tokens (``/tokens``)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlsplit

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.service.disputes.view import waiting_disputes
from inkeek.service.errors import Invalid, NotFound, gettext_later as later
from inkeek.service.games.events.plan import plan_of
from inkeek.service.games.pages import games_of
from inkeek.service.games.view_models import GameCard
from inkeek.service.http.access import SCOPES, allows, needs
from inkeek.service.http.access.caller import LINK, SESSION, TOKEN
from inkeek.service.http.access.invitations import KEEPER, MAX_NIGHTS, MAX_PEOPLE, MAX_TABLE, ROLES, role_of
from inkeek.service.http.access.keys import MAX_DAYS, MAX_NAME
from inkeek.service.http.access.limiter import shown_code
from inkeek.service.http.access.limits import LIMITS
from inkeek.service.http.access.scopes import SAYS
from inkeek.service.http.addresses import is_loopback
from inkeek.service.http.api.bodies import read_form
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.language import gettext
from inkeek.service.http.names import event_of_page
from inkeek.service.http.web.base import (
    blueprint,
    qr_svg,
    render_page,
    see_other,
    shared_url,
    unchanged_or,
    wanted_path,
)
from inkeek.service.http.web.forms import read_number, shows_refusals
from inkeek.service.storage import GameEvent, GameFilter, GameRow, KeyRow
from inkeek.service.storage.search import name_key
from inkeek.service.storage.tables.feed import FeedCursor, FeedEvent, FeedFilter

from .api import NewInvitationSchema, NewTokenSchema, make_key

MAX_TABLES = 60  # invited at once
TABLES = 6  # of an event without a plan, by default


def _people(name: str, refusal: str = "") -> Response:
    key, services = event_of_page(name), current_services()
    event = services.invitations.event_name(key)
    planned = services.events.row(key)
    join_address = shared_url("web.join")
    invitations, guests = services.invitations.of_event(key)
    return render_page(
        "accounts/people.html",
        event=event,
        invitations=sorted(invitations, key=_by_table),
        guests=guests,
        roles=ROLES,
        role_of=role_of,
        has_tables=any(role_of(row.scopes) == KEEPER for row in invitations),
        keepers={name_key(guest.table): guest for guest in guests if guest.good and guest.role == KEEPER},
        refusal=refusal,
        address=address_of,
        shown_code=shown_code,
        name_key=name_key,
        join_address=join_address,
        is_far=not is_loopback(urlsplit(join_address).hostname or ""),
        tables=TABLES if planned is None else max(1, len(plan_of(planned).players) // 2),
        anyone=bool(services.keys.anyone()),
        may_open=current_limit() is None,
        most_people=MAX_PEOPLE,
        most_nights=MAX_NIGHTS,
        most_tables=MAX_TABLES,
        most_table=MAX_TABLE,
    )


def address_of(row: KeyRow) -> str:
    """The address of an invitation, for other devices."""
    return shared_url("web.join_with", code=row.code)


@blueprint.get("/events/<path:name>/people")
@needs("invite", limited=True)
def people(name: str) -> ResponseReturnValue:
    """Who was invited to an event, and who came."""
    return unchanged_or(_people(name))


@blueprint.post("/events/<path:name>/people")
@needs("invite", limited=True)
@shows_refusals(_people)
def invite(name: str) -> ResponseReturnValue:
    """Invite people: with one role, or to keep the score of each of so many tables."""
    key, form = event_of_page(name), request.form
    body = read_form(NewInvitationSchema, form)
    role, most, nights = body["role"], body["most"], body["nights"]
    invitations, giver = current_services().invitations, current_caller()
    event = invitations.event_name(key)
    tables = [body["table"]]
    if form.get("tables", "").strip():
        count = read_number(form, "tables")
        if not 1 <= count <= MAX_TABLES:
            raise Invalid("tables is %(count)s. Expected 1 to %(most)s.", field="tables", count=count, most=MAX_TABLES)
        invited = {name_key(row.table) for row in invitations.of_event(key)[0] if role_of(row.scopes) == role}
        tables = [str(number) for number in range(1, count + 1) if str(number) not in invited]
    for one in tables:
        invitations.create(role, event, one, current_write(), giver=giver, most=most, nights=nights)
    return _back(name, "invite-head")


@blueprint.post("/events/<path:name>/people/invitations/<invitation_id>")
@needs("invite", limited=True)
def withdraw_invitation(name: str, invitation_id: str) -> ResponseReturnValue:
    """Withdraw an invitation."""
    current_services().invitations.withdraw(event_of_page(name), invitation_id, current_write())
    return _back(name, "open-head")


@blueprint.post("/events/<path:name>/people/guests/<guest_id>")
@needs("invite", limited=True)
@shows_refusals(lambda name, guest_id, refusal: _people(name, refusal))
def change_guest(name: str, guest_id: str) -> ResponseReturnValue:
    """Have a guest keep the score of the table, or end what the guest may do."""
    key, invitations = event_of_page(name), current_services().invitations
    if request.form.get("do") == "keep":
        invitations.set_keeper(key, guest_id, current_write(), current_caller())
    else:
        invitations.end(key, guest_id, current_write())
    if request.form.get("back") == "event":
        return see_other("web.event", name=name, _anchor="round-head")
    return _back(name, "guests-head")


@blueprint.post("/watching")
@needs("invite")
def choose_watching() -> ResponseReturnValue:
    """Let anyone who reaches the service watch, or only who is invited."""
    current_services().keys.let_anyone_watch(request.form.get("anyone") == "yes")
    return redirect(wanted_path(), 303) if wanted_path() else _back(request.form.get("event", ""), "watching-head")


def _back(name: str, part: str) -> Response:
    """To the part of the page that was used: it does not jump to its head."""
    return see_other("web.people", name=name, _anchor=part) if name else see_other("web.events")


@blueprint.get("/events/<path:name>/cards")
@needs("invite", limited=True)
def cards(name: str) -> ResponseReturnValue:
    """A card for each table whose score is to be kept by who scans it, to print."""
    key, invitations = event_of_page(name), current_services().invitations
    rows = sorted((row for row in invitations.of_event(key)[0] if role_of(row.scopes) == KEEPER), key=_by_table)
    if not rows:
        raise NotFound("No table has an invitation yet. Make one for each table first.")
    return render_page(
        "accounts/cards.html",
        event=invitations.event_name(key),
        page=name,
        invitations=rows,
        address=address_of,
        shown_code=shown_code,
        join_address=shared_url("web.join"),
    )


def _by_table(row: KeyRow) -> tuple[bool, int, str]:
    """The order of invitations: those to keep a score first, by the number of the table."""
    return role_of(row.scopes) != KEEPER, len(row.table), row.table


MAX_LISTED = 10  # of each list
LOOKED_AT = 5000  # newest entries of the ledger among which a person's own events are found
EVENTS_READ = 1000  # of these
WROTE = {  # what people write, by the kind of the event
    "annotations": later("Comments"),
    "dispute": later("Claim"),
    "claim": later("Claim"),
    "proposal": later("Proposal"),
    "response": later("Answer"),
    "ruling": later("Ruling"),
    "appeal": later("Appeal"),
}


@blueprint.get("/mine")
@needs("read", limited=True)
def mine() -> ResponseReturnValue:
    """What is the reader's: games, comments, claims, rulings, devices."""
    return _mine_page()


@blueprint.post("/mine/device")
@needs("read", open_locally=False, limited=True, current=True)
def add_device() -> ResponseReturnValue:
    """Show a code that signs in another device as the same person. Only this response has it."""
    link, secret = current_services().devices.add_link(current_caller())
    return _mine_page(shared_url("web.sign_in", key=secret), link.expires or "")


@blueprint.post("/mine/devices/<token_id>/end")
@needs("read", open_locally=False, limited=True)
def end_device(token_id: str) -> ResponseReturnValue:
    """Sign the reader out on another device."""
    current_services().devices.end(current_caller(), token_id)
    return see_other("web.mine")


def _mine_page(address: str = "", until: str = "") -> Response:
    services, caller, limit = current_services(), current_caller(), current_limit()
    name = caller.person
    events = _own_events(name) if name else []
    played = GameFilter(player=name, within=limit)
    live, ended = ([], []) if not name else (_games(events, played, state) for state in ("live", "ended"))
    waiting = waiting_disputes(MAX_LISTED) if allows(caller.scopes, "arbiter") else []
    return render_page(
        "accounts/mine.html",
        name=name,
        live=games_of(live),
        ended=games_of(ended),
        waiting=waiting,
        wrote=_writings(events),
        devices=services.devices.others(caller),
        lets_in=services.keys.let_others_in(caller),
        address=address,
        code=qr_svg(address) if address else None,
        until=until,
        is_far=bool(address) and not is_loopback(urlsplit(address).hostname or ""),
    )


def _own_events(name: str) -> list[FeedEvent]:
    """What the person of that name did lately: began games, wrote comments, claims and rulings; newest first."""
    where = FeedFilter(kind=("created", *WROTE), actor=name).within(current_limit())
    with current_services().store.reading() as transaction:
        last = transaction.ledger.head().position
        page = transaction.feed.read(FeedCursor(max(0, last - LOOKED_AT)), EVENTS_READ, last, where)
    return page.items[::-1]


def _games(events: list[FeedEvent], played: GameFilter, state: str) -> list[GameRow]:
    """The newest games in this state which the person plays, or began."""
    games = current_services().games
    rows = {row.id: row for row in games.page(MAX_LISTED, None, replace(played, state=state))[0]}
    began = dict.fromkeys(item.event.game for item in events if item.event.kind == "created")
    rows |= {row.id: row for row in map(games.row, [*began][:MAX_LISTED]) if row.state == state}
    return sorted(rows.values(), key=lambda row: row.created, reverse=True)[:MAX_LISTED]


def _writings(events: list[FeedEvent]) -> list[tuple[GameEvent, str, GameCard, str]]:
    """The last events with a text, one of each kind for a game: each with what it is, the game, and where it stands.
    What an analysis wrote is nobody's."""
    found: dict[tuple[str, str], FeedEvent] = {}
    for item in events:
        if item.event.kind in WROTE and not item.event.data.get("analysis"):
            found.setdefault((item.event.game, item.event.kind), item)
    writings = []
    for (game_id, kind), item in [*found.items()][:MAX_LISTED]:
        url = url_for("web.review", game_id=game_id)
        if kind == "dispute":
            url = url_for("web.dispute", game_id=game_id, seq=item.event.seq)
        (game,) = games_of([current_services().games.row(game_id)])
        writings.append((item.event, gettext(WROTE[kind]), game, url))
    return writings


KINDS = {TOKEN: later("token"), SESSION: later("session"), LINK: later("link")}


@blueprint.get("/tokens")
@needs("read", limited=True, current=True)
def tokens() -> ResponseReturnValue:
    """Who the caller is; for administrators also all tokens and sessions, and a form for a new one."""
    return _tokens_page()


@blueprint.post("/tokens")
@needs("admin", current=True)
@shows_refusals(lambda refusal: _tokens_page(refusal))
def create_token() -> ResponseReturnValue:
    """Create a token, or a link that signs a browser in. Only this response has the secret."""
    form, is_link = request.form, request.form.get("kind") == LINK
    kind, value = form.get("limit_kind", ""), form.get("limit", "").strip()
    if value and not kind:
        raise Invalid(
            "limit is %(text)r, and the key could do everything. Choose what it names.",
            text=value[:40],
            field="limit_kind",
        )
    limited = {"kind": kind, "value": value} if kind else None
    body = read_form(NewTokenSchema, {**form, "scopes": form.getlist("scope"), "limit": limited})
    if is_link and body["days"]:
        raise Invalid(
            "days is %(text)r, and a link expires within minutes. Leave it empty.", text=body["days"], field="days"
        )
    key, secret = make_key(body, timedelta(seconds=current_services().settings.link_lifetime) if is_link else None)
    shown = shared_url("web.sign_in", key=secret) if is_link else secret
    return _tokens_page(secret=shown, made=f"{key.name} ({', '.join(key.scopes)})")


@blueprint.post("/tokens/<token_id>/rotate")
@needs("admin", current=True)
@shows_refusals(lambda token_id, refusal: _tokens_page(refusal))
def rotate_token(token_id: str) -> ResponseReturnValue:
    """Replace the secret of a token at once. Only this response has the new one."""
    key, secret = current_services().keys.rotate(token_id, by=current_caller())
    return _tokens_page(secret=secret, made=f"{key.name} ({', '.join(key.scopes)})")


@blueprint.post("/tokens/<token_id>/revoke")
@needs("admin", current=True)
@shows_refusals(lambda token_id, refusal: _tokens_page(refusal))
def revoke_token(token_id: str) -> ResponseReturnValue:
    """Revoke a token or a session at once."""
    current_services().keys.revoke(token_id, keep_admin=True, by=current_caller())
    return see_other("web.tokens")


def _tokens_page(refusal: str = "", secret: str = "", made: str = "") -> Response:
    services, caller = current_services(), current_caller()
    listed = services.keys.list() if allows(caller.scopes, "admin") else []
    return render_page(
        "accounts/tokens.html",
        me=services.keys.get(caller.id) if caller.id else None,
        rows=[(key, services.keys.is_good(key)) for key in reversed(listed)],
        scopes=[(scope, SAYS[scope]) for scope in SCOPES],
        kinds=KINDS,
        limits=LIMITS,
        max_name=MAX_NAME,
        max_days=MAX_DAYS,
        refusal=refusal,
        secret=secret,
        made=made,
    )
