"""A board's log as sentences in the language of the page. What boards wrote themselves is marked as English."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from markupsafe import Markup, escape

from inkeek.records import Position
from inkeek.service.boards.calibration_reasons import reason_text
from inkeek.service.errors import gettext_later as later
from inkeek.service.http.language import error_text, gettext, side_names
from inkeek.service.storage import GameRow, LogRow

from .view_models import pit_name

LOG_SHOWN = 100  # entries; the API has older ones
WARNINGS = (
    "gap",
    "refused",
    "fault",
    "calibration-failed",
    "refused-board",
    "complaint",
    "unrecorded",
    "misfit",
    "unhandled",
    "overtaken",
    "other-board",
    "same-serial",
    "claimed",
    "gave-way",
    "driver-fault",
)
LOG_TEXTS: dict[str, str] = {  # by the kind of the entry, to be filled from its data
    "connected": later("Connected: serial number %(serial)s, firmware %(firmware)s, boot %(boot)s."),
    "other-board": later(
        "Board %(found)s was found at %(port)s in place of board %(bound)s: nothing of it is recorded."
    ),
    "same-serial": later(
        "The board at %(port)s says that its serial number is %(serial)s, which is that of one at %(others)s: it waits."
    ),
    "claimed": later(
        "Another board, at %(port)s, says that it has the serial number %(serial)s: it waits, this one goes on."
    ),
    "gave-way": later("Board %(serial)s plays at %(port)s from now on: this game waits for another board."),
    "driver-fault": later(
        "The program %(driver)s of %(distribution)s %(version)s was stopped in %(place)s: %(reason)s. Times in a row: "
        "%(times)s."
    ),
    "rebound": later("Board %(to)s took the place of %(from)s."),
    "refused-board": later("The board cannot be used: %(reason)s"),
    "gap": later("Events are missing: %(reason)s"),
    "button": later("%(side)s pressed %(action)s."),
    "refused": later("%(side)s’s turn %(number)s was not recorded: %(sentence)s"),
    "mended": later("Turn %(ply)s was corrected on the board."),
    "unchanged": later("The button was pressed, but no seed had moved."),
    "after-end": later("The button was pressed after the end of the game."),
    "disputed": later("Nothing is recorded while a dispute is open."),
    "unrecorded": "%(message)s",
    "complaint": later("The board reported an error: %(code)s %(text)s"),
    "turned": later("The board is read the wrong way round."),
    "upright": later("The board is read as it lies."),
    "unrecognised": later("The board sent an unknown event: %(kind)s"),
    "misfit": later("The board sent what does not fit it (%(count)s times): %(reason)s"),
    "unhandled": later("An event of the board could not be handled and was passed over: %(kind)s (%(reason)s)"),
    "overtaken": later("The button was pressed again before the turn was looked at: only the last press counts."),
    "touches": later("What the board noticed before a dispute."),
    "not-recorded": later("A change that was judged at the board without the service does not fit any more."),
    "calibration-asked": later("A calibration step was requested."),
    "calibration-failed": later("Calibration failed: %(reason)s"),
    "calibrated": later("%(name)s was calibrated."),
    "not-calibrated": later("%(name)s could not be calibrated: %(why)s."),
    "fault": later("The sensor of %(name)s is faulty: %(code)s."),
    "works-again": later("The sensor of %(name)s works again."),
}
SIDES = ("South", "North")
CODES = ("action", "code", "kind", "place")  # words of the protocol
SENTENCES = ("reason", "sentence", "message", "text")


@dataclass(frozen=True, slots=True)
class LogLine:
    """An entry of a board's log as a sentence; `warning` if it needs attention."""

    number: int
    time: str
    text: Markup
    warning: bool


def log_lines(entries: Sequence[LogRow], game: GameRow) -> Iterator[LogLine]:
    """A board's log, newest first."""
    for entry in reversed(entries):
        is_warning = entry.kind in WARNINGS or entry.data.get("ok") is False
        yield LogLine(entry.number, entry.time, _text(entry, game), is_warning)


def _text(entry: LogRow, game: GameRow) -> Markup:
    kind, data = entry.kind, entry.data
    template = LOG_TEXTS.get(_variant(kind, data))
    if template is None:
        return _code(kind)
    try:
        return Markup(escape(gettext(template))) % _values(kind, data, game)
    except KeyError:  # stored by an earlier version, with less data
        return _code(kind)


def _variant(kind: str, data: Mapping[str, Any]) -> str:
    """The key of the sentence for an entry: some kinds have two."""
    if kind == "turned" and not data.get("turned"):
        return "upright"
    if kind == "calibrated" and not data.get("ok"):
        return "not-calibrated"
    return "works-again" if kind == "fault" and data.get("code") == "ok" else kind


def _values(kind: str, data: Mapping[str, Any], game: GameRow) -> dict[str, object]:
    """What fills a sentence, in the language of the page where it is not the board's own."""
    values: dict[str, object] = dict(data)
    if kind == "refused":  # the first sentence says what is wrong
        values["sentence"] = (*data.get("sentences", ()), data.get("message"))[0]
    values |= {name: _code(str(values[name])) for name in CODES if name in values}
    values |= {name: error_text(cast(str, values[name])) for name in SENTENCES if name in values}
    if kind in ("fault", "calibrated"):
        values["name"] = pit_name(Position.parse(game.position), data["pit"])
        values["why"] = error_text(reason_text(data.get("reason", "")))
    if data.get("side") in SIDES:
        values["side"] = side_names()[SIDES.index(data["side"])]
    return values


def _code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(text)
