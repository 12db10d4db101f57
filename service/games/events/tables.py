"""Standings and pairings as tables for spreadsheets (CSV)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from inkeek.service.games.csv_rows import csv_lines
from inkeek.service.storage import GameRow

from .plan import EventPlan
from .results import result_of
from .teams import ORDER, TeamStanding
from .tie_breaks import Standing


def standings_csv(standings: Sequence[Standing], order: Sequence[str]) -> str:
    head = ["rank", "player", "team", "points", *order, "won", "drawn", "lost", "sticks_won", "sticks_lost"]
    rows = (
        [
            *(one.rank, one.name, one.team, one.points, *one.tie_breaks),
            *(one.matches.won, one.matches.drawn, one.matches.lost, one.tally.won, one.tally.lost),
        ]
        for one in standings
    )
    return "".join(csv_lines(head, rows))


def teams_csv(teams: Sequence[TeamStanding]) -> str:
    head = ["rank", "team", "match_points", *ORDER, "won", "drawn", "lost"]
    rows = (
        [one.rank, one.name, one.points, *one.tie_breaks, one.matches.won, one.matches.drawn, one.matches.lost]
        for one in teams
    )
    return "".join(csv_lines(head, rows))


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
    return "".join(csv_lines(head, rows()))
