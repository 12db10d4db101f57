"""What the process of a far board may report, and what it hears."""

import secrets
import threading

import pytest

from inkeek.service.boards.remote import reports
from inkeek.service.boards.remote.api import MAX_WAIT
from inkeek.service.boards.status import BoardStatus, status_json
from inkeek.service.games.write import Write
from inkeek.service.processes.places import Sender
from tests.service.clients import with_token
from tests.service.waiting import until

SERIAL = "B-0007"
EVENT = "0a1b2c3d:1"


@pytest.fixture
def board(client):
    """The path of a far board."""
    game = client.post("/api/v1/games", json={"game": "enkeshui"}).json["id"]
    bound = client.post("/api/v1/boards", json={"port": "far:bench:/dev/ttyACM0", "driver": "far", "game": game})
    assert bound.status_code == 201, bound.text
    return bound.headers["Location"]


@pytest.fixture
def game(client, board, services):
    return services.games.load(client.get(board).json["game"])


def turn(game, text=None, source=f"board:{SERIAL}:{EVENT}", follows=None, **data):
    """The change that the first legal turn is."""
    move = game.legal(1)[0]
    position = str(game.rules.play(game.position, move).position)
    played = {"move": text or str(move), "nags": [], "comments": [], "variations": []}
    data = {"ply": game.row.ply + 1, "turn": played, "position": position, **data}
    return {"kind": "turn", "source": source, "follows": follows or game.events[-1].hash, "data": data}


@pytest.fixture
def report(client, board):
    def report(**body):
        given = {"id": secrets.token_hex(16), "after": 0, "serial": SERIAL, "boot": "0a1b2c3d", "seq": 1, **body}
        return client.post(f"{board}/report", json=given)

    return report


def test_a_report_is_done_once_and_answered_with_what_is_new(client, board, game, report, services):
    log = [{"kind": "button", "data": {"message": {"$text": "Nothing was %(what)s.", "values": {"what": "lost"}}}}]
    status = status_json(BoardStatus(state="connected", message="Here."))
    body = {"id": "0" * 32, "changes": [turn(game)], "log": log, "status": status}
    first, again = report(**body), report(**body)
    assert (first.status_code, again.status_code) == (200, 200), first.text
    said = first.json
    assert [event["kind"] for event in said["events"]] == ["created", "turn"]
    assert said["events"][1]["source"] == f"board:{SERIAL}:{EVENT}"
    assert (said["board"]["serial"], said["board"]["boot"], said["board"]["state"]) == (SERIAL, "0a1b2c3d", "connected")
    assert [entry["data"] for entry in client.get(f"{board}/log").json["items"]] == [{"message": "Nothing was lost."}]
    last = said["events"][1]
    assert report(after=2, hash=last["hash"]).json["events"] == []
    assert [event["seq"] for event in report(after=2, hash="0" * 64).json["events"]] == [1, 2]  # an older copy
    assert services.games.row(game.id).ply == 1


def test_a_change_names_the_event_that_it_follows(game, report, services):
    assert report(changes=[turn(game)]).status_code == 200
    after = services.games.load(game.id)
    second = {"source": f"board:{SERIAL}:0a1b2c3d:2", "seq": 2}
    stale = report(changes=[turn(after, source=second["source"], follows=game.events[-1].hash)])
    assert (stale.status_code, stale.json["type"].rpartition("/")[2]) == (412, "stale")
    assert report(changes=[turn(after, source=second["source"], follows=f"board:{SERIAL}:{EVENT}")]).status_code == 200


WRONG = {
    "source": (422, "x", {"source": "page:x:1"}),
    "another board": (422, "x", {"source": f"board:B-0008:{EVENT}"}),
    "position": (409, "another version", {"position": "8.8.8.8.8.8/8.8.8.8.8.8 0-0 s 0"}),
    "illegal": (409, "", {"text": "zz"}),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_no_board_says_or_the_service_judges_otherwise_is_refused_whole(game, report, services, wrong):
    _, _, change = WRONG[wrong]
    answer = report(changes=[turn(game, **change)], log=[{"kind": "button", "data": {}}])
    assert 400 <= answer.status_code < 500, answer.text
    assert services.games.row(game.id).ply == 0
    assert services.boards.log(services.boards.bound_to(game.id)[0].id) == []


@pytest.mark.parametrize(
    "status",
    [{"message": {"$text": "%(a)9999999999d", "values": {"a": 1}}}, {"message": {"$text": 3}}, {"counts": "many"}],
)
def test_a_status_is_one_of_the_programs_own(report, status):
    assert report(status={**status_json(BoardStatus()), **status}).status_code == 422


def test_another_board_than_the_bound_one_is_refused(report):
    assert report().status_code == 200
    assert report(serial="B-0008").status_code == 409


def test_only_far_boards_that_are_open_report(client, board, game, report, services):
    services.boards.release(board.rpartition("/")[2])
    assert report().json["type"].endswith("/board-closed")
    assert client.get(f"{board}/news").json["type"].endswith("/board-closed")
    near = services.boards.bind_checked("/dev/x", "inkeek", game.id, buttons=True, serial=None, limit=None)
    assert client.post(f"/api/v1/boards/{near.id}/report", json={"id": "0" * 32, "after": 0}).status_code == 422


def test_a_board_that_reports_too_much_waits(report, monkeypatch):
    monkeypatch.setattr(reports, "BURST", 2.0)
    monkeypatch.setattr(reports, "RATE", 0.001)
    assert [report().status_code for _ in range(3)] == [200, 200, 429]


class TestNews:
    @pytest.fixture
    def path(self, board, game):
        last = game.events[-1]
        return f"{board}/news?after={last.seq}&hash={last.hash}"

    @pytest.mark.parametrize("what", ["events", "requests"])
    def test_they_are_awaited(self, client, board, game, services, path, what):
        answers, free = [], services.places.waits.free
        ask = lambda: answers.append(client.get(f"{path}&wait={MAX_WAIT}").json)  # noqa: E731
        thread = threading.Thread(target=ask)
        thread.start()
        until(lambda: services.places.waits.free == free - 1)
        if what == "events":
            services.games.play(game.id, game.legal(1)[0], Write("api"))
        else:
            services.boards.add_request(board.rpartition("/")[2], "tare", {})
        thread.join(60)
        assert [one["kind"] for one in answers[0][what]] == [{"events": "turn", "requests": "tare"}[what]]
        assert answers[0]["board"]["status"]["state"] == "waiting"
        assert services.places.waits.free == free

    def test_waiting_ends_when_the_time_is_over_or_the_service_stops(self, client, services, path):
        assert client.get(f"{path}&wait=0.05").json["events"] == []
        services.stopping.set()
        assert client.get(f"{path}&wait={MAX_WAIT}").json["events"] == []

    def test_some_threads_stay_free_of_it(self, client, services, path):
        for number in range(services.settings.threads - 4):
            services.places.waits.take(Sender(str(number), True))
        assert client.get(f"{path}&wait=1").json["type"] == "/problems/too-many-streams"
        assert client.get(path).status_code == 200

    def test_what_is_asked_is_bounded(self, client, board):
        for query in ("wait=31", "wait=-1", "wait=nan", "after=-2", "hash=x", "more=1"):
            assert client.get(f"{board}/news?{query}").status_code == 422, query


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
    assert agent.post(f"/api/v1/boards/{near}/report", json={"id": "0" * 32, "after": 0}).status_code == 422
    assert agent.get(f"/api/v1/boards/{near}/news").status_code == 422
    assert services.boards.get(near).serial is None
