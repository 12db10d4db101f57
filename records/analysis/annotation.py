"""Annotation: what each turn of a game gained or lost, which turn decided it, and how accurately each side played."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from inkeek.records.errors import RecordsError, expect
from inkeek.records.game import Game
from inkeek.records.moves import Kind, Turn
from inkeek.records.notation.commands import FORMS, Evaluation, find_commands, replace_commands
from inkeek.records.notation.movetext import GLYPHS
from inkeek.records.position import NORTH, SOUTH, Position, Side
from inkeek.records.record import BadRecord, Ply, Record, Variation
from inkeek.records.rules.play import Rules

from .search import Analysis, Limits, Line, analyse

MEMORY = 16  # MiB for the transposition table of each search
LEVEL_MARGIN = 1.0  # seeds: with an estimate below it, neither side stands better
LEAD = 1 / 12  # of all seeds: ahead by so many, a side wins about 73 % of the games
LEADS = {"enkeshui": 1 / 7, "kalah": 1 / 6}  # where a single turn between beginners moves more
FEWEST_JUDGED = 5  # turns of a side: an accuracy of fewer says nothing
MARKS = ((0.3, "??"), (0.2, "?"), (0.1, "?!"))  # of the chance to win: losses from which a turn gets a glyph
MAX_VARIATION = 10  # turns of the best line that are written
JUDGED = (Kind.SOW,)


class AnnotationStopped(RecordsError):
    """The annotation was asked to stop."""


@dataclass(frozen=True, slots=True)
class JudgedTurn:
    """A turn and what it was worth. Values are in seeds, for the side that moved.

    `before`: with the best play from the position before; `after`: after the turn. `best`: the best line. `loss`: what
    the turn lost; None if it is not judged: there was one legal turn only, or it was irregular or a rearrangement.
    `exact`: neither value is an estimate. `depth`: to which the position before was searched.
    """

    ply: int
    move: str
    side: Side
    before: float
    after: float
    best: Line
    loss: float | None
    glyph: str
    exact: bool
    depth: int


@dataclass(frozen=True, slots=True)
class GameAnnotation:
    """What the annotation of a game found.

    `start`: the value of the first position for South. `turning_point`: the ply of the last turn that lost the better
    or the level standing for good, None without one. `accuracy`: South's and North's in percent, None if fewer than
    `FEWEST_JUDGED` of their turns were judged. `depth`: the least to which a position was searched whose value is an
    estimate, None without one.
    """

    start: float
    turns: tuple[JudgedTurn, ...]
    turning_point: int | None
    accuracy: tuple[float | None, float | None]
    depth: int | None
    nodes: int


@dataclass(frozen=True, slots=True)
class _Worth:
    value: float
    exact: bool


@dataclass(frozen=True, slots=True)
class PositionSearch:
    """The search of one position of a game, by its number among `positions`."""

    rules: Rules
    positions: Sequence[Position]
    number: int

    @property
    def earlier(self) -> Sequence[Position]:
        """The positions before it that could come up again: since the last capture. A long game has many in all, so
        they are put together for one search at a time."""
        first = self.number
        while first and self.positions[first - 1].stores == self.positions[self.number - 1].stores:
            first -= 1
        return self.positions[first : self.number]

    def run(self, limits: Limits, stop: threading.Event | None = None) -> Analysis:
        """Search it, on one thread: with limits of depth or nodes the result is always the same."""
        position = self.positions[self.number]
        return analyse(self.rules, position, limits, memory=MEMORY, history=self.earlier, stop=stop)


def searches(rules: Rules, positions: Sequence[Position]) -> list[PositionSearch]:
    """What is to be searched to annotate a game with these positions."""
    return [PositionSearch(rules, positions, number) for number in range(len(positions))]


def turns_before_gap(record: Record) -> int:
    """How many turns of a game are judged: those before the first that nobody saw."""
    gaps = (index for index, ply in enumerate(record.plies) if ply.move.kind is Kind.GAP)
    return next(gaps, len(record.plies))


def annotate(
    game: Game,
    limits: Limits,
    *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    stop: threading.Event | None = None,
) -> GameAnnotation:
    """Search every position of a game, each within the limits, and judge its turns, up to the first that nobody saw.

    `on_progress` is called with the number of positions done and of all. `stop` ends it within milliseconds.
    :raises BadRecord: the record has errors. :raises AnnotationStopped: `stop` was set.
    """
    expect(game, Game, "board.game()")
    expect(limits, Limits, "Limits(seconds=1)")
    if game.errors:
        raise BadRecord(game.errors)
    judged = turns_before_gap(game)
    rules, positions = game.rules(), game.replay().positions[: judged + 1]
    found: list[Analysis] = []
    for search in searches(rules, positions):
        found.append(search.run(limits, stop))
        if stop is not None and stop.is_set():
            raise AnnotationStopped("the annotation was stopped")
        on_progress(len(found), len(positions))
    return judge(rules, positions, game.replay().turns[:judged], found)


def judge(
    rules: Rules, positions: Sequence[Position], turns: Sequence[Turn], found: Sequence[Analysis]
) -> GameAnnotation:
    """Judge the turns of a game. `found`: what the `searches` of its positions found, one more than turns."""
    values = _values(positions, turns, found)
    judged = [
        _judge(rules, turn, values[number], _value_for(turn.before.to_move, turn.position, values[number + 1]), one)
        for number, (turn, one) in enumerate(zip(turns, found, strict=False))
    ]
    depths = [one.depth for one, value in zip(found, values, strict=True) if not value.exact]
    return GameAnnotation(
        _value_for(SOUTH, positions[0], values[0]).value,
        tuple(judged),
        _turning_point(judged),
        (_accuracy(judged, SOUTH, rules), _accuracy(judged, NORTH, rules)),
        min(depths, default=None),
        sum(one.nodes for one in found),
    )


def _judge(rules: Rules, turn: Turn, before: _Worth, after: _Worth, found: Analysis) -> JudgedTurn:
    best, exact = found.lines[0], before.exact and after.exact
    loss, glyph = None, ""
    if _is_judged(rules, turn):
        loss = 0.0 if _is_best(turn, best) else max(0.0, before.value - after.value)
        glyph = _glyph(_lost_chance(before.value, loss, rules), before.value, after.value, exact)
    ply, side = turn.before.ply + 1, turn.before.to_move
    return JudgedTurn(ply, str(turn.move), side, before.value, after.value, best, loss, glyph, exact, found.depth)


def _values(positions: Sequence[Position], turns: Sequence[Turn], found: Sequence[Analysis]) -> list[_Worth]:
    """The value of every position, from the last to the first.

    The turn that was played shows what its position is worth at least, and the search of the position after it looked
    one turn further. So a loss never comes from two depths that differ.
    """
    values: list[_Worth] = []
    for number in reversed(range(len(positions))):
        line = found[number].lines[0]
        value = _Worth(line.value, line.exact)
        if values and not value.exact and turns[number].move.kind in JUDGED:
            played = _value_for(positions[number].to_move, positions[number + 1], values[-1])
            if _is_best(turns[number], line) or played.value > value.value:
                value = _Worth(played.value, played.exact and _is_best(turns[number], line))
        values.append(value)
    return values[::-1]


def _value_for(side: Side, position: Position, value: _Worth) -> _Worth:
    return value if position.to_move is side else _Worth(-value.value, value.exact)


def _is_judged(rules: Rules, turn: Turn) -> bool:
    """Whether the side had a choice."""
    return turn.move.kind in JUDGED and len(rules.turns(turn.before, 2)) > 1


def _is_best(turn: Turn, line: Line) -> bool:
    return bool(line.moves) and line.moves[0] == turn.move


def _glyph(lost: float, before: float, after: float, exact: bool) -> str:
    """The glyph of a turn: by what it lost of the chance to win, or by the proven result that it gave away."""
    if exact and before > 0 > after:
        return "??"
    glyph = next((glyph for share, glyph in MARKS if lost >= share), "")
    return "?" if exact and _sign_of_value(before, True) > _sign_of_value(after, True) and glyph != "??" else glyph


def _sign_of_value(value: float, exact: bool) -> int:
    """1 if the side stands better, -1 if it stands worse, 0 if the game is level."""
    margin = 0.0 if exact else LEVEL_MARGIN
    return (value > margin) - (value < -margin)


def _turning_point(turns: Sequence[JudgedTurn]) -> int | None:
    for turn in reversed(turns):
        if turn.loss and _sign_of_value(turn.before, turn.exact) > _sign_of_value(turn.after, turn.exact):
            return turn.ply
    return None


def _accuracy(turns: Sequence[JudgedTurn], side: Side, rules: Rules) -> float | None:
    """100 % less what the judged turns of a side lost of its chance to win, on average."""
    lost = [
        _lost_chance(turn.before, turn.loss, rules) for turn in turns if turn.side is side and turn.loss is not None
    ]
    return round(100 - 100 * sum(lost) / len(lost), 1) if len(lost) >= FEWEST_JUDGED else None


def _lost_chance(before: float, loss: float, rules: Rules) -> float:
    """What a turn that lost so many seeds lost of the chance to win, from 0 to 1: a logistic curve."""
    scale = 2 * LEADS.get(rules.id, LEAD) * rules.seeds
    return (math.tanh(before / scale) - math.tanh((before - loss) / scale)) / 2


@dataclass(frozen=True, slots=True)
class TurnNotes:
    """What a record says of a judged turn: its value as a comment, a NAG and the best line, if it has a glyph."""

    comment: str
    nag: int | None
    variation: Variation | None


def start_comment(annotation: GameAnnotation) -> str:
    """The value of the first position, as a comment."""
    depth = annotation.turns[0].depth if annotation.turns else None
    return str(_evaluation(annotation.start, depth))


def turn_notes(turn: JudgedTurn, nags: Sequence[int], variations: Sequence[Variation]) -> TurnNotes:
    """What is written about a turn that has these NAGs and variations already: no second glyph, no line twice."""
    sign = 1 if turn.side is SOUTH else -1
    comment = str(_evaluation(sign * turn.after, None if turn.exact else turn.depth))
    if not turn.glyph:
        return TurnNotes(comment, None, None)
    nag = None if set(nags) & set(GLYPHS.values()) else GLYPHS[turn.glyph]
    moves = turn.best.moves[:MAX_VARIATION]
    if not moves or any(tuple(ply.move for ply in other.plies) == moves for other in variations):
        return TurnNotes(comment, nag, None)
    value = (str(_evaluation(sign * turn.before, turn.depth)),)
    best = Variation(tuple(Ply(move, (), () if number else value) for number, move in enumerate(moves)))
    return TurnNotes(comment, nag, best)


def annotated(game: Game, annotation: GameAnnotation) -> Game:
    """The record with values as ``[%value …]``, glyphs, and the best line where a turn has a glyph.

    Values that it had are replaced. A glyph that somebody gave stays, and so do variations.
    """
    plies = [_annotate_ply(ply, turn) for ply, turn in zip(game.plies, annotation.turns, strict=False)]
    start = _with_value(game.comments, start_comment(annotation))
    return replace(game, plies=(*plies, *game.plies[len(plies) :]), comments=start)


def _annotate_ply(ply: Ply, turn: JudgedTurn) -> Ply:
    notes = turn_notes(turn, ply.nags, ply.variations)
    nags = ply.nags if notes.nag is None else (notes.nag, *ply.nags)
    variations = ply.variations if notes.variation is None else (*ply.variations, notes.variation)
    return Ply(ply.move, nags, _with_value(ply.comments, notes.comment), variations)


def has_value(comment: str) -> bool:
    """Whether a comment gives a value."""
    return any(FORMS[name].kind is Evaluation for name, _ in find_commands(comment) if name in FORMS)


def _with_value(comments: Sequence[str], value: str) -> tuple[str, ...]:
    kept = []
    for comment in comments:
        if has_value(comment):
            comment = replace_commands(comment, lambda text: "" if has_value(text) else text, str)
        if comment.strip():
            kept.append(" ".join(comment.split()))
    return (value, *kept)


def _evaluation(seeds: float, depth: int | None) -> Evaluation:
    whole = seeds == int(seeds)
    return Evaluation(int(seeds) if whole else Decimal(str(round(seeds, 2))), depth=depth or None)
