"""Values of small boards a second time, as plainly as possible, to hold the search and its proofs against."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from inkeek.records import Position, Rules, Side, ruleset
from inkeek.records.position import CLOSED, NORTHS, ORDINARY, SOUTHS

TOO_MANY = 30_000  # positions


class TooManyPositions(Exception):
    """More positions can be reached than there is time for."""


def small_rules(id: str, pits: int, **options: object) -> Rules:
    """The game on a smaller board than its rule set allows; the start is that of `small_position`."""
    whole = ruleset(id)
    given = {**whole.options, "pits": pits, "setup": "", **options}
    given = {name: value for name, value in given.items() if name in whole.options}
    return Rules(whole.info, given, Position((1,) * (2 * pits), (ORDINARY,) * (2 * pits)))


def small_position(rng: Random, rules: Rules, seeds: int) -> Position:
    """A random position with so many seeds, special and closed pits among them where the game has any."""
    size = 2 * rules.row
    marks = [ORDINARY] * size
    if rules.info.closes_pits and rng.random() < 0.3:
        marks[rng.randrange(size)] = CLOSED
    pits = [0] * size
    open_pits = [pit for pit in range(size) if marks[pit] != CLOSED]
    stores = [0, 0]
    for _ in range(seeds):
        if rng.random() < 0.15:
            stores[rng.randrange(2)] += 1
        else:
            pits[rng.choice(open_pits)] += 1
    if "special" in rules.info.terms:
        for pit in range(size):
            if pits[pit] >= 2 and rng.random() < 0.1:
                marks[pit] = rng.choice((SOUTHS, NORTHS))
    return Position(tuple(pits), tuple(marks), (stores[0], stores[1]), Side(rng.randrange(2)), rng.choice((0, 1, 2, 7)))


def bounded_positions(rng: Random, id: str, seeds: tuple[int, int]) -> Iterator[tuple[Rules, Position, int, int]]:
    """Yield random positions of a game on boards of two or three pits a row, each with its rules and `plain_bounds`.

    They hold from the first to the second number of `seeds`.
    """
    while True:
        rules = small_rules(id, rng.choice((2, 3)))
        position = small_position(rng, rules, rng.randint(*seeds))
        rules = rules.starting_from(position)
        try:
            yield rules, position, *plain_bounds(rules, position)
        except TooManyPositions:
            continue


def plain_bounds(rules: Rules, position: Position) -> tuple[int, int]:
    """What the side to move can make sure of, and what the other side cannot keep it from, whoever gets what is left
    after a repetition: the value if both are equal.

    :raises TooManyPositions: there are too many to look at each.
    """
    position = position.replaced(ply=min(position.ply, 8))
    children: dict[Position, list[Position]] = {}
    waiting = [position]
    while waiting:
        here = waiting.pop()
        if here in children:
            continue
        # Rules about first turns apart, a position is the same however many turns were played.
        children[here] = [turn.position.replaced(ply=min(turn.position.ply, 8)) for turn in rules.turns(here)]
        waiting += children[here]
        if len(children) > TOO_MANY:
            raise TooManyPositions
    bounds = []
    for sign in (-1, 1):  # whose gain what is left is while nothing better is known
        values = {
            here: _settled(rules, here, position.to_move, sign) if after else _final(rules, here, position.to_move)
            for here, after in children.items()
        }
        changed = True
        while changed:
            changed = False
            for here, after in children.items():
                if after:
                    best = max if here.to_move is position.to_move else min
                    value = best(values[child] for child in after)
                    changed |= value != values[here]
                    values[here] = value
        bounds.append(values[position])
    return bounds[0], bounds[1]


def _final(rules: Rules, position: Position, side: Side) -> int:
    score = rules.final_score(position)
    return score[side] - score[side.other]


def _settled(rules: Rules, position: Position, side: Side, sign: int) -> int:
    """The difference for a side if it gets, or loses, all that is left."""
    score = rules.score(position)
    return score[side] - score[side.other] + sign * (rules.seeds - sum(score))
