"""Boards that play lose nothing beside boards, far boards and drivers that misbehave; half a minute of it."""

from __future__ import annotations

from tests.e2e.hostile_boards import run

SECONDS = 30.0


def test_boards_that_play_lose_nothing_beside_those_that_misbehave() -> None:
    tally = run(SECONDS, seed=1, healthy=4, hostile=10)
    assert tally.wrong == []
    assert all(tally.phases.values())
