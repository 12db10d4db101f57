"""The tables of docs/solved.md, from the starts that are solved."""

from __future__ import annotations

import math

from inkeek.records.analysis.solved import CHECKS, SolvedStart, solved_starts
from inkeek.records.rules.ruleset import format_value, load_ruleset
from inkeek.service.reference.tables import table

from .games import TRADITIONAL

MOST_SHOWN = 3  # best first turns
MOST_LETTERS = 12  # of a turn with choices


def is_small(start: SolvedStart) -> bool:
    """Whether it has equal pits, on a board smaller than those of the game."""
    pits = start.start.replace("/", ".").split(".")
    info = load_ruleset(start.game)
    whole = [setup.pits for setup in info.setups] or info.option("pits").allowed
    return start.game in TRADITIONAL and len(set(pits)) == 1 and (start.pits not in whole or pits[0] != "4")


def settings(start: SolvedStart) -> str:
    """The game with its options."""
    options = " ".join(f"{name}={format_value(value)}" for name, value in start.options.items())
    return f"`{start.game} {options}`" if options else f"`{start.game}`"


def value_text(start: SolvedStart) -> str:
    """The value, or its bounds, and why they are no value."""
    bounds = bounds_text((start.lower, start.upper))
    if start.stopped:
        return f"{bounds}, stopped"
    return bounds if start.in_force is None else f"{bounds}; {seeds_text(start.in_force)}"


def bounds_text(bounds: tuple[int, int]) -> str:
    lower, upper = map(seeds_text, bounds)
    return lower if lower == upper else f"{lower} to {upper}"


def seeds_text(value: int) -> str:
    return f"{value:+d}" if value else "0"


def best_text(start: SolvedStart) -> str:
    """The best first turns: those with few choices, where there are many."""
    best = sorted(start.best, key=len)
    shown = [turn for turn in best[:MOST_SHOWN] if len(turn) <= MOST_LETTERS] or best[:1]
    more = f" and {len(best) - len(shown)} more" if len(best) > len(shown) else ""
    return " ".join(f"`{turn}`" for turn in sorted(shown)) + more


PROVEN = ("value", "best first turns", "positions", "seconds", "checks")


def proven(start: SolvedStart) -> tuple[str, ...]:
    """The value, the best first turns, the work of the proof with the table that it used, and the checks."""
    work = f"{start.nodes:,}" + (f", table of {start.tables} seeds" if start.tables else "")
    return value_text(start), best_text(start), work, f"{start.seconds:,.2f}", ", ".join(start.checks) or "–"


def whole_table(_: str) -> str:
    """The starts on boards of the size that is played."""
    whole = [start for start in solved_starts() if not is_small(start)]
    rows = [(settings(start), f"`{start.start}`", *proven(start)) for start in whole]
    return table(("game", "start", *PROVEN), rows, right=(2, 4, 5))


def turns_table(_: str) -> str:
    """Every first turn of the whole boards."""
    rows = []
    for start in solved_starts():
        if not is_small(start) and start.turns:
            turns = ", ".join(f"`{turn}` {bounds_text(bounds)}" for turn, bounds in start.turns.items())
            rows.append((settings(start), f"`{start.start}`", turns))
    return table(("game", "start", "first turns"), rows)


def small_table(game: str) -> str:
    """The small boards of a game, those with the same options together."""
    rows = []
    for start in solved_starts():
        if start.game == game and is_small(start):
            options = {name: value for name, value in start.options.items() if name != "rearrangement"}
            named = [f"`{name}={format_value(value)}`" for name, value in options.items()]
            rows.append((", ".join([f"2×{start.pits}", *named]), start.start.split(".")[0], *proven(start)))
    return table(("board", "seeds a pit", *PROVEN), rows, right=(1, 2, 4, 5))


def collisions_line(_: str) -> str:
    """The largest probability that a proof took one position for another one, rounded up."""
    most = max(start.collisions for start in solved_starts())
    power = math.floor(math.log10(most))
    return f"No proof here is wrong for this reason with a probability above {math.ceil(most / 10**power)}e{power}.\n"


def checks_table(_: str) -> str:
    return table(("check", "the value was also found by"), CHECKS.items())


PARTS = {
    "solved-boards": whole_table,
    "solved-turns": turns_table,
    "solved-small": small_table,
    "solved-checks": checks_table,
    "solved-collisions": collisions_line,
}
