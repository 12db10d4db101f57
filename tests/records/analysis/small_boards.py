"""Boards smaller than any the games are played on, with the rules of the game."""

from inkeek.records import Rules
from inkeek.records.analysis.solved import rules_on


def small_rules(game: str, pits: int, seeds: int, **options: object) -> Rules:
    """The rules of a game on a board of 2×`pits`, with `seeds` seeds in each pit at the start."""
    row = ".".join([str(seeds)] * pits)
    return rules_on(game, f"{row}/{row}", **options)
