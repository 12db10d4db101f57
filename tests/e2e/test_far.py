"""Remote boards as processes: a game over a bad network with crashes on both sides; two agents for one board."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.processes import SimulatedBoard
from tests.far import Bench, FarDesk
from tests.service.waiting import until

from . import troubles


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    bench = Bench(tmp_path_factory.mktemp("far"), seed=2)
    yield bench
    bench.close()


def test_a_game_survives_a_bad_network_and_crashes_on_both_sides(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(troubles, "MAX_PLIES", 8)
    monkeypatch.setattr("tests.far.LIVES", 1.0)
    tally = bench.play(1)
    assert tally.wrong is None
    assert tally.events > tally.plies > 0
    assert sum(tally.met.values()) > 0


def test_only_one_agent_serves_a_board(bench: Bench, tmp_path: Path) -> None:
    client = bench.service.client
    game = client.post("/api/v1/games", {"game": "enkeshui", "options": {"pits": 8}})["id"]
    with SimulatedBoard(tmp_path, "--pty", "--link", str(tmp_path / "board"), "-o", "pits=8") as board:
        shared = [board.url, "--to", client.url, "--game", game, "--token-file", str(bench.token)]

        def desk(name: str, spool: str, *more: str) -> FarDesk:
            (tmp_path / name).mkdir()
            made = FarDesk(tmp_path / name, [*shared, "--spool", str(tmp_path / spool), *more])
            made.start()
            return made

        first = desk("first", "here")
        try:
            bound = until(lambda: client.get(f"/api/v1/games/{game}")["board"])
            until(lambda: client.get(f"/api/v1/boards/{bound['id']}")["status"]["state"] == "connected")
            assert bound["port"].endswith(f":{board.url}")
            refused = {
                str(tmp_path / "here"): desk("same spool", "here"),
                "--take-over": desk("another spool", "there"),
            }
            for named, other in refused.items():
                assert other.ended() == 1
                assert named in other.errors()
                other.stop()
            taken = desk("taken", "there", "--take-over")
            try:
                assert first.ended() == 1
                assert bound["id"] in first.errors()
                until(lambda: "SIM-0001" in " ".join(taken.said()))
            finally:
                taken.stop()
        finally:
            first.stop()
