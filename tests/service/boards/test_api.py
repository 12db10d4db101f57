import json
import os

import pytest

from inkeek.drivers.registry import InstalledDriver, Port
from tests.service.boards_double import set_status


class Driver:
    name, title = "inkeek", "A board"


@pytest.fixture(autouse=True)
def _installed(monkeypatch):
    from inkeek.drivers import registry
    from inkeek.drivers.errors import UnknownDriverError

    def driver(name):
        if name != "inkeek":
            raise UnknownDriverError(f"no driver is called {name!r}: known are inkeek")
        return Driver()

    monkeypatch.setattr(registry, "driver", driver)
    listing = [
        InstalledDriver("inkeek", "A board", "inkeek", "1.0"),
        InstalledDriver("odd", "odd:Board", "odd-boards", "1.2", "ImportError: no odd"),
    ]
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


def test_binding_a_board_changes_the_etag_of_its_game_but_not_what_if_match_compares(client, game):
    before = client.get(f"/api/v1/games/{game}").headers["ETag"]
    bind(client, game)
    assert client.get(f"/api/v1/games/{game}").headers["ETag"] != before
    changed = client.patch(f"/api/v1/games/{game}", json={"tags": {"Event": "Cup"}}, headers={"If-Match": before})
    assert changed.status_code == 200


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
    assert (again.status_code, game in again.json["detail"]) == (422, True)


def test_the_number_of_boards_is_limited(client, services):
    for number in range(services.settings.max_boards + 1):
        game = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
        answer = bind(client, game, f"/dev/x{number}")
    assert answer.status_code == 409
    assert "max_boards" in answer.json["detail"]


def test_the_log_from_an_entry_on(client, services, game):
    board = bind(client, game).json["id"]
    for number in range(3):
        set_status(services.boards, board, ("button", {"n": number}))
    entries = client.get(f"/api/v1/boards/{board}/log?after=1").json["items"]
    assert [(entry["number"], entry["kind"], entry["data"]) for entry in entries] == [
        (2, "button", {"n": 1}),
        (3, "button", {"n": 2}),
    ]


def test_ports_and_drivers(client):
    assert client.get("/api/v1/ports").json["items"] == [{"url": "/dev/ttyACM0", "title": "A cable"}]
    assert client.get("/api/v1/drivers").json["items"] == [
        {"name": "inkeek", "title": "A board", "distribution": "inkeek", "version": "1.0", "error": None},
        {
            "name": "odd",
            "title": "odd:Board",
            "distribution": "odd-boards",
            "version": "1.2",
            "error": "ImportError: no odd",
        },
    ]


def parse(chunk: bytes) -> list[dict[str, str]]:
    """The messages in a part of a stream."""
    return [
        dict(line.split(": ", 1) for line in message.splitlines() if not line.startswith(":"))
        for message in chunk.decode().split("\n\n")
        if message
    ]


def listen(answer, count):
    """The next so many messages that tell something."""
    found: list[dict[str, str]] = []
    while len(found) < count:
        found += [message for message in parse(next(answer.response)) if "event" in message]
    return found


def test_a_board_is_bound_without_its_buttons(client, game):
    assert bind(client, game, buttons=False).json["buttons"] is False
    assert bind(client, game, buttons="no").status_code == 422


def test_a_board_is_asked_to_calibrate(client, services, game):
    board = bind(client, game).json["id"]
    url = f"/api/v1/boards/{board}/requests"
    answer = client.post(url, json={"kind": "seeds", "pit": 3, "seeds": 5})
    asked = {"number": 1, "kind": "seeds", "desk": None, "pit": 3, "seeds": 5}
    assert (answer.status_code, answer.json) == (202, asked)
    lock = services.store.desk_lock()
    assert lock.hold()
    desk = client.get("/api/v1/boards").json["desk"]
    assert str(os.getpid()) in desk
    assert client.post(url, json={"kind": "tare"}).json == {"number": 2, "kind": "tare", "desk": desk}
    lock.close()
    assert [(r.board, r.kind, r.data) for r in services.boards.poll()[1]] == [
        (board, "seeds", {"pit": 3, "seeds": 5}),
        (board, "tare", {}),
    ]
    client.delete(f"/api/v1/boards/{board}")
    assert services.boards.poll()[1] == []
    closed = client.post(url, json={"kind": "tare"})
    assert (closed.status_code, closed.json["type"]) == (409, "/problems/conflict")


