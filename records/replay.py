"""Replaying a record: every position and turn of it, and what is wrong with it. The good part is always kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .errors import PositionError, RecordsError
from .game import MAX_NESTING, Game, Ply, RecordError, Variation
from .line_player import LinePlayer
from .moves import IllegalMove, Kind, Move, Turn
from .notation.commands import after_position
from .notation.tags import RESULTS, TERMINATIONS, TagError, parse_score, rules_of
from .notation.teams import starting_teams
from .outcome import Outcome
from .play import Rules
from .position import Position, Side
from .remarks import remark_errors

MAX_ERRORS = 20  # told of one record


class Replay:
    """A record replayed: its main line as far as it is right.

    `count` is how many turns that are, `errors` are all of the record, the first first. `outcome` is how the game
    ended: None while it goes on, or where the record is wrong.
    """

    def __init__(
        self, line: _Played | None, errors: tuple[RecordError, ...] = (), outcome: Outcome | None = None
    ) -> None:
        self._line = line
        self.count = line.track.count if line else 0
        self.errors = errors
        self.outcome = outcome

    @property
    def error(self) -> RecordError | None:
        return self.errors[0] if self.errors else None

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns of the main line."""
        return tuple(self._line.track.turns()) if self._line else ()

    @cached_property
    def positions(self) -> tuple[Position, ...]:
        """The positions of the main line, one more than turns; empty when not even the start can be told."""
        return (self._line.track.start, *(turn.position for turn in self.turns)) if self._line else ()

    @cached_property
    def plies(self) -> tuple[Ply, ...]:
        """The moves of the main line in canonical form, with what the record says of them."""
        return self._line.plies(self.turns) if self._line else ()


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
        return Replay(None, (_tag_error(game, error.tag, str(error)),))
    errors: list[RecordError] = []
    line = _play_line(game, rules, game.plies, rules.start(), 1, errors)
    errors.extend(remark_errors(game, MAX_ERRORS - len(errors)))
    outcome: Outcome | None = None
    if not errors:
        try:
            starting_teams(game.tags)
            outcome = _outcome(game, rules, line.track)
        except TagError as error:
            errors.append(_tag_error(game, error.tag, str(error)))
    errors.sort(key=lambda error: (error.line, error.column))
    return Replay(line, tuple(errors), outcome)


@dataclass(frozen=True, slots=True)
class _Played:
    """A line and the turns of its first plies; `variations` are in canonical form, by the index of their ply."""

    line: tuple[Ply, ...]
    track: LinePlayer
    variations: Mapping[int, tuple[Variation, ...]]

    def plies(self, turns: Sequence[Turn]) -> tuple[Ply, ...]:
        """The plies that were played, in canonical form."""
        return tuple(
            Ply(turn.move, ply.nags, ply.comments, self.variations.get(index, ply.variations), ply.at)
            for index, (ply, turn) in enumerate(zip(self.line, turns, strict=False))
        )


def _play_line(
    game: Game,
    rules: Rules,
    plies: tuple[Ply, ...],
    position: Position,
    number: int,
    errors: list[RecordError],
    previous: Move | None = None,
    depth: int = 0,
) -> _Played:
    """Play a line, whose first ply has `number`, as far as it is right, and its variations as far as each is."""
    track = LinePlayer(rules, position, [ply.move for ply in plies])
    while True:
        track.play()
        at = track.count
        if at == len(plies):
            break
        try:
            track.add(play_ply(rules, track.position(at), plies[at], plies[at - 1].move if at else previous))
        except RecordsError as error:
            errors.append(_ply_error(game, plies[at], number + at, error))
            break
    variations: dict[int, tuple[Variation, ...]] = {}
    for index, ply in enumerate(plies[: track.count + 1]):
        # A variation starts from the position before the ply it hangs on.
        if ply.variations and depth < MAX_NESTING and len(errors) < MAX_ERRORS:
            before = plies[index - 1].move if index else previous
            played = [
                (
                    line,
                    _play_line(
                        game, rules, line.plies, track.position(index), number + index, errors, before, depth + 1
                    ),
                )
                for line in ply.variations
            ]
            variations[index] = tuple(_completed(line, told) for line, told in played)
    return _Played(plies, track, variations)


def _completed(line: Variation, played: _Played) -> Variation:
    """A variation with its moves in canonical form as far as they are right."""
    plies = played.plies(played.track.turns())
    return Variation(plies + line.plies[len(plies) :], line.comments)


def _outcome(game: Game, rules: Rules, track: LinePlayer) -> Outcome | None:
    """How the game ended, by the rules or by the tags; checks that they agree.

    :raises TagError: they do not.
    """
    tags = game.tags
    last = track.position(track.count)
    result = tags.get("Result", "*")
    termination = tags.get("Termination")
    score = parse_score(tags["Score"]) if "Score" in tags else None
    if result not in RESULTS:
        raise TagError("Result", f"Result is {result!r}: expected one of {' '.join(RESULTS)}")
    if game.ended not in (None, result):
        raise TagError("Result", f"Result is {result}, but the movetext ends with {game.ended}")
    if termination not in (None, *TERMINATIONS):
        raise TagError("Termination", f"Termination is {termination!r}: expected one of {', '.join(TERMINATIONS)}")
    outcome = rules.outcome(last)
    if outcome is None and termination == "repetition" and result != "*":
        outcome = _repeated(rules, track)
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
        kept = rules.score(last)
        winner = {"1-0": 0, "0-1": 1}.get(result)
        return Outcome(str(termination), None if winner is None else Side(winner), score or kept)
    if score is not None and outcome is not None and score != outcome.score:
        raise TagError("Score", f"Score is {tags['Score']}, but {told}")
    return outcome


def _repeated(rules: Rules, track: LinePlayer) -> Outcome:
    """The outcome of a game ended because its last position came up again and again."""
    needed = int(rules.options["repetition"])
    positions = [track.start, *(turn.position for turn in track.turns())]
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
