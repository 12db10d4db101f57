"""What the pages show of boards: what they report, their calibration, what free ones can play, their logs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from markupsafe import Markup, escape

from inkeek.records import Position
from inkeek.records.drawing.svg import Highlights
from inkeek.service.errors import gettext_later as later
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.snapshot import ruleset_of
from inkeek.service.http.language import error_text, gettext, moment_text, side_names
from inkeek.service.http.web import labels
from inkeek.service.storage import BoardRow, GameRow, LogRow

from .status import REASONS, BoardStatus, Question, Refusal, read_status, reason_text

SEEDS = 20  # that are counted out, unless another number was given before


@dataclass(frozen=True, slots=True)
class CalibratedSensor:
    """A sensor: `state` is ``done``, ``failed``, ``asked`` (the board has not answered) or empty; `why` it failed."""

    sensor: int
    name: str
    state: str
    why: str


@dataclass(frozen=True, slots=True)
class Calibration:
    """All sensors, which of them is `next`, and how many seeds to put in. `is_tared`: all were set to zero."""

    sensors: tuple[CalibratedSensor, ...]
    is_tared: bool
    next: int | None
    seeds: int

    @property
    def done(self) -> int:
        """How many sensors are calibrated."""
        return sum(one.state == "done" for one in self.sensors)


def calibration_view(entries: Iterable[LogRow], sensors: Sequence[tuple[int, str]]) -> Calibration:
    """Read the log's `entries`, oldest first. `sensors`: index and name of each, in the order to calibrate them."""
    states: dict[int, tuple[str, str]] = {}
    tares: set[int] = set()
    asked: tuple[int | None, int] = (None, 0)  # the sensor (None: all) and the seeds of the last step
    seeds = SEEDS
    for entry in entries:
        data = entry.data
        match entry.kind:
            case "calibration-asked":
                asked = data.get("pit"), data.get("seeds", 0)
                if asked == (None, 0):
                    states.clear()
                    tares.clear()
                elif asked[0] is not None and asked[1]:
                    seeds = asked[1]
                    states[asked[0]] = ("asked", "")
            case "calibrated" if data["ok"] and (asked[0] is None or not asked[1]):
                tares.add(data["pit"])
                states.pop(data["pit"], None)
            case "calibrated":
                states[data["pit"]] = ("done", "") if data["ok"] else ("failed", reason_text(data.get("reason", "")))
            case "calibration-failed" if data.get("pit") is not None:
                states[data["pit"]] = ("failed", data.get("reason", ""))
    shown = tuple(CalibratedSensor(sensor, name, *states.get(sensor, ("", ""))) for sensor, name in sensors)
    left = [one.sensor for one in shown if one.state in ("", "failed")]
    return Calibration(shown, tares >= {sensor for sensor, _ in sensors}, left[0] if left else None, seeds)


STATES = {  # words and CSS class of a board's states
    "waiting": (later("waiting for the desk"), ""),
    "opening": (later("port open"), ""),
    "connected": (later("connected"), "good"),
    "gone": (later("disconnected"), "bad"),
    "failed": (later("failed"), "bad"),
    "refused": (later("another board"), "bad"),
    "same-serial": (later("two boards with one serial number"), "bad"),
    "quarantined": (later("left alone after faults"), "bad"),
    "closed": (later("released"), ""),
}
PORT_STATES = {  # words for `status.port_state`
    "closed": later("not open: waiting for the port"),
    "silent": later("open, nothing heard"),
    "unreadable": later("open, nothing valid heard"),
    "connected": later("a board answers"),
}
EXACT = 0.15  # seeds; a measured count this close to a whole number is shown as one


@dataclass(frozen=True, slots=True)
class MeasuredPit:
    """The seeds that the board measures in one pit, as text; `wrong` if it should hold `expected` seeds.

    `unused`: why the sensor is not used; empty: it is.
    """

    letter: str
    seen: str
    wrong: bool
    expected: str
    unused: str = ""


