"""Every operation, of the API and of the pages, with every kind of key. The routes are those of the application: a new
one is tried too, and fails here until it says what it names.
"""

import re
from datetime import timedelta

import pytest

from docs.generate.routes import routes
from inkeek.service.http.access import need_of
from inkeek.service.http.access.invitations import ROLES
from inkeek.service.http.access.scopes import OPEN, SCOPES
from inkeek.service.http.names import name_id
from inkeek.service.storage import Limit
from inkeek.service.storage.search import name_key
from tests.service.clients import signed_in, with_token
from tests.service.http import conformance
from tests.service.photographs import jpeg

API = "/api/v1"
AFAR = {"REMOTE_ADDR": "192.0.2.9"}  # where reading needs a key
HERE, THERE, NOWHERE = "Narok-Open", "Kajiado-Hidden", "Kajiado-Unknown"  # no address changes them
MISSING = "nnnnnnnnnn"
LIMITED_TO = ("game", "match", "event", "table")
# What parts of paths name: things that are within a limit or not, and others.
NAMES = ("game_id", "match_id", "board_id", "dispute_id", "job_id", "event_id", "name")
OTHERS = {
    "ruleset_id": "oware",
    "filename": "base.css",
    "token_id": MISSING,
    "invitation_id": "2222222223",
    "guest_id": "2222222223",
    "code": "nobody",
    "player_id": MISSING,
    "seq": "1",
    "ply": "1",
    "proposal": "1",
    "evidence_seq": "1",
    "number": "1",
    "table": "1",
}
# `name` is the name of an event, but for these.
OTHER_NAMES = {
    "/docs/<name>": "api.css",
    "/problems/<name>": "invalid",
    "/players/<path:name>": "Nobody",
    "/players/<path:name>/privacy": "Nobody",
}

# What some requests need to be asked about what their path names.
COMPLETE = {
    f"POST {API}/events/<event_id>/invitations": {"json": {"role": "watch"}},
    "POST /events/<path:name>/people": {"data": {"role": "watch"}},
    f"POST {API}/disputes/<dispute_id>/photographs": {
        "query_string": {"witness": "Hawo"},
        "data": jpeg(),
        "content_type": "image/jpeg",
    },
    "POST /boards/<board_id>": {"data": {"action": "release"}},
    "POST /players/<path:name>": {"data": {"action": "name", "name": "Somebody"}},
    "POST /players/<path:name>/privacy": {"data": {"action": "initials"}},
    "POST /games/<game_id>/analysis/annotations": {"data": {"action": "write"}},
}


def far_board(named):
    return {"port": "far:new", "driver": "far", "game": named["game_id"]}


