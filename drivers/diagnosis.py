"""Why a board fits no legal turn: the likeliest mistake, and how to mend it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from records import PASS, Position, Rules, Side, Turn

from .mistakes import WEIGHTS, counted, in_words, mistakes_in
from .readings import Readings, log_sum
from .verdicts import NoFit

MAX_WORK = 300_000  # events followed in search of a mistake: a quarter of a second, far above what a turn needs
MAX_OTHER_TURNS = 200  # turns of the side that is not to move
MAX_PITS_TOLD = 6  # in a sentence; more differences than these help nobody to mend a board
WRONG_SIDE = 0.10  # a weight beside those of `mistakes.WEIGHTS`


@dataclass(frozen=True, slots=True)
class _Guess:
    """A mistake that could have led to `board`; `turn` was meant, or None: the board should be as before."""

    cause: str
    turn: Turn | None
    sentence: str
    board: tuple[int, ...]
    log: float


def diagnose(rules: Rules, position: Position, readings: Readings, turns: Sequence[Turn]) -> NoFit:
    """The likeliest explanation of readings that fit neither the position nor any of its legal `turns`."""
    if rules.outcome(position) is not None:
        return _report(position, readings, "game-over", 0.0, None, "The game is over: no turn is left to play.", None)
    turns = sorted(turns, key=lambda turn: -readings.likelihood(readings.sensed(turn.position)))
    guesses = [
        *_sowing_mistakes(rules, position, readings, turns),
        *_wrong_side(rules, position, readings),
        *(guess for turn in (None, *turns) for guess in _counts_off(position, readings, turn)),
    ]
    told: dict[tuple[str, str, Turn | None], list[_Guess]] = {}
    for guess in guesses:
        told.setdefault((guess.cause, guess.sentence, guess.turn), []).append(guess)
    sums = {key: log_sum(guess.log for guess in same) for key, same in told.items()}
    best = max(sums, key=lambda key: sums[key])
    likeliest = max(told[best], key=lambda guess: guess.log)
    if readings.fits(likeliest.board):
        share = math.exp(sums[best] - log_sum(sums.values()))
        return _report(position, readings, likeliest.cause, share, likeliest.turn, likeliest.sentence, likeliest.board)
    near = (None, *turns)
    nearest = max(near, key=lambda turn: readings.likelihood(_target(position, readings, turn)))
    meant = f"the nearest is {nearest.move}" if nearest is not None else "the nearest is the board before the turn"
    sentence = f"No legal turn leads to this board, and no single mistake explains it; {meant}."
    return _report(position, readings, "unknown", 0.0, nearest, sentence, None)


def refuse_button(position: Position, readings: Readings, pressed: Side, turn: Turn) -> NoFit:
    """A legal turn lies there, but the side that did not play it has pressed the button."""
    mover = position.to_move
    sentence = f"The board shows {mover}'s turn {turn.move}, but {pressed} pressed the button: {mover} has to."
    return _report(position, readings, "wrong-button", 1.0, turn, sentence, readings.sensed(turn.position))


def _sowing_mistakes(rules: Rules, position: Position, readings: Readings, turns: Sequence[Turn]) -> Iterator[_Guess]:
    sensors, work = len(readings.values), 0
    for turn in turns:
        if turn.move == PASS:
            continue
        trace = rules.trace(position, turn.move)
        found = []
        for mistake in mistakes_in(trace):
            found.append(mistake)
            work += len(trace.events)
            if work > MAX_WORK:
                break
        alike = Counter(mistake.cause for mistake in found)
        for mistake in found:
            board = mistake.board[:sensors]
            log = math.log(WEIGHTS[mistake.cause] / alike[mistake.cause]) + readings.likelihood(board)
            yield _Guess(mistake.cause, turn, mistake.sentence, board, log)
        if work > MAX_WORK:
            return


def _wrong_side(rules: Rules, position: Position, readings: Readings) -> Iterator[_Guess]:
    mover = position.to_move
    turned = position.replaced(to_move=mover.other)
    moves = [move for move in rules.legal_moves(turned, limit=MAX_OTHER_TURNS) if move != PASS]
    for move in moves:
        board = readings.sensed(rules.play(turned, move).position)
        sentence = f"{mover.other} has played {move}, but {mover} is to move."
        log = math.log(WRONG_SIDE / len(moves)) + readings.likelihood(board)
        yield _Guess("wrong-side", None, sentence, board, log)


def _counts_off(position: Position, readings: Readings, turn: Turn | None) -> Iterator[_Guess]:
    """The turn's board with one seed too few, too many, or in the wrong pit; None: the board before the turn."""
    board = _target(position, readings, turn)
    sensors, base = len(board), math.log(WEIGHTS["count-off"]) + readings.likelihood(board)
    start = f"The board fits {turn.move}, but there is" if turn is not None else "Nothing was played, but there is"
    none = (-math.inf, -1)
    (lost, less), (won, much) = (max(readings.changes(board, by), default=none) for by in (-1, 1))
    few, many = f"one seed too few in {_place(position, less)}", f"too many in {_place(position, much)}"
    if less >= 0:
        yield _guess(turn, f"{start} {few}.", board, {less: -1}, base + lost + math.log(0.25 / sensors))
    yield _guess(turn, f"{start} one seed {many}.", board, {much: 1}, base + won + math.log(0.25 / sensors))
    if less >= 0 and less != much:
        both = base + lost + won + math.log(0.5 / (sensors * (sensors - 1)))
        yield _guess(turn, f"{start} {few} and one {many}.", board, {less: -1, much: 1}, both)


def _guess(turn: Turn | None, sentence: str, board: Sequence[int], by: dict[int, int], log: float) -> _Guess:
    changed = tuple(count + by.get(sensor, 0) for sensor, count in enumerate(board))
    return _Guess("count-off", turn, sentence, changed, log)


def _target(position: Position, readings: Readings, turn: Turn | None) -> tuple[int, ...]:
    return readings.sensed(position if turn is None else turn.position)


def _report(
    position: Position,
    readings: Readings,
    cause: str,
    confidence: float,
    nearest: Turn | None,
    sentence: str,
    board: Sequence[int] | None,
) -> NoFit:
    """The verdict, with what to mend: from `board`, or from what the sensors see if None, to where it should be."""
    target = _target(position, readings, nearest)
    lies = readings.seen() if board is None else board
    mend = {sensor: target[sensor] - lies[sensor] for sensor in range(len(target)) if target[sensor] != lies[sensor]}
    differences = {sensor: round(readings.values[sensor] - target[sensor], 2) for sensor in mend}
    sentences = (sentence, *_how_to_mend(position, mend, nearest))
    return NoFit(cause, confidence, nearest, differences, mend, sentences)


def _how_to_mend(position: Position, mend: dict[int, int], nearest: Turn | None) -> Iterator[str]:
    if not mend:
        return
    goal = f"for {nearest.move}" if nearest is not None else "to have the board as before"
    if len(mend) > MAX_PITS_TOLD:
        yield f"{in_words(len(mend)).capitalize()} pits have to change {goal}."
        return
    steps = [f"take {counted(-by)} from {_place(position, sensor)}" for sensor, by in mend.items() if by < 0]
    steps += [f"lay {counted(by)} in {_place(position, sensor)}" for sensor, by in mend.items() if by > 0]
    yield f"To mend it {goal}: {', '.join(steps)}."


def _place(position: Position, sensor: int) -> str:
    pits = len(position.pits)
    return position.letter(sensor) if sensor < pits else f"{Side(sensor - pits)}'s store"
