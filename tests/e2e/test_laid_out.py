"""A board that is still being laid out when it is bound: what is said of it changes as soon as it lies right."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from tests.e2e.chain import Chain
from tests.service.waiting import until


def test_the_start_is_laid_out_under_the_eyes_of_the_desk(tmp_path: Path) -> None:
    record = tmp_path / "game.pmn"
    record.write_text(resources.files("service.demo").joinpath("demo.pmn").read_text("utf-8"), "utf-8")
    with Chain(tmp_path, record, speed="2") as chain:
        until(lambda: chain.status()["message"] == "The board does not lie as the record has it.")
        until(lambda: chain.status()["message"] == "The board lies as the record has it.")
        assert chain.status()["sentences"] == []
        assert chain.get()["ply"] == 0
