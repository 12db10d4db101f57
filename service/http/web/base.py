"""The blueprint of all pages, what their templates may use, and the page of an error."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import timedelta
from functools import partial
from hashlib import sha1
from typing import Any
from urllib.parse import urlencode, urlsplit

import segno
from flask import Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup, escape
from werkzeug.exceptions import BadRequest, NotFound

from inkeek.records import NORTH, SOUTH
from inkeek.records.drawing import svg
from inkeek.records.language import language_ids, load_language
from inkeek.service.errors import ErrorText, ServiceError, gettext_later as later
from inkeek.service.games import endings
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.event_kinds import COURSE, KINDS
from inkeek.service.games.library.persons import near_players
from inkeek.service.games.validation import may_arrange
from inkeek.service.http.access import allows, needs
from inkeek.service.http.addresses import reachable_url
from inkeek.service.http.context import HEADERS_ONLY, current_caller, current_csrf, current_limit, current_services
from inkeek.service.http.language import (
    date_text,
    error_text,
    gettext,
    moment_text,
    page_language,
    second_text,
    shown_language,
    varies_by_language,
    zoned_text,
)
from inkeek.service.http.names import page_name
from inkeek.service.http.rooms import current_rooms
from inkeek.service.room import Entry
from inkeek.service.settings import is_loopback
from inkeek.service.storage import event_of
from inkeek.service.storage.search import players_of

from . import labels
from .drawing import blank_boards, small_board, thumbnail, thumbnail_defs
from .forms import fault, sent_to
from .minify import PagesBlueprint


def feed_end() -> int:
    """The end of the feed. Ask before you read games: then the page misses nothing that comes later."""
    store = current_services().store
    store.update_ledger()
    with store.reading() as transaction:
        return transaction.ledger.head().position


def feed_address(after: int, **which: Any) -> str:
    """The feed from `after` on, of the games that `which` names (`game_id`, `match` or `event`)."""
    return url_for("feed.get_feed", **which, after=after, format="sse")


SUGGESTED = 50  # names of players, and of events


def suggested_names(event: str = "") -> list[str]:
    """Players: those of an event, then of the newest games. A limited key sees those of its event only."""
    limit = current_limit()
    if limit is not None:
        event = limit.value if limit.kind == "event" else ""
    key = event_of({"Event": event})
    with current_services().store.reading() as transaction:
        return transaction.names.recent(key, SUGGESTED, others=limit is None)


def suggested_events() -> list[str]:
    """The events of the newest games."""
    limit = current_limit()
    if limit is not None:
        return [limit.value] if limit.kind == "event" else []
    with current_services().store.reading() as transaction:
        return transaction.names.recent_events(SUGGESTED)


@dataclass(frozen=True, slots=True)
class NameHint:
    """A player without other games, as `written`, who may be the player `name`."""

    side: str
    written: str
    name: str


def name_hints(tags: Mapping[str, str]) -> list[NameHint]:
    """Whom the new names in a game may mean."""
    if current_limit() is not None:  # of which players there are it may not know
        return []
    store = current_services().store
    with store.reading() as transaction:
        new = [
            (side, key)
            for side, key in zip(SIDES, players_of(tags), strict=True)
            if key and not transaction.games.player_exceeds(transaction.persons.owner(key), 1)
        ]
    return [NameHint(side, tags[side], row.name) for side, key in new for row in near_players(store, key)]


PAGE = 30  # games on a page of the list
_FEED_POSITION = re.compile(r"\bafter=[0-9.]+")  # as in `static/follow.js`
TITLES = {401: later("You need a code"), 403: later("You may not do this")}  # of pages of errors
SECRETS = ("csrf", "proof", "key")  # fields
SAME = (None, "none", "same-origin")  # values of Sec-Fetch-Site
blueprint = PagesBlueprint(
    "web", __name__, template_folder="templates", static_folder="static", static_url_path="/static"
)


def shared_url(endpoint: str, **values: Any) -> str:
    """The address of a page for other people's devices."""
    url = url_for(endpoint, _external=True, **values)
    return reachable_url(url, current_services().settings.host)


def qr_code(text: str) -> segno.QRCode | None:
    """A text as a QR code; None if it is too long for one."""
    try:
        return segno.make(text, error="m", micro=False)
    except segno.DataOverflowError:
        return None


def qr_svg(text: str) -> Markup | None:
    """A QR code for a page; None if the text is too long for one."""
    code = qr_code(text)
    if code is None:
        return None
    return Markup(code.svg_inline(svgclass="qr", lineclass=None, light="#fff", omitsize=True))


