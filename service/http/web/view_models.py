"""What the pages show of a game, worked out before a template is body to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from records import SOUTH, Kind, Move, Position, Side, Turn
from service.games.snapshot import GameSnapshot, rules_of
from service.storage import BoardRow, GameRow

from . import labels
from .move_list import Listed, Row, list_turns
from .svg import Highlights, changed_pits

ENTRY_LIMIT = 300  # turns offered for a click; any other can be written
RECENT = 24  # turns listed on the live page
SEEN_EXACT = 0.15  # seeds: how near a reading must be to a whole number to be shown as one


@dataclass(frozen=True, slots=True)
class Way:
    """A legal move on a button: as it is played, as it is shown, and as it is read out."""

    text: str
    shown: str
    label: str


@dataclass(frozen=True, slots=True)
class Choice:
    """The legal moves that start from one pit; pit -1 for a pass."""

    pit: int
    letter: str
    moves: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """What the board weighs in one pit, as text; `wrong` when it has to be mended to `expected` seeds."""

    letter: str
    seen: str
    wrong: bool
    expected: str


@dataclass(frozen=True)
class BoardView:
    """The board on the table, as the desk last told of it."""

    id: str
    connected: bool
    wrong: bool
    leaves_entry: bool  # the turn cannot be had from the board: it is gone, or its turn could be one of several
    refusal: str
    message: str
    sentences: tuple[str, ...]
    ask: Mapping[str, Any]  # what the board wants to know (`kind`, `ply`, `message`), empty when nothing
    mend: dict[int, int]
    seen: tuple[tuple[Cell, ...], tuple[Cell, ...]] | None
    lying: Position | None


@dataclass(frozen=True)
class GameView:
    """A game on the live page or, at one of its turns, on the review page."""

    id: str
    title: str
    names: tuple[str, str]
    event: str
    round: str
    date: str
    terms: Mapping[str, str]
    seq: int
    ended: bool
    result_words: str
    ply: int
    plies: int
    position: Position
    board_title: str
    to_move: Side | None
    highlights: Highlights
    last_number: str
    last_move: str
    last_summary: str
    last_asides: tuple[str, ...]
    sentences: tuple[str, ...]
    rows: tuple[Row, ...]
    opening_comments: tuple[labels.Note, ...]
    error: str
    board: BoardView | None
    choices: tuple[Choice, ...]

    @property
    def api_url(self) -> str:
        return f"/api/v1/games/{self.id}"

    @property
    def record_url(self) -> str:
        return f"{self.api_url}.pmn"

    @property
    def may_enter(self) -> bool:
        """Whether turns are entered on the page: the game goes on, and no board is about to tell them."""
        return not self.ended and (self.board is None or self.board.leaves_entry)

    @property
    def recent(self) -> list[Listed]:
        return [turn for row in self.rows for turn in row.turns if turn][-RECENT:]


@dataclass(frozen=True)
class Summary:
    """A game in the list of games."""

    row: GameRow
    position: Position
    title: str
    terms: Mapping[str, str]

    @property
    def id(self) -> str:
        return self.row.id

    @property
    def names(self) -> tuple[str, str]:
        return labels.player_names(self.row.tags)

    @property
    def event(self) -> str:
        return labels.known(self.row.tags, "Event")

    @property
    def date(self) -> str:
        return labels.known(self.row.tags, "Date")

    @property
    def result(self) -> str:
        names = self.names
        return labels.result_words(names, self.row.result, self.row.score, self.row.termination)

    @property
    def record_url(self) -> str:
        return f"/api/v1/games/{self.id}.pmn"


def summary(row: GameRow) -> Summary:
    info = rules_of(row).info
    return Summary(row, Position.parse(row.position), info.name, info.terms)


def game_view(loaded: GameSnapshot, ply: int | None = None) -> GameView:
    """The game at turn `ply`, or as it stands with the board on the table. `ply` is brought within the game."""
    rules, row = loaded.rules, loaded.row
    terms = rules.info.terms
    record = loaded.record
    told = record.to_json()
    replay = record.replay()
    last = len(replay.turns)
    at = last if ply is None else min(max(ply, 0), last)
    ended = loaded.ended and at == last
    position = replay.positions[at]
    turn = replay.turns[at - 1] if at else None
    board = board_view(loaded.board, position, terms) if ply is None and loaded.board else None
    rows = list_turns(told["plies"], replay.turns)
    listed = {turn.ply: turn for row in rows for turn in row.turns if turn}
    last_number, last_move = (listed[at].number, listed[at].text) if at else ("", "")
    choices: tuple[Choice, ...] = ()
    if ply is None and not loaded.ended and (board is None or board.leaves_entry):
        choices = choices_of(loaded.legal(ENTRY_LIMIT), position.row)
    legal = tuple(choice.pit for choice in choices)
    if board is not None and board.lying is not None:
        position = board.lying
        title = "What lies on the board on the table; it is no turn yet"
        marked = Highlights(mend=board.mend)
    else:
        title = labels.board_title(position, f"{last_number} {last_move}".strip(), ended=ended)
        marked = highlights_of(turn, position.row, legal)
    names = labels.player_names(row.tags)
    return GameView(
        id=loaded.id,
        title=rules.info.name,
        names=names,
        event=labels.known(row.tags, "Event"),
        round=labels.known(row.tags, "Round"),
        date=labels.known(row.tags, "Date"),
        terms=terms,
        seq=loaded.seq,
        ended=loaded.ended,
        result_words=labels.result_words(names, row.result, row.score, row.termination) if loaded.ended else "",
        ply=at,
        plies=last,
        position=position,
        board_title=title,
        to_move=None if ended else replay.positions[at].to_move,
        highlights=marked,
        last_number=last_number,
        last_move=last_move,
        last_summary=labels.turn_summary(turn, terms) if turn else "",
        last_asides=listed[at].asides if at else (),
        sentences=tuple(rules.explain(turn.before, turn.move)) if turn else (),
        rows=tuple(rows),
        opening_comments=tuple(labels.note(comment) for comment in told["comments"]),
        error="" if replay.error is None else str(replay.error),
        board=board,
        choices=choices,
    )


def highlights_of(turn: Turn | None, row: int, legal: Sequence[int] = ()) -> Highlights:
    """Where a turn began and what it changed; nothing before the first."""
    if turn is None:
        return Highlights(legal=legal)
    start = turn.move.pit_index(row) if turn.move.kind is Kind.SOW else None
    return Highlights(start, changed_pits(turn.before, turn.position), legal)


def choices_of(moves: Sequence[Move], row: int) -> tuple[Choice, ...]:
    """The legal moves by the pit they start from, in order."""
    by_pit: dict[int, list[Way]] = {}
    for move in moves:
        pit = move.pit_index(row) if move.kind is Kind.SOW else -1
        by_pit.setdefault(pit, []).append(_way(move))
    return tuple(Choice(pit, "Pass" if pit < 0 else ways[0].text[0], tuple(ways)) for pit, ways in by_pit.items())


def _way(move: Move) -> Way:
    if move.kind is not Kind.SOW:
        return Way("--", "pass", "Pass")
    parts = [move.pit]
    if move.choices:
        turns = {"<": "clockwise", ">": "counter-clockwise"}
        parts.append(" then ".join(turns[sign] for sign in move.choices))
    if move.captured and any(move.captured):
        parts.append("takes " + " and gives ".join(str(count) for count in move.captured if count))
    if move.special:
        parts.append(f"makes {' and '.join(move.special)} special")
    return Way(str(move.choice), str(move), ", ".join(parts))


def board_view(board: BoardRow, position: Position, terms: Mapping[str, str]) -> BoardView:
    """What the desk tells of the board. While a turn is refused, `lying` is what lies on the table instead of it."""
    status: dict[str, Any] = board.status
    size = len(position.pits)
    mend = {int(pit): int(seeds) for pit, seeds in (status.get("mend") or {}).items() if int(seeds)}
    counts = status.get("counts")
    refusal: dict[str, Any] = status.get("refusal") or {}
    wrong = bool(mend) or bool(refusal)
    connected = status.get("state") == "connected"
    seen = lying = None
    if counts is not None and len(counts) >= size:
        seeds = [max(round(count), 0) for count in counts]
        cells = [_cell(position.letter(pit), counts[pit], mend.get(pit, 0)) for pit in range(size)]
        seen = (tuple(cells[: position.row]), tuple(cells[position.row :]))
        if wrong:
            stores = (seeds[size], seeds[size + 1]) if len(seeds) >= size + 2 else position.stores
            lying = position.replaced(pits=tuple(seeds[:size]), stores=stores)
    sentences = list(status.get("sentences") or ())
    if status.get("note"):
        sentences.append(status["note"])
    return BoardView(
        id=board.id,
        connected=connected,
        wrong=wrong,
        leaves_entry=not connected or refusal.get("cause") == "ambiguous" or status.get("buttons") is False,
        refusal=(refusal.get("message") or status.get("message") or "This is no turn of the rules.") if wrong else "",
        message=status.get("message") or "",
        sentences=tuple(sentences),
        ask=status.get("ask") or {},
        mend={pit: seeds for pit, seeds in mend.items() if pit < size},
        seen=seen,
        lying=lying,
    )


def _cell(letter: str, count: float, mend: int) -> Cell:
    whole = round(count)
    seen = str(max(whole, 0)) if abs(count - whole) <= SEEN_EXACT else f"{count:.1f}"
    return Cell(letter, seen, mend != 0, str(max(whole + mend, 0)))


def mark_words_json(terms: Mapping[str, str]) -> str:
    """The words for what a pit can be, by mark, for the script that moves the board on."""
    return json.dumps([labels.mark_words(mark, terms) for mark in range(4)], ensure_ascii=False)


def view_side(name: str | None) -> Side:
    """Whose side of the table the board is seen from, from a query's ``view``."""
    return Side.NORTH if name == "north" else SOUTH
