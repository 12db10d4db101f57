"""What limits an analysis, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.records.moves import Move
from inkeek.records.numbers import MAX_SECONDS, MAX_WHOLE, is_number, is_whole

MAX_DEPTH = 160  # turns


@dataclass(frozen=True, slots=True)
class Limits:
    """When an analysis stops: at this many seconds, turns of depth or positions, whichever limit comes first.

    :raises ValueError: none is given, one is not positive or needs more than 64 bits, or depth or nodes are no integer.
    """

    seconds: float | None = None
    depth: int | None = None
    nodes: int | None = None

    def __post_init__(self) -> None:
        given = [limit for limit in (self.seconds, self.depth, self.nodes) if limit is not None]
        if not given:
            raise ValueError("no limit is given: expected seconds, depth or nodes")
        if self.seconds is not None and not (is_number(self.seconds, 0, MAX_SECONDS) and self.seconds):
            raise ValueError(
                f"the limit of seconds is {self.seconds!r:.80}: expected more than 0, at most {MAX_SECONDS:g}"
            )
        for name, limit in (("depth", self.depth), ("nodes", self.nodes)):
            if limit is not None and not is_whole(limit, 1):
                raise ValueError(f"{name} is {limit!r:.80}: expected a whole number from 1 to {MAX_WHOLE}")


@dataclass(frozen=True, slots=True)
class Line:
    """A turn, what is best after it, and its value.

    `value`: the final difference of seeds for the side to move; an integer if it is `exact`, else an estimate. `moves`:
    the turns in order, empty if the game is over. `depends_on`: why the value is not exact: ``horizon`` (it estimates
    positions that were not searched further), ``repetition`` (it depends on the positions before, and on how
    repetitions are ruled), ``left-out`` (positions had too many turns to try them all).
    """

    value: float
    moves: tuple[Move, ...]
    depends_on: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        return not self.depends_on


@dataclass(frozen=True, slots=True)
class Analysis:
    """What a search has found: the best lines, best first. `depth`: how many turns deep it searched.

    `nodes`: positions searched, without those for the rest of exact lines. `left_out`: legal moves that no search
    tries: ``rearrangement``, where the rules would allow one now. Then values are those of a game without them.
    """

    lines: tuple[Line, ...]
    depth: int
    nodes: int
    seconds: float
    left_out: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the value of the best line is exact."""
        return self.lines[0].exact


@dataclass(frozen=True, slots=True)
class Solution:
    """What is proven about a position: its value for the side to move lies between `lower` and `upper`.

    The bounds hold under any rule of repetition: a side that a proof is for never needs one. `move`: the best turn
    known, None if the game is over. `depth`: turns that were searched, `entries`: positions the table has room for;
    `collisions`: an upper bound of the probability that the proof took a position for another one, 0 if that cannot be.
    """

    lower: int
    upper: int
    move: Move | None
    depth: int
    nodes: int
    seconds: float
    entries: int
    collisions: float
    left_out: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the value is proven."""
        return self.lower == self.upper

    @property
    def value(self) -> int | None:
        """The value for the side to move, if it is proven."""
        return self.lower if self.exact else None