@blueprint.context_processor
def _drawing() -> dict[str, Any]:
    """What the templates draw boards with."""
    language = load_language(shown_language())
    return {
        "board_defs": svg.board_defs,
        "endings": [(name, labels.termination_words(name)) for name in endings.TERMINATIONS],
        "board_svg": partial(svg.board_svg, sides=language.sides),
        "blank_boards": blank_boards,
        "small_board": small_board,
        "thumbnail": thumbnail,
        "thumbnail_defs": thumbnail_defs,
        "shared_url": shared_url,
        "qr_svg": qr_svg,
        "match_length": labels.match_length,
        "reasons": labels.retraction_reasons,
        "no_highlights": svg.NONE,
        "mark_words": partial(labels.mark_words, language=language),
        "mark_words_json": partial(labels.mark_words_json, language=language),
        "special_word": partial(labels.special_word, language=language),
        "sides": (SOUTH, NORTH),
        "side_names": language.sides,
        "error_text": error_text,
        "probability_words": labels.probability_words,
        "event_kinds": list(KINDS),
        "course_kinds": sorted(COURSE),
    }


@blueprint.app_template_global()
def translated(text: str) -> str:
    """A text that is no constant of a template, in the language of the page. `_` would take its HTML for ours."""
    return gettext(text)


@blueprint.app_template_filter()
def with_code(text: str) -> Markup:
    """A text of ours, in which words between backticks are code."""
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))


@blueprint.app_template_global()
def entries(menu: str) -> list[Entry]:
    """The entries of rooms in a menu."""
    return [entry for one in current_rooms() for entry in one.room.entries if entry.menu == menu]


@blueprint.app_template_global()
def added(place: str, **values: Any) -> Markup:
    """What rooms add to a place of a page, one of `room.PLACES`, with the values that it gives."""
    return Markup("\n".join(filter(None, (one.added(place, values) for one in current_rooms()))))


@blueprint.app_template_global()
def position_url(**query: Any) -> str:
    """The address of the page that shows a position; empty: no room has one."""
    return _first_url((one.room.position_page for one in current_rooms()), query)


@blueprint.app_template_global()
def share_url(**query: Any) -> str:
    """The address of the page that shares a game; empty: no room has one."""
    return _first_url((one.room.share_page for one in current_rooms()), query)


def _first_url(pages: Iterable[str], query: Mapping[str, Any]) -> str:
    page = next(filter(None, pages), "")
    return url_for(page, **query) if page else ""


@blueprint.app_context_processor
def _session() -> dict[str, Any]:
    """Who looks at the page, and in which language; error pages, outside the blueprint, need it too."""
    caller = current_caller()
    return {
        "page_lang": shown_language(),
        "languages": [load_language(id) for id in language_ids()],
        "address_here": _address_here,
        "address_in": _address_in,
        "date_text": date_text,
        "moment_text": moment_text,
        "second_text": second_text,
        "zoned_text": zoned_text,
        "page_name": page_name,
        "stream_heartbeat": current_services().settings.stream_heartbeat,
        "suggested_names": suggested_names,
        "suggested_events": suggested_events,
        "csrf": current_csrf(),
        "fault": fault,
        "refused": refused,
        "sent_to": sent_to,
        "caller": caller,
        "may_write": allows(caller.scopes, "record"),
        "may_begin": allows(caller.scopes, "record") and may_arrange(caller.limit),
        "may_arbitrate": allows(caller.scopes, "arbiter"),
        "is_admin": allows(caller.scopes, "admin"),
        "join_hint": _join_hint,
        "may_invite": allows(caller.scopes, "invite"),
    }


def refused(refusal: str | None) -> Markup:
    """Why a form was refused, for the head of its page; nothing if it was not."""
    return Markup('<p class="warning" role="alert">{}</p>').format(refusal) if refusal else Markup()


def _join_hint() -> Markup:
    says = gettext("You watch here.") if current_caller().id else ""
    code = gettext("To write here, type your code.")
    link = Markup('<a href="{}" data-join-hint>{}</a>').format(url_for("web.join"), code)
    return Markup(" ").join(filter(None, (says, link, gettext("If you have none, ask whoever runs Inkeek here."))))


def _address_in(language: str) -> str:
    if not _can_return():
        return url_for("web.games", lang=language)
    others = [(name, value) for name, value in request.args.items(multi=True) if name != "lang"]
    return f"{request.path}?{urlencode([*others, ('lang', language)])}"


def _address_here() -> str:
    return request.full_path.removesuffix("?") if _can_return() else url_for("web.games")


def _can_return() -> bool:
    """Whether the address leads to this page again. A form's does not; that of a sign-in link has a secret."""
    return request.method == "GET" and request.endpoint not in (None, "web.sign_in")


@blueprint.before_request
def _check_language() -> None:
    """:raises BadRequest: there are no pages in the language that is asked for."""
    page_language()


@blueprint.after_request
def _mark_language(response: Response) -> Response:
    if response.mimetype != "text/html":
        return response
    chosen, caller = request.args.get("lang"), current_caller()
    if response.status_code < 400 and chosen and chosen != caller.language:
        with suppress(ServiceError):  # the browser keeps it anyway
            current_services().devices.keep(caller, language=chosen)
    return varies_by_language(response)


def render_page(template: str, **values: Any) -> Response:
    """A page that browsers do not cache, because it changes with its game or board."""
    page = make_response(render_template(template, **values))
    page.headers["Cache-Control"] = "no-store"
    return page


