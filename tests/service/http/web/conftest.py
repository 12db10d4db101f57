import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from flask import Flask

from inkeek.service.boards.status import BoardStatus, status_json
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import SESSION
from inkeek.service.http.services import Services
from inkeek.service.jobs.runner import Runner
from inkeek.service.storage import BoardRow
from tests.service.clients import signed_in
from tests.service.http.web.browsing import Watch
from tests.service.http.web.club import serving
from tests.service.waiting import until

ENKESHUI = {"pits": 8, "setup": "fours-right"}


@pytest.fixture
def database_kind() -> str:
    """Pages are the same on every kind of database."""
    return "sqlite"


@pytest.fixture
def games(services: Services) -> Games:
    return services.games


@pytest.fixture
def admin(app: Flask):
    return signed_in(app, "admin")


@pytest.fixture
def new_game(games: Games):
    """Makes a game with so many turns of chance and returns its id."""

    def make(turns: int = 0, game: str = "enkeshui", options=None, tags=None, seed: int = 4) -> str:
        options = (ENKESHUI if game == "enkeshui" else {}) if options is None else options
        game_id = games.create(game, options, tags or {}, Write("api")).id
        choice = random.Random(seed)
        for _ in range(turns):
            legal = games.load(game_id).legal(20)
            if not legal:
                break
            games.play(game_id, choice.choice(legal), Write("api"))
        return game_id

    return make


@pytest.fixture
def served(app: Flask) -> Iterator[str]:
    """The application behind a real server; its address."""
    with serving(app) as base:
        yield base


@pytest.fixture
def watch(browser, served: str, services: Services) -> Iterator[Watch]:
    """Opens pages of the served application and holds them to their word: no errors, no request to anyone else."""
    session = services.keys.create(SESSION, "Naisula", ("record",), None)[1]
    watching = Watch(browser, served, session)
    yield watching
    watching.close()
    assert watching.complaints == []


@pytest.fixture
def page_context(app: Flask) -> Iterator[None]:
    """A request for a page in English: words of pages are made within one."""
    with app.test_request_context("/?lang=en"):
        yield


@pytest.fixture
def bind_board(services: Services):
    """Binds a board to a game the way it stands in the database when a desk has opened it; its id."""

    def bind(game_id: str, **status: object) -> str:
        data = {**status_json(BoardStatus("connected", "")), **status}
        row = BoardRow(
            f"board-{game_id}", "inkeek", f"socket://127.0.0.1:9/{game_id}", game_id, "open", "SIM-1", "0000beef", 3,
            data, 1, "2026-11-20T18:00:00Z", "2026-11-20T18:00:00Z",
        )  # fmt: skip
        with services.store.writing() as transaction:
            transaction.boards.add(row)
        return row.id

    return bind


@pytest.fixture
def work_on_jobs(services: Services) -> Callable[[], None]:
    """Works on the jobs until none is left."""

    def work() -> None:
        with ThreadPoolExecutor(1) as threads:
            runner = Runner(services.store, services.games, lambda: threads, 1)
            runner.look_soon()
            until(lambda: not runner.step(), 60)
            runner.close()

    return work
