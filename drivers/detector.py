"""From counts to a turn: which legal turn, if any, has led from a position to what the board weighs now.

Pure. The model is in `docs/drivers.md`: the readings' likelihood under every legal turn's outcome, under the board
as it was, and, as the background, under each of these with a single seed in the wrong place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from records import PASS, Position, Rules, Side, Turn

from .diagnosis import diagnose, refuse_button
from .readings import Model, Readings, log_sum
from .verdicts import Ambiguous, Candidate, Clear, NoFit, Unchanged, Verdict

MAX_TURNS = 2000  # legal turns looked at; in random play on 2×8 a position has 6, and 113 were the most seen
MAX_CANDIDATES = 20  # told in an `Ambiguous`

__all__ = ["MAX_TURNS", "Ambiguous", "Candidate", "Clear", "Model", "NoFit", "Unchanged", "Verdict", "detect"]


@dataclass(frozen=True, slots=True)
class _Board:
    """What the sensors should see, and after which turns; `before`: also when nothing was played."""

    counts: tuple[int, ...]
    turns: tuple[Turn, ...]
    before: bool


def detect(
    rules: Rules,
    position: Position,
    counts: Sequence[float],
    *,
    mover_pressed: Side | None,
    model: Model | None = None,
    before: Sequence[float] | None = None,
    earlier: Sequence[Position] = (),
) -> Verdict:
    """What was played in `position`, when the board now reads `counts`.

    `counts`: seeds, one a sensor: the pits in order of index, then both stores if the board weighs them.
    `mover_pressed`: the side whose commit button was pressed, None if none was: the board has been still for a while.
    `before`: the readings when the board was last known to lie as `position` (the counts of the last `Clear` or
    `Unchanged`); with them, only stones that were moved since are uncertain. None: not known.
    `earlier`: the positions before `position` in order of play, the latest last; the board may lie as one of them.
    `model`: how the board weighs; a `Tally` of what it has weighed gives it.

    :raises ReadingError: `counts` cannot come from a board of this size.
    :raises records.PositionError: the position is not of this game.
    """
    readings = Readings(counts, rules.row, model or Model())
    moves = rules.legal_moves(position, limit=MAX_TURNS)
    turns = [rules.play(position, move) for move in moves]
    boards = _boards(position, turns, readings)
    shares = _shares(boards, readings)
    share, board = max(zip(shares, boards, strict=True), key=lambda pair: pair[0])
    if not readings.fits(board.counts):
        return diagnose(rules, position, readings, turns)
    if share < readings.model.clear:
        return _ambiguous(boards, shares, readings, moves.complete)
    passes = board.before and [turn.move for turn in board.turns] == [PASS]
    if board.before and (mover_pressed is None or not board.turns):
        return Unchanged(share)
    if mover_pressed not in (None, position.to_move):
        return refuse_button(position, readings, mover_pressed, board.turns[0])
    if len(board.turns) > 1 or not moves.complete or (board.before and not passes):
        return _ambiguous(boards, shares, readings, moves.complete)
    return Clear(board.turns[0], share)


def _boards(position: Position, turns: Sequence[Turn], readings: Readings) -> list[_Board]:
    before = readings.sensed(position)
    found: dict[tuple[int, ...], list[Turn]] = {before: []}
    for turn in turns:
        found.setdefault(readings.sensed(turn.position), []).append(turn)
    return [_Board(counts, tuple(leading), counts == before) for counts, leading in found.items()]


def _shares(boards: Sequence[_Board], readings: Readings) -> list[float]:
    """The probability of each board without a mistake; what they lack to 1 is that of all boards with one.

    Every turn is as likely beforehand as every other, and as none.
    """
    right, wrong = math.log(1 - readings.model.mistake), math.log(readings.model.mistake)
    sizes = [math.log(len(board.turns) + board.before) for board in boards]
    exact = [size + readings.likelihood(board.counts) for size, board in zip(sizes, boards, strict=True)]
    mistaken = [log + readings.one_off(board.counts) for log, board in zip(exact, boards, strict=True)]
    whole = log_sum([right + log for log in exact] + [wrong + log for log in mistaken])
    return [math.exp(right + log - whole) for log in exact]


def _ambiguous(boards: Sequence[_Board], shares: Sequence[float], readings: Readings, complete: bool) -> Ambiguous:
    fitting = [(share, board) for share, board in zip(shares, boards, strict=True) if readings.fits(board.counts)]
    candidates = sorted(
        (Candidate(turn, share / len(board.turns)) for share, board in fitting for turn in board.turns),
        key=lambda candidate: -candidate.probability,
    )
    names = ", ".join(f"{candidate.turn.move}" for candidate in candidates[:MAX_CANDIDATES])
    sentences: list[str] = []
    if len(candidates) > 1 and len(fitting) == 1:
        sentences.append(f"These turns leave the same board: {names}. The board cannot tell which was played.")
    elif len(candidates) > 1:
        sentences.append(f"The weights fit several turns: {names}.")
    elif candidates:
        sentences.append(f"The weights fit {names}, but not well enough to be sure.")
    if any(board.before for _, board in fitting):
        sentences.append("The board may also be as it was before the turn.")
    if not complete:
        sentences.append("More turns are legal here than could be looked at.")
    return Ambiguous(tuple(candidates[:MAX_CANDIDATES]), tuple(sentences))