def see_other(endpoint: str, **values: Any) -> Response:
    """Lead to a page after what a form did."""
    response = redirect(url_for(endpoint, **values), 303)
    assert isinstance(response, Response)
    return response


def unchanged_or(page: Response) -> Response:
    """The page, or a 304 if the browser has it. The position in the feed and the token of the forms do not count."""
    state = _FEED_POSITION.sub("", page.get_data(as_text=True))
    csrf = current_csrf()
    state = state.replace(csrf, "") if csrf else state
    page.set_etag(sha1(state.encode(), usedforsecurity=False).hexdigest())
    page.headers["Cache-Control"] = "private, no-cache"
    page.make_conditional(request._get_current_object())  # type: ignore[attr-defined]
    return page


def wanted_path() -> str:
    """The page of this service that somebody wanted before they were asked for a code; empty if it is elsewhere."""
    path = request.values.get("next", "")
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable() else ""


def view_name(near: int) -> str | None:
    """The ``view`` that links keep: none for South's."""
    return "north" if near == NORTH else None


@blueprint.get("/favicon.ico")
@needs("open")
def favicon() -> ResponseReturnValue:
    """The icon that browsers ask for where no page names one: beside a picture or a record."""
    return redirect(url_for("web.static", filename="icon-192.png"), 308)


def html_error(code: int, title: str, message: str, headers: Sequence[tuple[str, str]] = ()) -> ResponseReturnValue:
    """An error as a page. `title`: that of a problem."""
    if message == NotFound.description:
        message = ErrorText("There is no such page.")
    shown = message if isinstance(message, Markup) else error_text(message)
    title = gettext(TITLES.get(code, title)).rstrip(".")
    host, address = urlsplit(request.host_url).hostname, request.remote_addr
    if code == 401 and _can_return() and (host, address) == ("localhost", "127.0.0.1"):
        # The program opens the browser at that address, and a session holds for one address only.
        headers = [*headers, ("Refresh", f"0; url={request.url.replace('//localhost', '//127.0.0.1', 1)}")]
    is_here = code == 401 and (address == host or (is_loopback(address or "") and is_loopback(host or "")))
    values = {"code": code, "title": title, "message": shown, "is_here": is_here, "kept": _kept_fields(code)}
    return render_template("error.html", **values), code, list(headers)


def _kept_fields(code: int) -> list[tuple[str, str]]:
    """What a form of ours says that came without a right, so that who lost a session sends it again, and types nothing
    twice. Never another site's: the page would offer to send it."""
    environ, origin = request.environ, request.headers.get("Origin")
    is_ours = origin in (None, request.host_url.rstrip("/")) and request.headers.get("Sec-Fetch-Site") in SAME
    if code not in TITLES or request.method != "POST" or not is_ours or HEADERS_ONLY in environ:
        return []
    return [field for field in request.form.items(multi=True) if field[0] not in SECRETS]


LOOK_COOKIE = "inkeek_look"
LOOK_KEPT = timedelta(days=400)  # the longest that browsers keep a cookie
CONTRASTS = ("", "contrast")
PACES = ("full", "fast", "off")


@dataclass(frozen=True, slots=True)
class Appearance:
    """`board`: its contrast, empty for the device's own wish; `motion`: the pace of a turn that is shown."""

    board: str = ""
    motion: str = "full"


_ALLOWED = {"board": CONTRASTS, "motion": PACES}


def appearance() -> Appearance:
    """The appearance that the person chose on any device, or else in this browser; unknown words count as none."""
    chosen = current_caller().look or request.cookies.get(LOOK_COOKIE, "")
    words = dict(zip(_ALLOWED, chosen.split("."), strict=False))
    return Appearance(**{name: word for name, word in words.items() if word in _ALLOWED[name]})


@blueprint.app_context_processor
def _appearance() -> dict[str, Appearance]:
    return {"look": appearance()}


@blueprint.get("/appearance")
@needs("open")
def show_appearance() -> ResponseReturnValue:
    """The form for boards and animations."""
    return render_template("appearance.html", back=_back_path(request.args.get("back", "/")))


@blueprint.post("/appearance")
@needs("open")
def set_appearance() -> ResponseReturnValue:
    """Keep the choice, and return to the page it came from.

    :raises BadRequest: a choice is not one of those that exist.
    """
    values = []
    for field in fields(Appearance):
        word = request.form.get(field.name, str(field.default))
        if word not in _ALLOWED[field.name]:
            allowed = ", ".join(repr(value) for value in _ALLOWED[field.name])
            raise BadRequest(f"{field.name} is {word[:40]!r}. Expected one of {allowed}.")
        values.append(word)
    look = ".".join(values)
    current_services().devices.keep(current_caller(), look=look)
    response = redirect(_back_path(request.form.get("back", "/")), 303)
    assert isinstance(response, Response)
    response.set_cookie(LOOK_COOKIE, look, max_age=LOOK_KEPT, samesite="Lax", secure=request.is_secure)
    return response


def _back_path(back: str) -> str:
    is_path = back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable()
    return back[:500] if is_path else url_for("web.games")
