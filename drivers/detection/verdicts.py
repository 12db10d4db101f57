"""What the detector can say of a board after (perhaps) a turn."""

from __future__ import annotations

from dataclasses import dataclass

from records import Position, Turn


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The board lies as before the turn. `confidence`: the probability of that."""

    confidence: float


@dataclass(frozen=True, slots=True)
class Clear:
    """This turn was played: it alone fits, and is more probable than `NoiseModel.clear`."""

    turn: Turn
    confidence: float


@dataclass(frozen=True, slots=True)
class Candidate:
    turn: Turn
    probability: float


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The board fits, but not one turn alone: `candidates`, the likeliest first. `sentences` say why."""

    candidates: tuple[Candidate, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoFit:
    """No legal turn leads to this board.

    `cause`: one of `mistakes.WEIGHTS`, or ``wrong-button``, ``game-over``, ``unknown``.
    `confidence`: how probable that cause is among those thought of; 0 for ``unknown``.
    `nearest`: the legal turn that was probably meant; None: none was, and the board should lie as before.
    `differences`: by sensor, the reading less what should lie there, where they differ.
    `mend`: by sensor, how many seeds must be added (or, negative, taken away) to come there.
    `sentences`: the same for people.
    `alike`: further causes that lead to the very same board: no sensor can tell them from `cause`.
    """

    cause: str
    confidence: float
    nearest: Turn | None
    differences: dict[int, float]
    mend: dict[int, int]
    sentences: tuple[str, ...]
    alike: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The board lies as it did `plies` turns ago, as `position`: the last turns were taken back by hand."""

    plies: int
    position: Position
    confidence: float
    sentences: tuple[str, ...]
    alike: tuple[str, ...] = ()  # as in `NoFit`


@dataclass(frozen=True, slots=True)
class TwoTurns:
    """`first` is complete, and the next side has gone on with `second` before the board was told of `first`.

    `complete`: the second turn is complete too; else it is only begun, and `second` is the likeliest of those that
    begin so. `confidence`: the probability of all that, of the first turn alone when the second is only begun; at least
    `NoiseModel.clear`, else it is a `NoFit` with the cause ``two-turns`` or ``begun-early``.
    """

    first: Turn
    second: Turn
    complete: bool
    confidence: float
    sentences: tuple[str, ...]
    alike: tuple[str, ...] = ()  # as in `NoFit`


Verdict = Unchanged | Clear | Ambiguous | NoFit | TakenBack | TwoTurns
