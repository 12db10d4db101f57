"""The organizer's page of an event: invitations, who joined, who keeps which table's score; cards to print."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Response, redirect, request
from flask.typing import ResponseReturnValue

from inkeek.service.errors import Invalid, NotFound
from inkeek.service.games.events.plan import plan_of
from inkeek.service.http.access import needs
from inkeek.service.http.access.guesses import shown_code
from inkeek.service.http.access.invitations import MAX_NIGHTS, MAX_PEOPLE, MAX_TABLE
from inkeek.service.http.access.roles import KEEPER, ROLES, role_of
from inkeek.service.http.addresses import is_loopback
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.names import check_event, key_of_page
from inkeek.service.http.web.base import blueprint, render_page, see_other, shared_url, unchanged_or, wanted_path
from inkeek.service.http.web.events.hall import qr_svg
from inkeek.service.http.web.forms import read_number, shows_refusals
from inkeek.service.storage import KeyRow
from inkeek.service.storage.search import name_key

MAX_TABLES = 60  # invited at once
TABLES = 6  # of an event without a plan, by default


def _people(name: str, refusal: str = "") -> Response:
    key, services = check_event(key_of_page(name, "event")), current_services()
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
        qr_svg=qr_svg,
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
    key, form = check_event(key_of_page(name, "event")), request.form
    role, table = form.get("role", ""), form.get("table", "").strip()
    most = read_number(form, "most") if form.get("most", "").strip() else None
    nights = read_number(form, "nights") if form.get("nights", "").strip() else 1
    invitations, giver = current_services().invitations, current_caller()
    event = invitations.event_name(key)
    tables = [table]
    if form.get("tables", "").strip():
        count = read_number(form, "tables")
        if not 1 <= count <= MAX_TABLES:
            raise Invalid("tables is %(count)s. Expected 1 to %(most)s.", count=count, most=MAX_TABLES)
        invited = {name_key(row.table) for row in invitations.of_event(key)[0] if role_of(row.scopes) == role}
        tables = [str(number) for number in range(1, count + 1) if str(number) not in invited]
    for one in tables:
        invitations.create(role, event, one, current_write(), giver=giver, most=most, nights=nights)
    return _back(name, "invite-head")


@blueprint.post("/events/<path:name>/people/invitations/<invitation_id>")
@needs("invite", limited=True)
def withdraw_invitation(name: str, invitation_id: str) -> ResponseReturnValue:
    """Withdraw an invitation."""
    current_services().invitations.withdraw(check_event(key_of_page(name, "event")), invitation_id, current_write())
    return _back(name, "open-head")


@blueprint.post("/events/<path:name>/people/guests/<guest_id>")
@needs("invite", limited=True)
@shows_refusals(lambda name, guest_id, refusal: _people(name, refusal))
def change_guest(name: str, guest_id: str) -> ResponseReturnValue:
    """Have a guest keep the score of the table, or end what the guest may do."""
    key, invitations = check_event(key_of_page(name, "event")), current_services().invitations
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
    key, invitations = check_event(key_of_page(name, "event")), current_services().invitations
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
        qr_svg=qr_svg,
        join_address=shared_url("web.join"),
    )


def _by_table(row: KeyRow) -> tuple[bool, int, str]:
    """The order of invitations: those to keep a score first, by the number of the table."""
    return role_of(row.scopes) != KEEPER, len(row.table), row.table
