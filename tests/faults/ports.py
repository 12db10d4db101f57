"""Two games at once, whose boards come back on each other's ports, or claim one serial number."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from service.boards.bindings import Boards
from service.games.repository import Games
from tests.faults.draws import draw, scenario_of
from tests.faults.judge import Outcome, judge, settle
from tests.faults.room import Room
from tests.faults.table import Table

LIMIT_S = 900.0  # of virtual time
EXCHANGES = 3  # at most, in a session
CLAIMED_S = 20.0  # while two boards claim one serial number
SERIALS = ("SIM-A", "SIM-B")


def two_tables(kind: str, random: Random, games: Games, boards: Boards, serials: tuple[str, str]) -> list[Table]:
    """Two tables in one room, with the same rules and the same kind of board, so that either board fits either game."""
    room = Room()
    first = scenario_of(kind, random)
    scenarios = (first, replace(first, seed=random.getrandbits(60)))
    return [
        Table(
            replace(scenario, board=replace(scenario.board, serial=serial)),
            games,
            boards,
            draw,
            [],
            room=room,
            waits_for_layout=random.random() < 0.8,
        )
        for scenario, serial in zip(scenarios, serials, strict=True)
    ]


def play_swapped(outcome: Outcome, random: Random, games: Games, boards: Boards) -> None:
    """Exchange the ports of two boards, and exchange them again after a while."""
    tables = two_tables(outcome.kind, random, games, boards, SERIALS)
    room, (one, other) = tables[0].room, tables
    ports = one.port, other.port
    for _ in range(random.randint(1, EXCHANGES)):
        one.run(random.uniform(1, 10), lambda: one.played and other.played)
        silently = random.random() < 0.3
        room.exchange(*ports, silently=silently)
        outcome.figures["exchanged"] += 1
        one.run(random.uniform(0.2, 10), lambda: False)
        room.exchange(*ports, silently=silently)
    one.run(LIMIT_S, lambda: one.played and other.played)
    _judge_both(outcome, tables, boards)


def play_one_serial(outcome: Outcome, random: Random, games: Games, boards: Boards) -> None:
    """Let two boards claim one serial number for a while. Nothing is recorded meanwhile, and both games are told."""
    tables = two_tables(outcome.kind, random, games, boards, (SERIALS[0], SERIALS[0]))
    tables[0].run(CLAIMED_S, lambda: False)
    for table in tables:
        plies = games.row(table.game).ply
        if plies:
            outcome.figures["wrong"] += plies
            outcome.faults.append(f"{plies} turns were recorded while two boards claimed one serial number")
    _release(tables, boards)


def _judge_both(outcome: Outcome, tables: list[Table], boards: Boards) -> None:
    for table in tables:
        settle(table)
        judge(outcome, table)
    outcome.figures["sessions"] -= 1
    _release(tables, boards)


def _release(tables: list[Table], boards: Boards) -> None:
    for table in tables:
        boards.release(table.board)
