"""A board that is bound while its start is laid out: its status changes once the start is right."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from service.boards.controller.controller import DISAGREES
from service.boards.controller.game_view import AGREES
from tests.e2e.chain import Chain
from tests.service.waiting import until


def test_the_status_follows_while_the_start_is_laid_out(tmp_path: Path) -> None:
    record = tmp_path / "game.pmn"
    record.write_text(resources.files("service.demo").joinpath("demo.pmn").read_text("utf-8"), "utf-8")
    with Chain(tmp_path, record, speed="2") as chain:
        until(lambda: chain.status()["message"] == DISAGREES)
        until(lambda: chain.status()["message"] == AGREES)
        assert chain.status()["sentences"] == []
        assert chain.get()["ply"] == 0
