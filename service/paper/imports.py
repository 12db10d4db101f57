"""The page ``/import``: records are checked first, and then stored."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import RequestEntityTooLarge

from inkeek.records import RecordsError, Side
from inkeek.records.errors import message_of
from inkeek.records.text import decode_utf8
from inkeek.service.errors import ErrorText, Invalid
from inkeek.service.games.api import import_file
from inkeek.service.games.library.transfer import ImportFault, ImportResult
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_services
from inkeek.service.http.language import error_text
from inkeek.service.http.problems import http_title
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, html_error, render_page

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
        "paper/import.html",
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
