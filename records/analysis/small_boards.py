"""Boards smaller than any the games are played on, for solving: their rules are those of the game."""

from __future__ import annotations

from records.play import Rules
from records.position import ORDINARY, Position
from records.ruleset import Value, load_ruleset


def small_rules(game: str, pits: int, seeds: int, **options: Value) -> Rules:
    """The rules of a game on a board of 2×`pits`, with `seeds` seeds in each pit at the start.

    :raises OptionError: there is no such game or option.
    """
    info = load_ruleset(game)
    size = 2 * pits
    start = Position((seeds,) * size, (ORDINARY,) * size)
    return Rules(info, {**info.resolve(options, laid_out=False), "pits": pits}, start)
