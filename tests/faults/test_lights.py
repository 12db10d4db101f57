"""After the desk was killed, nobody takes its new lights for the answer to a button that it has not seen yet.

In Kalah the same side may move again. Then the answer to a recorded turn is that the side's light goes out and comes
back, and so does a new desk. Lights say which button they answer: without that, every eighth session counts a turn too
early, and all of these.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from inkeek.firmware_sim.scenarios import GameSetup
from inkeek.service.boards.bindings import Boards
from inkeek.service.games.repository import Games
from tests.faults.draws import QUICK, draw, scenario_of
from tests.faults.judge import SETTLE_S
from tests.faults.sessions import LIMIT_S, database, registered_driver
from tests.faults.table import Table

SLOW = 0.5  # seconds that the loaded machine takes to store something
SESSIONS = (15, 25, 28, 53, 56, 59)  # seeds; with a board of protocol 1.0 all of them count a turn too early


class SlowStorage:
    """Stands in front of `Boards`: storing takes virtual time."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._boards = table.boards

    def __getattr__(self, name: str) -> Any:
        if name in ("update_status", "commit_event"):
            self._table.wait(SLOW)
        return getattr(self._boards, name)


def counted_early(seed: int, games: Games, boards: Boards) -> bool:
    """Play a game of Kalah while the desk is killed again and again, and check the record.

    Return whether the hands counted a turn before it was recorded.
    """
    random = Random(seed)
    scenario = scenario_of("killed", random)
    scenario = replace(scenario, game=GameSetup("", 1, "kalah", {}, 14), pace=replace(QUICK, patience=None))
    deaths = sorted((random.uniform(0, 60), random.choice(["read", "write", "before"]), 0.05) for _ in range(60))
    table = Table(scenario, games, boards, draw, deaths)
    table.boards = SlowStorage(table)  # type: ignore[assignment]
    turns = {turn.ply: turn for turn in table.stage.plan.turns}
    early = []
    seen = 0

    def pass_time() -> None:
        nonlocal seen
        Table.pass_time(table)
        for event in table.events[seen:]:
            if event["event"] == "turn" and games.row(table.game).ply < event["ply"]:
                early.append(turns[event["ply"]])
        seen = len(table.events)

    table.pass_time = pass_time  # type: ignore[method-assign]
    table.run(LIMIT_S, lambda: table.played)
    end = table.now + SETTLE_S
    table.run(SETTLE_S, lambda: table.now >= end)
    table.close()
    assert [str(ply.move) for ply in games.load(table.game).record.plies] == [turn.move for turn in turns.values()]
    return bool(early)


@pytest.mark.parametrize("seed", SESSIONS)
def test_no_turn_counts_before_it_is_recorded(seed: int) -> None:
    with registered_driver(), database() as (games, boards):
        assert not counted_early(seed, games, boards)
