"""Standings and pairings as tables for spreadsheets (CSV). No cell is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from service.storage import GameRow

from .plan import EventPlan
from .results import result_of
from .teams import ORDER, TeamStanding
from .tie_breaks import Standing

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the beginning of a formula


def safe_cell(value: object) -> object:
    """A cell; text that a spreadsheet would run as a formula has an apostrophe before it."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(head)
    writer.writerows([list(map(safe_cell, row)) for row in rows])
    return file.getvalue()


def standings_csv(standings: Sequence[Standing], order: Sequence[str]) -> str:
    head = ["rank", "player", "team", "points", *order, "won", "drawn", "lost", "sticks_won", "sticks_lost"]
    return _csv(
        head,
        (
            [
                *(one.rank, one.name, one.team, one.points),
                *("" if value is None else value for value in one.tie_breaks),
                *(one.matches.won, one.matches.drawn, one.matches.lost, one.tally.won, one.tally.lost),
            ]
            for one in standings
        ),
    )


def teams_csv(teams: Sequence[TeamStanding]) -> str:
    return _csv(
        ["rank", "team", "match_points", *ORDER, "won", "drawn", "lost"],
        (
            [
                *(one.rank, one.name, one.points),
                *("" if value is None else value for value in one.tie_breaks),
                *(one.matches.won, one.matches.drawn, one.matches.lost),
            ]
            for one in teams
        ),
    )


def pairings_csv(plan: EventPlan, matches: Mapping[str, list[GameRow]]) -> str:
    players = plan.by_id

    def rows() -> Iterable[Sequence[object]]:
        for round in plan.rounds:
            for one in round.pairings:
                unplayed, points = result_of(one, matches)
                south, north = points or ("", "")
                names = [players[id].name for id in one.players]
                opponent = names[1] if len(names) > 1 else ""
                scores = (south, north if opponent else "")
                yield round.number, one.table, names[0], opponent, *scores, unplayed, one.game

    head = ["round", "table", "south", "north", "south_points", "north_points", "bye_or_forfeit", "game"]
    return _csv(head, rows())
