"""From counts to a turn: which legal turn, if any, has led from a position to what the board weighs now.

Pure. The model is in `docs/detection.md`: the readings' likelihood under every legal turn's outcome, under the board
as it was, and, as the background, under each of these with a single seed in the wrong place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from records import PASS, Position, Rules, Side, Turn

from .diagnosis import diagnose, refuse_button
from .likelihood import Board, NoiseModel, Readings, log_sum
from .sowing_errors import emptied_in, on_the_way
from .verdicts import Ambiguous, Candidate, Clear, NoFit, TakenBack, TwoTurns, Unchanged, Verdict

MAX_TURNS = 2000  # legal turns looked at; in random play on 2×8 a position has 6, and 113 were the most seen
MAX_CANDIDATES = 20  # told in an `Ambiguous`
PRESSED_FOR_NOTHING = 0.1  # how likely it is, beside any one turn, that the mover has pressed without having played
TRIED = 0.1  # how likely it is that, besides, stones were moved and put back: others may lie where no turn has any
NEGLIGIBLE = 40.0  # a board less likely by so much, as a logarithm, changes no probability

__all__ = [
    "MAX_TURNS",
    "Ambiguous",
    "Candidate",
    "Clear",
    "NoFit",
    "NoiseModel",
    "TakenBack",
    "TwoTurns",
    "Unchanged",
    "Verdict",
    "detect",
]


@dataclass(frozen=True, slots=True)
class _Lying:
    """What the sensors should see, and after which turns; `before`: also when nothing was played.

    `exact`: how likely the readings are with this board, `mistaken`: with one seed of it in a wrong place, both as
    logarithms, for all these turns together. `fits`: with one of them every sensor does.
    """

    counts: tuple[int, ...]
    turns: tuple[Turn, ...]
    before: bool
    exact: float
    mistaken: float
    fits: bool


def detect(
    rules: Rules,
    position: Position,
    counts: Sequence[float],
    *,
    mover_pressed: Side | None,
    model: NoiseModel | None = None,
    before: Sequence[float] | None = None,
    earlier: Sequence[Position] = (),
) -> Verdict:
    """What was played in `position`, when the board now reads `counts`.

    `counts`: seeds, one a sensor: the pits in order of index, then both stores if the board weighs them.
    `mover_pressed`: the side whose commit button was pressed, None if none was: the board has been still for a while.
    `before`: the readings when the board was last known to lie as `position` (the counts of the last `Clear` or
    `Unchanged`); with them, only stones that were moved since are uncertain. None: not known.
    `earlier`: the positions before `position` in order of play, the latest last; the board may lie as one of them.
    `model`: how the board weighs; a `NoiseEstimate` of what it has weighed gives it.

    :raises ReadingError: `counts` or `before` cannot come from a board of this size.
    :raises records.PositionError: the position is not of this game.
    """
    readings = Readings(counts, position, model or NoiseModel(), before)
    moves = rules.legal_moves(position, limit=MAX_TURNS)
    turns = [rules.play(position, move) for move in moves]
    nothing = PRESSED_FOR_NOTHING if mover_pressed is position.to_move else 1.0
    boards = _boards(rules, turns, readings, nothing)
    whole = log_sum([log for board in boards for log in (board.exact, board.mistaken)])
    board = max(boards, key=lambda board: board.exact)
    if not board.fits:
        legal = log_sum([board.exact for board in boards]) - math.log((1 - readings.model.mistake) * (1 + len(turns)))
        found = diagnose(rules, position, readings, turns, earlier, mover_pressed, legal)
        return found if found is not None else _ambiguous(boards, whole, moves.complete)
    share = math.exp(board.exact - whole)
    if share < readings.model.clear:
        return _ambiguous(boards, whole, moves.complete)
    passes = board.before and [turn.move for turn in board.turns] == [PASS]
    if board.before and (mover_pressed is None or not board.turns):
        return Unchanged(share)
    if mover_pressed not in (None, position.to_move):
        return refuse_button(position, readings, mover_pressed, board.turns[0])
    if len(board.turns) > 1 or not moves.complete or (board.before and not passes):
        return _ambiguous(boards, whole, moves.complete)
    if mover_pressed is None and _may_go_on(rules, turns, board, readings, earlier):
        return _ambiguous([board], whole, moves.complete, STILL)
    return Clear(board.turns[0], share)


STILL = "Nobody pressed a button, and the board may also be one on the way to another turn, or as it was before."


def _boards(rules: Rules, turns: Sequence[Turn], readings: Readings, nothing: float) -> list[_Lying]:
    """Every board that may lie there and is not negligible, with how likely it is.

    Every turn is as likely beforehand as every other; that nothing was played is `nothing` times as likely.
    """
    before = readings.held
    found: dict[tuple[int, ...], list[Turn]] = {before: []}
    for turn in turns:
        found.setdefault(readings.sensed(turn.position), []).append(turn)
    bounds = {counts: readings.bounds(counts) for counts in found}
    lying: list[_Lying] = []
    most = -math.inf
    for counts in sorted(found, key=lambda counts: -bounds[counts][0]):
        if max(bounds[counts]) + math.log(len(found[counts]) + 1) < most - NEGLIGIBLE:
            continue
        one = _weighed(rules, counts, found[counts], nothing if counts == before else 0.0, readings)
        lying.append(one)
        most = max(most, one.exact, one.mistaken)
    return lying


def _weighed(
    rules: Rules, counts: tuple[int, ...], turns: Sequence[Turn], nothing: float, readings: Readings
) -> _Lying:
    """A board after any of `turns`; `nothing`: how likely it is, beside a turn, that none was played, if it is so."""
    played = math.log(nothing + len(turns))
    ways = [(0.0, Board(counts, _emptied(rules, turn, readings))) for turn in turns]
    if nothing:
        ways.append((math.log(nothing), Board(counts, 0)))
    if not (fits := any(readings.fits(board) for _, board in ways)):
        ways.append((played + math.log(TRIED), Board(counts)))
        fits = readings.fits(Board(counts))
    right, wrong = math.log(1 - readings.model.mistake), math.log(readings.model.mistake)
    exact = [log + readings.likelihood(board) for log, board in ways]
    mistaken = [log + readings.one_off(board) for log, (_, board) in zip(exact, ways, strict=True)]
    return _Lying(counts, tuple(turns), nothing > 0, right + log_sum(exact), wrong + log_sum(mistaken), fits)


def _emptied(rules: Rules, turn: Turn, readings: Readings) -> int | None:
    """What the turn empties; of no matter where no earlier readings are known."""
    if turn.move == PASS or not readings.resting:
        return 0
    return emptied_in(rules.trace(turn.before, turn.move))


def _may_go_on(
    rules: Rules, turns: Sequence[Turn], board: _Lying, readings: Readings, earlier: Sequence[Position]
) -> bool:
    """Whether the board, besides after its turn, lies so on the way to another one, or lay so before."""
    if any(readings.sensed(then) == board.counts for then in earlier):
        return True
    others = (turn for turn in turns if turn.move != PASS and turn not in board.turns)
    return any(
        readings.cut(between).counts == board.counts
        for turn in others
        for between, _, _ in on_the_way(rules.trace(turn.before, turn.move))
    )


def _ambiguous(boards: Sequence[_Lying], whole: float, complete: bool, why: str | None = None) -> Ambiguous:
    fitting = [board for board in boards if board.fits]
    likely = fitting or [max(boards, key=lambda board: board.exact)]
    candidates = sorted(
        (
            Candidate(turn, math.exp(board.exact - whole) / (len(board.turns) + board.before))
            for board in likely
            for turn in board.turns
        ),
        key=lambda candidate: -candidate.probability,
    )
    names = ", ".join(f"{candidate.turn.move}" for candidate in candidates[:MAX_CANDIDATES])
    sentences: list[str] = []
    if not fitting:
        nearest = names or "the board before the turn"
        sentences.append(f"The weights are nearest to {nearest}, but not near enough to be sure.")
    elif len(candidates) > 1 and len(fitting) == 1:
        sentences.append(f"These turns leave the same board: {names}. The board cannot tell which was played.")
    elif len(candidates) > 1:
        sentences.append(f"The weights fit several turns: {names}.")
    elif candidates:
        sentences.append(f"The weights fit {names}, but not well enough to be sure." if why is None else why)
    if any(board.before for board in fitting):
        sentences.append("The board may also be as it was before the turn.")
    if not complete:
        sentences.append("More turns are legal here than could be looked at.")
    return Ambiguous(tuple(candidates[:MAX_CANDIDATES]), tuple(sentences))
