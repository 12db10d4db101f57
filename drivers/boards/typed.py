"""A person in place of a board: types counts, positions or moves at a terminal or a socket.

    4.4.4.4/4.4.4.4 0-0 s 0     a position; it also says whose turn it is
    4 4 4 4 4 4 4 4 | 0 0       counts, as in `counts`
    rules enkeshui pits=8       the game that is played, from its start; after that moves can be typed
    d<                          a move: sets the board that it leaves, and presses the mover's commit button
    c                           commit, of the side that is to move; also commit s, undo n, dispute s
    help

The driver reports nothing but counts and buttons: the host works out the turn as from any board. Of moves that were
entered elsewhere it knows only whose turn it is then: type the position.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from inkeek.drivers.base import Guidance, Resume
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import ACTIONS, Event
from inkeek.drivers.ports.driver import PortDriver
from inkeek.records import Move, Position, RecordsError, Rules, Side, ruleset
from inkeek.records.errors import ErrorText

from .counts import read_button, read_counts
from .unnumbered import TextSession

HELP = (
    "Type counts (4 4 4 4 | 0 0), a position, or 'rules GAME option=value' and then moves;",
    "c when a turn is done; 'commit s', 'undo n', 'dispute s', 'trial n'.",
)
_SHORT = {"c": "commit", "u": "undo"}
_COUNTS = re.compile(r"[0-9.,; |]+|[\[{].*")


class TypedBoard(PortDriver):
    """The driver for a person who types."""

    name = "typed"
    title: str = ErrorText("A person who types counts or moves")

    def session(self, token: Callable[[], str], resume: Resume | None) -> TypedSession:
        """See `PortDriver.session`."""
        return TypedSession(token, resume)


class TypedSession(TextSession):
    """The lines of a person who types, and the answers to them."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        super().__init__(token, resume)
        self._rules: Rules | None = None
        self._position: Position | None = None  # what is on the board, in whole seeds
        self._to_move: Side | None = None  # according to the host

    def port_opened(self, now: float) -> None:
        super().port_opened(now)
        self._send_help()

    def show(self, guidance: Guidance) -> None:
        """See `base.Connection.show`. Shows it in words."""
        self._to_move = guidance.to_move
        if guidance.to_move is not None and self._position is not None:
            self._position = self._position.replaced(to_move=guidance.to_move)
        if guidance.over:
            self.send_line("The game is over.")
        elif guidance.refused:
            pits = ", ".join(self._letter(pit) for pit in sorted(guidance.errors))
            self.send_line("Not recorded." + (f" Correct {pits}." if pits else "") + f" {guidance.to_move} is to move.")
        elif guidance.to_move is not None:
            self.send_line(f"{guidance.to_move} is to move.")

    def reject_line(self, text: str, reason: str) -> None:
        self.send_line(reason)

    def handle_line(self, text: str, now: float) -> list[Event]:
        """See `TextSession.handle_line`."""
        word, _, rest = text.partition(" ")
        if word == "help":
            self._send_help()
            return []
        if word == "rules":
            return self._set_rules(rest, now)
        if _COUNTS.fullmatch(text):
            return self._set_counts(*read_counts(text), now)
        if "/" in word:
            try:
                return self._set_position(Position.parse(text), now)
            except RecordsError as error:
                raise DriverError(str(error)) from error
        action = _SHORT.get(text, text)
        if action in ACTIONS:
            if self._to_move is None:
                raise DriverError(f"it is unknown whose turn it is: type {action} s or {action} n")
            return self.board.press(self._to_move, action, now)
        button = read_button(text)
        return self.board.press(*button, now) if button else self._play(text, now)

    def _send_help(self) -> None:
        for line in HELP:
            self.send_line(line)

    def _set_rules(self, text: str, now: float) -> list[Event]:
        try:
            name, *words = text.split()
            options = dict(word.split("=", 1) for word in words)
            self._rules = ruleset(name, **options)
        except (RecordsError, ValueError) as error:
            raise DriverError(f"{text[:60]!r} is not a game: {error}. Example: rules enkeshui pits=8") from error
        return self._set_position(self._rules.start(), now)

    def _play(self, text: str, now: float) -> list[Event]:
        if self._rules is None or self._position is None:
            raise DriverError(
                "%(text)r is not a command: expected counts, a position, c or help. To type moves, choose the game "
                "first: rules enkeshui pits=8",
                text=text[:40],
            )
        try:
            turn = self._rules.play(self._position, Move.parse(text))
        except RecordsError as error:
            raise DriverError(str(error)) from error
        mover = self._position.to_move
        return self._set_position(turn.position, now) + self.board.press(mover, "commit", now)

    def _set_position(self, position: Position, now: float) -> list[Event]:
        self._position = position
        self.send_line(str(position))
        return self._update(tuple(map(float, (*position.pits, *position.stores))), True, now)

    def _set_counts(self, counts: tuple[float, ...], stores: bool, now: float) -> list[Event]:
        if self._position is not None and len(self._position.pits) == len(counts) - 2 * stores:
            whole = [round(count) for count in counts]
            pits = len(self._position.pits)
            in_stores = (whole[pits], whole[pits + 1]) if stores else self._position.stores
            self._position = self._position.replaced(pits=tuple(whole[:pits]), stores=in_stores)
            if not stores:  # they were typed once, and have not changed
                counts, stores = (*counts, *map(float, in_stores)), True
        return self._update(counts, stores, now)

    def _update(self, counts: tuple[float, ...], stores: bool, now: float) -> list[Event]:
        if self.ready and self.board.counts is not None and len(self.board.counts) == len(counts):
            return self.board.update(counts, now)
        self.ready = True
        return self.board.connect("typed", counts, stores, frozenset({"buttons"}))

    def _letter(self, pit: int) -> str:
        if self._position is None or pit >= len(self._position.pits):
            return f"pit {pit}"
        return self._position.letter(pit)