# What requests name besides their path, of the routes for limited keys: arguments of a request for what is named. Each
# route whose path names nothing stands here, also those that name nothing at all.
REQUESTS = {
    f"GET {API}/boards": [],
    f"POST {API}/boards": [lambda named: {"json": far_board(named)}],
    f"GET {API}/disputes": [],
    f"GET {API}/drivers": [],
    f"GET {API}/feed": [
        lambda named: {"query_string": {"format": "ndjson", "game_id": named["game_id"]}},
        lambda named: {"query_string": {"format": "ndjson", "match": named["match_id"]}},
        lambda named: {"query_string": {"format": "ndjson", "board": named["board_id"]}},
        lambda named: {"query_string": {"format": "ndjson", "event": named["name"]}},
    ],
    f"GET {API}/feed/schema": [],
    f"POST {API}/events": [lambda named: {"json": {"name": named["name"]}}],
    f"POST {API}/findings": [],
    f"POST {API}/analysis": [],
    f"GET {API}/games": [lambda named: {"query_string": {"event": named["name"]}}],
    f"POST {API}/games": [lambda named: {"json": {"game": "oware", "tags": {"Event": named["name"]}}}],
    f"POST {API}/games/import": [
        lambda named: {"data": f'[Game "oware"]\n[Event "{named["name"]}"]\n\n*\n', "content_type": "text/plain"}
    ],
    f"GET {API}/games/export": [lambda named: {"query_string": {"event": named["name"]}}],
    f"GET {API}/games/export.ndjson": [lambda named: {"query_string": {"event": named["name"]}}],
    f"GET {API}/games/export.pmn": [lambda named: {"query_string": {"event": named["name"]}}],
    f"GET {API}/games.csv": [lambda named: {"query_string": {"event": named["name"]}}],
    f"GET {API}/turns.csv": [lambda named: {"query_string": {"event": named["name"]}}],
    f"GET {API}/games.csv-metadata.json": [],
    f"GET {API}/turns.csv-metadata.json": [],
    f"GET {API}/jobs": [],
    f"POST {API}/jobs": [
        lambda named: {"json": {"games": [named["game_id"]]}},
        lambda named: {"json": {"games": [named["game_id"], MISSING]}},
        lambda named: {"json": {"event": named["name"]}},
    ],
    f"GET {API}/matches": [lambda named: {"query_string": {"event": named["name"]}}],
    f"POST {API}/matches": [
        lambda named: {"json": {"game": "oware", "title": "games 2", "tags": {"Event": named["name"]}}}
    ],
    f"GET {API}/openapi.json": [],
    f"POST {API}/paper": [],
    f"GET {API}/positions/trace": [],
    f"GET {API}/positions/turns": [],
    f"GET {API}/rulesets": [],
    f"GET {API}/rulesets/<ruleset_id>": [],
    f"GET {API}/tokens/current": [],
    f"POST {API}/tokens/<token_id>/rotation": [],
    f"DELETE {API}/tokens/<token_id>": [],
    "GET /": [],
    "GET /address": [],
    "GET /analysis": [],
    "GET /boards": [],
    "POST /boards": [lambda named: {"data": far_board(named)}],
    "GET /diagram.png": [],
    "GET /diagram.svg": [],
    "GET /disputes": [],
    "GET /docs": [],
    "GET /events/new": [],
    "POST /events/new": [lambda named: {"data": {"name": named["name"], "legs": "1"}}],
    "GET /finding": [],
    "GET /games": [lambda named: {"query_string": {"event": named["name"]}}],
    "GET /games/new": [],
    "GET /search": [
        lambda named: {"query_string": {"q": named["game_id"]}},
        lambda named: {"query_string": {"q": named["name"]}},
    ],
    "POST /join": [],
    "POST /games/new": [lambda named: {"data": {"game": "oware", "Event": named["name"]}}],
    "GET /import": [],
    "POST /import": [lambda named: {"data": {"text": f'[Game "oware"]\n[Event "{named["name"]}"]\n\n*\n'}}],
    "GET /matches": [lambda named: {"query_string": {"event": named["name"]}}],
    "GET /matches/new": [],
    "POST /matches/new": [
        lambda named: {"data": {"game": "oware", "match_kind": "games", "match_games": "2", "Event": named["name"]}}
    ],
    "GET /mine": [],
    "POST /mine/device": [],
    "POST /mine/devices/<token_id>/end": [],
    "GET /paper": [],
    "POST /paper": [],
    "GET /rules/new": [],
    "POST /rules/new": [],
    "POST /paper/game": [
        lambda named: {"data": {"game": "oware", "Event": named["name"], "text": "c D", "store": "1"}},
        lambda named: {"data": {"game": "oware", "into": named["game_id"], "text": "c D", "store": "1"}},
    ],
    "GET /readyz": [],
    "POST /sign-out": [],
    "GET /tokens": [],
    "GET /welcome": [],
    # Besides their path:
    "POST /games/<game_id>/analysis/cancel": [lambda named: {"data": {"job": named["job_id"]}}],
    "GET /games/<game_id>/analysis": [lambda named: {"query_string": {"job": named["job_id"]}}],
}


