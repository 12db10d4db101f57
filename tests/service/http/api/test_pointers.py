"""The same mistake has the same type of problem on every route, and names the field."""

import pytest

from inkeek.service.findings.request import MAX_EARLIER
from inkeek.service.http.problems import problem_types
from tests.service.http.conformance import documented
from tests.service.stored import stored_rows

START = "4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0"
GAME = {"game": "oware"}
FIELDS, INVALID, OPTION, POSITION, MOVE = ("fields", "invalid", "option", "position", "move-syntax")
# The request, the type of the problem, and the pointer of its first error. GAME_ID is a game of oware with a turn.
MISTAKES = [
    *(
        ("GET", f"{path}?game=chess", None, OPTION, "game")
        for path in ("/games", "/games/export", "/disputes", "/feed")
    ),
    *(
        ("GET", f"{path}?game=chess", None, OPTION, "game")
        for path in ("/explorer", "/positions/turns", "/events/RVZFTlQ/standings")
    ),
    *(
        ("POST", path, {"game": "chess", **more}, OPTION, "/game")
        for path, more in (
            ("/games", {}),
            ("/matches", {"title": "games 2"}),
            ("/findings", {"board": "x"}),
            ("/analysis", {}),
            ("/paper", {"text": "a"}),
        )
    ),
    ("POST", "/events", {"name": "Cup", "games": [{"game": "chess"}]}, OPTION, "/games/0/game"),
    (
        "POST",
        "/events",
        {"name": "Cup", "games": [{"game": "oware", "options": {"pits": 99}}]},
        OPTION,
        "/games/0/options/pits",
    ),
    (
        "POST",
        "/events",
        {"name": "Cup", "games": [GAME], "players": [{"name": "a\u200bb"}]},
        INVALID,
        "/players/0/name",
    ),
    ("POST", "/events", {"name": "a\u200bb", "games": [GAME]}, INVALID, "/name"),
    ("POST", "/matches", {"game": "oware", "title": "a\0b"}, INVALID, "/title"),
    *(
        ("POST", path, {"game": "oware", "options": {name: value}, **more}, OPTION, f"/options/{name}")
        for path, more in (
            ("/games", {}),
            ("/matches", {"title": "games 2"}),
            ("/findings", {"board": START}),
            ("/analysis", {}),
            ("/paper", {"text": "a"}),
        )
        for name, value in (("pitts", 6), ("pits", 99))
    ),
    ("GET", "/explorer?game=oware&options=pits%3D99", None, OPTION, "options"),
    ("GET", "/explorer?game=oware&options=pits", None, "record", "options"),
    ("GET", f"/explorer?game=oware&position={'x' * 2000}", None, FIELDS, "position"),
    ("GET", "/positions/turns?game=oware&position=0.0.0.0.0.0/0.0.0.0.0.0%200-0%20s%200", None, POSITION, "position"),
    *(
        ("GET", f"{path}?game=oware&position={text}", None, POSITION, "position")
        for path in ("/games", "/games/export.pmn", "/explorer", "/positions/turns")
        for text in ("nothing", "4.4/4.4")
    ),
    ("GET", "/positions/turns?game=oware&position=4.4/4.4%200-0%20s%200", None, OPTION, "position"),
    ("POST", "/games", {**GAME, "setup": "nothing"}, POSITION, "/setup"),
    ("POST", "/games", {**GAME, "setup": "4.4/4.4 0-0 s 0"}, OPTION, "/setup"),
    ("POST", "/findings", {**GAME, "position": "nothing", "board": START}, POSITION, "/position"),
    ("POST", "/analysis", {**GAME, "position": "nothing"}, POSITION, "/position"),
    ("POST", "/paper", {**GAME, "text": "a", "setup": "nothing"}, POSITION, "/setup"),
    ("POST", "/games/GAME_ID/irregular-turns", {"move": "!", "position": START}, MOVE, "/move"),
    ("POST", "/findings", {**GAME, "board": START.removesuffix(" s 0"), "claimed": "!"}, MOVE, "/claimed"),
    ("GET", "/positions/trace?game=oware&move=!", None, MOVE, "move"),
    ("GET", "/positions/trace?game=oware&move=oware", None, MOVE, "move"),  # both have this value
    ("GET", "/explorer?game=oware&position=oware", None, POSITION, "position"),
    ("POST", "/games", {**GAME, "setup": "South", "tags": {"South": "South"}}, POSITION, "/setup"),
    ("GET", "/positions/trace?game=oware&move=C", None, "illegal-move", "move"),
    ("GET", "/positions/trace?game=oware", None, FIELDS, "move"),
    ("POST", "/games/GAME_ID/turns", {"move": "c"}, "illegal-move", "/move"),
    ("POST", "/games", {**GAME, "tags": {"Date": "soon", "Race": "a"}}, "record", "/tags/Race"),
    ("PATCH", "/games/GAME_ID", {"tags": {"Result": "1-0"}}, INVALID, "/tags/Result"),
    ("POST", "/games/GAME_ID/end", {"termination": "abandoned", "winner": "South"}, INVALID, "/winner"),
    ("POST", "/games", {**GAME, "a/b~": 1}, FIELDS, "/a~1b~0"),
    ("POST", "/games", {**GAME, "tags": {"Event": 5}}, FIELDS, "/tags/Event"),
    ("POST", "/games", [], FIELDS, ""),
    *(
        ("GET", f"{path}?{query}", None, FIELDS, query.partition("=")[0])
        for path in ("/games", "/matches", "/disputes", "/players", "/events")
        for query in ("limit=0", "limit=1000", "limit=x", "colour=red")
    ),
    *(
        ("GET", f"{path}?cursor=!", None, INVALID, "cursor")
        for path in ("/games", "/games/export", "/matches", "/disputes", "/players", "/events")
    ),
    *(
        ("GET", f"{path}?{query}", None, FIELDS, query.partition("=")[0])
        for path in ("/games", "/games/export", "/games/export.pmn")
        for query in ("state=over", "result=2-0", "colour=red", "sort=updated")
    ),
    ("GET", "/games?position=4.4/4.4%200-0%20s%200", None, INVALID, "position"),
    ("GET", "/feed?after=never", None, INVALID, "after"),
    *(
        ("GET", f"/games/GAME_ID/events?{query}", None, FIELDS, query.partition("=")[0])
        for query in ("after=-1", "before=1", "format=xml")
    ),
    *(
        ("GET", f"/games/export?{query}", None, INVALID, "cursor")
        for query in ("cursor=-1", "since=2026-11-02&cursor=12")
    ),
    ("GET", "/feed?what=1", None, FIELDS, "what"),
    *(
        ("GET", f"{path}?{name}=2026-13-01", None, INVALID, name)
        for path in ("/games", "/games/export")
        for name in ("since", "until", "created_since", "created_until")
    ),
    ("POST", "/analysis", {**GAME, "earlier": ["x"] * (MAX_EARLIER + 1)}, FIELDS, "/earlier"),
    ("POST", "/games/GAME_ID/annotations", {"add": [{"ply": 9, "nag": 1}]}, INVALID, "/add/0/ply"),
    (
        "POST",
        "/games/GAME_ID/annotations",
        {"add": [{"ply": 1, "variation": {"plies": [{"move": "a"}, {"move": "a"}]}}]},
        "illegal-move",
        "/add/0/variation/plies/1/move",
    ),
]


