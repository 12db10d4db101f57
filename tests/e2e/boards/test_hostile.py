"""Boards that play lose nothing beside boards, far boards and drivers that misbehave in some thirty ways."""

from tests.e2e.hostile_boards import run

SECONDS = 12.0
PACE = 0.4  # of boards that misbehave: in 12 seconds as much as in 30


def test_boards_that_play_lose_nothing_beside_those_that_misbehave() -> None:
    tally = run(SECONDS, seed=1, healthy=4, hostile=10, pace=PACE)
    assert tally.wrong == []
    assert all(tally.phases.values())