def test_requests_that_nobody_sees_to_are_bounded(client, game):
    board = bind(client, game).json["id"]
    answers = [client.post(f"/api/v1/boards/{board}/requests", json={"kind": "tare"}) for _ in range(41)]
    assert [answer.status_code for answer in answers] == [202] * 40 + [409]


def test_a_board_is_followed_by_its_log_and_its_state(client, services, game):
    board = bind(client, game).json["id"]
    set_status(services.boards, board, ("connected", {}), state="connected")
    with client.get(f"/api/v1/boards/{board}/events") as answer:
        assert answer.content_type == "text/event-stream"
        there = listen(answer, 2)
        assert [(m.get("id"), m["event"]) for m in there] == [("1", "log"), (None, "board")]
        set_status(services.boards, board, ("fault", {"pit": 3}), state="connected")
        log, state = listen(answer, 2)
        assert (log["id"], json.loads(log["data"])["kind"]) == ("2", "fault")
        assert json.loads(state["data"])["version"] == 3
        services.boards.release(board)
        assert json.loads(listen(answer, 1)[0]["data"])["wanted"] == "closed"


def test_a_stream_of_a_board_resumes_after_an_entry(client, services, game):
    board = bind(client, game).json["id"]
    for number in range(3):
        set_status(services.boards, board, ("button", {"n": number}))
    for url, headers in (("?after=2", {}), ("", {"Last-Event-ID": "2"})):
        with client.get(f"/api/v1/boards/{board}/events{url}", headers=headers) as answer:
            assert [m.get("id") for m in listen(answer, 2)] == ["3", None]


def test_all_boards_are_followed_at_once(client, services, game):
    first = bind(client, game).json["id"]
    with client.get("/api/v1/boards/all/events") as answer:
        assert json.loads(listen(answer, 1)[0]["data"])["id"] == first
        other = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
        second = bind(client, other, "/dev/other").json["id"]
        assert json.loads(listen(answer, 1)[0]["data"])["id"] == second
        set_status(services.boards, first, state="connected")
        assert json.loads(listen(answer, 1)[0]["data"])["status"]["state"] == "connected"
        services.boards.release(second)
        assert json.loads(listen(answer, 1)[0]["data"])["wanted"] == "closed"


def test_another_board_is_confirmed_with_its_serial_number(client, services, game):
    board = bind(client, game, serial="B-1").json
    assert board["serial"] == "B-1"
    set_status(services.boards, board["id"], state="refused", found="B-9", turned=True)
    answer = client.patch(f"/api/v1/boards/{board['id']}", json={"serial": "B-9"})
    assert (answer.status_code, answer.json["serial"], answer.json["boot"]) == (200, "B-9", None)
    assert "found" not in answer.json["status"]
    assert not answer.json["status"]["turned"]
    log = client.get(f"/api/v1/boards/{board['id']}/log").json["items"]
    assert [(entry["kind"], entry["data"]) for entry in log] == [("rebound", {"from": "B-1", "to": "B-9"})]
    client.delete(f"/api/v1/boards/{board['id']}")
    assert client.patch(f"/api/v1/boards/{board['id']}", json={"serial": "B-1"}).status_code == 409
    assert client.patch("/api/v1/boards/none", json={"serial": "B-1"}).status_code == 404
    assert client.patch(f"/api/v1/boards/{board['id']}", json={"serial": ""}).status_code == 422
