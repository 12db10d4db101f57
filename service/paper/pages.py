"""The page ``/paper``: a sheet of paper is read while it is typed, and then stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby

from flask import Response, render_template, request
from flask.typing import ResponseReturnValue

from inkeek.records import RecordsError, Rules
from inkeek.records.drawing.svg import highlights_of
from inkeek.records.notation.tags import ENDINGS, RESULT_TEXTS
from inkeek.records.paper.reading import MAX_SHEET, PaperSheet
from inkeek.records.rules.ruleset import format_value
from inkeek.service.errors import Conflict, ErrorText, Invalid
from inkeek.service.games import view_models
from inkeek.service.games.library.transfer import fill_in, import_records
from inkeek.service.games.pages import checked_ruleset
from inkeek.service.games.view_models import default_set_ups, set_ups
from inkeek.service.http.access import needs
from inkeek.service.http.access.limits import check_named
from inkeek.service.http.context import current_limit, current_services, current_write
from inkeek.service.http.language import error_text
from inkeek.service.http.web import forms, labels
from inkeek.service.http.web.base import blueprint, render_page, see_other

from .api import read_paper as read_sheet

END_FIELDS = ("Result", "Termination")
MOST_MARKS = 12  # that are listed with their answers


@blueprint.get("/paper")
@needs("read", limited=True)
def paper_form() -> ResponseReturnValue:
    """The form: first the rule set, then the players and the moves; the query fills it in."""
    given = _filled_in(request.args)
    ruleset_id = given.get("game")
    if ruleset_id is None:
        return render_template("games/choose.html", rulesets=default_set_ups(), form="web.paper_form")
    try:
        return _paper_page(given, _read(given, checked_ruleset(ruleset_id)))
    except (RecordsError, Invalid) as error:
        return _paper_page(given, _read({}, ruleset_id), error_text(error)), 422


@blueprint.post("/paper")
@needs("read", limited=True)
def read_paper() -> ResponseReturnValue:
    """Show what was read; with ``add`` after a move is added, or put in place of a mark; with ``answer`` after a mark
    is answered. Nothing is stored."""
    return _answer(keep=False)


@blueprint.post("/paper/game")
@needs("record", limited=True)
def keep_paper() -> ResponseReturnValue:
    """Store the game, if no mark is left."""
    return _answer(keep=True)


def _answer(*, keep: bool) -> ResponseReturnValue:
    form = _filled_in(request.form)
    ruleset_id = checked_ruleset(form.get("game", ""))
    try:
        sheet = _read(form, ruleset_id)
        if form.get("add"):
            form["text"] = _with_move(_text(form), sheet, form["add"])
            sheet = _read(form, ruleset_id)
        elif form.get("answer"):
            form["text"] = _answered(_text(form), form["answer"])
            sheet = _read(form, ruleset_id)
    except (RecordsError, Invalid) as error:
        return _paper_page(form, _read({}, ruleset_id), error_text(error)), 422
    if not keep:
        return _paper_page(form, sheet)
    if sheet.wrong is not None:
        return _paper_page(form, sheet, error_text(sheet.wrong.note)), 422
    services, into = current_services(), form.get("into", "")
    if into:
        try:
            if {"South", "North"} & sheet.overruled.keys():  # who won may be the other side of the game
                raise Invalid(ErrorText("The sheet names other players than the game. Write them alike."))
            fill_in(services.games, into, sheet.game, current_write())
        except (Invalid, Conflict) as error:
            return _paper_page(form, sheet, error_text(error)), error.status
        return see_other("web.game", game_id=into)
    (result,) = import_records(services.games, [(sheet.game, 0)], 1, current_write(channel="import"))
    if result.error is not None:
        return _paper_page(form, sheet, error_text(result.error.message)), 422
    return see_other("web.game", game_id=result.id)


def _filled_in(form: Mapping[str, str]) -> dict[str, str]:
    """What was filled in. A sheet that goes `into` a game has its rules, its start and its names, whatever a form says.

    :raises NotFound: there is no such game, or the caller may not know it.
    """
    into = form.get("into", "")
    if not into:
        return {**form}
    services, limit = current_services(), current_limit()
    if limit is not None:
        check_named(services.store, limit, {"game_id": into})
    game = services.games.load(into)
    kept = {name: form[name] for name in ("text", "add", "answer", "ply", *END_FIELDS) if name in form}
    return {**kept, **_fields_of(game.rules, game.row.tags), "into": into}


def _fields_of(rules: Rules, tags: Mapping[str, str]) -> dict[str, str]:
    options = {f"{forms.OPTION}{name}": format_value(value) for name, value in rules.changed.items()}
    found = {name: labels.tag_value(tags, name) for name, _ in forms.TAGS}
    found |= {"Date": found["Date"].replace(".", "-"), "position": tags.get("Setup", "")}
    return {"game": rules.id, **options, **{name: value for name, value in found.items() if value}}


def _text(form: Mapping[str, str]) -> str:
    return form.get("text", "").replace("\r\n", "\n")


def _read(form: Mapping[str, str], ruleset_id: str) -> PaperSheet:
    given = forms.new_game_fields(form)
    ends = {name: form[name] for name in END_FIELDS if form.get(name)}
    setup = given["setup"].strip() or None
    return read_sheet(_text(form), ruleset_id, given["options"], {**given["tags"], **ends}, setup)


def _answered(text: str, answer: str) -> str:
    """The text with an answer: what stands from a place to another, and these with colons before it.

    :raises Invalid: it is none.
    """
    match = re.fullmatch(r"(\d{1,6}):(\d{1,6}):(.*)", answer, re.DOTALL)
    if match is None:
        raise Invalid(ErrorText("the answer %(answer)s is not of the form 0:1:text", answer=answer[:80]))
    return text[: int(match[1])] + match[3] + text[max(int(match[1]), int(match[2])) :]


def _with_move(text: str, sheet: PaperSheet, move: str) -> str:
    """The text with a move at its end, or in place of the mark where it would be legal."""
    mark = next((mark for mark in sheet.marks if mark.legal), None)
    if mark is not None:
        return text[: mark.start] + move + text[mark.end :]
    ply = len(sheet.game.plies)
    number = "" if ply % 2 else f"{ply // 2 + 1}. "
    gap = "" if not text or text[-1].isspace() else "\n" if number else " "
    return f"{text}{gap}{number}{move}"


def _paper_page(form: Mapping[str, str], sheet: PaperSheet, refusal: str = "") -> Response:
    game, rules = sheet.game, sheet.game.rules()
    replay = game.replay()
    last = len(replay.turns)
    ply = min(int(asked), last) if (asked := form.get("ply", "")[:4]).isdecimal() else last
    buttons = view_models.move_buttons(rules, sheet.positions[-1]) if sheet.legal else ()
    turn, position = replay.turns[ply - 1] if ply else None, sheet.positions[ply]
    cited = f"{(ply + 1) // 2}. {turn.move}" if turn else ""
    legal = tuple(group.pit for group in buttons if group.moves) if ply == last else ()
    problem = game.errors[0].message if game.errors and not sheet.marks else ""
    shown = [token for token in sheet.tokens if token.text.strip()]
    return render_page(
        "paper/paper.html",
        given=form,
        text=_text(form),
        info=rules.info,
        set_ups=set_ups(rules.info),
        tags=forms.TAGS,
        results=[(value, error_text(words)) for value, words in RESULT_TEXTS.items()],
        reasons=[(ending.name, error_text(ending.says)) for ending in ENDINGS if ending.name != "normal"],
        lines=[(number, list(found)) for number, found in groupby(shown, lambda token: token.line)],
        sheet=sheet,
        ply=ply,
        last=last,
        position=position,
        positions=[str(one) for one in sheet.positions],
        board_title=labels.board_title(position, cited, ended=False),
        highlights=highlights_of(turn, position.row, legal),
        buttons=buttons,
        problem=problem,
        refusal=refusal,
        most=MAX_SHEET,
        most_marks=MOST_MARKS,
        termination_words=labels.termination_words,
    )
