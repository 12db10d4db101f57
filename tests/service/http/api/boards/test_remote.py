import threading

import pytest

from inkeek.drivers.base import Guidance
from inkeek.drivers.events import PitChanged
from inkeek.drivers.recording.json_form import event_json
from inkeek.records import NORTH
from inkeek.service.boards.identity import FAR_VERSION, Identity
from inkeek.service.boards.opener import Opener
from inkeek.service.boards.remote.driver import RemoteConnection, RemoteDriver, finder
from inkeek.service.http.api.boards.remote import MAX_BATCH, MAX_WAIT
from inkeek.service.processes.places import Sender
from inkeek.service.storage import Limit
from tests.service.clients import with_token
from tests.service.waiting import until

SPOOL = "5f0c1d6e2b7a4f3895ad0c41e7b26d90"


def pit(seq):
    return event_json(PitChanged("0000000a", seq, 0, 3, 4.0))


@pytest.fixture
def board(client):
    """The path of a far board."""
    game = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
    bound = client.post("/api/v1/boards", json={"port": "far:bench:/dev/ttyACM0", "driver": "far", "game": game})
    assert bound.status_code == 201, bound.text
    return bound.headers["Location"]


@pytest.fixture
def claim(client, board):
    def claim(spool=SPOOL, **more):
        return client.post(f"{board}/claim", json={"spool": spool, **more})

    return claim


def deliver(client, board, claim, first, *events):
    return client.post(f"{board}/inbox", json={"claim": claim, "first": first, "events": list(events)})


def test_a_spool_claims_delivers_and_is_told_the_lights(client, board, claim, services):
    assert claim().json == {"claim": 1, "last": 0, "resume": None, "far_version": FAR_VERSION}
    lights = deliver(client, board, 1, 1, pit(1), pit(2)).json
    assert lights.pop("refused") == []
    assert lights == {"last": 2, "dealt": 0, "version": 0, "answers": 0, "guidance": None, "serial": None}
    services.inboxes.show(board.rpartition("/")[2], Guidance(NORTH))
    lights = client.get(f"{board}/lights").json
    assert (lights["version"], lights["guidance"]["to_move"]) == (1, "North")
    again = claim(first=3, last=2).json
    assert again == {"claim": 2, "last": 2, "resume": {"boot": "0000000a", "seq": 2}, "far_version": FAR_VERSION}


def test_refusals_say_what_would_be_right(client, board, claim):
    assert client.get(f"{board}/lights").status_code == 404
    claim()
    hole = deliver(client, board, 1, 5, pit(5))
    assert (hole.status_code, hole.json["type"], hole.json["expected"]) == (409, "/problems/hole", 1)
    taken = claim("0" * 32)
    assert (taken.status_code, taken.json["type"]) == (409, "/problems/inbox-taken")
    assert claim("0" * 32, take_over=True).json["claim"] == 2
    assert deliver(client, board, 1, 1, pit(1)).json["type"] == "/problems/inbox-taken"
    client.delete(board)
    closed = deliver(client, board, 2, 1, pit(1))
    assert (closed.status_code, closed.json["type"]) == (409, "/problems/board-closed")


def test_an_invalid_delivery_is_refused(client, board, claim):
    claim()
    good = {"claim": 1, "first": 1, "events": []}
    for changed, quoted in (
        ({"events": [{"event": "button", "seq": 1}]}, "boot"),
        ({"events": [3]}, "events.0 is 3"),
        ({"claim": 0}, "claim is 0"),
        ({"first": -1}, "first is -1"),
        ({"first": 1.5}, "first is 1.5"),
        ({"events": [{}] * (MAX_BATCH + 1)}, "events is"),
    ):
        answer = client.post(f"{board}/inbox", json={**good, **changed})
        assert answer.status_code == 422
        assert quoted in answer.json["detail"]
    assert client.post(f"{board}/inbox", json=good).status_code == 200


def test_a_spools_name_is_checked(claim):
    for spool in ("", "x" * 32, f"{SPOOL}\n"):
        assert claim(spool).status_code == 422


def test_the_desk_that_does_not_run_is_told_as_a_failure_that_passes(client, board, claim, monkeypatch):
    monkeypatch.setattr("inkeek.service.boards.remote.inbox.MAX_EVENTS", 1)
    claim()
    full = deliver(client, board, 1, 1, pit(1), pit(2))
    assert (full.status_code, full.json["type"]) == (503, "/problems/inbox-full")
    assert full.headers["Retry-After"] == "5"


