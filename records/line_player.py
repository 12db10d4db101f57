"""A line played by the kernel at one go: numbers, made into positions and turns on demand."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from .budget import Budget
from .moves import Move, Turn, canonical_move
from .position import NORTH, SOUTH, UNSOWN_TEXTS, Position, pit_letter
from .rules.play import Rules


class LinePlayer:
    """Plays `moves` in order from `start`; `count` says how many were played so far.

    `play` plays sowings; a turn of another kind (a pass, a rearrangement, an irregular turn) is given to `add`.
    """

    def __init__(self, rules: Rules, start: Position, moves: Sequence[Move]) -> None:
        self.start = start
        self.count = 0
        self._rules = rules
        self._moves = moves
        self._codes = [move._code or move.code for move in moves]
        self._size = 2 * rules.row
        self._width = rules.track_width
        self._numbers = array("Q", bytes(8 * self._width * len(moves)))
        self._others: dict[int, Turn] = {}
        self._indices: list[int] = []  # of the others

    def play(self, budget: Budget | None = None) -> None:
        """Play on to the end, or until a move is not a legal sowing or the budget is spent."""
        self.count = self._rules.follow(self.position(self.count), self._codes, self.count, self._numbers, budget)

    def add(self, turn: Turn) -> None:
        """Continue after another turn."""
        self._others[self.count] = turn
        self._indices.append(self.count)
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
            *self._since(count),
        )

    def _since(self, count: int) -> tuple[int, int]:
        """The fields `ply` and `unsown` after `count` turns: those after the last turn that was no sowing, and what the
        sowings since then make of them."""
        before, sowings = self.start, count
        found = bisect_right(self._indices, count - 1) if self._indices else 0
        if found:
            last = self._indices[found - 1]
            before, sowings = self._others[last].position, count - 1 - last
        unsown = before.unsown
        if unsown and sowings:
            unsown = unsown & ~(1 << before.to_move) if sowings == 1 else 0
        return before.ply + sowings, unsown

    def positions(self) -> list[Position]:
        """The positions from the start on, one more than turns."""
        return [self.position(count) for count in range(self.count + 1)]

    def texts(self) -> list[str]:
        """The texts of these positions, in less time."""
        texts = [str(self.start)]
        before, first = self.start, 0  # the sowings from `first` on follow this position
        for end in (*self._indices, self.count):
            if first < end:
                texts += self._rules.texts(self._numbers, first, end, before.ply + 1)
                texts[first + 1] += UNSOWN_TEXTS[self._since(first + 1)[1]]
            if end in self._others:
                before = self._others[end].position
                texts.append(str(before))
            first = end + 1
        return texts

    def moves(self) -> list[Move]:
        """The moves of all turns in canonical form, in less time than the turns."""
        moves, before = [], self.start.marks
        for index in range(self.count):
            if index in self._others:
                moves.append(self._others[index].move)
                before = self._others[index].position.marks
                continue
            marks = index * self._width + self._size
            after = tuple(self._numbers[marks : marks + self._size])
            moves.append(self._move(index, before, after))
            before = after
        return moves

    def turns(self, positions: Sequence[Position]) -> list[Turn]:
        """All turns, with the move of each in canonical form; `positions` are those of `positions`."""
        around = enumerate(pairwise(positions))
        return [self._others.get(index) or self._turn(index, *both) for index, both in around]

    def _turn(self, index: int, before: Position, after: Position) -> Turn:
        first = index * self._width + 2 * self._size + 3
        mine, theirs, laps, _, _, emptied, end = self._numbers[first : first + 7]
        move = self._move(index, before.marks, after.marks)
        captured = (mine, theirs) if before.to_move is SOUTH else (theirs, mine)
        return Turn(move, before, after, captured, move.special or "", laps, emptied, end)

    def _move(self, index: int, before: Sequence[int], after: Sequence[int]) -> Move:
        """The move of a sowing in canonical form; the marks were `before` and are `after`."""
        first = index * self._width + 2 * self._size + 3
        mine, theirs, _, bits, given = self._numbers[first : first + 5]
        special = ""
        if after != before:
            row = self._size // 2
            special = "".join(pit_letter(pit, row) for pit in range(self._size) if after[pit] != before[pit])
        choices = "".join("<>"[bits >> k & 1] for k in range(given)) if given else ""
        return canonical_move(self._moves[index].pit, choices, (mine, theirs), special, self._rules.step)
