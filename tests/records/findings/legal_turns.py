"""Legal turns that lists of turns leave out, and slips that leave the board of one: drawn from the rules alone."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from inkeek.records import Kind, Move, Position, Rules
from tests.records.findings.slipped_turns import random_position

MAX_DRAWN = 200  # draws for one rearrangement


def rearranged(rng: Random, rules: Rules, before: Position) -> Move | None:
    """A legal rearrangement: two own pits that are no bulls are emptied, and the seeds fall anywhere in the row."""
    own = [before.letter(pit) for pit in before.pits_of(before.to_move)]
    for _ in range(MAX_DRAWN):
        first, second = sorted(rng.sample(own, 2))
        held = {before.letter(pit): before.pits[pit] for pit in before.pits_of(before.to_move)}
        open_pits = rng.sample(own, rng.randint(1, 3)) if rng.random() < 0.7 else own
        laid: dict[str, int] = {}
        for _ in range(held[first] + held[second]):
            pit = rng.choice(open_pits)
            laid[pit] = laid.get(pit, 0) + 1
        move = Move(kind=Kind.REARRANGE, emptied=first + second, laid=tuple(sorted(laid.items())))
        if rules.is_legal(before, move):
            return move
    return None


def shifted(rng: Random, rules: Rules, before: Position) -> Position | None:
    """The board of a rearrangement after which a single seed lies elsewhere: what a clumsy hand leaves, too."""
    for _ in range(MAX_DRAWN):
        move = rearranged(rng, rules, before)
        if move is None:
            return None
        held = dict.fromkeys(move.emptied, 0)
        for letter in move.emptied:
            held[letter] = next(before.pits[pit] for pit in range(len(before.pits)) if before.letter(pit) == letter)
        full = [letter for letter in held if held[letter]]
        giver = rng.choice(full)
        others = [before.letter(pit) for pit in before.pits_of(before.to_move) if before.letter(pit) != giver]
        taker = rng.choice(others)
        laid = dict(held)
        laid[giver] -= 1
        laid[taker] = laid.get(taker, 0) + 1
        move = Move(
            kind=Kind.REARRANGE, emptied=move.emptied, laid=tuple((pit, n) for pit, n in sorted(laid.items()) if n)
        )
        if rules.is_legal(before, move):
            return rules.play(before, move).position
    return None


def cases(rng: Random, rules: Rules, many: int) -> Iterator[tuple[Position, Position]]:
    """The position before, and what lies there: after a rearrangement, and after one that moves a single seed."""
    found = 0
    while found < many:
        before = random_position(rng, rules)
        if (move := rearranged(rng, rules, before)) is None:
            continue
        yield before, rules.play(before, move).position
        if (after := shifted(rng, rules, before)) is not None:
            yield before, after
        found += 1
