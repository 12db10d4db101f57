"""What the detector can say about a board."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.records import Position, Turn

MAX_OFFERED = 6  # turns or courses that people choose from; more would be a list of the legal moves


@dataclass(frozen=True, slots=True)
class Unchanged:
    """The board is as it was before the turn. `confidence` is the probability of that."""

    confidence: float


@dataclass(frozen=True, slots=True)
class Clear:
    """`turn` was played: only this turn fits, and its probability `confidence` is at least `NoiseModel.clear`."""

    turn: Turn
    confidence: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A turn that may have been played, and the probability that it was, whether or not a seed lies wrong besides."""

    turn: Turn
    probability: float


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The board fits, but not one turn alone. `candidates`: the likeliest first. `sentences` say why."""

    candidates: tuple[Candidate, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoFit:
    """No legal turn that is sown leads to this board.

    `cause`: one of `inkeek.records.findings.KINDS`, or ``begun-early``, ``wrong-button``, ``game-over``, ``unknown``.
    `confidence`: the probability of that cause among all that were considered; 0 for ``unknown``.
    `nearest`: the legal turn that was probably meant; None: none was, and the board should be as before.
    `mend`: by sensor, how many seeds to add (or, negative, to take away) to get there.
    `sentences`: the same for people.
    `alike`: other causes that leave the same board, so that no sensor can tell them from `cause`; not those that are
    far less likely.
    `candidates`: the turns that were probably played or meant, the likeliest first; before them a rearrangement
    that leaves the board.
    """

    cause: str
    confidence: float
    nearest: Turn | None
    mend: dict[int, int]
    sentences: tuple[str, ...]
    alike: tuple[str, ...] = ()
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The board is as it was `plies` turns ago, in `position`: the players took the last turns back by hand."""

    plies: int
    position: Position
    confidence: float
    sentences: tuple[str, ...]
    alike: tuple[str, ...] = ()  # see `NoFit`


Course = tuple[Turn, ...]
"""Turns that follow each other."""


@dataclass(frozen=True, slots=True)
class Several:
    """The board is exactly as after each of these `courses`, the shortest first.

    `certain`: the one that alone can have been played, by the board, the button and the reports on the way; None:
    people must say. `sentences` say what was found.
    """

    courses: tuple[Course, ...]
    certain: Course | None
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """`first` is complete, and the other side has begun its turn, probably `second`, before anybody committed `first`.

    `confidence`: the probability of `first`. It is at least `NoiseModel.clear`; below, the verdict is a `NoFit` with
    the cause ``begun-early``. `is_certain`: the board is exactly as after `first` and a part of another turn, and not
    nearly as after another first turn.
    """

    first: Turn
    second: Turn
    confidence: float
    sentences: tuple[str, ...]
    alike: tuple[str, ...] = ()  # see `NoFit`
    is_certain: bool = False


@dataclass(frozen=True, slots=True)
class Turned:
    """The board fits if it lies the wrong way round, turned by 180 degrees: then `verdict` holds.

    `otherwise`: the turn that was played if it does not; None: the board fits none.
    """

    verdict: Clear | Unchanged | Ambiguous
    otherwise: Turn | None
    sentences: tuple[str, ...]


Verdict = Unchanged | Clear | Several | Ambiguous | NoFit | TakenBack | Begun | Turned
