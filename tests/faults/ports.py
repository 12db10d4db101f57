"""Two games at once, whose boards come back on each other's ports, or claim one serial number."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from random import Random

from inkeek.service.boards.bindings import Boards
from inkeek.service.games.repository import Games
from tests.faults.draws import draw, scenario_of
from tests.faults.judge import Outcome, judge, settle
from tests.faults.room import Room
from tests.faults.table import Table

LIMIT_S = 900.0  # of virtual time
EXCHANGES = 3  # at most, in a session
CLAIMED_S = 20.0  # while two boards claim one serial number
SERIALS = ("SIM-A", "SIM-B")


def two_tables(
    kind: str, random: Random, games: Games, boards: Boards, serials: tuple[str, str], *, alike: bool
) -> list[Table]:
    """Two tables in one room, with the same rules and the same kind of board, so that either board fits either game.

    `alike`: the boards have the same boot ids too.
    """
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
            boots=(f"{boot:08x}" for boot in count(1 if alike else first_boot)),
            waits_for_layout=random.random() < 0.8,
        )
        for scenario, serial, first_boot in zip(scenarios, serials, (1, 1001), strict=True)
    ]


def play_swapped(outcome: Outcome, random: Random, games: Games, boards: Boards) -> None:
    """Exchange the ports of two boards, and exchange them again after a while."""
    # A line that leads to another board unnoticed, with the same boot id, cannot be told from the old one.
    silently = random.random() < 0.3
    alike = not silently and random.random() < 0.5
    tables = two_tables(outcome.kind, random, games, boards, SERIALS, alike=alike)
    room, (one, other) = tables[0].room, tables
    ports = one.port, other.port
    for _ in range(random.randint(1, EXCHANGES)):
        one.run(random.uniform(1, 10), lambda: one.played and other.played)
        room.exchange(*ports, silently=silently)
        outcome.figures["exchanged"] += 1
        one.run(random.uniform(0.2, 10), lambda: False)
        room.exchange(*ports, silently=silently)
    one.run(LIMIT_S, lambda: one.played and other.played)
    _judge_both(outcome, tables)


def play_one_serial(outcome: Outcome, random: Random, games: Games, boards: Boards) -> None:
    """Let two boards claim one serial number for a while: the one that was bound first goes on, the other waits.

    Both games are told. Then the one that waits leaves.
    """
    tables = two_tables(outcome.kind, random, games, boards, (SERIALS[0], SERIALS[0]), alike=random.random() < 0.5)
    tables[0].run(CLAIMED_S, lambda: all(map(_is_told, tables)))
    tables[0].run(CLAIMED_S, lambda: False)
    first, waiting = sorted(tables, key=lambda table: "same-serial" in _kinds(table))
    if not _is_told(first) or not _is_told(waiting):
        outcome.figures["lost"] += 1
        outcome.faults.append("two boards claim one serial number, and a log does not say so")
    if games.row(waiting.game).ply:
        outcome.figures["wrong"] += 1
        outcome.faults.append("a turn was recorded of a board whose serial number is that of another")
    waiting.close()
    first.run(LIMIT_S, lambda: first.played)
    settle(first)
    judge(outcome, first)
    first.close()


def _is_told(table: Table) -> bool:
    return not {"same-serial", "claimed"}.isdisjoint(_kinds(table))


def _kinds(table: Table) -> set[str]:
    return {entry.kind for entry in table.boards.log(table.board, 0, 10_000)}


def _judge_both(outcome: Outcome, tables: list[Table]) -> None:
    for table in tables:
        settle(table)
        judge(outcome, table)
    outcome.figures["sessions"] -= 1
    for table in tables:
        table.close()
