"""What the review page shows: a game after one of its turns, or after one in a variation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inkeek.records import evaluations
from inkeek.records.drawing.svg import Markup, highlights_of
from inkeek.records.notation.tags import format_options
from inkeek.service.games.review.annotations import holder_of
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.access import Caller, allows
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.http.web.games.view_models import GamePage, game_view, turn_told

from .move_list import NODE, Annotated, find_node
from .value_graph import value_graph

MISTAKES = frozenset({2, 4, 6})  # NAGs: ?, ?? and ?!


def review_view(snapshot: GameSnapshot, node: str, caller: Caller) -> tuple[GamePage, str]:
    """The page after the turn `node` (see `move_list`), and the node that it shows: one that is there."""
    page = game_view(snapshot, int(node.partition("v")[0]), Annotated(snapshot.state.annotations, _editor(caller)))
    listed = find_node(page.rows, node) if "v" in node else None
    if listed is None:
        return page, str(page.ply)
    sentences, path = turn_told(snapshot, listed.turn)
    shown = replace(
        page,
        position=listed.position,
        board_title=labels.board_title(listed.position, f"{listed.number} {listed.text}", ended=False),
        to_move=listed.position.to_move,
        highlights=highlights_of(listed.turn, listed.position.row),
        path=path,
        last_number=listed.number,
        last_move=listed.text,
        last_summary=labels.turn_summary(listed.turn, page.terms),
        last_commands=listed.commands,
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


def is_node(text: str) -> bool:
    """Whether a text can be the address of a turn."""
    return NODE.fullmatch(text) is not None


def options_text(snapshot: GameSnapshot) -> str:
    """The options of the game as the tag `Options` has them, for requests about its positions."""
    return format_options(snapshot.rules.changed)


def _editor(caller: Caller) -> Callable[[str], bool]:
    """Tells from the source of an annotation whether the caller may edit it."""
    holder = holder_of(caller.source())
    may_record, may_arbitrate = allows(caller.scopes, "record"), allows(caller.scopes, "arbiter")
    return lambda source: may_record and (may_arbitrate or (holder is not None and holder == holder_of(source)))
