"""The turns of a line as the kernel played them: numbers, made into positions and turns when somebody asks for them."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence

from .moves import Move, Turn, canonical_choices
from .play import Rules
from .position import NORTH, SOUTH, Position


class Track:
    """A line being played from `start`: as many of `moves`, in order, as were played so far.

    `run` plays all that the kernel can; a turn that it cannot play (a pass, a rearrangement, an irregular turn) is
    played elsewhere and given to `add`.
    """

    def __init__(self, rules: Rules, start: Position, moves: Sequence[Move]) -> None:
        self.start = start
        self.count = 0
        self._rules = rules
        self._moves = moves
        self._codes = [move.code for move in moves]
        self._size = 2 * rules.row
        self._width = rules.track_width
        self._numbers = array("Q", bytes(8 * self._width * len(moves)))
        self._others: dict[int, Turn] = {}

    def run(self) -> None:
        """Play on until a move is not a sowing that the rules allow, or to the end."""
        self.count = self._rules.follow(self.position(self.count), self._codes, self.count, self._numbers)

    def add(self, turn: Turn) -> None:
        """Go on from where another turn led."""
        self._others[self.count] = turn
        self.count += 1

    def position(self, count: int) -> Position:
        """The position after `count` turns."""
        if count == 0:
            return self.start
        if count - 1 in self._others:
            return self._others[count - 1].position
        at, size = (count - 1) * self._width, self._size
        stores = at + 2 * size
        south, north, mover = self._numbers[stores : stores + 3]
        return Position(
            tuple(self._numbers[at : at + size]),
            tuple(self._numbers[at + size : stores]),
            (south, north),
            NORTH if mover else SOUTH,
            self._ply(count),
        )

    def _ply(self, count: int) -> int:
        """The ply after `count` turns: each counts one, but for those played elsewhere."""
        others = list(self._others)
        before = bisect_right(others, count - 1)
        if not before:
            return self.start.ply + count
        last = others[before - 1]
        return self._others[last].position.ply + count - 1 - last

    def turns(self) -> list[Turn]:
        """All turns, with the move of each in canonical form."""
        turns: list[Turn] = []
        before = self.start
        for index in range(self.count):
            turn = self._others.get(index) or self._turn(index, before)
            turns.append(turn)
            before = turn.position
        return turns

    def _turn(self, index: int, before: Position) -> Turn:
        after = self.position(index + 1)
        first = index * self._width + 2 * self._size + 3
        mine, theirs, laps, gone, given = self._numbers[first : first + 5]
        special = ""
        if after.marks != before.marks:
            special = "".join(before.letter(pit) for pit in range(self._size) if after.marks[pit] != before.marks[pit])
        choices = (
            canonical_choices([1 if gone >> k & 1 else -1 for k in range(given)], self._rules.step) if given else ""
        )
        move = self._moves[index].doing((mine, theirs), special, choices)
        return Turn(move, before, after, (mine, theirs) if before.to_move is SOUTH else (theirs, mine), special, laps)
