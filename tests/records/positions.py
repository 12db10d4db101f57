"""Rules under random options and random positions of them: reachable ones by random play, and constructed ones."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from inkeek.records import Kind, Move, Position, Rules, Side, ruleset, ruleset_ids
from inkeek.records.position import CLOSED, NORTHS, ORDINARY, SOUTHS

MAX_PLIES = 120  # of a random game
MAX_MOVES = 200  # to choose from at each ply of it
# Options that no turn hangs on; those of a race or a match mean something only beside others.
NO_MATTER = ("setup", "repetition", "race", "race_keeps_position", "race_won", "rearrange_into_bulls")
NO_MATTER += ("match", "starter", "round_starter", "closing")


def random_rules(rng: Random, id: str, kernel: str | None = None, **given: str) -> Rules:
    """The game under options drawn at random, apart from those that are given."""
    options = {
        option.name: rng.choice(option.allowed)
        for option in ruleset(id).info.options
        if option.name not in NO_MATTER and rng.random() < 0.5
    }
    options |= given
    if str(options.get("pits")) in ("6", "10", "14", "16") and ruleset(id).info.family == "enkeshui":
        empty = int(options["pits"]) - 6
        rows = [[0] * empty + [4] * 6, [4] * 6 + [0] * empty, [3] * 6 + [6] + [0] * (empty - 1)] if empty else [[4] * 6]
        options["setup"] = "/".join(".".join(map(str, rng.choice(rows))) for _ in Side)
    return ruleset(id, kernel=kernel, **options)


def constructed(rng: Random, rules: Rules) -> Position:
    """A position with the game's seeds laid anyhow: flat or in heaps, special and closed pits wherever they can be."""
    size = 2 * rules.row
    marks = [ORDINARY] * size
    if rules.info.closes_pits:
        for row in (range(rules.row), range(rules.row, size)):
            for pit in rng.sample(row, rng.choice((0, 0, 1, 2, rules.row - 1))):
                marks[pit] = CLOSED
    open_pits = [pit for pit in range(size) if marks[pit] != CLOSED]
    heaps = rng.sample(open_pits, rng.choice((rng.randint(1, len(open_pits)), len(open_pits), len(open_pits))))
    stores, pits = [0, 0], [0] * size
    captured = rng.choice((0.0, 0.0, 0.1, 0.5, 0.9))
    for _ in range(rules.seeds):
        if rng.random() < captured:
            stores[rng.randrange(2)] += 1
        else:
            pits[rng.choice(heaps)] += 1
    if "special" in rules.info.terms:
        often = rng.choice((0.0, 0.0, 0.1, 0.3))
        for pit in range(size):
            if pits[pit] >= 2 and rng.random() < often:
                marks[pit] = rng.choice((SOUTHS, NORTHS))
    ply = rng.choice((0, 0, 1, 1, 2, 3, 4))
    vary = rules.options.get("rearrangement") == "any-turn" and not rules.options["bulls_on_first_move"]
    unsown = rng.choice((0, 1, 2, 3)) if vary and ply else 0
    return Position(tuple(pits), tuple(marks), (stores[0], stores[1]), Side(rng.randrange(2)), ply, unsown)


def random_rearrangement(rng: Random, rules: Rules, position: Position) -> Move:
    """A rearrangement by the side to move: mostly of own pits, and mostly of as many seeds as these hold."""
    own = position.pits_of(position.to_move)
    near = own if rng.random() < 0.9 else range(2 * rules.row)
    first, second = rng.choice(near), rng.choice(near)
    hand = position.pits[first] + position.pits[second] + (rng.random() < 0.1)
    laid: dict[int, int] = {}
    for _ in range(hand):
        pit = rng.choice(near)
        laid[pit] = laid.get(pit, 0) + 1
    pairs = tuple((position.letter(pit), count) for pit, count in laid.items())
    letters = position.letter(first), position.letter(second)
    return Move(pit="", kind=Kind.REARRANGE, emptied="".join(letters), laid=pairs)


def random_game(rng: Random, rules: Rules) -> Iterator[Position]:
    """The positions of a game in which every turn is drawn at random."""
    position = rules.start()
    for _ in range(MAX_PLIES):
        yield position
        moves = rules.legal_moves(position, MAX_MOVES)
        if not moves:
            return
        move = rng.choice(moves)
        if rules.options.get("rearrangement") == "any-turn" and rng.random() < 0.2:
            other = random_rearrangement(rng, rules, position)
            move = other if rules.is_legal(position, other) else move
        position = rules.play(position, move).position


@st.composite
def games(draw: st.DrawFn, ids: tuple[str, ...] = ruleset_ids()) -> tuple[Rules, Position]:
    """Rules and a position of theirs."""
    rng = draw(st.randoms(use_true_random=False))
    rules = random_rules(rng, draw(st.sampled_from(ids)))
    if draw(st.booleans()):
        return rules, constructed(rng, rules)
    position = rules.start()
    for number, reached in enumerate(random_game(rng, rules)):
        position = reached
        if number >= draw(st.integers(0, 40)):
            break
    return rules, position


def other_kernel(rules: Rules) -> Rules:
    """The same rules on the kernel that does not run by default."""
    return ruleset(rules.id, kernel="interpreted", **rules.options)
