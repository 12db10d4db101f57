"""Processes of the service are killed with SIGKILL in mid-game and restarted: the game goes on by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.chain import EXAMPLE, PATIENCE, Chain
from tests.e2e.processes import PARTS


@pytest.mark.parametrize("part", PARTS)
def test_a_game_survives_the_death_of_a_process(part: str, tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, speed="100") as chain:
        chain.played(3)
        before = chain.service.pids()
        chain.service.kill(part)
        chain.played(chain.board.events_so_far[-1]["ply"] + 5)
        after = chain.service.pids()
        ended = {part: (part,) for part in ("web", "desk", "jobs")}
        ended["supervisor"] = PARTS[2:]
        for kind in ended.get(part, PARTS[1:]):
            assert not set(before[kind]) & set(after[kind])
        chain.finish()


def test_a_game_survives_repeated_deaths(tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, speed="100") as chain:
        for part in ("desk", "all", "web", "supervisor", "web", "jobs"):
            chain.played(chain.board.events_so_far[-1].get("ply", 0) + 4)
            chain.service.kill(part)
        chain.finish()
        assert "gap" not in chain.kinds()


def test_a_button_pressed_while_the_service_is_down_is_answered_later(tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, "--mistake", "10:skip", speed="100") as chain:
        chain.played(9)
        chain.service.crash()
        chain.board.until("mistake", PATIENCE, 10)
        chain.service.start()
        chain.board.until("mended", PATIENCE, 10)
        chain.finish()
        assert chain.kinds().count("refused") == 1
