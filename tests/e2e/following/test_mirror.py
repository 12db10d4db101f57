"""A few kills of `tests.e2e.following.mirror`. The command kills a hundred times, with 10,000 games."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.following.mirror import MirrorRun


def test_a_mirror_has_each_event_once_though_it_and_the_service_are_killed(tmp_path: Path) -> None:
    result = MirrorRun(tmp_path, seed=2).run(games=20, live=8, kills=4)
    assert result.is_right, result
    assert result.games >= 28
    assert result.events > 3 * result.games
    assert len(result.killed) > 1
