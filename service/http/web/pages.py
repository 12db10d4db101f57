"""The pages of games: the list, the form for a new game, the live page and the review."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

from flask import Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, NotFound

from records import NORTH, SOUTH, Move, RecordsError, ruleset_ids
from records.language import language_ids, load_language
from records.ruleset import load_ruleset
from service.errors import ErrorText, Invalid
from service.games import corrections, endings
from service.games.annotations import Edit, annotate
from service.games.plies import COMMENT
from service.http.access import allows, needs
from service.http.context import current_caller, current_csrf, current_limit, current_services, current_write
from service.http.language import (
    date_text,
    error_text,
    gettext,
    moment_text,
    page_language,
    shown_language,
    varies_by_language,
)
from service.http.names import page_name
from service.proofs.signatures import key_path
from service.storage import GameFilter, GameRow

from . import forms, labels, svg, view_models
from .finding_form import finding_address, rules_query
from .first_run import first_pictures
from .forms import read_number, shows_refusals
from .lay_out import lay_out_form
from .minify import PagesBlueprint
from .review_view import game_graph, is_node, options_text, review_view
from .set_ups import set_ups
from .svg_small import blank_boards, small_board

PAGE = 30  # games on a page of the list

blueprint = PagesBlueprint(
    "web", __name__, template_folder="templates", static_folder="static", static_url_path="/static"
)


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
        "reasons": labels.retraction_reasons,
        "no_highlights": svg.NONE,
        "proof_url": proof_url,
        "mark_words": partial(labels.mark_words, language=language),
        "mark_words_json": partial(view_models.mark_words_json, language=language),
        "special_word": partial(labels.special_word, language=language),
        "sides": (SOUTH, NORTH),
        "side_names": language.sides,
        "error_text": error_text,
    }


def proof_url(game_id: str, dispute: int | None = None) -> str:
    """The address of the proof of a game, or of a dispute in it; empty if the service has no key to sign it with."""
    if not key_path(current_services().settings.data_folder).exists():
        return ""
    return f"/api/v1/games/{game_id}{'' if dispute is None else f'/disputes/{dispute}'}/proof"


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
        "page_name": page_name,
        "csrf": current_csrf(),
        "caller": caller,
        "may_write": allows(caller.scopes, "record"),
        "may_arbitrate": allows(caller.scopes, "arbiter"),
        "is_admin": allows(caller.scopes, "admin"),
    }


def _address_in(language: str) -> str:
    """The address of the current page in another language."""
    if not _can_return():
        return url_for("web.games", lang=language)
    return f"{request.path}?{urlencode([*_query_but_language(), ('lang', language)])}"


def _address_here() -> str:
    return request.full_path if _can_return() else url_for("web.games")


def _can_return() -> bool:
    """Whether the address leads to this page again. A form's does not; that of a sign-in link has a secret."""
    return request.method == "GET" and request.endpoint not in (None, "web.sign_in")


def _query_but_language() -> list[tuple[str, str]]:
    return [(name, value) for name, value in request.args.items(multi=True) if name != "lang"]


@blueprint.before_request
def _check_language() -> None:
    """:raises BadRequest: there are no pages in the language that is asked for."""
    page_language()


@blueprint.after_request
def _mark_language(response: Response) -> Response:
    return varies_by_language(response) if response.mimetype == "text/html" else response


def render_page(template: str, **values: Any) -> Response:
    """A page that browsers do not cache, because it changes with its game or board."""
    page = make_response(render_template(template, **values))
    page.headers["Cache-Control"] = "no-store"
    return page


def games_of(rows: Iterable[GameRow]) -> list[view_models.GameCard]:
    """What the lists show of these games."""
    return [view_models.GameCard(row) for row in rows]


@blueprint.get("/")
@needs("read", limited=True)
def games() -> ResponseReturnValue:
    """The list of games: live ones first, then the newest."""
    where = GameFilter(within=current_limit())
    rows, cursor = current_services().games.page(PAGE, request.args.get("after"), where)
    return render_template(
        "games.html",
        live=games_of(row for row in rows if row.state == "live"),
        ended=games_of(row for row in rows if row.state != "live"),
        first_pictures=first_pictures,
        next_url=None if cursor is None else url_for("web.games", after=cursor),
    )


@blueprint.get("/games/new")
@needs("read", limited=True)
def new_game() -> ResponseReturnValue:
    """The form for a new game: first the rule set, then its options and the players."""
    ruleset_id = request.args.get("game")
    if ruleset_id is None:
        rulesets = [(load_ruleset(id), set_ups(id)[0]) for id in ruleset_ids()]
        return render_template("choose.html", rulesets=rulesets, form="web.new_game")
    return _form(checked_ruleset(ruleset_id), {"Date": date.today().isoformat()}, None)


@blueprint.post("/games/new")
@needs("record", limited=True)
def create_game() -> ResponseReturnValue:
    """Create the game, or show the form again with what is wrong."""
    ruleset_id = checked_ruleset(request.form.get("game", ""))
    try:
        form = forms.read_new_game(request.form)
        row = current_services().games.create(form.game, form.options, form.tags, current_write(), form.setup)
    except (RecordsError, Invalid) as error:
        return _form(ruleset_id, request.form, error_text(error)), 422
    return redirect(url_for("web.live", game_id=row.id), 303)


def checked_ruleset(ruleset_id: str) -> str:
    """The id of a rule set.

    :raises BadRequest: there is none of that name.
    """
    if ruleset_id not in ruleset_ids():
        raise BadRequest(f"game is {ruleset_id[:80]!r}. Expected one of {', '.join(ruleset_ids())}.")
    return ruleset_id


