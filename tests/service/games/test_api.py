import gzip
import io
import json

import pytest

from inkeek.records import read_games
from inkeek.service.storage import Limit
from tests.service.clients import with_token
from tests.service.http.api.test_openapi import properties

SMALL = {"game": "enkeshui", "options": {"pits": 8}, "tags": {"South": "A", "North": "B"}}
PMN = "application/x-mancala-pmn"


@pytest.fixture
def game(client):
    return client.post("/api/v1/games", json=SMALL).json


def path(game, rest=""):
    return f"/api/v1/games/{game['id']}{rest}"


def test_a_new_game_is_returned_with_its_location(client):
    answer = client.post("/api/v1/games", json=SMALL)
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/games/{answer.json['id']}"
    assert client.get(answer.headers["Location"]).json == answer.json
    assert set(answer.json) == properties(client.application, "Game")
    assert answer.json["options"] == {"pits": 8, "setup": "fours-right"}
    assert (answer.json["to_move"], answer.json["board"], answer.json["score"]) == ("South", None, None)


@pytest.mark.parametrize(
    ("body", "quoted"),
    [
        (b"{", ""),
        (b'{"game": "\xff"}', "0xff"),
        (b'{"game": "enkeshui", "game": "bof"}', "'game'"),
        (b'{"game": "enkeshui", "options": {"pits": NaN}}', "NaN"),
        (b'{"game": ' + b"9" * 5000 + b"}", "5000"),
        (b"[" * 100_000, ""),
    ],
)
def test_a_body_that_is_not_json_is_a_problem(client, body, quoted):
    answer = client.post("/api/v1/games", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["type"]) == (400, "/problems/bad-request")
    assert quoted in answer.json["detail"]


def test_problems_quote_only_a_part_of_a_long_input(client):
    for body in ({"e" * 10**5: 1}, {"game": "e" * 10**5}, {"game": "enkeshui", "options": {"p" * 10**5: 1}}):
        assert len(client.post("/api/v1/games", json=body).data) < 5000


def test_a_body_that_is_too_large_gets_the_limit(client, services):
    answer = client.post("/api/v1/games", data=b"x" * (services.settings.max_body + 1), content_type="application/json")
    assert answer.status_code == 413
    assert str(services.settings.max_body) in answer.json["detail"]


@pytest.mark.parametrize("path", ["games", "matches", "disputes", "games?player=ann"])
def test_a_list_is_paged_newest_first_without_loss(client, path):
    """Of five matches, each with a dispute in its first game."""
    made = []
    for _ in range(5):
        body = {"game": "oware", "title": "games 2", "tags": {"South": "Ann"}}
        game = client.post("/api/v1/matches", json=body).json["id"]
        client.post(f"/api/v1/games/{game}/turns", json={"move": "a"})
        dispute = client.post(f"/api/v1/games/{game}/disputes", json={"side": "North", "claim": "no"}).json["id"]
        made.append(dispute if path == "disputes" else game)
    found, address = [], f"/api/v1/{path}{'&' if '?' in path else '?'}limit=2"
    while address:
        page = client.get(address)
        found.append([item["id"] for item in page.json["items"]])
        address = page.headers.get("Link", "").removeprefix("<").removesuffix('>; rel="next"')
        assert (page.json["next"] is None) is (not address)
    assert found == [made[:2:-1], made[2:0:-1], made[:1]]


@pytest.mark.parametrize(("spaces", "status"), [(0, 201), (1 << 20, 413)])
def test_a_body_in_chunks_is_no_larger_than_others(client, spaces, status):
    answer = client.post(
        "/api/v1/games",
        input_stream=io.BytesIO(b'{"game": "enkeshui"}' + b" " * spaces),
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked"},
        environ_overrides={"wsgi.input_terminated": True},
    )
    assert answer.status_code == status


def test_a_record_by_suffix_and_by_accept(client, game):
    by_suffix = client.get(path(game, ".pmn"))
    by_accept = client.get(path(game), headers={"Accept": PMN})
    assert by_suffix.data == by_accept.data
    assert by_suffix.content_type == f"{PMN}; charset=utf-8"
    (read,) = read_games(by_suffix.text.splitlines(keepends=True))
    assert read.errors == ()
    assert read.tags["South"] == "A"


