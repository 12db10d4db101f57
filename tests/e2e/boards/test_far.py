"""A remote board with real processes: a game over a bad network with kills on both sides; two agents for one board."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import troubles
from tests.e2e.processes import SimulatedBoard
from tests.far import Bench, RemoteAgentProcess
from tests.service.waiting import until


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    bench = Bench(tmp_path_factory.mktemp("far"), seed=2)
    yield bench
    bench.close()


def test_a_game_over_a_bad_network_with_kills_on_both_sides(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(troubles, "MAX_PLIES", 8)
    monkeypatch.setattr("tests.far.LIVES", 1.0)
    tally = bench.play(1)
    assert tally.wrong is None
    assert tally.events >= tally.plies > 0
    assert sum(tally.met.values()) > 0


def test_of_two_agents_only_one_has_the_board(bench: Bench, tmp_path: Path) -> None:
    client = bench.service.client
    game = client.post("/api/v1/games", {"game": "enkeshui", "options": {"pits": 8}})["id"]
    with SimulatedBoard(tmp_path, "--pty", "--link", str(tmp_path / "board"), "-o", "pits=8") as board:
        shared = [board.url, "--to", client.url, "--game", game, "--token-file", str(bench.token)]

        def agent(name: str, spool: str) -> RemoteAgentProcess:
            (tmp_path / name).mkdir()
            made = RemoteAgentProcess(tmp_path / name, [*shared, "--spool", str(tmp_path / spool)])
            made.start()
            return made

        first = agent("first", "here")
        try:
            bound = until(lambda: client.get(f"/api/v1/games/{game}")["board"])
            until(lambda: client.get(f"/api/v1/boards/{bound['id']}")["status"]["state"] == "connected")
            assert bound["port"].endswith(f":{board.url}")
            refused = agent("same spool", "here")
            assert refused.exit_status() == 1
            assert ".spool" in refused.errors()
            refused.stop()
            second = agent("another spool", "there")
            try:
                until(lambda: board.url in " ".join(second.output()[1:]))
                first.end()
                until(lambda: "SIM-0001" in " ".join(second.output()))
            finally:
                second.stop()
        finally:
            first.stop()
