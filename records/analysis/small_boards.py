"""Starts for solving, also on boards smaller than any the games are played on. The rules are those of the game."""

from __future__ import annotations

from records.position import Position
from records.rules.play import Rules
from records.rules.ruleset import Value, load_ruleset


def small_rules(game: str, pits: int, seeds: int, **options: Value) -> Rules:
    """The rules of a game on a board of 2×`pits`, with `seeds` seeds in each pit at the start.

    :raises OptionError: there is no such game or option.
    """
    row = ".".join([str(seeds)] * pits)
    return rules_on(game, f"{row}/{row}", **options)


def rules_on(game: str, start: str, **options: Value) -> Rules:
    """The rules of a game that begins with these seeds in the pits, as ``2.2.2/2.2.2``: South's row, then North's.

    :raises OptionError: there is no such game or option.
    :raises PositionError: `start` is not two rows of seeds.
    """
    info = load_ruleset(game)
    position = Position.parse(f"{start} 0-0 s 0")
    return Rules(info, {**info.resolve(options, laid_out=False), "pits": position.row}, position)
