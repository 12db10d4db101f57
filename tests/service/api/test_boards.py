from __future__ import annotations

import pytest

from drivers.registry import BrokenDriver, Listing, Port


class Driver:
    name, title = "inkeek", "A board"


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    from drivers import registry
    from drivers.errors import UnknownDriverError

    def driver(name):
        if name != "inkeek":
            raise UnknownDriverError(f"no driver is called {name!r}: known are inkeek")
        return Driver()

    monkeypatch.setattr(registry, "driver", driver)
    listing = Listing({"inkeek": Driver()}, (BrokenDriver("odd", "odd:Board", "ImportError: no odd"),))
    monkeypatch.setattr(registry, "drivers", lambda: listing)
    monkeypatch.setattr(registry, "ports", lambda: [Port("/dev/ttyACM0", "A cable", None)])


@pytest.fixture
def game(client):
    return client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]


def bind(client, game, port="/dev/ttyACM0", **more):
    return client.post("/api/v1/boards", json={"port": port, "game": game, **more})


def test_a_board_is_bound_shown_and_released(client, game):
    answer = bind(client, game)
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/boards/{answer.json['id']}"
    assert answer.json["status"]["state"] == "waiting"
    assert client.get("/api/v1/boards").json["items"] == [answer.json]
    assert client.get(f"/api/v1/games/{game}").json["board"] == answer.json
    assert client.delete(answer.headers["Location"]).status_code == 204
    assert client.delete(answer.headers["Location"]).status_code == 204
    assert client.get("/api/v1/boards").json["items"] == []
    closed = client.get(answer.headers["Location"]).json
    assert (closed["wanted"], closed["status"]["state"]) == ("closed", "closed")
    assert bind(client, game).status_code == 201


def test_one_board_a_game_and_a_game_a_port(client, game):
    bind(client, game)
    other = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
    for answer in (bind(client, game, "/dev/other"), bind(client, other)):
        assert (answer.status_code, answer.json["type"]) == (409, "/problems/board-bound")


def test_a_board_goes_on_from_a_game_that_is_over(client, game):
    first = bind(client, game).json
    client.post(f"/api/v1/games/{game}/end", json={"termination": "agreement"})
    other = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
    assert bind(client, other).status_code == 201
    assert client.get(f"/api/v1/boards/{first['id']}").json["wanted"] == "closed"
    again = bind(client, game, "/dev/x")
    assert (again.status_code, again.json["detail"]) == (422, f"game {game} has ended: no board can play it")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"port": "http://x"}, "port: not a port"),
        ({"port": "socket://x"}, "port: not a port"),
        ({"driver": "other"}, "driver: no driver is called 'other'"),
        ({"speed": 9600}, "speed is 9600: Unknown field"),
    ],
)
def test_a_board_that_cannot_be_is_a_problem(client, game, more, said):
    answer = client.post("/api/v1/boards", json={"port": "/dev/x", "game": game, **more})
    assert answer.status_code == 422
    assert said in answer.json["detail"]


def test_boards_are_bounded(client, parts):
    for number in range(parts.settings.max_boards + 1):
        game = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
        answer = bind(client, game, f"/dev/x{number}")
    assert answer.status_code == 409
    assert "max_boards" in answer.json["detail"]


def test_what_is_not_there(client):
    assert bind(client, "nobody").status_code == 404
    for answer in (
        client.get("/api/v1/boards/nobody"),
        client.delete("/api/v1/boards/nobody"),
        client.get("/api/v1/boards/nobody/log"),
    ):
        assert (answer.status_code, answer.json["type"]) == (404, "/problems/not-found")


def test_the_log_from_an_entry_on(client, parts, game):
    board = bind(client, game).json["id"]
    for number in range(3):
        parts.boards.report(board, {}, ("button", {"n": number}))
    told = client.get(f"/api/v1/boards/{board}/log?after=1").json["items"]
    assert [(entry["number"], entry["kind"], entry["data"]) for entry in told] == [
        (2, "button", {"n": 1}),
        (3, "button", {"n": 2}),
    ]


def test_ports_and_drivers(client):
    assert client.get("/api/v1/ports").json["items"] == [{"url": "/dev/ttyACM0", "title": "A cable"}]
    assert client.get("/api/v1/drivers").json["items"] == [
        {"name": "inkeek", "title": "A board", "error": None},
        {"name": "odd", "title": "odd:Board", "error": "ImportError: no odd"},
    ]
