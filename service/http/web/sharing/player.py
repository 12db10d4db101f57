"""One HTML file that plays a game by itself: board, styles, scripts and all turns are in it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from flask import render_template
from markupsafe import Markup

from records import Trace, write_game
from service.games.snapshot import GameSnapshot
from service.http.names import shown_tags
from service.http.web.games.view_models import GamePage
from service.http.web.minify import minified

MAX_SEEDS = 250_000  # characters of what happens in the turns; those after it are shown without their seeds
MAX_TEXT = 60_000  # characters of comments
STYLES = ("inkeek.css", "board.css", "game.css", "sharing/player.css")
SCRIPTS = ("drawing/sowing_path.js", "drawing/board.js", "sharing/player.js")
KINDS = ("lift", "drop", "store", "take", "shift", "special", "choose")  # `player.js` has the same list
_MODULE = re.compile(r"^(import [^;]*;|export (?=class|function|const|async))", re.MULTILINE)


def player_page(snapshot: GameSnapshot, view: GamePage) -> str:
    """The file of a game."""
    replay = snapshot.record.replay()
    turns, seeds_left, text_left = [], MAX_SEEDS, MAX_TEXT
    for turn, listed in zip(replay.turns, view.turns, strict=False):
        seeds = _seeds(snapshot.trace(turn)[0]) if seeds_left > 0 else ""
        said = " ".join(part for remark in listed.remarks for part in (remark.text, *remark.sentences) if part)
        text = said[: max(text_left, 0)]
        seeds_left -= len(seeds)
        text_left -= len(text)
        turns.append([f"{listed.number} {listed.text}", str(turn.position), seeds, text])
    game = json.dumps({"start": str(replay.positions[0]), "turns": turns}, ensure_ascii=False, separators=(",", ":"))
    return render_template(
        "sharing/player.html",
        view=view,
        start=replay.positions[0],
        game=Markup(game.replace("<", "\\u003c")),  # no text ends the element
        styles=Markup("".join(_read(name) for name in STYLES)),
        script=Markup("".join(_read(name) for name in SCRIPTS)),
        record=write_game(replace(snapshot.record, tags=shown_tags(snapshot.row.tags)))[: 2 * MAX_TEXT],
    )


def _seeds(trace: Trace | None) -> str:
    """What happens in a turn: for each event kind, pit, other and count, as short as they can be written."""
    events = () if trace is None else trace.events
    return " ".join(
        f"{KINDS.index(event.kind)},{event.pit},{event.other},{event.count}" for event in events if event.kind in KINDS
    )


@cache
def _read(name: str) -> str:
    """A style sheet or a script of the pages, for a document of its own."""
    text = Path(__file__).parents[1].joinpath("static", *name.split("/")).read_text("utf-8")
    return minified(_MODULE.sub("", text), name[name.rindex(".") :]).replace("</", "<\\/") + "\n"
