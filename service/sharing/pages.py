"""The page that shares a game, a turn or a dispute, and the files that it offers."""

from __future__ import annotations

import unicodedata
from bisect import bisect
from collections.abc import Callable
from functools import partial
from hashlib import sha1
from itertools import accumulate
from pathlib import Path
from urllib.parse import urlsplit

from flask import Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.records import NORTH, SOUTH, Position, RecordsError
from inkeek.records.drawing.diagram import diagram_svg
from inkeek.records.drawing.svg import Markup, board_defs, board_svg, element, escape
from inkeek.service.disputes.disputes import load_dispute
from inkeek.service.games.api import citation_json
from inkeek.service.games.view_models import GamePage
from inkeek.service.http.access import needs
from inkeek.service.http.access.limiter import shown_code
from inkeek.service.http.addresses import is_loopback, reachable_url
from inkeek.service.http.context import current_caller, current_limit, current_sender, current_services, current_write
from inkeek.service.http.language import date_text, error_text, page_language, varies_by_language
from inkeek.service.http.rooms import RoomPages
from inkeek.service.http.services import Services
from inkeek.service.http.web.base import qr_svg, render_page
from inkeek.service.http.web.forms import whole_or_none
from inkeek.service.processes.workers.calculator import Calculator
from inkeek.service.review.pages import review_view
from inkeek.service.storage import dispute_id

from .painter import paint

WIDTH, HEIGHT = 1200, 630  # what sites that show links ask for
MARGIN = 50
_BOARD_PLACE = Markup(f'x="{MARGIN}" y="150" width="{WIDTH - 2 * MARGIN}" height="320"')  # it is drawn as large as fits
SMALLEST = 0.5  # of the size of a text: what is longer still is cut
_WALL, _INK, _MUTED = "#f4efe4", "#2b211a", "#6a5c4e"
_SERIF, _SANS = "Palatino, Georgia, serif", "system-ui, 'Liberation Sans', sans-serif"
_STYLE = """
.changed .halo{stroke:#ffdf9a;stroke-width:3}
.start .halo{stroke:#fff7e6;stroke-width:4;stroke-dasharray:7 6}
[data-count="0"]>.count{opacity:.55}
.letter,.side{font-size:26px}
"""


