"""What people count of games: how long they are, what a turn captures, whether who begins wins. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from inkeek.service.games.snapshot import position_of
from inkeek.service.storage import GameRow


class GameCounts(NamedTuple):
    """Of ended games with turns by one rule set: how many, their turns, how many seeds a turn won, and of how many
    that one side won, the side that began won."""

    ruleset: str
    games: int
    shortest: int
    median: float
    longest: int
    won_a_turn: float
    decided: int
    won_by_first: int


def count_games(rows: Iterable[GameRow]) -> list[GameCounts]:
    """The counts of games by rule set; of those whose seeds at the end are known."""
    by_ruleset: dict[str, list[GameRow]] = defaultdict(list)
    for row in rows:
        if row.state == "ended" and row.ply and position_of(row.position).is_known and position_of(row.start).is_known:
            by_ruleset[row.game].append(row)
    return [_count(ruleset, found) for ruleset, found in sorted(by_ruleset.items())]


def _count(ruleset: str, rows: list[GameRow]) -> GameCounts:
    turns = [row.ply for row in rows]
    won = sum(sum(position_of(row.position).stores) - sum(position_of(row.start).stores) for row in rows)
    firsts = [row.winner == str(position_of(row.start).to_move) for row in rows if row.winner]
    spread = (min(turns), median(turns), max(turns))
    return GameCounts(ruleset, len(rows), *spread, won / sum(turns), len(firsts), sum(firsts))
