"""Replaying a record: every position and turn of it, and what is wrong with it. The good part is always kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from .errors import IllegalMove, PositionError, RecordsError
from .game import MAX_NESTING, Game, Line, Ply, RecordError
from .moves import Kind, Move, Turn
from .notation.commands import after_position
from .notation.tags import RESULTS, TERMINATIONS, TagError, parse_score, rules_of
from .play import Outcome, Rules
from .position import Position, Side

MAX_ERRORS = 20  # told of one record


@dataclass(frozen=True, slots=True)
class Replay:
    """A record replayed.

    `positions` (one more than `turns`) and `turns` are those of the main line as far as it is right, `plies` its moves
    in canonical form; `errors` are all of the record, the first first. `outcome` is how the game ended: None while it
    goes on, or where the record is wrong. `positions` is empty when not even the start can be told.
    """

    positions: tuple[Position, ...]
    turns: tuple[Turn, ...]
    plies: tuple[Ply, ...]
    errors: tuple[RecordError, ...] = ()
    outcome: Outcome | None = None

    @property
    def error(self) -> RecordError | None:
        return self.errors[0] if self.errors else None


def play_ply(rules: Rules, position: Position, ply: Ply, previous: Move | None = None) -> Turn:
    """Play one ply of a record, after the move `previous`; an irregular turn leads where its ``[%after …]`` says.

    :raises RecordsError: it cannot be.
    """
    if ply.move.kind is not Kind.IRREGULAR:
        return rules.play(position, ply.move, previous)
    text = after_position(ply.comments)
    if text is None:
        raise RecordsError(f'{ply.move}: an irregular turn needs a comment with [%after "<position>"]')
    after = Position.parse(text)
    rules.verify_position(after)
    return Turn(ply.move, position, after)


def replay(game: Game) -> Replay:
    """Replay a record under the rules that its tags name."""
    try:
        rules = rules_of(game.tags)
    except TagError as error:
        return Replay((), (), (), (_tag_error(game, error.tag, str(error)),))
    errors: list[RecordError] = []
    plies, turns = _replay_line(game, rules, Line(game.plies), rules.start(), 1, errors)
    positions = (rules.start(), *(turn.position for turn in turns))
    outcome: Outcome | None = None
    if not errors:
        try:
            outcome = _outcome(game, rules, positions)
        except TagError as error:
            errors.append(_tag_error(game, error.tag, str(error)))
    errors.sort(key=lambda error: (error.line, error.column))
    return Replay(positions, turns, plies, tuple(errors), outcome)


def _replay_line(
    game: Game,
    rules: Rules,
    line: Line,
    position: Position,
    number: int,
    errors: list[RecordError],
    previous: Move | None = None,
    depth: int = 0,
) -> tuple[tuple[Ply, ...], tuple[Turn, ...]]:
    """The plies of a line with their moves in canonical form, and their turns, as far as they are right. A variation
    starts from the position before the ply it hangs on."""
    plies: list[Ply] = []
    turns: list[Turn] = []
    for ply in line.plies:
        variations = ply.variations
        if variations and depth < MAX_NESTING:
            variations = tuple(
                _completed(game, rules, variation, position, number, errors, previous, depth + 1)
                for variation in variations
            )
        if len(errors) >= MAX_ERRORS:
            break
        try:
            turn = play_ply(rules, position, ply, previous)
        except RecordsError as error:
            errors.append(_ply_error(game, ply, number, error))
            break
        turns.append(turn)
        plies.append(Ply(turn.move, ply.nags, ply.comments, variations, ply.at))
        position, previous = turn.position, turn.move
        number += 1
    return tuple(plies), tuple(turns)


def _completed(
    game: Game,
    rules: Rules,
    line: Line,
    position: Position,
    number: int,
    errors: list[RecordError],
    previous: Move | None,
    depth: int,
) -> Line:
    """A variation with its moves in canonical form as far as they are right."""
    plies, _ = _replay_line(game, rules, line, position, number, errors, previous, depth)
    return Line(plies + line.plies[len(plies) :], line.comments)


def _outcome(game: Game, rules: Rules, positions: Sequence[Position]) -> Outcome | None:
    """How the game ended, by the rules or by the tags; checks that they agree.

    :raises TagError: they do not.
    """
    tags = game.tags
    result = tags.get("Result", "*")
    termination = tags.get("Termination")
    score = parse_score(tags["Score"]) if "Score" in tags else None
    if result not in RESULTS:
        raise TagError("Result", f"Result is {result!r}: expected one of {' '.join(RESULTS)}")
    if game.ended not in (None, result):
        raise TagError("Result", f"Result is {result}, but the movetext ends with {game.ended}")
    if termination not in (None, *TERMINATIONS):
        raise TagError("Termination", f"Termination is {termination!r}: expected one of {', '.join(TERMINATIONS)}")
    outcome = rules.outcome(positions[-1])
    if outcome is None and termination == "repetition" and result != "*":
        outcome = _repeated(rules, positions)
    if outcome is not None:
        told = f"the game ended {outcome.score[0]}-{outcome.score[1]}, {outcome.result}"
        if result != outcome.result:
            raise TagError("Result", f"Result is {result}, but {told}")
        if termination not in (None, outcome.termination):
            raise TagError(
                "Termination", f"Termination is {termination}, but the rules ended the game: {outcome.termination}"
            )
    elif result != "*" and termination in (None, "normal"):
        raise TagError(
            "Result", f"Result is {result}, but the game is not over: expected *, or a Termination that says why"
        )
    elif result != "*":
        last = rules.score(positions[-1])
        winner = {"1-0": 0, "0-1": 1}.get(result)
        return Outcome(str(termination), None if winner is None else Side(winner), score or last)
    if score is not None and outcome is not None and score != outcome.score:
        raise TagError("Score", f"Score is {tags['Score']}, but {told}")
    return outcome


def _repeated(rules: Rules, positions: Sequence[Position]) -> Outcome:
    """The outcome of a game ended because its last position came up again and again."""
    needed = int(rules.options["repetition"])
    times = Counter((p.pits, p.marks, p.to_move) for p in positions)
    last = positions[-1]
    if not needed or times[last.pits, last.marks, last.to_move] < needed:
        raise TagError(
            "Termination",
            f"Termination is repetition, but the last position came up {times[last.pits, last.marks, last.to_move]} "
            f"times: {rules.id} is played here with repetition={needed}",
        )
    return Outcome.of("repetition", rules.final_score(last))


def _ply_error(game: Game, ply: Ply, number: int, error: RecordsError) -> RecordError:
    line, column = game.source.place(ply.at) if game.source and ply.at >= 0 else (0, 0)
    legal: tuple[str, ...] = ()
    message = str(error)
    if isinstance(error, IllegalMove):
        legal = tuple(str(move.choice) for move in error.legal)
        message = f"{error.move} is not legal in {error.position}: {error.message} ({error.reason})"
    elif isinstance(error, PositionError):
        message = f"{ply.move}: {error}"
    return RecordError(message, line, column, number, legal)


def _tag_error(game: Game, tag: str, message: str) -> RecordError:
    """A tag's error at the place where the tag stands, or would stand."""
    if game.source is None:
        return RecordError(message)
    at = max(game.source.text.find(f"[{tag} "), 0)
    return RecordError(message, *game.source.place(at))
