"""An event for other programs: tables, and the lines of a TRF16 file (FIDE Handbook C.04, annex 2). Pure.

The lines hold all rounds up to the first that is not over. South is white, as it has the first turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from math import ceil, log2

import msgspec

from inkeek.records.notation.dates import whole_day
from inkeek.service.games.library.data import csv_lines
from inkeek.service.storage import GameRow

from .pairing import planned_length
from .plan import EventPlan, Round
from .results import matches_of, result_of
from .standings import TEAM_ORDER, KnownPersons, TeamStanding, standings
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
    head = ["rank", "team", "match_points", *TEAM_ORDER, "won", "drawn", "lost"]
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


BYE_CODES = {"bye": "U", "half": "H", "zero": "Z"}
AWAY = (0.0, "0000 - Z")


def trf_lines(
    plan: EventPlan,
    matches: Mapping[str, list[GameRow]],
    *,
    ranks: Mapping[int, int] | None = None,
    next_round: bool = False,
) -> list[str]:
    """The lines. `ranks`: places in the standings. `next_round`: those for a program that pairs the round after
    them, in which who is away has a result already."""
    results = _results(plan, matches)
    numbers = {player.id: number for number, player in enumerate(plan.players, 1)}
    guess = ceil(log2(max(len(plan.players), 2)))
    header = [
        f"012 {plan.name}",
        *([f"022 {plan.place}"] if plan.place else []),
        *([f"042 {day:%Y/%m/%d}"] if (day := whole_day(plan.first_date)) else []),
        *([f"052 {day:%Y/%m/%d}"] if (day := whole_day(plan.last_date)) else []),
        f"062 {len(plan.players)}",
        f"092 {'Individual: Swiss-System' if plan.format == 'swiss' else 'Individual: Round-Robin'}",
        f"XXR {max(planned_length(plan) or guess, len(plan.rounds) + next_round)}",
        "XXC white1",
    ]
    lines = []
    for player in plan.players:
        found = results[player.id]
        if next_round and player.state != "in":
            found = [*found, (0.5, "0000 - H") if player.state == "bye" else AWAY]
        points, number = sum(scored for scored, _ in found), numbers[player.id]
        rank = (ranks or {}).get(player.id, number)
        name = "".join(c if c.isprintable() else " " for c in player.name)[:33]
        start = f"001 {number:>4}      {name:<33} {'':>4} {'':>3} {'':>11} {'':<10} {points:>4.1f} {rank:>4}"
        lines.append("  ".join([start, *(text for _, text in found)]))
    return [*header, *lines]


def tournament_file(
    rows: Sequence[GameRow], persons: KnownPersons, plan: EventPlan, shown: EventPlan | None = None
) -> str:
    """The file of an event with these games. `shown`: the plan with the names that may be seen."""
    matches = matches_of(rows)
    over = msgspec.structs.replace(plan, rounds=_rounds_over(plan, matches))
    games = {pairing.game for pairing in over.pairings}
    found = standings([row for row in rows if (row.match_id or row.id) in games], persons, over)
    ranks = {one.key: one.rank for one in found}
    places = {player.id: ranks[persons.owner(player.key)] for player in plan.players}
    return "\n".join(trf_lines(shown or plan, matches, ranks=places)) + "\n"


def _rounds_over(plan: EventPlan, matches: Mapping[str, list[GameRow]]) -> tuple[Round, ...]:
    def is_open(round: Round) -> bool:
        return any(result_of(pairing, matches).points is None for pairing in round.pairings)

    return tuple(takewhile(lambda round: not is_open(round), plan.rounds))


def _results(plan: EventPlan, matches: Mapping[str, list[GameRow]]) -> dict[int, list[tuple[float, str]]]:
    """What each player has of each round that is over: points, and the eight characters of the file."""
    numbers = {player.id: number for number, player in enumerate(plan.players, 1)}
    found: dict[int, list[tuple[float, str]]] = {player.id: [] for player in plan.players}
    for round in _rounds_over(plan, matches):
        scores = [(pairing, *result_of(pairing, matches)) for pairing in round.pairings]
        here: dict[int, tuple[float, str]] = {}
        for pairing, unplayed, points in scores:
            assert points is not None
            if pairing.north is None:
                here[pairing.south] = points[0], f"0000 - {BYE_CODES[unplayed]}"
                continue
            others: Sequence[tuple[int, int, str, float]] = (
                (pairing.south, pairing.north, "w", points[0]),
                (pairing.north, pairing.south, "b", points[1]),
            )
            for player, other, color, scored in others:
                codes = {1.0: "+", 0.0: "-"} if unplayed else {1.0: "1", 0.5: "=", 0.0: "0"}
                here[player] = scored, f"{numbers[other]:>4} {color} {codes[scored]}"
        for id, results in found.items():
            results.append(here.get(id, AWAY))
    return found
