"""A board to play on and to take back on, for scripts: `Rules.board` makes one.

Like the sowing, this is plain Python that Cython compiles.
"""

from __future__ import annotations

from array import array
from typing import Any

from inkeek.records.moves import Move, canonical_move
from inkeek.records.position import Position, Side, pit_letter

try:
    import cython
except ImportError:
    from . import _no_cython as cython

if not cython.compiled:
    from .codes import *
    from .sowing import Kernel


@cython.final
@cython.cclass
class MutableBoard:
    """A position that `push` plays on and `pop` takes back on, much faster than `Rules.play`.

    One thread at a time may use it.
    """

    cython.declare(kernel=Kernel, rules=object, moves=dict, played=list, saved=cython.short[::1])
    cython.declare(fields=cython.longlong[::1], height=cython.int, room=cython.int, plies=cython.longlong)
    cython.declare(unsown=cython.int)

    def __init__(self, rules: Any, position: Position) -> None:
        info = rules.info
        self.rules = rules
        self.kernel = Kernel(rules.family, rules.options, info.seeds_on_board(rules.options))
        self.moves = {}
        self.played = []
        self.height = 0
        self.room = FIRST_ROOM
        self.saved = array("h", bytes(2 * MAX_PITS * FIRST_ROOM))
        self.fields = array("q", bytes(8 * FIELDS * FIRST_ROOM))
        self._load(position)

    def legal(self) -> list:
        """The legal moves, as `Rules.legal_moves` lists them."""
        row: cython.int = self.kernel.row
        first: cython.int = row if self.kernel.mover else 0
        starts: cython.uint = self.kernel._starts()
        found: list = []
        if self.kernel.choosing:
            return list(self.rules.legal_moves(self.position()))
        k = self.kernel
        k.given = 0
        k.given_count = 0
        k.exact = False
        k.level = 0
        k.recording = 0
        k._push()
        for i in range(first, first + row):
            if (starts >> i) & 1:
                if k._play(i) == ENDED:
                    found.append(self._found(i))
                k._back()
        k.level = 0
        if not found and k.may_pass:
            return list(self.rules.legal_moves(self.position()))
        return found

    def push(self, move: Move) -> None:
        """Play a move.

        :raises IllegalMove: the rules forbid it, or it does not do what it claims.
        """
        code: Any = move._code
        if code is None:
            code = move.code
        self._save()
        if code is None or not self._play(code):
            self._restore()
            # Not a sowing, or not legal: the rules know.
            turn = self.rules.play(self.position(), move, self.played[self.height - 1] if self.height else None)
            self._load(turn.position)
        self.height += 1
        self.played.append(move)

    def pop(self) -> Move:
        """Take the last move back, and return it.

        :raises IndexError: no move has been played.
        """
        if self.height == 0:
            raise IndexError("no move to take back: none has been played on this board")
        self.height -= 1
        self._restore()
        move: Any = self.played.pop()
        return move

    def position(self) -> Position:
        """The position now."""
        k = self.kernel
        return Position(
            tuple([k.pits[i] for i in range(k.size)]),
            tuple([k._mark(i) for i in range(k.size)]),
            (k.stores[0], k.stores[1]),
            Side(k.mover),
            self.plies,
            self.unsown,
        )

    def line(self) -> list:
        """The moves played since the board was made, less those taken back."""
        return list(self.played)

    def _load(self, position: Position) -> None:
        """Take a position of the rules' game."""
        self.kernel.load(*position)
        self.plies = position.ply
        self.unsown = position.unsown

    @cython.cfunc
    def _play(self, code: tuple) -> cython.bint:
        """Sow a turn; False if it is not one that the rules allow and that does what it claims."""
        mover: cython.int = self.kernel.mover
        self.kernel.level = 0
        if not self.kernel._follow(code):
            return False
        self.plies += 1
        self.unsown &= ~(1 << mover)
        return True

    @cython.cfunc
    def _found(self, start: cython.int) -> object:
        """The move from `start`, just sown, in canonical form."""
        k = self.kernel
        mine: cython.longlong = k.stores[k.mover] - k.stack[32 + k.mover] - k.banked
        theirs: cython.longlong = k.stores[1 - k.mover] - k.stack[33 - k.mover]
        special: cython.uint = k.marked & ~k.stack_marks[0]
        key: object = start | mine << 5 | theirs << 16 | cython.cast(cython.longlong, special) << 27
        move: object = self.moves.get(key)
        if move is None:
            pits = "".join([pit_letter(i, k.row) for i in range(k.size) if (special >> i) & 1])
            move = canonical_move(pit_letter(start, k.row), "", (mine, theirs), pits, k.step)
            if len(self.moves) < MAX_MOVES:
                self.moves[key] = move
        return move

    @cython.cfunc
    def _save(self) -> cython.void:
        """Keep the position, to come back to it."""
        k = self.kernel
        at: cython.Py_ssize_t = self.height * MAX_PITS
        if self.height == self.room:
            self.room *= 2
            self.saved = array("h", bytes(self.saved) * 2)
            self.fields = array("q", bytes(self.fields) * 2)
        for i in range(16):
            self.saved[at + i] = k.pits[i]
        if k.size > 16:
            for i in range(16, MAX_PITS):
                self.saved[at + i] = k.pits[i]
        at = self.height * FIELDS
        self.fields[at] = k.stores[0]
        self.fields[at + 1] = k.stores[1]
        self.fields[at + 2] = k.marked
        self.fields[at + 3] = k.norths
        self.fields[at + 4] = k.mover
        self.fields[at + 5] = k.ply
        self.fields[at + 6] = self.plies
        self.fields[at + 7] = self.unsown
        self.fields[at + 8] = k.specials_from[0]
        self.fields[at + 9] = k.specials_from[1]

    @cython.cfunc
    def _restore(self) -> cython.void:
        """Come back to the position at this height."""
        k = self.kernel
        at: cython.Py_ssize_t = self.height * MAX_PITS
        for i in range(16):
            k.pits[i] = self.saved[at + i]
        if k.size > 16:
            for i in range(16, MAX_PITS):
                k.pits[i] = self.saved[at + i]
        at = self.height * FIELDS
        k.stores[0] = self.fields[at]
        k.stores[1] = self.fields[at + 1]
        k.marked = self.fields[at + 2]
        k.norths = self.fields[at + 3]
        k.mover = self.fields[at + 4]
        k.ply = self.fields[at + 5]
        self.plies = self.fields[at + 6]
        self.unsown = self.fields[at + 7]
        k.specials_from[0] = self.fields[at + 8]
        k.specials_from[1] = self.fields[at + 9]
