"""The first page; signing in and out; joining an event or a game, and the place of who has joined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.service.errors import Conflict, Invalid, NotFound
from inkeek.service.games.events.plan import plan_of
from inkeek.service.games.library.transfer import import_games
from inkeek.service.games.pages import games_of
from inkeek.service.games.view_models import GameCard
from inkeek.service.http.access import needs
from inkeek.service.http.access.caller import LINK, SESSION, UNNAMED
from inkeek.service.http.access.guard import drop_cookie, set_cookie
from inkeek.service.http.access.invitations import KEEPER, ROLES, WATCH, role_of
from inkeek.service.http.access.keys import MAX_NAME
from inkeek.service.http.access.limiter import read_code
from inkeek.service.http.addresses import is_loopback, sign_in_url
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.language import error_text, gettext
from inkeek.service.http.names import hidden_names
from inkeek.service.http.web.base import (
    blueprint,
    qr_svg,
    render_page,
    see_other,
    shared_url,
    unchanged_or,
    wanted_path,
)
from inkeek.service.http.web.forms import shows_refusals
from inkeek.service.processes.certificate import own_certificate_path
from inkeek.service.settings import ENCRYPTED, PLAIN
from inkeek.service.storage import GameFilter, GameRow, KeyRow
from inkeek.service.storage.search import NAMELESS, name_key, table_of

# What names a browser and its system in the header User-Agent; the first that is there counts, as others pretend.
BROWSERS = {
    "Edg": "Edge", "OPR": "Opera", "SamsungBrowser": "Samsung Internet", "FxiOS": "Firefox", "Firefox": "Firefox",
    "CriOS": "Chrome", "Chrome": "Chrome", "Safari": "Safari",
}  # fmt: skip
SYSTEMS = {
    "iPhone": "iPhone", "iPad": "iPad", "Android": "Android", "CrOS": "ChromeOS", "Windows": "Windows",
    "Macintosh": "Mac", "Linux": "Linux",
}  # fmt: skip


def _device_name() -> str:
    """What the device of the request may be called: “Firefox on Android”; empty if it does not say."""
    agent = request.user_agent.string
    browser, system = (next((names[word] for word in names if word in agent), "") for names in (BROWSERS, SYSTEMS))
    if browser and system:
        return gettext("%(browser)s on %(system)s", browser=browser, system=system)
    return browser or system


@blueprint.get("/sign-in")
@needs("open")
def sign_in() -> ResponseReturnValue:
    """Show whom a one-time link signs in. Fetching it changes nothing: previews, robots and images fetch links too."""
    link = request.args.get("key", "")
    name = current_services().keys.link_name(link)
    return render_page(
        "accounts/sign_in.html", name=name, key=link, asks=name == UNNAMED, most=MAX_NAME, device=_device_name()
    )


@blueprint.post("/sign-in")
@needs("open")
def use_link() -> ResponseReturnValue:
    """Use up a one-time link, and store the session in the browser."""
    services = current_services()
    lifetime = timedelta(seconds=services.settings.session_lifetime)
    link = request.form.get("key", "")
    name = request.form.get("name", "").strip() if services.keys.link_name(link) == UNNAMED else ""
    device = request.form.get("device", "").strip() or _device_name()
    key, session = services.keys.sign_in(link, lifetime, name, device)
    first = services.settings.phones and not key.lender
    response = see_other("web.welcome" if first else "web.games")
    set_cookie(response, session, lifetime)
    return response


@blueprint.post("/sign-out")
@needs("read", limited=True)
def sign_out() -> ResponseReturnValue:
    """End the session, here and in the browser. Who let others in is told first that they leave too."""
    caller = current_caller()
    if caller.kind == SESSION:
        if request.form.get("leave") != "yes" and current_services().keys.let_others_in(caller):
            return see_other("web.mine", _anchor="sign-out")
        current_services().keys.revoke(caller.id)
    response = see_other("web.games")
    drop_cookie(response)
    return response


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
        return _page(refusal=error_text(error), name=_typed_name()), 404
    if _came_with(row):
        return redirect(wanted_path() or url_for("web.join"), 303)
    name = " ".join(_typed_name().replace('"', "’").replace(":", " ").split())
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


def _typed_name() -> str:
    return request.form.get("other", "").strip() or request.form.get("name", "")


def _came_with(row: KeyRow) -> bool:
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


def _page(
    place: InvitedPlace | None = None, refusal: str = "", *, me: bool = False, typed: str = "", name: str = ""
) -> Response:
    """`typed`: a code that is none; `name`: that of who would join, where the invitation is gone."""
    caller, services = current_caller(), current_services()
    key = services.keys.get(caller.id) if me else None
    return render_page(
        "accounts/join.html",
        place=place,
        refusal=refusal,
        typed=typed,
        name=name,
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


MAX_LISTED = 3  # games to which friends are invited
EXAMPLE = Path(__file__).with_name("example.pmn")


def _welcome_page(*, refusal: str = "", next_address: str = "") -> Response:
    settings = current_services().settings
    address = shared_url("web.games")
    return render_page(
        "accounts/welcome.html",
        refusal=refusal,
        may_choose=bool(settings.phones),
        may_encrypt=not settings.tls_cert,
        lets_in=not settings.is_local,
        is_here_only=is_loopback(urlsplit(address).hostname or ""),
        encrypts=_has_own_certificate(),
        changes=bool(settings.phones) and settings.phones_choice != _choice_in_force(),
        next_address=next_address or url_for("web.welcome"),
        address=address,
        code=qr_svg(address),
        live=games_of(
            current_services().games.page(MAX_LISTED, None, GameFilter(state="live", within=current_limit()))[0]
        ),
    )


def _has_own_certificate() -> bool:
    settings = current_services().settings
    return settings.tls_cert == str(own_certificate_path(settings))


def _choice_in_force() -> str:
    if current_services().settings.is_local:
        return ""
    return ENCRYPTED if _has_own_certificate() else PLAIN


def _signed_in_at(scheme: str) -> str:
    """The address that opens this page over http or https. Browsers do not take the session along: a link does."""
    services, caller = current_services(), current_caller()
    parts = urlsplit(request.host_url)
    root = parts._replace(scheme=scheme).geturl()
    if scheme == parts.scheme:
        return root.rstrip("/") + url_for("web.welcome")
    lifetime = timedelta(seconds=services.settings.link_lifetime)
    return sign_in_url(root, services.keys.create(LINK, caller.name, caller.scopes, lifetime, giver=caller)[1])


@blueprint.get("/welcome")
@needs("read", limited=True)
def welcome() -> ResponseReturnValue:
    """What to do first, and who may come in."""
    return _welcome_page()


@blueprint.post("/welcome/example")
@needs("record")
def store_example() -> ResponseReturnValue:
    """Store the example, unless it is there, and show it."""
    lines = EXAMPLE.read_bytes().splitlines(keepends=True)
    (stored,) = import_games(current_services().games, lines, 1, current_write())
    return see_other("web.review", game_id=stored.id)


@blueprint.post("/welcome/phones")
@needs("admin")
@shows_refusals(_welcome_page)
def choose_phones() -> ResponseReturnValue:
    """Let other devices of the network in, or not. `inkeek serve` sees the choice, and opens the service again."""
    phones = current_services().settings.phones
    if not phones:
        raise Conflict("Whoever started this service chose its address (host). Start it with 'inkeek' to choose here.")
    choice = request.form.get("let", "")
    if choice not in ("", PLAIN, ENCRYPTED):
        raise Invalid("let is %(choice)r: expected one of plain, tls, or nothing", choice=choice[:80])
    if choice:
        Path(phones).write_text(choice, "utf-8")
    else:
        Path(phones).unlink(missing_ok=True)
    encrypts = choice == ENCRYPTED or (request.is_secure and not _has_own_certificate())
    return _welcome_page(next_address=_signed_in_at("https" if encrypts else "http"))
