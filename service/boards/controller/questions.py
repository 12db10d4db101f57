"""Questions to the players: the turns that may have been played, and whether the board lies the wrong way round."""

from __future__ import annotations

from drivers.detection.verdicts import Ambiguous, Candidate, Clear, NoFit, TakenBack, Turned, TwoTurns
from records import Position, Turn
from records.findings.board_counts import in_words, place_name
from service.boards.status import SAME, Choice, Question, Refusal

from .core import ControllerCore
from .game_view import Counts, places

MAX_CHOICES = 6  # offered; more would be a list of the legal moves
MIN_PROBABILITY = 0.001  # probability of a turn that is worth offering
MAX_SENSOR_ERROR = 3.0  # seeds by which one sensor is off before a hand or a lost bowl is likelier than wrong seeds

Unclear = Ambiguous | NoFit | TakenBack | TwoTurns | Turned


def choices(board: ControllerCore, verdict: Unclear) -> tuple[Choice, ...]:
    """The turns that people may say were played, the likeliest first."""
    fitting: set[str] = set()
    match verdict:
        case Ambiguous():
            found = list(verdict.candidates)
            fitting = {str(candidate.turn.move) for candidate in found}
        case NoFit():
            found = list(verdict.candidates)
            if not found and verdict.nearest is not None:
                found = [Candidate(verdict.nearest, verdict.confidence)]
            if verdict.nearest is not None and not verdict.mend:
                fitting = {str(verdict.nearest.move)}
        case Turned() if verdict.otherwise is not None:
            found = [Candidate(verdict.otherwise, 0.5)]
            fitting = {str(verdict.otherwise.move)}
        case _:
            return ()
    offered = [
        _choice(candidate, str(candidate.turn.move) in fitting and _is_shown(board, candidate.turn))
        for candidate in sorted(found, key=lambda candidate: -candidate.probability)
        if candidate.probability >= MIN_PROBABILITY
    ]
    return tuple(offered[:MAX_CHOICES])


def _choice(candidate: Candidate, fits: bool) -> Choice:
    turn = candidate.turn
    taken = turn.captured[turn.before.to_move]
    sentence = f"{turn.before.to_move} played {turn.move}"
    sentence += f" and captured {in_words(taken)}." if taken else "."
    if not fits:
        sentence += " The board must then be corrected."
    return Choice(str(turn.move), round(candidate.probability, 4), sentence, fits)


def _is_shown(board: ControllerCore, turn: Turn) -> bool:
    """Whether the counts are those after the turn, so that nothing must be corrected when it is recorded."""
    counts, ignored = board.status.counts, board.ignored
    return counts is not None and all(
        abs(count - seeds) < SAME + 0.08 * seeds
        for sensor, (count, seeds) in enumerate(zip(counts, places(turn.position), strict=False))
        if sensor not in ignored
    )


def ask_again(board: ControllerCore, refusal: Refusal, now: Question | None) -> tuple[str, bool]:
    """The name of the question that is open already, and True, if this `refusal` asks the same again; else its own
    name. `now`: another question that is asked at the same time."""
    before, ask = board.status.refusal, board.status.ask
    if before is None or (before.ply, before.cause) != (refusal.ply, refusal.cause):
        return refusal.question, False
    if not board.status.is_as_seen(refusal.counts):
        return refusal.question, False
    if refusal.cause == "turned":
        is_same = ask is not None and now is not None and (ask.kind, ask.move) == (now.kind, now.move)
    else:
        is_same = refusal.offered is not None and before.offered is not None
        is_same = is_same and before.candidates[0].move == refusal.candidates[0].move
    return (before.question, True) if is_same and before.question else (refusal.question, False)


def turned_question(board: ControllerCore, verdict: Turned) -> Question:
    """The question whether the board lies the wrong way round."""
    message = "Does the board lie the wrong way round, with each player at the other side?"
    move = str(verdict.verdict.turn.move) if isinstance(verdict.verdict, Clear) else None
    return Question("turned", board.game.row.ply, None, message, move=move)


def strange_sensor(board: ControllerCore, position: Position, counts: Counts) -> tuple[str, ...]:
    """What is strange about a single sensor, if `position` is there: a hand is on it, or its bowl is off."""
    off = {
        sensor: count - seeds
        for sensor, (count, seeds) in enumerate(zip(counts, places(position), strict=False))
        if sensor not in board.ignored
    }
    sensor = max(off, key=lambda sensor: abs(off[sensor]), default=None)
    if (
        sensor is None
        or abs(off[sensor]) < MAX_SENSOR_ERROR
        or abs(sum(off.values()) - off[sensor]) > abs(off[sensor]) / 2
    ):
        return ()  # seeds that lie elsewhere, not a weight that is none of the seeds
    name, number = place_name(position, sensor), round(abs(off[sensor]))
    if off[sensor] > 0:
        return (f"{name} reads {number} seeds too many: is a hand on it?",)
    return (f"{name} reads {number} seeds too few: is its bowl in place, or are its seeds in a hand?",)


def likeliest_position(board: ControllerCore, verdict: Unclear) -> Position:
    """The position that the board is nearest to."""
    match verdict:
        case NoFit(nearest=Turn(position=position)):
            return position
        case Ambiguous() if verdict.candidates:
            return verdict.candidates[0].turn.position
    return board.game.position
