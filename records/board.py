"""A board to play on: `push`, `pop`, and what python-chess's board knows besides."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from difflib import get_close_matches

from .errors import expect
from .game import Game
from .moves import Listed, Move, Turn, as_move
from .notation.tags import ORDER, TagError, described, format_options
from .position import Position
from .record import Ply
from .rules.outcome import Outcome, occurrences
from .rules.play import Rules, standard_start


@dataclass(init=False)
class Board:
    """A game while it is played from `start`; `turns` are those played and not taken back.

    Boards are compared by value. `Rules.board` is much faster, but knows less.
    """

    rules: Rules
    start: Position
    turns: tuple[Turn, ...]

    def __init__(self, rules: Rules, start: Position | str | None = None) -> None:
        """:raises PositionError: the position, or the text of one, is not of this game."""
        expect(rules, Rules, "ruleset('bof')")
        self.rules = rules
        self.start = Position.parse(start) if isinstance(start, str) else start or rules.start()
        self.turns = ()
        rules.verify_position(self.start)

    def __str__(self) -> str:
        return str(self.position)

    def copy(self, *, stack: bool | int = True) -> Board:
        """A board to try moves on. Without `stack` it starts from the position now; a number keeps the last turns."""
        made = copy(self)
        made.turns = self.turns if stack is True else self.turns[max(0, len(self.turns) - stack) :]
        made.start = made.turns[0].before if made.turns else self.position
        return made

    @property
    def position(self) -> Position:
        """The position now."""
        return self.turns[-1].position if self.turns else self.start

    @property
    def legal_moves(self) -> Listed[Move]:
        """See `Rules.legal_moves`."""
        return self.rules.legal_moves(self.position)

    def push(self, move: Move | str) -> Turn:
        """Play a move, or the one that a text says.

        :raises IllegalMove: the rules forbid it, or it does not do what it claims.
        :raises MoveSyntaxError: the text is not a move in any position.
        """
        previous = self.turns[-1].move if self.turns else None
        turn = self.rules.play(self.position, as_move(move), previous)
        self.turns += (turn,)
        return turn

    def pop(self) -> Turn:
        """Take the last turn back.

        :raises IndexError: no turn has been played.
        """
        if not self.turns:
            raise IndexError("no turn to take back: none has been played on this board")
        *before, last = self.turns
        self.turns = tuple(before)
        return last

    def outcome(self, *, repetition: bool = True) -> Outcome | None:
        """How the game ended; None while it goes on. A `repetition` that lets a player end the game ends it."""
        outcome = self.rules.outcome(self.position)
        if outcome is None and repetition:
            positions = [self.start, *(turn.position for turn in self.turns)]
            outcome = self.rules.repetition(self.position, occurrences(positions))
        return outcome

    def is_game_over(self, *, repetition: bool = True) -> bool:
        return self.outcome(repetition=repetition) is not None

    def result(self, *, repetition: bool = True) -> str:
        """`1-0`, `0-1` or `1/2-1/2`; `*` while the game goes on."""
        outcome = self.outcome(repetition=repetition)
        return "*" if outcome is None else outcome.result

    def game(self, **tags: str) -> Game:
        """The record of what was played. `tags` are added to those that follow from it, or replace them.

        :raises TagError: a tag is none of the notation, and has no `_` in its name as your own have.
        """
        for name in tags.keys() - set(ORDER):
            if "_" not in name:
                near = get_close_matches(name, ORDER, 1)
                hint = f"did you mean {near[0]}?" if near else "tags of your own have a _ in their names"
                raise TagError(name, f"there is no tag {name!r}: {hint}")
        rules, outcome = self.rules, self.outcome()
        found = {**described(rules.info), "Result": self.result()}
        if rules.changed:
            found["Options"] = format_options(rules.changed)
        if self.start != standard_start(rules.info, rules.options):
            found["Setup"] = str(self.start)
        if outcome is not None:
            found |= {"Score": "{}-{}".format(*outcome.score), "Termination": outcome.termination}
        return Game({**found, **tags}, tuple(Ply(turn.move) for turn in self.turns))