@pytest.fixture
def game_id(client) -> str:
    game_id = client.post("/api/v1/games", json=GAME).json["id"]
    client.post(f"/api/v1/games/{game_id}/turns", json={"move": "c"})
    return game_id


def test_the_same_mistake_has_the_same_type_on_every_route_and_names_the_field(client, services, game_id):
    before, found = stored_rows(services), []
    for method, path, body, slug, place in MISTAKES:
        path = path.replace("GAME_ID", game_id)
        problem = client.open(f"/api/v1{path}", method=method, json=body).json
        first = problem["errors"][0]["pointer"] if problem.get("errors") else None
        if (problem.get("type"), first) != (f"/problems/{slug}", place):
            found.append((method, path, body, problem.get("type"), problem.get("errors"), problem.get("detail")))
    assert not found, "\n".join(map(str, found))
    assert stored_rows(services) == before


@pytest.mark.parametrize(
    ("headers", "slug", "name"),
    [({"If-Match": "soon"}, INVALID, "If-Match"), ({"Idempotency-Key": "ä"}, INVALID, "Idempotency-Key")],
)
def test_an_error_of_a_header_names_it(client, game_id, headers, slug, name):
    problem = client.post(f"/api/v1/games/{game_id}/turns", json={"move": "c"}, headers=headers).json
    assert (problem["type"], problem["errors"][0]["pointer"]) == (f"/problems/{slug}", name)


def test_a_key_that_was_used_before_names_its_header(client):
    answers = [
        client.post("/api/v1/games", json={"game": game}, headers={"Idempotency-Key": "1"}) for game in ("oware", "bof")
    ]
    assert answers[1].json["errors"][0]["pointer"] == "Idempotency-Key"


def test_all_faults_of_a_position_are_errors(client):
    problem = client.get("/api/v1/positions/turns?game=oware&position=nothing").json
    assert [error["detail"] for error in problem["errors"]] == problem["faults"] != []


def test_every_type_of_problem_has_one_schema_of_its_status(app):
    document = documented(app)
    for slug, kind in problem_types().items():
        response = document["components"]["responses"].get(f"Problem{kind.status}")
        if response is None:
            continue
        schema = response["content"]["application/problem+json"]["schema"]
        names = [one["$ref"].rpartition("/")[2] for one in schema.get("anyOf", [schema])]
        schemas = [document["components"]["schemas"][name] for name in names]
        fitting = [one for one in schemas if f"/problems/{slug}" in one["properties"]["type"]["enum"]]
        assert len(fitting) == 1, slug
