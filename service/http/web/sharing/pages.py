"""The page that shares a game, a turn or a dispute, and the files that it offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from flask import Response, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from service.errors import NotFound
from service.games.disputes.disputes import load_dispute
from service.games.snapshot import GameSnapshot
from service.http.access import needs
from service.http.addresses import is_loopback
from service.http.context import current_caller, current_sender, current_services
from service.http.language import gettext, page_language, varies_by_language
from service.http.web.base import blueprint, render_page, shared_url
from service.http.web.events.hall import qr_svg
from service.http.web.games.view_models import GamePage
from service.http.web.review.view import is_node, review_view
from service.processes.workers.painter import digest
from service.storage import dispute_id

from .card import WIDTH, caption_of, card_svg
from .film import game_film, turn_film
from .player import player_page


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A file that the page offers: its name, its type, and what it is in words."""

    url: str
    name: str
    type: str
    words: str
    hint: str


@blueprint.get("/games/<game_id>/share")
@needs("read")
def share(game_id: str) -> ResponseReturnValue:
    """Share the game; ``?ply=`` a turn and the position after it, ``?dispute=`` a dispute by its number."""
    node, address, title = request.args.get("ply"), _to("web.game"), gettext("The game")
    extra: list[SharedFile] = []
    if "dispute" in request.args:
        seq = _number("dispute")
        snapshot, course = load_dispute(current_services().games, dispute_id(game_id, seq))
        node = str(course.row.ply)
        address, title = _to("web.dispute", seq=seq), gettext("The dispute")
        sheet = url_for("web.sheet", game_id=game_id, seq=seq)
        extra.append(SharedFile(sheet, "", "", gettext("Sheet"), gettext("The dispute on paper")))
    else:
        snapshot = current_services().games.load(game_id)
        if node is not None:
            address, title = _to("web.review", ply=_node(snapshot)), gettext("The turn and its position")
    view, node = review_view(snapshot, _node(snapshot) if node is None else node, current_caller())
    link = shared_url(**address, game_id=game_id)
    return render_page(
        "sharing/share.html",
        view=view,
        title=title,
        caption=caption_of(view),
        link=link,
        link_back=url_for(**address, game_id=game_id),
        is_here_only=is_loopback(urlsplit(link).hostname or ""),
        code=qr_svg(link),
        card_url=url_for("web.card_png", game_id=game_id, ply=node),
        files=[*_files(view, node, has_turn="ply" in request.args or bool(extra)), *extra],
    )


def _to(endpoint: str, **values: Any) -> dict[str, Any]:
    return {"endpoint": endpoint, **values}


def _files(view: GamePage, node: str, *, has_turn: bool) -> list[SharedFile]:
    """The files of a game after one of its turns."""
    base = f"inkeek-{view.id}"
    files = [
        SharedFile(
            url_for("web.card_png", game_id=view.id, ply=node),
            f"{base}-{node}.png",
            "image/png",
            gettext("Picture"),
            gettext("The position, for any messenger"),
        )
    ]
    if has_turn and node.isdigit() and node != "0":
        film = url_for("web.film", game_id=view.id, ply=node)
        words, hint = gettext("Moving picture of the turn"), gettext("Seed by seed")
        files.append(SharedFile(film, f"{base}-{node}.gif", "image/gif", words, hint))
    if view.plies:
        film = url_for("web.film", game_id=view.id)
        words, hint = gettext("Moving picture of the game"), gettext("All turns so far")
        files.append(SharedFile(film, f"{base}.gif", "image/gif", words, hint))
    player = url_for("web.player_file", game_id=view.id)
    return [
        *files,
        SharedFile(
            player,
            f"{base}.html",
            "text/html",
            gettext("File that plays the game"),
            gettext("Opens in any browser, also without internet"),
        ),
        SharedFile(
            view.record_url,
            f"{base}.pmn",
            "text/plain",
            gettext("Record"),
            gettext("All turns as text"),
        ),
    ]


@blueprint.get("/games/<game_id>/card.svg")
@needs("read")
def share_card(game_id: str) -> ResponseReturnValue:
    """The game as a picture: as it stands, or after turn ``?ply=`` as on the review page."""
    drawn = card_svg(_view(game_id)[1])
    return _file(digest(drawn), "image/svg+xml; charset=utf-8", drawn.encode)


@blueprint.get("/games/<game_id>/card.png")
@needs("read")
def card_png(game_id: str) -> ResponseReturnValue:
    """The same picture as PNG, which messengers show."""
    drawn, painter = card_svg(_view(game_id)[1]), current_services().painter
    return _file(digest(drawn), "image/png", lambda: painter.picture(drawn, WIDTH, current_sender()))


@blueprint.get("/games/<game_id>/moving.gif")
@needs("read")
def film(game_id: str) -> ResponseReturnValue:
    """The game as a moving picture, or turn ``?ply=`` seed by seed."""
    snapshot, view = _view(game_id)
    if "ply" in request.args:
        if not request.args["ply"].isdigit():
            raise NotFound("Turns of variations have no moving picture. Leave out `ply`, or name a turn of the game.")
        made = turn_film(snapshot, view)
    else:
        made = game_film(snapshot, view)
    return _file(digest(made), "image/gif", lambda: current_services().painter.film(made, current_sender()))


@blueprint.get("/games/<game_id>/player.html")
@needs("read")
def player_file(game_id: str) -> ResponseReturnValue:
    """The game as one file that plays it in any browser, also without a connection."""
    snapshot, view = _view(game_id)
    page = player_page(snapshot, view)
    response = _file(digest(page), "text/html; charset=utf-8", page.encode)
    # Saved, not shown: its scripts stand in the page, which no page of the service may have.
    response.headers["Content-Disposition"] = f'attachment; filename="inkeek-{view.id}.html"'
    return response


def _view(game_id: str) -> tuple[GameSnapshot, GamePage]:
    snapshot = current_services().games.load(game_id)
    return snapshot, review_view(snapshot, _node(snapshot), current_caller())[0]


def _node(snapshot: GameSnapshot) -> str:
    """The turn that the request names; the last one if it names none.

    :raises BadRequest: it is not the address of a turn.
    """
    node = request.args.get("ply", str(snapshot.row.ply))
    if not is_node(node):
        raise BadRequest(f"ply is {node[:40]!r}. Expected a number from 0 to {snapshot.row.ply}.")
    return node


def _number(name: str) -> int:
    text = request.args[name]
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadRequest(f"{name} is {text[:40]!r}. Expected a number.")
    return int(text)


def _file(tag: str, content_type: str, make: Callable[[], bytes]) -> Response:
    """A file, unless the client has it: `make` is called only then."""
    page_language()
    has_it = request.if_none_match.contains_weak(tag)
    response = Response(status=304) if has_it else Response(make(), content_type=content_type)
    response.set_etag(tag)
    return varies_by_language(response)
