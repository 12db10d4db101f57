"""Questions to the players: the turns that may have been played, and whether the board lies the wrong way round."""

from __future__ import annotations

from collections.abc import Sequence

from inkeek.drivers.detection.courses import find_courses
from inkeek.drivers.detection.verdicts import (
    MAX_OFFERED,
    Ambiguous,
    Begun,
    Candidate,
    Clear,
    Course,
    NoFit,
    Several,
    TakenBack,
    Turned,
)
from inkeek.records import Position, Turn
from inkeek.records.errors import joined_texts
from inkeek.service.boards.status import SAME, Choice, Question, Refusal
from inkeek.service.errors import ErrorText

from .core import ControllerCore
from .game_view import Counts, places

MAX_REPLAYED = 2  # turns in whose place another one may have been played
MIN_PROBABILITY = 0.001  # probability of a turn that is worth offering
MAX_SENSOR_ERROR = 3.0  # seeds by which one sensor is off before a hand or a lost bowl is likelier than wrong seeds

Unclear = Ambiguous | NoFit | TakenBack | Begun | Turned | Several | Clear


def replayed_question(board: ControllerCore, counts: Counts) -> Question | None:
    """Whether the last turns were taken back, if the board is as after one other turn in their place."""
    game, seen = board.game, tuple(map(round, counts))
    for plies, start in enumerate(game.positions[-2 : -2 - MAX_REPLAYED : -1], 1):
        found = () if board.ignored else find_courses(game.rules, start, seen, longest=1).exact
        if found:
            message = ErrorText(
                "The board is as after %(move)s in place of %(turn)s. Was that taken back? Then press again.",
                move=str(found[0][0].move),
                turn=game.cite(game.row.ply - plies + 1),
            )
            return Question("taken-back", game.row.ply, None, message, plies, at=game.row.seq)
    return None


def choices(board: ControllerCore, verdict: Unclear) -> tuple[Choice, ...]:
    """The turns that people may say were played, the likeliest first."""
    fitting: set[str] = set()
    match verdict:
        case Clear():
            return (_choice(board, (verdict.turn,), verdict.confidence, True),)
        case Several():
            share = 1 / len(verdict.courses)
            return tuple(_choice(board, course, share, True) for course in verdict.courses[:MAX_OFFERED])
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
        _choice(board, (candidate.turn,), candidate.probability, str(candidate.turn.move) in fitting)
        for candidate in sorted(found, key=lambda candidate: -candidate.probability)
        if candidate.probability >= MIN_PROBABILITY
    ]
    return tuple(offered[:MAX_OFFERED])


def _choice(board: ControllerCore, course: Course, probability: float, fits: bool) -> Choice:
    """What may have been played. `fits`: as far as the readings go."""
    is_over = board.game.rules.outcome(course[-1].position) is not None  # the sides may have taken what was left
    fits = fits and (is_over or _is_shown(board, course[-1]))
    sentences: list[str] = []
    for turn in course:
        taken, side, move = turn.captured[turn.before.to_move], turn.before.to_move, str(turn.move)
        sentence = ErrorText("%(side)s played %(move)s.", side=side, move=move)
        if taken:
            sentence = ErrorText("%(side)s played %(move)s and captured %(seeds)s.", side=side, move=move, seeds=taken)
        sentences.append(sentence)
    if not fits:
        sentences.append(ErrorText("The board must then be corrected."))
    moves = [str(turn.move) for turn in course]
    text = " ".join(moves) if len(moves) > 1 else ""
    return Choice(moves[0], round(probability, 4), joined_texts(sentences), fits, text)


def lights_tell(board: ControllerCore, found: Sequence[Choice], *, is_turned: bool) -> bool:
    """Whether a long press may answer: the lights, which show two pits, the first and the last of the likeliest turn,
    tell it from everything else that fits.

    They show one turn of a course, and no cleared board is evidence of a turn. Who sees the pit blink in which they
    began takes the turn for theirs. `is_turned`: what is asked is whether the board lies the wrong way round.
    """
    counts, game = board.status.counts or (), board.game
    if is_turned:
        return not _may_be_out_of_turn(board)
    if not found or not found[0].fits or found[0].course or not any(map(round, counts[: 2 * board.row_size])):
        return False
    lit = game.pits_of(found[0].move)
    begun = [turn.move.pit_index(board.row_size) for one in found[1:] if one.fits for turn in game.turns_of(one.moves)]
    return bool(lit) and lit.isdisjoint(begun)


def _is_shown(board: ControllerCore, turn: Turn) -> bool:
    """Whether the counts are those after the turn, so that nothing must be corrected when it is recorded."""
    counts, ignored = board.status.counts, board.ignored
    return counts is not None and all(
        abs(count - seeds) < SAME + 0.08 * seeds
        for sensor, (count, seeds) in enumerate(zip(counts, places(turn.position), strict=False))
        if sensor not in ignored
    )


def ask_again(board: ControllerCore, refusal: Refusal, now: Question | None) -> str:
    """The event that first asked, if a question is open already, and shown, that is the same as this `refusal`'s;
    else its own event. `now`: another question that is asked at the same time."""
    before, ask = board.status.refusal, board.status.ask
    if before is None or (before.ply, before.cause) != (refusal.ply, refusal.cause):
        return refusal.question
    if not board.status.is_as_seen(refusal.counts) or not before.shown:
        return refusal.question
    if refusal.cause == "turned":
        is_same = ask is not None and now is not None and (ask.kind, ask.move) == (now.kind, now.move)
    else:
        is_same = refusal.offered is not None and before.offered is not None
        is_same = is_same and before.candidates[0].moves == refusal.candidates[0].moves
    return before.first if is_same and before.first else refusal.question


def turned_question(board: ControllerCore, verdict: Turned) -> Question:
    """The question whether the board lies the wrong way round."""
    message = ErrorText("Does the board lie the wrong way round, with each player at the other side?")
    if _may_be_out_of_turn(board):
        mover = board.game.position.to_move
        other = ErrorText("Or has %(side)s played although %(mover)s is to move?", side=mover.other, mover=mover)
        message = joined_texts((message, other))
    move = str(verdict.verdict.turn.move) if isinstance(verdict.verdict, Clear) else None
    return Question("turned", board.game.row.ply, None, message, move=move, at=board.game.row.seq)


def _may_be_out_of_turn(board: ControllerCore) -> bool:
    """Whether the side that is not to move may have played what lies on the board."""
    position = board.game.position.replaced(to_move=board.game.position.to_move.other)
    found = find_courses(board.game.rules, position, tuple(map(round, board.status.counts or ())), longest=1)
    return bool(board.ignored or found.exact or not found.searched)


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
    name, seeds = board.game.pit_name(sensor), round(abs(off[sensor]))
    if sensor < len(position.pits):
        name = ErrorText("pit %(pit)s", pit=name)
    if off[sensor] > 0:
        return (
            ErrorText(
                "The sensor of %(name)s reads %(seeds)s seeds too many: is a hand on it?", name=name, seeds=seeds
            ),
        )
    return (
        ErrorText(
            "The sensor of %(name)s reads %(seeds)s seeds too few: is its bowl in place, or are its seeds in a hand?",
            name=name,
            seeds=seeds,
        ),
    )


def likeliest_position(board: ControllerCore, verdict: Unclear) -> Position:
    """The position that the board is nearest to."""
    match verdict:
        case NoFit(nearest=Turn(position=position)):
            return position
        case Ambiguous() if verdict.candidates:
            return verdict.candidates[0].turn.position
        case Clear():
            return verdict.turn.position
        case Several():
            return verdict.courses[0][-1].position
    return board.game.position
