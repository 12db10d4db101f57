"""Keeping what is right of a record that is not, with a mark where it stops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from records.errors import RecordsError
from records.game import MAX_NESTING, Game, Ply, Variation
from records.moves import Move
from records.play import Rules
from records.position import Position
from records.replay import play_ply

from .arguments import quote
from .commands import as_words
from .teams import TEAM_TAGS, starting_teams
from .visitors import GameBuilder

KEPT_IN_MARK = ("Result", "Score", "Termination")  # tags that a record which stops too early can no longer have


class LenientBuilder(GameBuilder):
    """Makes the `Game` as far as it is right; see `kept`. Moves are read after a wrong tag too."""

    def tags(self, tags: Mapping[str, str]) -> bool:
        super().tags(tags)
        return True

    def done(self) -> Game:
        for _ in self._lines[1:]:
            self.end_variation()
        return kept(super().done())


def kept(game: Game) -> Game:
    """A record as far as it is right, marked with ``[%stopped …]`` where it stops; one that is right, as it is.

    The mark stands in a comment and has the place and the error. A result, score or termination that does not follow
    from what was kept stands in it too, and no longer in the tags; so do teams that cannot be. A wrong command becomes
    words. Where not even the rules are known all moves stay.
    """
    if not game.errors:
        return game
    try:
        rules = game.rules()
    except RecordsError as error:
        marks = [_mark(str(error), {})]
        return replace(game, comments=(*game.comments, *marks), faults=())
    line = _right(game, rules, Variation(game.plies, game.comments), rules.start(), None, 0)
    if game.faults:
        line = _ended(line, [_mark(str(game.faults[0]), {})])
    right = replace(game, plies=line.plies, comments=line.comments, faults=())
    if not right.errors:
        return right
    try:
        starting_teams(right.tags)
    except RecordsError as error:
        teams = {name: right.tags[name] for name in TEAM_TAGS if name in right.tags}
        tags = {name: value for name, value in right.tags.items() if name not in teams}
        line = Variation(line.plies, (*line.comments, _mark(str(error), teams)))
        right = replace(right, tags=tags, comments=line.comments)
        if not right.errors:
            return right
    lost = {name: right.tags[name] for name in KEPT_IN_MARK if name in right.tags}
    if right.ended is not None:
        lost["Result"] = right.ended
    line = _ended(line, [_mark(str(right.errors[0]), lost)])
    outcome = rules.outcome(right.replay().positions[-1])
    result = outcome.result if outcome else "*"
    tags = {name: value for name, value in right.tags.items() if name not in KEPT_IN_MARK}
    return replace(right, plies=line.plies, comments=line.comments, tags={**tags, "Result": result}, ended=result)


def _right(
    game: Game, rules: Rules, line: Variation, position: Position, previous: Move | None, depth: int
) -> Variation:
    """The line as far as the rules allow it, its variations too; `previous` is the move before it."""
    plies: list[Ply] = []
    said = tuple(map(as_words, line.comments))
    for ply in line.plies:
        variations: list[Variation] = []
        marks: list[str] = []
        for variation in ply.variations if depth < MAX_NESTING else ():
            right = _right(game, rules, variation, position, previous, depth + 1)
            if right.plies:
                variations.append(right)
            else:
                marks += right.comments
        try:
            turn = play_ply(rules, position, ply, previous)
        except RecordsError as error:
            place = "line {}, column {}: ".format(*game.source.place(ply.at)) if game.source and ply.at >= 0 else ""
            return _ended(Variation(tuple(plies), said), [*marks, _mark(f"{place}{error}", {})])
        plies.append(Ply(turn.move, ply.nags, (*map(as_words, ply.comments), *marks), tuple(variations), ply.at))
        position, previous = turn.position, turn.move
    return Variation(tuple(plies), said)


def _ended(line: Variation, marks: list[str]) -> Variation:
    """The line with marks after its last move."""
    if not line.plies:
        return Variation((), (*line.comments, *marks))
    *others, last = line.plies
    return Variation((*others, last._replace(comments=(*last.comments, *marks))), line.comments)


def _mark(error: str, lost: Mapping[str, str]) -> str:
    """``[%stopped "<error>" result="1-0"]``, with nothing in it that would end a text or a comment."""
    texts = [quote(_plain(error)), *(f"{name.lower()}={quote(_plain(value))}" for name, value in lost.items())]
    return f"[%stopped {' '.join(texts)}]"


def _plain(text: str) -> str:
    return " ".join(text.translate(str.maketrans('"{}', "'()")).split())