def test_etags_tell_change(client, game):
    first = client.get(path(game))
    assert client.get(path(game), headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    for known in ('"9", ' + first.headers["ETag"], "W/" + first.headers["ETag"], "*"):
        assert client.get(path(game), headers={"If-None-Match": known}).status_code == 304
    record = client.get(path(game, ".pmn"))
    assert record.headers["ETag"] != first.headers["ETag"]
    assert client.get(path(game, ".pmn"), headers={"If-None-Match": record.headers["ETag"]}).status_code == 304
    client.post(path(game, "/turns"), json={"move": "c"})
    second = client.get(path(game), headers={"If-None-Match": first.headers["ETag"]})
    assert second.status_code == 200
    assert second.headers["ETag"] != first.headers["ETag"]


def test_tags_change_on_condition(client, game):
    tag = client.get(path(game)).headers["ETag"]
    answer = client.patch(path(game), json={"tags": {"South": None, "Event": "E"}}, headers={"If-Match": tag})
    assert answer.status_code == 200
    assert answer.json["tags"] == {"North": "B", "Event": "E"}
    late = client.patch(path(game), json={"tags": {"South": "X"}}, headers={"If-Match": tag})
    assert (late.status_code, late.json["type"]) == (412, "/problems/stale")
    assert late.json["current"]["seq"] == 2


def test_a_game_is_ended_by_hand(client, game):
    answer = client.post(path(game, "/end"), json={"termination": "resignation", "winner": "North"})
    assert answer.status_code == 200
    assert (answer.json["state"], answer.json["result"], answer.json["to_move"]) == ("ended", "0-1", None)
    again = client.post(path(game, "/end"), json={"termination": "agreement"})
    assert (again.status_code, again.json["type"]) == (409, "/problems/game-ended")


@pytest.mark.parametrize(("path", "kind"), [("games", "application/json"), ("games/import", PMN)])
def test_a_compressed_body_is_refused(client, path, kind):
    for encoding, status in (("identity", 201 if path == "games" else 200), ("gzip", 415), ("br, identity", 415)):
        body = b'{"game": "bof"}' if path == "games" else b'[Game "bof"]\n\n*\n'
        answer = client.post(
            f"/api/v1/{path}",
            data=gzip.compress(body) if status == 415 else body,
            content_type=kind,
            headers={"Content-Encoding": encoding},
        )
        assert answer.status_code == status
        answer.get_data()
        if status == 415:
            assert answer.json["type"] == "/problems/media-type"
            assert encoding in answer.json["detail"]


@pytest.mark.parametrize("kind", ["application/json", "application/x-www-form-urlencoded", "text/html; charset=utf-8"])
def test_an_import_of_an_unknown_media_type_is_refused(client, kind):
    answer = client.post("/api/v1/games/import", data='[Game "bof"]\n\n*\n', content_type=kind)
    assert (answer.status_code, answer.json["type"]) == (415, "/problems/media-type")
    assert kind in answer.json["detail"]
    assert client.get("/api/v1/games").json["items"] == []


def test_lines_of_json_are_imported_by_their_content_type(client, game):
    exported = client.get("/api/v1/games/export.ndjson").text
    answer = client.post("/api/v1/games/import", data=exported + "{}\n", content_type="application/x-ndjson")
    results = [json.loads(line) for line in answer.text.splitlines()]
    assert [entry["ok"] for entry in results] == [True, False]
    error = results[1]["error"]
    assert [error[name] for name in ("line", "code", "kind", "severity")] == [2, "bad-json", "syntax", "error"]
    records = [client.get(f"/api/v1/games/{one}.pmn").data for one in (game["id"], results[0]["id"])]
    assert records[0] == records[1]


@pytest.mark.parametrize(
    "suffix", ["", ".pmn", "/turns", "/positions/0", "/integrity", "/events", "/events?format=ndjson"]
)
def test_a_head_is_what_a_get_is_without_its_body(client, game, suffix):
    with client.get(path(game, suffix)) as got:
        headers = {name: value for name, value in got.headers.items() if name != "X-Request-Id"}
    head = client.head(path(game, suffix))
    assert (head.status_code, head.data) == (200, b"")
    assert {name: value for name, value in head.headers.items() if name != "X-Request-Id"} == headers


def test_heads_hold_no_stream_open(client, services, game):
    free = services.places.streams.free
    assert client.head(path(game, "/events")).status_code == 200
    assert services.places.streams.free == free


def test_an_import_beyond_the_limit_stores_nothing(tmp_path):
    from inkeek.service import create_app
    from inkeek.service.http.context import services_of
    from tests.service.clients import with_token

    app = create_app({"data": str(tmp_path), "max_import": 2048})
    services = services_of(app)
    services.store.upgrade()
    text = '[Game "enkeshui"]\n\n1. cx4 *\n\n' * 100
    answer = with_token(app).post("/api/v1/games/import", data=text, content_type=PMN)
    assert (answer.status_code, answer.json["type"]) == (413, "/problems/too-large")
    assert services.games.page(1) == ([], None)
    services.store.close()


def test_an_import_may_be_larger_than_other_bodies(client, services):
    text = ('[Game "enkeshui"]\n\n{' + "x" * 1000 + "}\n1. cx4 *\n\n") * (services.settings.max_body // 1000 + 10)
    answer = client.post("/api/v1/games/import", data=text, content_type=PMN)
    assert answer.status_code == 200
    assert all(json.loads(line)["ok"] for line in answer.text.splitlines())


@pytest.fixture
def three(client):
    """The ids of three games."""
    return [client.post("/api/v1/games", json=SMALL).json["id"] for _ in range(3)]


def test_games_by_ids_come_in_the_order_asked_and_unknown_ids_are_said(client, three):
    first, second, third = three
    answer = client.get(f"/api/v1/games?id={third}&id=2222222222&id={first}&id={second}&id={first}").json
    assert [item["id"] for item in answer["items"]] == [third, first, second]
    assert (answer["missing"], answer["next"]) == (["2222222222"], None)
    assert "missing" not in client.get("/api/v1/games").json


def test_games_by_ids_outside_the_limit_of_the_key_are_missing(client, three):
    limited = with_token(client.application, "read", limit=Limit("game", three[0]))
    limited.environ_base["REMOTE_ADDR"] = "192.0.2.7"  # where reading is open it has no limit
    answer = limited.get(f"/api/v1/games?id={three[1]}&id={three[0]}").json
    assert ([item["id"] for item in answer["items"]], answer["missing"]) == ([three[0]], [three[1]])


def test_ids_are_bounded_and_given_alone(client, three):
    most = client.application.extensions["inkeek"].settings.max_page
    many = "&".join(f"id={three[0]}" for _ in range(most + 1))
    for query, quoted in ((many, str(most + 1)), (f"id={three[0]}&game=kalah", "game"), ("id=", '""'), ("id=x!", "x!")):
        answer = client.get(f"/api/v1/games?{query}")
        assert answer.status_code == 422
        assert quoted in answer.json["detail"]


def test_answers_have_the_addresses_of_pages_as_the_reader_reached_the_service(client):
    tags = {"South": "Wañjirũ", "North": "K/L", "Event": "Cup ~ 1", "Match": "first to 2 games"}
    game = client.post("/api/v1/games", json={**SMALL, "tags": tags}).json["id"]
    for address in ("http://localhost", "http://127.0.0.1:8001/club"):
        for place, kind in (
            (f"/games/{game}", "games"),
            (f"/games?id={game}", "games"),
            ("/players", "players"),
            ("/events", "events"),
        ):
            answer = client.get(f"/api/v1{place}", base_url=address).json
            for item in answer.get("items", [answer]):
                assert item["url"].startswith(f"{address}/{kind}/")
                with client.get(item["url"].removeprefix(address), follow_redirects=True) as page:
                    assert page.status_code == 200, item["url"]
                if kind != "games":
                    assert client.get(f"/api/v1/{kind}/{item['id']}", base_url=address).json["url"] == item["url"]


@pytest.mark.parametrize(
    ("date", "said"), [("1981-21", "spring 1981"), ("1976-05~", "about May 1976"), ("1976.05.21", "1976-05-21")]
)
def test_a_citation_says_the_date_as_people_read_it(client, date, said):
    game = {"game": "oware", "tags": {"South": "Nasieku", "North": "?", "Date": date}}
    game_id = client.post("/api/v1/games", json=game).json["id"]
    assert f", {said}. " in client.get(f"/api/v1/games/{game_id}/citation").json["text"]


def test_a_citation_names_the_game_and_its_version(client):
    tags = {"South": "Nasieku", "North": "?", "Event": "Evening", "Date": "1976.??.??"}
    game_id = client.post("/api/v1/games", json={"game": "oware", "tags": tags}).json["id"]
    first, game = client.get(f"/api/v1/games/{game_id}/citation").json, client.get(f"/api/v1/games/{game_id}").json
    assert all(part in first["text"] for part in ("Nasieku – ?", "Evening, 1976. ", game_id, game["url"]))
    assert first["hash"][:16] in first["text"]
    client.post(f"/api/v1/games/{game_id}/turns", json={"move": game["legal"][0]})
    second = client.get(f"/api/v1/games/{game_id}/citation").json
    assert (second["seq"] > first["seq"], second["hash"] == first["hash"]) == (True, False)
    assert second["text"] in client.get(f"/games/{game_id}/share").get_data(as_text=True)