class TestWaiting:
    def ask(self, client, board, **query):
        """Ask in a thread; its answer will stand in the list."""
        answers = []
        query_string = "&".join(f"{name}={value}" for name, value in {"wait": MAX_WAIT, **query}.items())
        thread = threading.Thread(target=lambda: answers.append(client.get(f"{board}/lights?{query_string}").json))
        thread.start()
        return thread, answers

    def test_it_ends_when_the_lights_are_set(self, client, board, claim, services):
        claim()
        free = services.waits.free
        thread, answers = self.ask(client, board, after=0)
        until(lambda: services.waits.free == free - 1)
        services.inboxes.show(board.rpartition("/")[2], Guidance(NORTH))
        thread.join(60)
        assert answers[0]["version"] == 1
        assert services.waits.free == free

    def test_it_ends_when_the_event_was_dealt_with(self, client, board, claim, services):
        claim()
        deliver(client, board, 1, 1, pit(1), pit(2))
        board_id = board.rpartition("/")[2]
        free = services.waits.free
        thread, answers = self.ask(client, board, after=0, dealt=2)
        until(lambda: services.waits.free == free - 1)
        services.inboxes.discard(board_id, services.inboxes.read(board_id, 0, 9).events)
        thread.join(60)
        assert answers[0]["dealt"] == 2

    def test_it_ends_when_the_time_is_over_or_the_service_stops(self, client, board, claim, services):
        claim()
        assert client.get(f"{board}/lights?after=0&wait=0.05").json["version"] == 0
        services.stopping.set()
        assert client.get(f"{board}/lights?after=0&wait={MAX_WAIT}").json["version"] == 0

    def test_some_threads_stay_free_of_it(self, client, board, claim, services):
        claim()
        for number in range(services.settings.threads - 4):
            services.waits.take(Sender(str(number), True))
        assert client.get(f"{board}/lights?after=0&wait=1").json["type"] == "/problems/too-many-streams"
        assert client.get(f"{board}/lights").status_code == 200

    def test_what_is_asked_is_bounded(self, client, board, claim):
        claim()
        for query in ("wait=31", "wait=-1", "wait=nan", "after=-2", "dealt=x", "more=1"):
            assert client.get(f"{board}/lights?{query}").status_code == 422, query


NEAR = {  # ports of the service's machine and of its network, by driver
    "inkeek": ("/dev/ttyACM0", "/etc/passwd", "COM3", "socket://127.0.0.1:22", "rfc2217://h:1", "loop://", "board:B-7"),
    "counts": ("/dev/ttyUSB0", "socket://127.0.0.1:5432"),
    "typed": ("/dev/ttyUSB0", "loop://"),
    "recorded": ("recorded:/etc/passwd", "recorded:x.jsonl?speed=9"),
}


def test_the_token_of_a_remote_board_opens_no_port_and_no_file_here(app, client, installed, services):
    drivers = {driver["name"] for driver in client.get("/api/v1/drivers").json["items"]}
    assert drivers <= NEAR.keys() | {"far"}, "say here which ports a new driver has"
    game = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
    agent = with_token(app, "attach")
    ports = [(driver, port) for driver, urls in NEAR.items() for port in (*urls, "far:bench")]
    for driver, port in ports:
        answer = agent.post("/api/v1/boards", json={"port": port, "driver": driver, "game": game})
        assert (answer.status_code, answer.json["type"]) == (403, "/problems/forbidden"), port
        assert repr(driver) in answer.json["detail"]
    for port in {port for _, port in ports if not port.startswith("far:")}:
        answer = agent.post("/api/v1/boards", json={"port": port, "driver": "far", "game": game})
        assert answer.status_code == 422, port
    assert services.boards.open() == []
    near = client.post("/api/v1/boards", json={"port": "/dev/ttyACM0", "driver": "inkeek", "game": game}).json["id"]
    assert agent.patch(f"/api/v1/boards/{near}", json={"serial": "B-8"}).status_code == 403
    assert agent.delete(f"/api/v1/boards/{near}").status_code == 403
    for path, body in (("claim", {"spool": SPOOL}), ("inbox", {"claim": 1, "first": 1, "events": []})):
        assert agent.post(f"/api/v1/boards/{near}/{path}", json=body).status_code == 422
    assert services.boards.get(near).serial is None


def test_the_desk_opens_the_inbox_of_a_remote_board_whatever_its_port_is_called(client, board, services):
    row = services.boards.get(board.rpartition("/")[2])
    connection = finder(services.boards, services.inboxes)(row.driver).open(row.url)
    assert isinstance(connection, RemoteConnection)
    opened = []
    opener = Opener(RemoteDriver(services.boards, services.inboxes), row.url, lambda _, url, __: opened.append(url))
    opener.open(Identity("B-7", "usb-7"), None)
    assert opened == [row.url]


@pytest.mark.parametrize("limit", [False, True])
def test_the_token_of_a_remote_board_plays_with_its_board_alone(app, client, services, limit):
    game, other = (client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"] for _ in range(2))
    agent = with_token(app, "attach", limit=Limit("game", game) if limit else None)
    bound = agent.post("/api/v1/boards", json={"port": "far:bench", "driver": "far", "game": game})
    board = bound.headers["Location"]
    assert agent.post(f"{board}/claim", json={"spool": SPOOL}).status_code == 200
    assert deliver(agent, board, 1, 1, pit(1)).status_code == 200
    assert agent.get(f"{board}/lights").status_code == 200
    assert agent.patch(board, json={"serial": "B-8"}).status_code == 200
    for path, body in (("requests", {"kind": "tare"}), ("answer", {"question": "x", "ply": 1, "move": "c"})):
        assert agent.post(f"{board}/{path}", json=body).status_code == 403
    assert agent.post(f"/api/v1/games/{game}/turns", json={"move": "c"}).status_code == 403
    theirs = client.post("/api/v1/boards", json={"port": "far:two", "driver": "far", "game": other}).headers["Location"]
    assert agent.post(f"{theirs}/claim", json={"spool": SPOOL}).status_code == (404 if limit else 200)