@dataclass(frozen=True, slots=True)
class BoardReport:
    """What a board reports. `allows_entry`: turns may be entered on the page, because the board is not connected, has
    no buttons, or cannot tell which of several turns was played. `measured` is the position on the board as far as it
    is known, `measures_all` whether wholly, `lying` the same while it differs from the record. `choose`: the refusal
    that asks which of its candidates was played."""

    id: str
    connected: bool
    wrong: bool
    allows_entry: bool
    refusal: Markup
    message: Markup
    sentences: tuple[Markup, ...]
    ask: Question | None
    choose: Refusal | None
    mend: dict[int, int]
    seen: tuple[tuple[MeasuredPit, ...], tuple[MeasuredPit, ...]] | None
    measured: Position | None
    measures_all: bool
    lying: Position | None


@dataclass(frozen=True)
class BoardCard:
    """A board at the desk and the game it plays."""

    row: BoardRow
    game: GameRow

    @cached_property
    def status(self) -> BoardStatus:
        return read_status(self.row.status)

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def name(self) -> str:
        return board_name(self.row.serial, self.row.url)

    @property
    def table(self) -> str:
        return labels.table_name(self.game.tags)

    @property
    def game_title(self) -> str:
        return " – ".join(labels.player_names(self.game.tags))

    @property
    def state(self) -> tuple[str, str]:
        """Words and CSS class."""
        words, kind = STATES.get(self.status.state, (self.status.state, ""))
        return gettext(words), kind

    @property
    def port_state(self) -> str:
        """What the port does, in words."""
        words = PORT_STATES.get(self.status.port_state or "")
        return gettext(words) if words else ""

    @property
    def confirmable(self) -> str | None:
        """The serial number of a board on the port that does not play, which may be confirmed; None: there is none."""
        return self.status.found if self.status.state in ("refused", "same-serial") else None

    @property
    def may_retry(self) -> bool:
        """Whether the desk waits before it tries the driver again, or does not try it any more."""
        return self.is_open and self.status.fault is not None and self.status.state in ("failed", "quarantined")

    @property
    def is_open(self) -> bool:
        return self.row.wanted == "open"

    @cached_property
    def view(self) -> BoardReport:
        return board_view(self.row, Position.parse(self.game.position))

    @property
    def drawn(self) -> Position:
        """What lies on the board; what the record says where that is not known."""
        return self.view.measured or Position.parse(self.game.position)

    @property
    def drawn_title(self) -> str:
        return gettext("On the board now") if self.view.measured else gettext("By the record")

    @property
    def sign(self) -> str:
        """What the game calls its special pits."""
        return ruleset_of(self.game).terms.get("special", "")

    def highlights(self, calibration: Calibration | None) -> Highlights:
        """What the drawing marks: pits to mend, sensors that are not used, and the next pit to calibrate."""
        following = calibration.next if calibration is not None and calibration.is_tared else None
        return Highlights(start=following, mend=self.view.mend, unknown=tuple(self.status.unused))

    @property
    def can_calibrate(self) -> bool:
        """Whether the board is connected and supports calibration."""
        device = self.status.device
        return self.is_open and self.view.connected and device is not None and "cal" in device.can

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What the board reported about itself, by name."""
        device, health = self.status.device, self.status.health
        facts = [(gettext("port"), self.row.url), (gettext("kind"), self.row.driver)]
        fault = self.status.fault
        if self.is_open and fault is not None:
            facts.append((gettext("faults in a row"), f"{fault.times} ({moment_text(fault.last)})"))
        if self.is_open and self.port_state:
            facts.append((gettext("port state"), self.port_state))
        if self.is_open and self.status.port not in (None, self.row.url):
            facts.append((gettext("found at"), self.status.port or ""))
        if self.row.serial:
            facts.append((gettext("serial number"), self.row.serial))
        if self.status.misfits:
            facts.append((gettext("refused events"), str(self.status.misfits)))
        if self.row.adapter:
            facts.append((gettext("USB adapter"), self.row.adapter))
        if self.confirmable:
            facts.append((gettext("board on the port"), self.confirmable))
        if device is not None:
            stores = gettext("stores weighed") if device.stores else gettext("stores not weighed")
            facts += [(gettext("firmware"), device.firmware), (gettext("board"), f"2×{device.row}, {stores}")]
            facts.append(
                (
                    gettext("a turn ends"),
                    gettext("with its button") if self.status.buttons else gettext("when the board is still"),
                )
            )
            if self.status.turned:
                facts.append((gettext("lies"), gettext("the wrong way round")))
        if health is not None:
            readings = [(reading, value) for reading, value in health.readings() if not reading.is_live]
            facts += [(gettext(reading.label), gettext(reading.text(value))) for reading, value in readings]
        unused = sorted(self.status.unused)
        if unused:
            position = Position.parse(self.game.position)
            facts.append((gettext("sensors not used"), ", ".join(pit_name(position, sensor) for sensor in unused)))
        return facts

    @property
    def sensors(self) -> list[tuple[int, str]]:
        """Index and name of the board's sensors."""
        position = Position.parse(self.game.position)
        stores = self.status.device is not None and self.status.device.stores
        return [(pit, pit_name(position, pit)) for pit in range(len(position.pits) + (2 if stores else 0))]


