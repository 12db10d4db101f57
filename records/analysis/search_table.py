"""A transposition table that one search of a game leaves to the next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import takewhile

from inkeek.records.errors import RecordsError
from inkeek.records.kernel.searcher import TranspositionTable
from inkeek.records.numbers import is_number
from inkeek.records.position import CLOSED, ORDINARY, Position
from inkeek.records.rules.play import Rules

from .tables import Tables
from .weights import Weights

MAX_MEBIBYTES = 1 << 32


def transposition_table(memory: float) -> TranspositionTable:
    """A table of so many MiB.

    :raises RecordsError: the system does not give as much memory.
    """
    try:
        if not is_number(memory, 0, MAX_MEBIBYTES):
            raise MemoryError(f"no machine has more than {MAX_MEBIBYTES}")
        return TranspositionTable(memory)
    except (OSError, MemoryError, OverflowError) as error:
        raise RecordsError(f"memory is {memory} MiB: the system does not give as much: {error}") from error


class SearchTable:
    """A transposition table of `memory` MiB for searches one after the other. Making it takes all of its memory.

    An entry knows its position, its depth and what its value rests on. It holds for every search with the same rules
    and weights; the key has no closed pits, nor who has not sown yet, nor the positions before.

    :raises RecordsError: the system does not give as much memory.
    """

    def __init__(self, memory: int) -> None:
        self.entries = transposition_table(memory)
        self.entries.clear()
        self._is_empty = True
        self._holds_for: object = None

    def clear(self) -> None:
        """Forget everything, for a new game."""
        if not self._is_empty:
            self.entries.clear()
            self._is_empty = True

    def prepare(
        self,
        rules: Rules,
        position: Position,
        history: Sequence[Position],
        weights: Weights | None = None,
        tables: Tables | None = None,
    ) -> None:
        """Clear the table if what it has does not hold for a search of this position.

        `history`: the positions before it. `tables`: the endgame tables of the search.
        """
        has_tables = tables is not None and tables.set_for(rules) is not None
        closed = tuple(mark == CLOSED for mark in position.marks)
        repeated = _repeated(position, history, rules.options.get("repetition", 3), has_tables)
        holds_for = (rules.id, rules.options, rules.seeds, weights, closed, position.unsown, has_tables, repeated)
        if holds_for != self._holds_for:
            self.clear()
            self._holds_for = holds_for

    def open(self) -> TranspositionTable:
        """The entries, to be written."""
        self._is_empty = False
        return self.entries


def _repeated(position: Position, history: Sequence[Position], times: object, has_tables: bool) -> object:
    """The earlier positions on which values depend that have no flag for it.

    Where one of them came up so often that the next time ends the game, a value from before that is wrong. So is one
    from an endgame table after a position with as many seeds in ordinary pits.
    """
    rest = _ordinary(position)
    earlier = Counter(
        (each.pits, each.marks, each.to_move) for each in takewhile(lambda each: _ordinary(each) == rest, history[::-1])
    )
    if has_tables:
        return earlier
    return {key for key, count in earlier.items() if times and count >= times - 1}  # type: ignore[operator]


def _ordinary(position: Position) -> int:
    return sum(count for count, mark in zip(position.pits, position.marks, strict=True) if mark == ORDINARY)
