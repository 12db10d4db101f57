"""Services on one PostgreSQL database, as on several machines: pages on one, the board on another, one in reserve."""

from contextlib import ExitStack
from pathlib import Path

from inkeek.service.demo.demo import Child
from tests.e2e.processes import UP_WITHIN, Service, SimulatedBoard
from tests.service.waiting import until


def service_without_pages(folder: Path, roles: str) -> Child:
    folder.mkdir()
    config = folder / "settings.toml"
    config.write_text(f'roles = "{roles}"\n')
    options = ["--data", str(folder), "--config", str(config)]
    arguments = ["-m", "inkeek.service.cli", "serve", "--exit-with-parent", *options]
    return Child("a service without pages", arguments, folder / "service.log")


def test_a_desk_elsewhere_plays_a_board_and_another_one_takes_over(tmp_path, postgresql, monkeypatch):
    with postgresql.database(empty=False) as url, ExitStack() as stack:
        monkeypatch.setenv("INKEEK_DATABASE", url)
        (tmp_path / "web").mkdir()
        web = Service(tmp_path / "web", roles="web")
        stack.callback(web.stop)
        web.start()
        board = stack.enter_context(
            SimulatedBoard(tmp_path, "--pty", "--link", str(tmp_path / "board"), "-o", "pits=8")
        )
        game = web.client.post("/api/v1/games", {"game": "enkeshui", "options": {"pits": 8}})["id"]
        bound = web.client.post("/api/v1/boards", {"port": board.url, "driver": "inkeek", "game": game})["id"]

        def desk() -> str | None:
            return web.client.get("/api/v1/boards")["desk"]

        def state() -> str:
            return web.client.get(f"/api/v1/boards/{bound}")["status"]["state"]

        assert desk() is None
        assert web.client.post(f"/api/v1/boards/{bound}/requests", {"kind": "retry"})["desk"] is None
        with service_without_pages(tmp_path / "first", "desk"):
            first = until(desk, UP_WITHIN)
            until(lambda: state() == "connected", UP_WITHIN)
            second = service_without_pages(tmp_path / "second", "desk,jobs")
            stack.enter_context(second)
            until(lambda: first in second.errors(), UP_WITHIN)
            assert (desk(), state()) == (first, "connected")
        assert until(desk, UP_WITHIN) != first
        until(lambda: state() == "connected", UP_WITHIN)