def _form(ruleset_id: str, given: Mapping[str, str], refusal: str | None) -> str:
    values = {"info": load_ruleset(ruleset_id), "set_ups": set_ups(ruleset_id), "tags": forms.TAGS, "match_kinds": ()}
    return render_template("new.html", given=given, refusal=refusal, **values)


@blueprint.get("/games/<game_id>")
@needs("read")
def game(game_id: str) -> ResponseReturnValue:
    """The page of the game: the live page while it goes on, else the review."""
    row = current_services().games.row(game_id)
    return redirect(url_for("web.live" if row.state == "live" else "web.review", game_id=game_id), 302)


def live_page(game_id: str, refusal: str | None = None) -> Response:
    """The live page, with why something was refused."""
    snapshot = current_services().games.load(game_id)
    view = view_models.game_view(snapshot)
    near = view_models.view_side(request.args.get("view"))
    laid = lay_out_form(snapshot, view.position, request.form) if view.may_enter else None
    disputed = request.args.get("dispute", type=int)
    shown = {"view": view, "disputed": disputed, "near": int(near), "view_name": _view_name(near), "lay_out": laid}
    reopened = current_services().matches.reopened_before(snapshot.row)
    return render_page("live.html", refusal=refusal, reopened=reopened, **shown)


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
        raise Invalid(ErrorText("No move was given. Choose a pit or type the move."))
    write = current_write(expected_ply=read_number(request.form, "ply"))
    current_services().games.play(game_id, Move.parse(text), write)
    return redirect(url_for("web.live", game_id=game_id, view=request.args.get("view")), 303)


@blueprint.post("/games/<game_id>/end")
@needs("record")
@shows_refusals(live_page)
def end(game_id: str) -> ResponseReturnValue:
    """End the game by hand."""
    given = forms.read_end(request.form)
    current_services().games.end(game_id, given.termination, given.winner, current_write())
    return redirect(url_for("web.live", game_id=game_id), 303)


@blueprint.post("/games/<game_id>/end/change")
@needs("arbiter")
@shows_refusals(live_page)
def change_end(game_id: str) -> ResponseReturnValue:
    """Correct how a game ended, or have it go on."""
    form = request.form
    write = current_write(expected_seq=read_number(form, "seq"))
    games, reason, confirm = current_services().games, form.get("reason", ""), form.get("confirm") == "yes"
    if form.get("change") == "reopen":
        corrections.reopen(games, game_id, reason, write, confirm=confirm)
    else:
        corrections.correct_end(games, game_id, forms.read_end(form), reason, write, confirm=confirm)
    return redirect(url_for("web.live", game_id=game_id), 303)


@blueprint.get("/games/<game_id>/review")
@needs("read")
def review(game_id: str) -> ResponseReturnValue:
    """The game turn by turn; ``?ply=`` says after which turn or which of a variation, by default the end of an ended
    game."""
    return _review_page(game_id, request.args.get("ply"))


@blueprint.post("/games/<game_id>/review")
@needs("record")
@shows_refusals(lambda game_id, refusal: _review_page(game_id, _node_of_form(), refusal))
def comment(game_id: str) -> ResponseReturnValue:
    """Add a comment to a turn; turn 0 stands for the start."""
    ply = read_number(request.form, "ply")
    edit = Edit("The new annotation", COMMENT, request.form.get("comment", ""), ply)
    annotate(current_services().games, game_id, [edit], current_write(), is_arbiter=False)
    return redirect(url_for("web.review", game_id=game_id, ply=ply, view=request.args.get("view")), 303)


def _node_of_form() -> str | None:
    """The turn that is commented, if the form names one."""
    node = request.form.get("ply", "")
    return node if is_node(node) else None


def _review_page(game_id: str, node: str | None, refusal: str = "") -> Response:
    """The review page after a turn, with why something was refused.

    :raises BadRequest: `node` is not the address of a turn.
    """
    snapshot = current_services().games.load(game_id)
    if node is not None and not is_node(node):
        raise BadRequest(f"ply is {node[:40]!r}. Expected a number from 0 to {snapshot.row.ply}.")
    default = str(snapshot.row.ply if snapshot.ended else 0)
    view, shown = review_view(snapshot, default if node is None else node, current_caller())
    near = view_models.view_side(request.args.get("view"))
    values = {
        "ply": view.ply,
        "node": shown,
        "near": int(near),
        "view_name": _view_name(near),
        "options": options_text(snapshot),
        "start": str(snapshot.record.replay().positions[0]),
        "game": snapshot.rules.id,
        "finding_base": finding_address(rules_query(snapshot.rules)),
        "nags": labels.NAGS,
        "graph": game_graph(snapshot, view.ply),
        "summary": lambda turn: labels.turn_summary(turn, view.terms),
        "refusal": refusal,
    }
    return render_page("review.html", view=view, **values)


def _view_name(near: int) -> str | None:
    """The ``view`` that links keep: none for South's."""
    return "north" if near == NORTH else None


@blueprint.get("/favicon.ico")
@needs("open")
def favicon() -> ResponseReturnValue:
    """The icon that browsers ask for where no page names one: beside a picture, a PDF or a record."""
    return redirect(url_for("web.static", filename="icon-192.png"), 308)


def html_error(code: int, title: str, message: str, headers: Sequence[tuple[str, str]] = ()) -> ResponseReturnValue:
    """An error as a page. `title`: that of a problem."""
    if message == NotFound.description:
        message = ErrorText("There is no such page.")
    shown = message if isinstance(message, Markup) else error_text(message)
    title = gettext(title).rstrip(".")
    return render_template("error.html", code=code, title=title, message=shown), code, list(headers)
