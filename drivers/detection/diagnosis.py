"""Why a board fits no legal turn: the likeliest story, and how to mend it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from records import Position, Rules, Side, Turn

from .hypotheses import Hypothesis, guesses_at, place, taken_back
from .likelihood import Board, Readings, log_sum
from .sowing_errors import counted, in_words
from .verdicts import NoFit, TakenBack, TwoTurns

MAX_PITS_TOLD = 6  # in a sentence; more differences than these help nobody to mend a board


def diagnose(
    rules: Rules,
    position: Position,
    readings: Readings,
    turns: Sequence[Turn],
    earlier: Sequence[Position],
    mover_pressed: Side | None,
    legal: float,
) -> NoFit | TakenBack | TwoTurns | None:
    """The likeliest explanation of readings that fit neither the position nor any of its legal `turns`.

    `legal`: the logarithm of how likely the readings are with these boards all the same. None: that is likelier
    than the likeliest story.
    """
    over = rules.outcome(position) is not None
    if over:
        guesses = taken_back(readings, earlier)
    else:
        guesses = guesses_at(rules, position, readings, turns, earlier, mover_pressed)
    told: dict[tuple[str, str], list[Hypothesis]] = {}
    for guess in guesses:
        told.setdefault((guess.cause, guess.sentence), []).append(guess)
    sums = [log_sum([guess.log for guess in same]) for same in told.values()]
    best = max(zip(sums, told.values(), strict=True), key=lambda pair: pair[0], default=(-math.inf, []))
    likeliest = max(best[1], key=lambda guess: guess.log, default=None)
    mistaken, right = math.log(readings.model.mistake), math.log(1 - readings.model.mistake) + legal
    if right > mistaken + best[0] and not over:
        return None
    if likeliest is not None and readings.fits(likeliest.board):
        whole = log_sum([right, mistaken + log_sum(sums)]) - mistaken
        everything = [guess for same in told.values() for guess in same]
        return _explained(position, readings, likeliest, everything, math.exp(best[0] - whole), whole, earlier)
    if over:
        sentence = "The game is over: no turn is left to play."
        return _report(position, readings, "game-over", 0.0, None, sentence, None)
    near = (None, *turns)
    nearest = max(near, key=lambda turn: readings.likelihood(Board(_target(position, readings, turn))))
    meant = f"the nearest is {nearest.move}" if nearest is not None else "the nearest is the board before the turn"
    sentence = f"No legal turn leads to this board, and no single mistake explains it; {meant}."
    return _report(position, readings, "unknown", 0.0, nearest, sentence, None)


def _explained(
    position: Position,
    readings: Readings,
    likeliest: Hypothesis,
    guesses: Sequence[Hypothesis],
    share: float,
    whole: float,
    earlier: Sequence[Position],
) -> NoFit | TakenBack | TwoTurns:
    """The verdict that tells the likeliest of all guesses; `share` is its probability, `whole` what all come to."""
    counts, cause = likeliest.board.counts, likeliest.cause
    same = (guess.cause for guess in guesses if guess.board.counts == counts and guess.cause != cause)
    alike = tuple(dict.fromkeys(same))
    if cause == "taken-back":
        return TakenBack(likeliest.plies, earlier[-likeliest.plies], share, (likeliest.sentence,), alike)
    if likeliest.second is not None:
        assert likeliest.turn is not None
        complete = cause == "two-turns"
        if not complete:
            begun = [guess.log for guess in guesses if guess.cause == cause and guess.turn == likeliest.turn]
            share = math.exp(log_sum(begun) - whole)
        if share >= readings.model.clear:
            return TwoTurns(likeliest.turn, likeliest.second, complete, share, (likeliest.sentence,), alike)
    return _report(position, readings, cause, share, likeliest.turn, likeliest.sentence, counts, alike)


def refuse_button(position: Position, readings: Readings, pressed: Side, turn: Turn) -> NoFit:
    """A legal turn lies there, but the side that did not play it has pressed the button."""
    mover = position.to_move
    sentence = f"The board shows {mover}'s turn {turn.move}, but {pressed} pressed the button: {mover} has to."
    return _report(position, readings, "wrong-button", 1.0, turn, sentence, readings.sensed(turn.position))


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
    alike: tuple[str, ...] = (),
) -> NoFit:
    """The verdict, with what to mend: from `board`, or from what the sensors see if None, to where it should be."""
    target = _target(position, readings, nearest)
    lies = readings.seen() if board is None else board
    mend = {sensor: target[sensor] - lies[sensor] for sensor in range(len(target)) if target[sensor] != lies[sensor]}
    differences = {sensor: round(readings.values[sensor] - target[sensor], 2) for sensor in mend}
    sentences = (sentence, *_how_to_mend(position, mend, nearest))
    return NoFit(cause, confidence, nearest, differences, mend, sentences, alike)


def _how_to_mend(position: Position, mend: dict[int, int], nearest: Turn | None) -> Iterator[str]:
    if not mend:
        return
    goal = f"for {nearest.move}" if nearest is not None else "to have the board as before"
    if len(mend) > MAX_PITS_TOLD:
        yield f"{in_words(len(mend)).capitalize()} pits have to change {goal}."
        return
    steps = [f"take {counted(-by)} from {place(position, sensor)}" for sensor, by in mend.items() if by < 0]
    steps += [f"lay {counted(by)} in {place(position, sensor)}" for sensor, by in mend.items() if by > 0]
    yield f"To mend it {goal}: {', '.join(steps)}."
