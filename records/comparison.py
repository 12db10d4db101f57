"""One record under two rule sets: the first turn at which they part, and why, seed by seed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from .errors import PositionError
from .explain import explain_outcome
from .game import Game
from .language import load_language
from .moves import IllegalMove, Kind, Move, Turn
from .position import Position
from .rules.play import Rules, rules_at
from .rules.ruleset import RuleSet, Value
from .rules.trace import sown_seeds

START_OPTIONS = {"seeds", "setup"}  # say where the seeds are at the start


@dataclass(frozen=True, slots=True)
class Parting:
    """Turn `ply`, from 1, that begins in `before` and is not the same by two rule sets.

    `after` are the positions after it by each; None where it is illegal. `seeds` are sown alike, `alike` says in
    sentences what is the same, `explained` how it goes on by each. If `after` are the same, one ends the game there,
    or both do with other scores.
    """

    ply: int
    move: Move
    before: Position
    after: tuple[Position | None, Position | None]
    seeds: int
    alike: tuple[str, ...]
    explained: tuple[tuple[str, ...], tuple[str, ...]]


def other_rules(game: Game, id: str | RuleSet, **options: Value) -> Rules:
    """Rules under which the turns of the record can be tried: they begin where it begins, and have its gaps.

    :raises RecordsError: they cannot, such as a rule set that has no board of this size.
    """
    rules = rules_at(id, options, game.start())
    return rules.with_gaps() if game.rules().has_gaps else rules


def differing_options(first: Rules, second: Rules) -> dict[str, tuple[Value | None, Value | None]]:
    """The options that the two have otherwise, but for those that only say where they begin, which is the same; None: a
    rule set has no such option."""
    names = [name for name in first.options | second.options if name not in START_OPTIONS]
    values = {name: (first.options.get(name), second.options.get(name)) for name in names}
    return {name: pair for name, pair in values.items() if pair[0] != pair[1]}


def is_compared(turn: Turn) -> bool:
    """Whether other rules may do something else in a turn: it is neither irregular nor a gap, and all seeds before it
    are known."""
    return turn.move.kind not in (Kind.IRREGULAR, Kind.GAP) and turn.before.is_known


def find_parting(game: Game, other: Rules, language: str = "en") -> Parting | None:
    """The first turn of the record that is another one by the `other` rules; None: there is none.

    The record is followed as far as it is right, and turns that are not compared (`is_compared`) lead both where they
    led.

    :raises PositionError: these led where nothing can be played by the other rules.
    """
    rules, position, previous = game.rules(), other.start(), None
    for ply, turn in enumerate(game, 1):
        if not is_compared(turn):
            position, previous = turn.position, turn.move
            continue
        try:
            made = other.play(position, turn.move.choice, previous)
        except IllegalMove:
            return _parting(ply, turn, None, rules, other, language)
        if _board(made.position) != _board(turn.position):
            return _parting(ply, turn, made, rules, other, language)
        position, previous = made.position, made.move
    turns = game.replay().turns
    ends = [one.outcome(position) if position.is_known else None for one in (rules, other)]
    if not turns or ends[0] == ends[1]:
        return None
    words = load_language(language)
    first, second = (() if end is None else (explain_outcome(end, words),) for end in ends)
    return Parting(len(turns), turns[-1].move, turns[-1].before, (position, position), 0, (), (first, second))


def differing_plies(game: Game, other: Rules) -> list[int]:
    """The numbers of the turns of the record that do something else, or are illegal, by the `other` rules in the
    position in which they were played (`is_compared`)."""
    found, previous = [], None
    for ply, turn in enumerate(game, 1):
        if is_compared(turn):
            try:
                made = other.play(turn.before, turn.move.choice, previous)
            except (IllegalMove, PositionError):
                made = None
            if made is None or _board(made.position) != _board(turn.position):
                found.append(ply)
        previous = turn.move
    return found


def _board(position: Position) -> tuple[object, ...]:
    return position.pits, position.marks, position.stores, position.to_move


def _parting(ply: int, turn: Turn, made: Turn | None, rules: Rules, other: Rules, language: str) -> Parting:
    before, move = turn.before, turn.move.choice
    first, second = (tuple(one.explain(before, move, language)) for one in (rules, other))
    alike = tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    seeds = 0
    if made is not None:
        sown = [sown_seeds(one.trace(before, move).events, 2 * rules.row) for one in (rules, other)]
        seeds = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(*sown, strict=False)))
    after = turn.position, None if made is None else made.position
    return Parting(ply, turn.move, before, after, seeds, alike, (first[len(alike) :], second[len(alike) :]))
