"""The pages ``/import`` and ``/paper``: records and sheets of paper are read first, and then stored."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from flask import Response, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import RequestEntityTooLarge

from inkeek.records import RecordsError, Side
from inkeek.records.drawing.svg import highlights_of
from inkeek.records.errors import message_of
from inkeek.records.notation.tags import ENDINGS, RESULT_TEXTS
from inkeek.records.paper.reading import MAX_SHEET, PaperSheet
from inkeek.records.text import decode_utf8
from inkeek.service.errors import Conflict, ErrorText, Invalid
from inkeek.service.games.library.transfer import ImportFault, ImportResult, fill_in, import_records
from inkeek.service.http.access import needs
from inkeek.service.http.access.limits import check_named
from inkeek.service.http.api.games.views import import_file
from inkeek.service.http.api.library import read_paper as read_sheet
from inkeek.service.http.context import current_limit, current_services, current_write
from inkeek.service.http.language import error_text
from inkeek.service.http.problems import http_title
from inkeek.service.http.web import forms, labels
from inkeek.service.http.web.base import blueprint, html_error, render_page, see_other
from inkeek.service.http.web.games import view_models
from inkeek.service.http.web.games.pages import checked_ruleset
from inkeek.service.http.web.games.view_models import default_set_ups, set_ups

MAX_LISTED = 300  # games whose results are listed
CONTEXT = 2  # lines shown before and after an error
MAX_WIDTH = 160  # characters of a line that are shown
ENVELOPE = 4096  # bytes of a form around the text
_WORD = re.compile(r"\[[^\]]*\]|\w+|\S|$")  # a tag as a whole


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of the text with its number. In the line of an error `marked` is where it is; else it is empty, and
    `before` has the whole line."""

    number: int
    before: str
    marked: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class ImportedGame:
    """A game of the text: what became of it, or would become of it, and the lines around an error."""

    result: ImportResult
    title: str
    excerpt: tuple[TextLine, ...]

    @property
    def outcome(self) -> str:
        """``refused``, ``present`` or ``stored``."""
        if not self.result.ok:
            return "refused"
        return "present" if self.result.present else "stored"


@blueprint.get("/import")
@needs("read", limited=True)
def import_form() -> ResponseReturnValue:
    """The form: paste records, choose a file or drop one."""
    return _import_page("")


@blueprint.post("/import")
@needs("record", limited=True)
def import_text() -> ResponseReturnValue:
    """Check the records, or store them with ``store``."""
    try:
        text = _read_text()
    except Invalid as error:
        return _import_page("", refusal=error_text(error)), 422
    is_dry = "store" not in request.form
    games = list(_imported(text, is_dry))
    return _import_page(text, games, is_dry)


@blueprint.errorhandler(RequestEntityTooLarge)
def too_large(error: RequestEntityTooLarge) -> ResponseReturnValue:
    """A form is larger than the service takes."""
    most = current_services().settings.max_body
    message = error_text(ErrorText("The form has more than %(most)d bytes.", most=most))
    if request.path == "/import":
        message += " " + error_text(
            ErrorText(
                "Split the file, or send it with the API (POST /api/v1/games/import) or with the command inkeek db "
                "import."
            )
        )
    return html_error(413, http_title(error), message)


def _import_page(
    text: str, games: list[ImportedGame] | None = None, is_dry: bool = True, refusal: str = ""
) -> Response:
    counts = {name: sum(game.outcome == name for game in games or ()) for name in ("stored", "present", "refused")}
    return render_page(
        "library/import.html",
        text=text,
        games=None if games is None else sorted(games, key=lambda game: game.result.ok)[:MAX_LISTED],
        hidden=max(0, len(games or ()) - MAX_LISTED),
        counts=counts,
        is_dry=is_dry,
        refusal=refusal,
        most=current_services().settings.max_body - ENVELOPE,
    )


def _read_text() -> str:
    """The text of the file, or else the one that was pasted.

    :raises Invalid: there is none, or it is not UTF-8.
    """
    file = request.files.get("file")
    data = file.read() if file is not None and file.filename else b""
    try:
        text = decode_utf8(data) if data else request.form.get("text", "")
    except RecordsError as error:
        raise Invalid(message_of(error)) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise Invalid("There is no record. Paste one, or choose a file.")
    return text


def _imported(text: str, is_dry: bool) -> Iterator[ImportedGame]:
    lines = text.split("\n")
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode("utf-8", "replace"))
        file.flush()
        with import_file(file.name, is_json=text.lstrip().startswith('{"'), dry_run=is_dry) as results:
            for result in results:
                excerpt = _excerpt(lines, result.error) if result.error is not None else ()
                yield ImportedGame(result, _title(result.players), excerpt)


def _title(players: tuple[str, str]) -> str:
    """The players; empty if the record names neither."""
    tags = dict(zip(map(str, Side), players, strict=True))
    return " – ".join(labels.player_names(tags))[:MAX_WIDTH] if set(players) - {"", "?"} else ""


def _excerpt(lines: list[str], fault: ImportFault) -> tuple[TextLine, ...]:
    """The lines around the place of an error; none if it is about no place."""
    if fault.line is None or not 1 <= fault.line <= len(lines):
        return ()
    first, last = max(1, fault.line - CONTEXT), min(len(lines), fault.line + CONTEXT)
    shown = [TextLine(number, lines[number - 1][:MAX_WIDTH]) for number in range(first, last + 1)]
    shown[fault.line - first] = _marked(fault.line, lines[fault.line - 1], fault.column)
    return tuple(shown)


def _marked(number: int, line: str, column: int | None) -> TextLine:
    """The line with the word at the column, from 1, or the whole line; what is far from it is left out."""
    if column is None or column > len(line) + 1:
        return TextLine(number, "", line[:MAX_WIDTH])
    start = max(column - 1, 0)
    found = _WORD.match(line, start) or re.compile("").match(line, start)
    end = max(found.end() if found else start, start)
    left = max(0, start - MAX_WIDTH // 2)
    before = ("…" if left else "") + line[left:start]
    return TextLine(number, before, line[start:end] or " ", line[end : end + MAX_WIDTH // 2])


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
    return {**kept, **view_models.paper_query(game.rules, game.row.tags), "into": into}


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
        "library/paper.html",
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
