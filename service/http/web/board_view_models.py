"""What the boards desk shows of boards, worked out before a template is body to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from records import Position, Side
from service.games.snapshot import rules_of
from service.storage import BoardRow, GameRow, LogRow

from . import labels
from .view_models import BoardView, board_view

STATES = {
    "waiting": ("waiting for the desk", ""),
    "opening": ("the port is open", ""),
    "connected": ("connected", "good"),
    "gone": ("gone", "bad"),
    "failed": ("cannot be used", "bad"),
    "closed": ("released", ""),
}
LOG_SHOWN = 100  # entries; older ones are had from the API
HEEDED = ("gap", "refused", "fault", "calibration-failed", "refused-board", "complaint", "unrecorded")

# What an entry of the log says, from its data; by its kind.
SAYS: dict[str, str] = {
    "connected": "connected: serial number {serial}, firmware {firmware}, boot {boot}",
    "refused-board": "the board cannot be used: {reason}",
    "gap": "gap in the record: {reason}",
    "button": "{side} pressed {action}",
    "refused": "{side}’s turn {number} was not recorded: {sentence}",
    "mended": "turn {ply} was mended",
    "unchanged": "the button was pressed, and the board lay as before",
    "after-end": "the button was pressed after the end of the game",
    "disputed": "nothing is recorded while a dispute waits",
    "unrecorded": "{message}",
    "complaint": "the board did not understand: {code} {text}",
    "unrecognised": "something that is not known here: {kind}",
    "calibration-body": "a step of calibration was body for",
    "calibration-failed": "not calibrated: {reason}",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a board's log, as a sentence; `heeded`: somebody should look at it."""

    number: int
    time: str
    kind: str
    text: str
    heeded: bool


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A board at the desk, with the game it plays."""

    row: BoardRow
    game_title: str
    state: str
    mark: str
    facts: tuple[tuple[str, str], ...]
    seen: BoardView
    refusals: int

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def name(self) -> str:
        return f"Board {self.row.serial}" if self.row.serial else f"Board at {self.row.url}"

    @property
    def open(self) -> bool:
        return self.row.wanted == "open"

    @property
    def can_calibrate(self) -> bool:
        """Whether the board says that it may be calibrated, and is there."""
        device: dict[str, Any] = self.row.status.get("device") or {}
        return self.open and self.seen.connected and "cal" in device.get("can", ())


def board_line(board: BoardRow, game: GameRow) -> BoardLine:
    """What the desk shows of a board."""
    state, mark = STATES.get(str(board.status.get("state")), (str(board.status.get("state")), ""))
    position = Position.parse(game.position)
    return BoardLine(
        row=board,
        game_title=" – ".join(labels.player_names(game.tags)),
        state=state,
        mark=mark,
        facts=tuple(_facts(board)),
        seen=board_view(board, position, rules_of(game).info.terms),
        refusals=int(board.status.get("refusals") or 0),
    )


def _facts(board: BoardRow) -> list[tuple[str, str]]:
    """What is known of the board itself, by name; what it has not told is left out."""
    device: Mapping[str, Any] = board.status.get("device") or {}
    health: Mapping[str, Any] = board.status.get("health") or {}
    facts = [("port", board.url), ("driver", board.driver)]
    if board.serial:
        facts.append(("serial number", board.serial))
    if device:
        stores = "stores weighed" if device["stores"] else "stores not weighed"
        facts += [("firmware", device["firmware"]), ("board", f"2×{device['row']}, {stores}")]
        facts.append(
            ("turns count", "with their button" if board.status.get("buttons") else "when the board lies still")
        )
    if health:
        facts += [("supply", f"{health['volts']:.2f} V"), ("temperature", f"{health['celsius']:.1f} °C")]
        facts.append(("faults", ", ".join(health["faults"]) or "none"))
    return facts


def log_lines(entries: Sequence[LogRow], game: GameRow) -> list[Entry]:
    """A board's log, newest first."""
    return [
        Entry(entry.number, entry.time, entry.kind, _says(entry, game), entry.kind in HEEDED)
        for entry in reversed(entries)
    ]


def _says(entry: LogRow, game: GameRow) -> str:
    if entry.kind in ("fault", "calibrated"):
        name = pit_name(Position.parse(game.position), entry.data["pit"])
        if entry.kind == "fault":
            code = entry.data["code"]
            return f"the sensor of {name} is well again" if code == "ok" else f"the sensor of {name} is faulty: {code}"
        return f"{name} was calibrated" if entry.data["ok"] else f"{name} could not be calibrated"
    says = SAYS.get(entry.kind)
    data = entry.data
    if entry.kind == "refused":  # the first sentence tells what is wrong; the message says only that something is
        data = {**data, "sentence": (*data.get("sentences", ()), data.get("message"))[0]}
    try:
        return entry.kind if says is None else says.format_map(data)
    except KeyError:  # an earlier version wrote less
        return entry.kind


def pit_name(position: Position, pit: int) -> str:
    """A sensor's pit by its letter, or whose store it weighs."""
    return position.letter(pit) if pit < len(position.pits) else f"{Side(pit - len(position.pits))}’s store"


def sensors(board: BoardRow, game: GameRow) -> list[tuple[int, str]]:
    """The board's sensors by index, with what they are called."""
    position = Position.parse(game.position)
    device: Mapping[str, Any] = board.status.get("device") or {}
    count = len(position.pits) + (2 if device.get("stores") else 0)
    return [(pit, pit_name(position, pit)) for pit in range(count)]