@pytest.fixture
def places(client):
    """What stands in paths, for each of two events: a match, a far board that plays its first game, a dispute, a
    job."""

    def fill(event, word):
        tags = {"Event": event, "Board": "1", "South": f"South {word}", "North": f"North {word}"}
        game = client.post(f"{API}/matches", json={"game": "oware", "title": "games 2", "tags": tags}).json["id"]
        client.post(f"{API}/games/{game}/turns", json={"move": "a"})
        job = client.post(f"{API}/games/{game}/analysis", json={"depth": 1}).json["id"]
        dispute = client.post(f"{API}/games/{game}/disputes", json={"side": "North", "claim": "no"}).json["id"]
        far = {"port": f"far:{word}", "driver": "far", "game": game, "serial": f"S-{word}"}
        board = client.post(f"{API}/boards", json=far).json["id"]
        named = {"game_id": game, "match_id": game, "board_id": board, "dispute_id": dispute, "job_id": job}
        return {**named, "event_id": name_id(name_key(event)), "name": event}

    return {HERE: fill(HERE, "shown"), THERE: fill(THERE, "hidden")}


@pytest.fixture
def missing():
    ids = dict.fromkeys(("game_id", "match_id", "board_id", "job_id"), MISSING)
    return {**ids, "dispute_id": f"{MISSING}-3", "event_id": name_id(name_key(NOWHERE)), "name": NOWHERE}


@pytest.fixture
def limited(app, places):
    """Makes a client whose key has all scopes that can be limited, to what is in the first event."""

    def limited(kind):
        value = {"event": HERE, "table": f"1:{HERE}"}.get(kind, places[HERE]["game_id"])
        limit = Limit(kind, value)
        client = with_token(app, *(scope for scope in SCOPES if scope != "admin"), limit=limit)
        client.environ_base.update(AFAR)
        return client

    return limited


def arguments(pattern):
    """The names of the arguments in the pattern of a path; `name` only where it names an event."""
    found = re.findall(r"<(?:\w+:)?(\w+)>", pattern)
    unknown = set(found) - {*NAMES, *OTHERS}
    assert not unknown, f"{pattern}: say in NAMES or OTHERS what {unknown} are"
    return [name for name in found if name in NAMES and pattern not in OTHER_NAMES]


def path_of(pattern, named):
    """The path with what is named in it."""
    values = {**OTHERS, **named, "name": OTHER_NAMES.get(pattern, named["name"])}
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda found: values[found[1]], pattern)


def ask(client, method, path, **request):
    """The status, the headers that say something, and the beginning of the body."""
    with client.open(path, method=method, buffered=False, **request) as answer:
        if answer.mimetype == "text/event-stream":
            chunks = iter(answer.response)
            body = b"".join(next(chunks) for _ in range(3)) if method == "GET" else b""
        else:
            body = answer.get_data()
        return answer.status_code, [answer.content_type, answer.headers.get("Location")], body


def without_names(answer, named):
    """The answer, but for what the request named."""
    status, headers, body = answer
    for text in sorted({*named.values(), name_key(named["name"])}, key=len, reverse=True):
        body = body.replace(text.encode(), b"NAMED")
        headers = [header and header.replace(text, "NAMED") for header in headers]
    return status, headers, body


def test_every_route_for_limited_keys_says_what_it_names(app):
    found = set()
    for method, pattern, endpoint in routes(app):
        need = need_of(app.view_functions[endpoint])
        if need.scope != OPEN and need.limited and not arguments(pattern):
            found.add(f"{method} {pattern}")
    besides = {route for route in REQUESTS if arguments(route.partition(" ")[2])}
    assert found == REQUESTS.keys() - besides


def test_anyone_may_ask_which_methods_every_route_has(app, missing):
    client, methods, wrong = app.test_client(), {}, []
    for method, pattern, _ in routes(app):
        methods.setdefault(path_of(pattern, {**missing, "name": "somebody"}), {"OPTIONS"}).add(method)
    for path, found in methods.items():
        answer = client.options(path, environ_base=AFAR)
        allowed = set(answer.headers.get("Allow", "").split(", "))
        if answer.status_code != 204 or answer.data or not found <= allowed:
            wrong.append((path, found, answer.status_code, allowed))
    assert wrong == []
    assert [client.options(path, environ_base=AFAR).status_code for path in (f"{API}/no", "/no")] == [404, 404]