def board_name(serial: str | None, url: str) -> str:
    """What pages call a board."""
    return gettext("Board %(serial)s", serial=serial) if serial else gettext("Board at %(port)s", port=url)


def board_view(board: BoardRow, position: Position) -> BoardReport:
    """What the board reports, next to the `position` of the record."""
    status = read_status(board.status)
    size = len(position.pits)
    mend = {int(pit): seeds for pit, seeds in status.mend.items() if seeds}
    wrong = bool(mend) or status.refusal is not None
    connected = status.state == "connected"
    asks_which = status.refusal is not None and bool(status.refusal.candidates and status.refusal.question)
    ambiguous = status.refusal is not None and status.refusal.cause == "ambiguous"
    seen = measured = None
    if status.counts is not None and len(status.counts) >= size:
        unused = {pit: error_text(REASONS.get(why, why)) for pit, why in status.unused.items()}
        pits = [
            _measured(position.letter(pit), status.counts[pit], mend.get(pit, 0), unused.get(pit, ""))
            for pit in range(size)
        ]
        seen = (tuple(pits[: position.row]), tuple(pits[position.row :]))
        held = (*position.pits, *position.stores)  # what an unused sensor reads is nothing to draw
        seeds = [held[at] if at in unused else max(round(count), 0) for at, count in enumerate(status.counts)]
        stores = (seeds[size], seeds[size + 1]) if len(seeds) >= size + 2 else position.stores
        measured = position.replaced(pits=tuple(seeds[:size]), stores=stores)
    refusal = status.refusal.message if status.refusal is not None else status.message
    sentences = (*status.sentences, *([status.note] if status.note else ()))
    return BoardReport(
        id=board.id,
        connected=connected,
        wrong=wrong,
        allows_entry=not connected or ambiguous or status.buttons is False,
        refusal=error_text(refusal) if wrong else Markup(),
        message=error_text(status.message),
        sentences=tuple(map(error_text, sentences)),
        ask=status.ask,
        choose=status.refusal if asks_which else None,
        mend={pit: seeds for pit, seeds in mend.items() if pit < size},
        seen=seen,
        measured=measured,
        measures_all=not status.unused and len(status.counts or ()) >= size + 2,
        lying=measured if wrong else None,
    )


def _measured(letter: str, count: float, mend: int, unused: str) -> MeasuredPit:
    if unused:
        return MeasuredPit(letter, "?", False, "", unused)
    whole = round(count)
    seen = str(max(whole, 0)) if abs(count - whole) <= EXACT else f"{count:.1f}"
    return MeasuredPit(letter, seen, mend != 0, str(max(whole + mend, 0)))


def pit_name(position: Position, pit: int) -> str:
    """The letter of a sensor's pit, or whose store it weighs."""
    size = len(position.pits)
    return position.letter(pit) if pit < size else gettext("%(side)s’s store", side=side_names()[pit - size])


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
        "The program %(driver)s of %(distribution)s was stopped: %(reason)s. Times in a row: %(times)s."
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
    "under-way": "%(message)s",
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
CODES = ("action", "code", "kind", "place")  # words of the protocol
SENTENCES = ("reason", "sentence", "message", "text")


def log_lines(entries: Sequence[LogRow], game: GameRow) -> Iterator[tuple[LogRow, Markup, bool]]:
    """A board's log, newest first: each entry with its sentence, and whether it needs attention."""
    for entry in reversed(entries):
        yield entry, _text(entry, game), entry.kind in WARNINGS or entry.data.get("ok") is False


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
        values["side"] = side_names()[SIDES[data["side"]]]
    return values


def _code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(text)
