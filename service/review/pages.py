"""The review of a game: its turns, the graph of their values, comments, and the same game by other rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import BadRequest

from inkeek.records import RecordsError, evaluations
from inkeek.records.comparison import differing_options, differing_plies, find_parting, is_compared, other_rules
from inkeek.records.drawing.svg import Markup, element, escape, highlights_of
from inkeek.records.notation.tags import format_options, parse_options
from inkeek.records.rules.ruleset import format_value
from inkeek.service.games import view_models
from inkeek.service.games.annotations import Edit, annotate, holder_of
from inkeek.service.games.move_list import NODE, Annotated, find_node
from inkeek.service.games.plies import COMMENT
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.games.table_view import only_there
from inkeek.service.games.view_models import GamePage, finding_address, game_view, rules_query, turn_told
from inkeek.service.http.access import Caller, allows, needs
from inkeek.service.http.context import all_rulesets, current_caller, current_services, current_write, find_ruleset
from inkeek.service.http.language import error_text, gettext, page_language
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, render_page, see_other, view_name
from inkeek.service.http.web.drawing import BoardPicture
from inkeek.service.http.web.forms import read_number, shows_refusals
from inkeek.service.turns.pages import check_turns_known

WIDTH, HEIGHT = 600, 110  # units of the viewBox
LEAST = 4.0  # seeds from the middle to the edge, at least


def value_graph(values: Sequence[float | None], mistakes: Iterable[int], shown: int, title: str) -> Markup:
    """The values after each turn for South, in seeds, from the start on; None where nobody knows.

    `mistakes` are numbers of turns, and `shown` is the one that the marker stands at. The script moves it, by
    `data-by` a turn.
    """
    step = WIDTH / max(len(values) - 1, 1)
    most = max([LEAST, *(abs(value) for value in values if value is not None)])

    def place(value: float) -> float:
        return round(HEIGHT / 2 - value / most * (HEIGHT / 2 - 6), 1)

    marked = set(mistakes)
    place_of_marker = f"translate({shown * step:.1f} 0)"
    lines = [
        element(
            "polyline", class_="value-line", points=" ".join(f"{at * step:.1f},{place(value)}" for at, value in run)
        )
        for run in _runs(values)
    ]
    dots = [
        element("path", class_="value-mistake", d=f"M{at * step:.1f} {place(value)}h0", data_ply=at)
        for at, value in enumerate(values)
        if value is not None and at in marked
    ]
    return element(
        "svg",
        element("title", escape(title)),
        element("path", class_="value-middle", d=f"M0 {HEIGHT / 2:g}H{WIDTH}"),
        *lines,
        *dots,
        element(
            "path",
            class_="value-marker",
            d=f"M0 0V{HEIGHT}",
            data_marker="",
            transform=place_of_marker,
        ),
        class_="value-graph",
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        preserveAspectRatio="none",
        role="img",
        data_by=f"{step:.4f}",
    )


def _runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    runs: list[list[tuple[int, float]]] = [[]]
    for at, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((at, value))
    return [run for run in runs if run]


MISTAKES = frozenset({2, 4, 6})  # NAGs: ?, ?? and ?!


def review_view(snapshot: GameSnapshot, node: str, caller: Caller) -> tuple[GamePage, str]:
    """The page after the turn `node` (see `move_list`), and the node that it shows: one that is there.

    :raises BadRequest: `node` is not the address of a turn.
    """
    if NODE.fullmatch(node) is None:
        raise BadRequest(f"ply is {node[:40]!r}. Expected a number from 0 to {snapshot.row.ply}.")
    page = game_view(snapshot, int(node.partition("v")[0]), Annotated(snapshot.state.annotations, _editor(caller)))
    listed = find_node(page.rows, node) if "v" in node else None
    if listed is None:
        return page, str(page.ply)
    position, (sentences, path) = listed.position, turn_told(snapshot, listed.turn)
    title = labels.board_title(position, listed.cited, ended=False)
    shown = replace(
        page,
        picture=BoardPicture(position, title, highlights_of(listed.turn, position.row), path),
        to_move=position.to_move,
        last=listed,
        sentences=sentences,
        finding_url="",
    )
    return shown, listed.node


def game_graph(snapshot: GameSnapshot, shown: int) -> Markup | None:
    """The graph of the values that the record gives for its turns (``[%value …]``); None if it gives fewer than two.

    Turns with a glyph for a mistake are marked. `shown` is the turn that the page shows.
    """
    record = snapshot.record
    values = [None if one is None or one.seeds is None else float(one.seeds) for one in evaluations(record)]
    if sum(value is not None for value in values) < 2:
        return None
    mistakes = [number for number, ply in enumerate(record.plies, 1) if MISTAKES.intersection(ply.nags)]
    return value_graph(
        values, mistakes, shown, gettext("Value by turn, in seeds: South above the line, North below it")
    )


def options_text(snapshot: GameSnapshot) -> str:
    """The options of the game as the tag `Options` has them, for requests about its positions."""
    return format_options(snapshot.rules.changed)


def _editor(caller: Caller) -> Callable[[str], bool]:
    holder = holder_of(caller.source())
    may_record, may_arbitrate = allows(caller.scopes, "record"), allows(caller.scopes, "arbiter")
    return lambda source: may_record and (may_arbitrate or (holder is not None and holder == holder_of(source)))


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
    check_turns_known(game_id)
    ply = read_number(request.form, "ply")
    edit = Edit("The new annotation", COMMENT, request.form.get("comment", ""), ply)
    annotate(current_services().games, game_id, [edit], current_write(), is_arbiter=False)
    return see_other("web.review", game_id=game_id, ply=ply, view=request.args.get("view"))


def _node_of_form() -> str | None:
    node = request.form.get("ply", "")
    return node if NODE.fullmatch(node) else None


def _review_page(game_id: str, node: str | None, refusal: str = "") -> Response:
    snapshot = current_services().games.load(game_id)
    default = str(snapshot.row.ply if snapshot.ended else 0)
    view, shown = review_view(snapshot, default if node is None else node, current_caller())
    near = view_models.view_side(request.args.get("view"))
    game = current_services().games.rulesets.name_of(snapshot.row)
    values = {
        "ply": view.ply,
        "node": shown,
        "near": int(near),
        "view_name": view_name(near),
        "options": options_text(snapshot),
        "seq": snapshot.seq,
        "start": str(snapshot.record.replay().positions[0]),
        "game": game,
        "finding_base": finding_address(rules_query(snapshot.rules, game)),
        "provenance": labels.provenance(snapshot.row.tags),
        "nags": labels.NAGS,
        "graph": game_graph(snapshot, view.ply),
        "refusal": refusal,
    }
    return render_page("review/review.html", view=view, **values)


@blueprint.get("/games/<game_id>/comparison")
@needs("read")
def compare_rules(game_id: str) -> tuple[Response, int]:
    """Where the game parts from the rule set ``?rules=``, with ``?options=`` as in the tag `Options`."""
    snapshot = current_services().games.load(game_id)
    game, given, options = snapshot.record, request.args.get("rules", ""), request.args.get("options", "")[:1000]
    boards = [info for info in all_rulesets() if snapshot.rules.row in info.option("pits").allowed]
    refusal, other, parting, differing = "", None, None, []
    turns = game.replay().turns
    tables: list[list[str]] = []
    if given:
        try:
            other = other_rules(game, find_ruleset(given), **parse_options(options))
            parting = find_parting(game, other, page_language())
            differing = differing_plies(game, other)
            tables = only_there(snapshot.rules, other)
        except RecordsError as error:
            refusal = error_text(error)
    page = render_page(
        "review/comparison.html",
        game_id=game_id,
        names=labels.player_names(snapshot.row.tags),
        rules=snapshot.rules,
        other=other,
        parting=parting,
        compared=sum(map(is_compared, turns)),
        turns=len(turns),
        differing_turns=[(ply, snapshot.cite(ply)) for ply in differing],
        tables=tables,
        cited=snapshot.cite(parting.ply) if parting else "",
        differing=differing_options(snapshot.rules, other) if other else {},
        rulesets=boards,
        format_value=format_value,
        given=given,
        options=options,
        refusal=refusal,
    )
    return page, 422 if refusal else 200
