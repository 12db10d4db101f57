"""A person in place of a board: types what lies there, or what was played, at a terminal or a socket.

    4.4.4.4/4.4.4.4 0-0 s 0     a position; it tells whose turn it is, too
    4 4 4 4 4 4 4 4 | 0 0       counts, as in `counts`
    rules enkeshui pits=8       the game that is played, from its start; after that moves can be typed
    d<                          a move: what it leaves is laid, and the mover's commit button pressed
    c                           commit, of the side that the host says is to move; also commit s, undo n, dispute s
    help

The driver tells the host nothing but counts and buttons: a typed move becomes the board that it leaves, and the host
works out the turn from that like from any board's. Of what was entered elsewhere it learns no more than whose turn it
is: type the position then.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from drivers.base import Environment, Guidance, Resume
from drivers.errors import DriverError
from drivers.events import Event
from drivers.ports.connection import PortConnection
from drivers.ports.environment import SystemEnvironment
from drivers.protocol.messages import ACTIONS
from records import Move, Position, RecordsError, Rules, Side, ruleset

from .counts import read_button, read_counts
from .unnumbered import TextSession

HELP = (
    "Type counts (4 4 4 4 | 0 0), a position, 'rules GAME option=value', then moves;",
    "c when a turn is done; 'commit s', 'undo n', 'dispute s', 'trial n'.",
)
_SHORT = {"c": "commit", "u": "undo"}
_COUNTS = re.compile(r"[0-9.,; |]+|[\[{].*")


class TypedBoard:
    """The driver for a person who types."""

    name = "typed"
    title = "A person who types counts or moves"

    def open(self, url: str, resume: Resume | None = None) -> PortConnection:
        """See `base.Driver.open`."""
        return self.connect(self.environment(url), resume)

    def environment(self, url: str) -> Environment:
        """See `base.SupportsRecording.environment`."""
        return SystemEnvironment(url)

    def connect(self, environment: Environment, resume: Resume | None = None) -> PortConnection:
        """See `base.SupportsRecording.connect`."""
        return PortConnection(TypedSession(environment.token, resume), environment)


class TypedSession(TextSession):
    """What a person types, and what they are answered."""

    def __init__(self, token: Callable[[], str], resume: Resume | None) -> None:
        super().__init__(token, resume)
        self._rules: Rules | None = None
        self._position: Position | None = None  # what lies there, as far as whole seeds tell
        self._to_move: Side | None = None  # as the host says

    def opened(self, now: float) -> None:
        super().opened(now)
        for line in HELP:
            self.say(line)

    def guide(self, guidance: Guidance) -> None:
        """See `base.Connection.show`: in words."""
        self._to_move = guidance.to_move
        if guidance.to_move is not None and self._position is not None:
            self._position = self._position.replaced(to_move=guidance.to_move)
        if guidance.over:
            self.say("The game is over.")
        elif guidance.refused:
            pits = ", ".join(self._letter(pit) for pit in sorted(guidance.errors))
            self.say("Not recorded." + (f" Mend {pits}." if pits else "") + f" {guidance.to_move} is to move.")
        elif guidance.to_move is not None:
            self.say(f"{guidance.to_move} is to move.")

    def misheard(self, text: str, why: str) -> None:
        self.say(why)

    def hear(self, text: str, now: float) -> list[Event]:
        """See `TextSession.hear`."""
        word, _, rest = text.partition(" ")
        if word == "help":
            for line in HELP:
                self.say(line)
            return []
        if word == "rules":
            return self._learn(rest, now)
        if _COUNTS.fullmatch(text):
            return self._lay(*read_counts(text), now)
        if "/" in word:
            return self._place(text, now)
        action = _SHORT.get(text, text)
        if action in ACTIONS:
            if self._to_move is None:
                raise DriverError(f"whose button? Type {action} s or {action} n")
            return self.board.press(self._to_move, action, now)
        button = read_button(text)
        return self.board.press(*button, now) if button else self._play(text, now)

    def _learn(self, text: str, now: float) -> list[Event]:
        try:
            name, *words = text.split()
            options = dict(word.split("=", 1) for word in words)
            self._rules = ruleset(name, **options)
        except (RecordsError, ValueError) as error:
            raise DriverError(f"not rules: {text[:60]!r}: {error}; as in: rules enkeshui pits=8") from error
        return self._set(self._rules.start(), now)

    def _place(self, text: str, now: float) -> list[Event]:
        try:
            return self._set(Position.parse(text), now)
        except RecordsError as error:
            raise DriverError(str(error)) from error

    def _play(self, text: str, now: float) -> list[Event]:
        if self._rules is None or self._position is None:
            raise DriverError(
                f"{text[:40]!r} is none of counts, a position, c, help. To type moves, say first which game it is: "
                "rules enkeshui pits=8"
            )
        try:
            turn = self._rules.play(self._position, Move.parse(text))
        except RecordsError as error:
            raise DriverError(str(error)) from error
        mover = self._position.to_move
        return self._set(turn.position, now) + self.board.press(mover, "commit", now)

    def _set(self, position: Position, now: float) -> list[Event]:
        self._position = position
        self.say(str(position))
        return self._tell(tuple(map(float, (*position.pits, *position.stores))), True, now)

    def _lay(self, counts: tuple[float, ...], stores: bool, now: float) -> list[Event]:
        if self._position is not None and len(self._position.pits) == len(counts) - 2 * stores:
            whole = [round(count) for count in counts]
            pits = len(self._position.pits)
            laid = (whole[pits], whole[pits + 1]) if stores else self._position.stores
            self._position = self._position.replaced(pits=tuple(whole[:pits]), stores=laid)
            if not stores:  # which were given once, and are still there
                counts, stores = (*counts, *map(float, laid)), True
        return self._tell(counts, stores, now)

    def _tell(self, counts: tuple[float, ...], stores: bool, now: float) -> list[Event]:
        if self.ready and self.board.counts is not None and len(self.board.counts) == len(counts):
            return self.board.lie(counts, now)
        self.ready = True
        return self.board.connected("typed", counts, stores, frozenset({"buttons"}))

    def _letter(self, pit: int) -> str:
        if self._position is None or pit >= len(self._position.pits):
            return f"pit {pit}"
        return self._position.letter(pit)
