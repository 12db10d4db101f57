"""The score sheet of a game: its turns with comments, and the boards of its turning points."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from flask import Response, url_for
from flask.typing import ResponseReturnValue

from inkeek.records import SOUTH, Game, Position, PositionError, Turn, evaluations
from inkeek.records.drawing.svg import highlights_of
from inkeek.records.notation.tags import format_options
from inkeek.service.games.snapshot import rules_of
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_limit, current_services
from inkeek.service.http.language import date_text, gettext, side_names
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, render_page
from inkeek.service.http.web.findings.view import BoardPicture
from inkeek.service.http.web.games.view_models import GameCard
from inkeek.service.jobs.queue import GameAnalysis
from inkeek.service.storage import GameRow

from .move_list import Annotated, ListedRemark, list_turns
from .view import MISTAKES

MOST_BOARDS = 3  # of a game
_POSITION = re.compile(r"[^\s/]+/[^\s/]+ [0-9]+-[0-9]+ [sn] [0-9]+")
LONGEST_NAME, LONGEST_COMMENT = 120, 300  # characters


@blueprint.get("/games/<game_id>/score-sheet")
@needs("read")
def printed_game(game_id: str) -> ResponseReturnValue:
    """The score sheet of a game."""
    card = GameCard(current_services().games.row(game_id))
    about = [card.title, options_of(card.row), short(card.event), date_text(card.date)]
    back = url_for("web.review", game_id=game_id)
    return booklet_page(" – ".join(card.names), back, games=[game_on_paper(card, about)])


def booklet_page(title: str, back: str, **parts: Any) -> Response:
    """A page to print, with the address of the page it belongs to: what is left out of `parts` is not printed."""
    empty: dict[str, Any] = {"facts": "", "rounds": [], "standings": [], "games": []}
    return render_page("events/booklet.html", title=short(title), back=back, **{**empty, **parts})


def joined(facts: Iterable[str]) -> str:
    return " · ".join(filter(None, facts))


def options_of(row: GameRow) -> str:
    return format_options(rules_of(row).changed)


def short(text: str, most: int = LONGEST_NAME) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def game_on_paper(card: GameCard, about: Sequence[str] = ()) -> dict[str, Any]:
    """What is printed of a game; what it is `about` first."""
    services, row = current_services(), card.row
    snapshot = services.games.load(card.id)
    stored = services.jobs.game_analysis(card.id, current_limit())
    record, replay = snapshot.record, snapshot.record.replay()
    round = labels.tag_value(row.tags, "Round")
    place = [gettext("Round %(round)s", round=short(round)) if round else "", short(card.table)]
    facts = [joined([*about, *place]), *((card.result, labels.rest_words(row)) if snapshot.ended else ())]
    rows = list_turns(record.plies, replay.turns)
    listed = {turn.ply: turn for row in rows for turn in row.turns if turn}

    def board(ply: int) -> BoardPicture:
        last, position = listed.get(ply), replay.positions[ply]
        cited = f"{last.number} {last.text}" if last else ""
        title = labels.board_title(position, cited, ended=snapshot.ended and ply == len(replay.turns))
        highlights = highlights_of(last.turn if last else None, position.row)
        return BoardPicture(position, title, highlights)

    turned = turning_points(record, replay.turns, stored)
    return {
        "id": card.id,
        "sign": card.terms.get("special", ""),
        "names": [short(name) for name in card.names],
        "facts": list(filter(None, facts)),
        "opening": [_note(one) for one in Annotated().remarks(0, record.comments)],
        "rows": [
            {
                "number": row.number,
                "turns": [
                    "".join((turn.text, *(one.sign for one in turn.glyphs))) if turn else "" for turn in row.turns
                ],
                "boards": [board(turn.ply - 1) for turn in row.turns if turn and turn.ply in turned],
                "notes": [
                    _note(one, f"{turn.number} {turn.text}: " if all(row.turns) else "")
                    for turn in row.noted
                    for one in turn.remarks
                ],
            }
            for row in rows
        ],
        "end": None if turned else board(len(replay.turns)),
    }


def _note(remark: ListedRemark, label: str = "") -> dict[str, Any]:
    """A comment and what it tells; positions in it are drawn below it."""
    text, boards, sides = " ".join(filter(None, (remark.text, *remark.sentences))), [], side_names()
    for raw in dict.fromkeys(_POSITION.findall(text)):
        with suppress(PositionError):
            position = Position.parse(raw)
            title = gettext("%(side)s is to move.", side=sides[position.to_move])
            boards.append(BoardPicture(position, title))
            text = text.replace(raw, gettext("below"))
    return {"text": label + short(text, LONGEST_COMMENT), "boards": boards}


def turning_points(record: Game, turns: Sequence[Turn], stored: GameAnalysis) -> list[int]:
    """The plies of the mistakes that lost most, at most `MOST_BOARDS`: those that the `stored` analysis found, or else
    those with a glyph in the record."""
    if stored.found is not None and stored.is_current:
        losses = {turn.ply: turn.loss or 0.0 for turn in stored.found.turns if turn.glyph}
    else:
        values = [None if one is None or one.seeds is None else float(one.seeds) for one in evaluations(record)]
        losses = {}
        for ply, (written, turn) in enumerate(zip(record.plies, turns, strict=False), 1):
            if MISTAKES.intersection(written.nags):
                before, after = values[ply - 1 : ply + 1]
                lost = 0.0 if before is None or after is None else before - after
                losses[ply] = lost if turn.before.to_move is SOUTH else -lost
    return sorted(sorted(losses, key=lambda ply: -losses[ply])[:MOST_BOARDS])
