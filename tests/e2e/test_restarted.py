"""The board itself restarts: its unsent events are lost, the log says so, and the game goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.chain import EXAMPLE, PATIENCE, Chain


@pytest.mark.parametrize("moment", ["start", "middle", "button"])
def test_a_game_goes_on_after_the_board_restarts(moment: str, tmp_path: Path) -> None:
    restarts = ("--restart", f"4@{moment}", "--restart", f"9@{moment}")
    with Chain(tmp_path, EXAMPLE, *restarts, speed="100") as chain:
        chain.finish()
        gaps = [entry["data"]["reason"] for entry in chain.log() if entry["kind"] == "gap"]
        assert len(gaps) == 2
        boots = {str(event["boot"]) for event in (*chain.board.events("listening"), *chain.board.events("restarted"))}
        sources = {entry["data"]["boot"] for entry in chain.log() if entry["kind"] == "connected"}
        assert sources == boots
        assert len(boots) == 3
        assert all(any(boot in gap for boot in boots) for gap in gaps)


def test_a_restart_while_the_service_is_down_is_logged(tmp_path: Path) -> None:
    with Chain(tmp_path, EXAMPLE, "--restart", "6@button", speed="50") as chain:
        chain.played(5)
        chain.service.crash()
        chain.board.until("restarted", PATIENCE)
        chain.service.start()
        chain.finish()
        assert chain.kinds().count("gap") == 1