def test_no_route_writes_for_a_browser_without_the_token_of_its_forms(app, missing):
    client, wrong = signed_in(app, "admin", csrf=False), []
    for method, pattern, endpoint in routes(app):
        if method == "GET" or endpoint in ABOUT_LINKS or need_of(app.view_functions[endpoint]).scope == OPEN:
            continue
        status = ask(client, method, path_of(pattern, missing), **COMPLETE.get(f"{method} {pattern}", {}))[0]
        if status != 403:
            wrong.append((f"{method} {pattern}", status))
    assert wrong == []


def test_what_does_not_exist_is_not_found_at_every_route(app, client, missing):
    paths, wrong = conformance.documented(app)["paths"], []
    nowhere = {**missing, "ruleset_id": MISSING}
    named = {*nowhere, "token_id", "player_id"}
    for method, pattern, _ in routes(app):
        if not named.intersection(re.findall(r"<(?:\w+:)?(\w+)>", pattern)) or pattern in (
            "/docs/<name>",
            "/problems/<name>",
        ):
            continue
        operation = paths.get(conformance.path_of(pattern), {}).get(method.lower(), {})
        content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        request = {"json": content["example"]} if content else COMPLETE.get(f"{method} {pattern}", {})
        status, _, body = ask(client, method, path_of(pattern, nowhere), **request)
        if status != 404 or (pattern.startswith(API) and b"/problems/not-found" not in body):
            wrong.append((f"{method} {pattern}", status, body[:200]))
    assert wrong == []


@pytest.mark.parametrize("kind", LIMITED_TO)
def test_what_is_hidden_is_answered_as_what_does_not_exist(app, places, missing, limited, kind):
    client, wrong = limited(kind), []
    for method, pattern, endpoint in routes(app):
        need = need_of(app.view_functions[endpoint])
        if need.scope in (OPEN, "admin") or not arguments(pattern):
            continue
        answers = [
            without_names(
                ask(client, method, path_of(pattern, named), **COMPLETE.get(f"{method} {pattern}", {})), named
            )
            for named in (places[THERE], missing)
        ]
        if answers[0] != answers[1] or answers[0][0] != 404:
            wrong.append((f"{method} {pattern}", answers))
    assert wrong == []


@pytest.mark.parametrize("kind", LIMITED_TO)
def test_what_is_hidden_is_not_there_in_bodies_and_queries_either(places, missing, limited, kind):
    client, wrong = limited(kind), []
    for route, requests in REQUESTS.items():
        method, pattern = route.split(" ", 1)
        for request in requests:
            answers = [
                without_names(ask(client, method, path_of(pattern, places[HERE]), **request(named)), named)
                for named in (places[THERE], missing)
            ]
            if answers[0] != answers[1]:
                wrong.append((route, answers))
    assert wrong == []


@pytest.mark.parametrize("kind", LIMITED_TO)
def test_what_is_shown_is_not_refused_and_names_nothing_that_is_hidden(app, places, limited, kind):
    client, wrong = limited(kind), []
    secret = {*places[THERE].values(), name_key(THERE), "far:hidden", "S-hidden", "South hidden", "North hidden"}
    for method, pattern, endpoint in routes(app):
        need = need_of(app.view_functions[endpoint])
        if method != "GET" and need.own:
            continue  # the key would end itself
        status, headers, body = ask(client, method, path_of(pattern, places[HERE]))
        found = {text for text in secret if text.encode() in body or any(text in (header or "") for header in headers)}
        can_ask = need.scope != "admin" and arguments(pattern) not in ([], ["job_id"])  # a job has an owner
        if found or (can_ask and status in (401, 403)):
            wrong.append((f"{method} {pattern}", status, found))
    assert wrong == []