def card_svg(view: GamePage) -> str:
    """The card of a game after one of its turns, seen from South's side."""
    drawn, sign = view.picture, view.terms.get("special", "")
    board = board_svg(drawn.position, title=drawn.title, highlights=drawn.highlights, still=True, sign=sign)
    event = " · ".join(part for part in (view.title, view.event, date_text(view.date)) if part)
    card = element(
        "svg",
        element("rect", width=WIDTH, height=HEIGHT, fill=_WALL),
        element("style", Markup(_STYLE)),
        board_defs(),
        _line(60, 28, _SANS, _MUTED, event),
        _line(120, 44, _SERIF, _INK, view.names[NORTH]),
        Markup(board.replace("<svg ", Markup(f"<svg {_BOARD_PLACE} "), 1)),
        _line(520, 44, _SERIF, _INK, view.names[SOUTH]),
        _line(580, 30, _SANS, _INK, caption_of(view)),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        font_family=_SANS,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{card}\n'


def caption_of(view: GamePage) -> str:
    """What a card says below the board: how the game ended, or the last turn and who is to move."""
    return view.result if view.ended and view.ply == view.plies else view.picture.title


def _line(y: int, size: int, family: str, color: str, text: str) -> Markup:
    """A line that fits, whatever the font: smaller than `size` or, at last, cut."""
    room = (WIDTH - 2 * MARGIN) / size
    widths = list(accumulate(map(_widest, text), initial=0.0))
    scale = max(SMALLEST, min(1.0, room / widths[-1])) if text else 1.0
    if widths[-1] * scale > room:
        text = text[: bisect(widths, room / scale - 1) - 1] + "…"
    return element("text", escape(text), x=MARGIN, y=y, font_size=f"{size * scale:g}", font_family=family, fill=color)


def _widest(letter: str) -> float:
    """How wide a letter is in a wide font, in units of the font's size."""
    if letter in "mwMW@%" or unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    return 0.85 if letter.isupper() else 0.65


pages = RoomPages()
PRINTED = 2400  # width of a diagram in pixels: as wide as a page at 300 dpi
FONT = str(Path(__file__).with_name("DejaVuSans.ttf"))
PICTURES = 8, 60.0, 2  # that are made or wait, seconds until one is there, and how many are made at once


def preview_tags(view: GamePage, ply: str | None) -> str:
    """What messengers show of a link to a page, for readers who are not signed in: a messenger's robot is one."""
    return "" if current_caller().id else render_template("sharing/preview.html", view=view, ply=ply)


@pages.get("/games/<game_id>/share")
@needs("read")
def share(game_id: str) -> ResponseReturnValue:
    """Share the game; ``?ply=`` a turn and the position after it, ``?dispute=`` a dispute by its number."""
    games, args = current_services().games, request.args
    seq = args.get("dispute", type=whole_or_none)
    if seq is not None:
        snapshot, course = load_dispute(games, dispute_id(game_id, seq))
        node, page = str(course.row.ply), partial(url_for, "web.dispute", seq=seq)
    else:
        snapshot = games.load(game_id)
        node = request.args.get("ply", str(snapshot.row.ply))
        page = partial(url_for, "web.review", ply=node) if "ply" in args else partial(url_for, "web.game")
    view, node = review_view(snapshot, node, current_caller())
    position, services = view.picture.position, current_services()
    link = reachable_url(page(game_id=game_id, _external=True), services.settings.host)
    invitation = services.invitations.for_game(game_id)
    return render_page(
        "sharing/share.html",
        view=view,
        node=node,
        dispute=seq,
        citation=citation_json(snapshot.row),
        letters="".join(map(position.letter, range(2 * position.row))),
        has_turn=node.isdigit() and node != "0" and (seq is not None or "ply" in args),
        caption=caption_of(view),
        page=page(game_id=game_id),
        link=link,
        is_here_only=is_loopback(urlsplit(link).hostname or ""),
        code=qr_svg(link),
        invitation=invitation,
        invitation_code=shown_code(invitation.code or "") if invitation else "",
        may_open=current_limit() is None,
        anyone=bool(services.keys.anyone()),
        at_home=bool(services.settings.phones),
    )


@pages.post("/games/<game_id>/invitation")
@needs("invite")
def invite_to_game(game_id: str) -> ResponseReturnValue:
    """Invite a friend to the game, or withdraw the invitation: who joined with it then has to leave."""
    services = current_services()
    services.games.row(game_id)
    invitations = services.invitations
    if request.form.get("do") != "withdraw":
        invitations.create_for_game(game_id, current_caller())
    elif row := invitations.for_game(game_id):
        invitations.withdraw("", row.id, current_write())
    return redirect(url_for("web.share", game_id=game_id, _anchor="invite"), 303)


@pages.get("/games/<game_id>/card.svg")
@needs("read")
def share_card(game_id: str) -> ResponseReturnValue:
    """The game as a picture: as it stands, or after turn ``?ply=`` as on the review page."""
    drawn = _card(game_id)
    return _file(drawn, "image/svg+xml; charset=utf-8", drawn.encode)


def _pictures(services: Services) -> Calculator:
    """What makes PNGs."""
    return Calculator("Pictures", *PICTURES)


@pages.get("/games/<game_id>/card.png")
@needs("read", waits=True)
def card_png(game_id: str) -> ResponseReturnValue:
    """The same picture as PNG, which messengers show."""
    drawn, pictures = _card(game_id), current_services().once(_pictures)
    return _file(drawn, "image/png", lambda: pictures.call(paint, drawn, WIDTH, FONT, sender=current_sender()))


@pages.get("/diagram.svg")
@needs("read", limited=True)
def diagram() -> ResponseReturnValue:
    """The position of the query, bare and in black, for print; ``letters``: other ones than the notation's."""
    drawn = _diagram()
    return _file(drawn, "image/svg+xml; charset=utf-8", drawn.encode)


@pages.get("/diagram.png")
@needs("read", limited=True, waits=True)
def diagram_png() -> ResponseReturnValue:
    """The same as PNG."""
    drawn, pictures = _diagram(), current_services().once(_pictures)
    return _file(drawn, "image/png", lambda: pictures.call(paint, drawn, PRINTED, FONT, sender=current_sender()))


def _diagram() -> str:
    """:raises BadRequest: there is no such position, or there is not one letter a pit."""
    try:
        position = Position.parse(request.args.get("position", ""))
        near = NORTH if request.args.get("near") == "north" else SOUTH
        return diagram_svg(position, letters=request.args.get("letters"), near=near)
    except RecordsError as error:
        raise BadRequest(error_text(error)) from error


def _card(game_id: str) -> str:
    snapshot = current_services().games.load(game_id)
    node = request.args.get("ply", str(snapshot.row.ply))
    return card_svg(review_view(snapshot, node, current_caller())[0])


def _file(drawn: str, content_type: str, make: Callable[[], bytes]) -> Response:
    """The drawing as a file, unless the client has it: `make` is called only then."""
    page_language()
    tag = sha1(drawn.encode(), usedforsecurity=False).hexdigest()
    has_it = request.if_none_match.contains_weak(tag)
    response = Response(status=304) if has_it else Response(make(), content_type=content_type)
    response.set_etag(tag)
    return varies_by_language(response)