def test_rules_and_help_need_no_key(app, services):
    """They name nobody: whoever reaches the service reads them, also who may not watch."""
    phone = app.test_client()
    phone.environ_base.update(AFAR)
    for page in ("/rules", "/rules/enkeshui", "/rules/oware/score-sheet", "/help", "/help?q=seed", "/help/guide-club"):
        assert phone.get(page).status_code == 200, page
    assert [phone.get(page).status_code for page in ("/", "/games", "/finding?game=oware")] == [401] * 3


ABOUT_LINKS = ("web.sign_in", "web.use_link", "web.sign_out")  # and sessions


def is_refused(need, pattern, role):
    """Whether a guest with that role gets no further than the guard."""
    if need.scope == OPEN:
        return False
    return not need.is_met_by(ROLES[role].scopes) or not (need.limited or arguments(pattern))


@pytest.mark.parametrize("role", ROLES)
def test_what_a_guest_can_and_cannot_do(app, client, places, role):
    """At the own table all that the role allows; at another one of the event no more than to look."""
    tags = {"Event": HERE, "Board": "2", "South": "x", "North": "y"}
    other = client.post(f"{API}/matches", json={"game": "oware", "title": "games 2", "tags": tags}).json["id"]
    job = client.post(f"{API}/games/{other}/analysis", json={"depth": 1}).json["id"]
    client.post(f"{API}/games/{other}/turns", json={"move": "a"})
    dispute = client.post(f"{API}/games/{other}/disputes", json={"side": "North", "claim": "no"}).json["id"]
    far = {"port": "far:other", "driver": "far", "game": other, "serial": "S-other"}
    board = client.post(f"{API}/boards", json=far).json["id"]
    there = {"game_id": other, "match_id": other, "board_id": board, "dispute_id": dispute, "job_id": job}
    limit = Limit("event", HERE) if ROLES[role].place == "event" else Limit("table", f"1:{HERE}")
    browser, wrong = signed_in(app, *ROLES[role].scopes, limit=limit), []
    browser.environ_base.update(AFAR)
    for method, pattern, endpoint in routes(app):
        if endpoint in ABOUT_LINKS or pattern == f"{API}/jobs/<job_id>":  # a job has an owner
            continue
        need, path = need_of(app.view_functions[endpoint]), path_of(pattern, places[HERE])
        status = ask(browser, method, path)[0]
        if (status in (401, 403)) != is_refused(need, pattern, role):
            wrong.append((f"{method} {pattern}", status))
        writes = method != "GET" and not is_refused(need, pattern, role)
        if writes and limit.kind == "table" and set(arguments(pattern)) & there.keys():
            status = ask(browser, method, path_of(pattern, {**places[HERE], **there}))[0]
            if status != 404:
                wrong.append((f"{method} {pattern} of another table", status))
    assert wrong == []
    assert ask(browser, "GET", f"{API}/games/{other}")[0] == 200


@pytest.mark.parametrize("kind", ["replaced", "session", "revoked"])
def test_every_kind_of_key_at_every_route(app, services, kind):
    """`replaced`: the secret before a rotation, in its grace; `revoked` stands for all that are good no more, which
    `test_keys.py` has. All are good for everything: `tests/docs/test_access.py` tries current ones with each scope."""
    client = signed_in(app, "admin") if kind == "session" else with_token(app)
    (key,) = services.keys.list()
    if kind == "replaced":
        services.keys.rotate(key.id, timedelta(hours=1))
    elif kind == "revoked":
        services.keys.revoke(key.id)
    client.environ_base.update(AFAR)
    named, wrong = dict.fromkeys(NAMES, MISSING), []
    for method, pattern, endpoint in routes(app):
        if endpoint in ABOUT_LINKS:
            continue
        with client.open(path_of(pattern, named), method=method) as answer:
            status = answer.status_code
        if kind == "revoked":
            expected = {401}
        elif need_of(app.view_functions[endpoint]).current and kind == "replaced":
            expected = {403}
        else:
            expected = set(range(200, 500)) - {401, 403}
        if status not in expected:
            wrong.append((f"{method} {pattern}", status))
    assert wrong == []
