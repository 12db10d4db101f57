"""What ends a right ends what leans on it: streams, waiting requests and downloads, through the Flask client."""

import pytest

from inkeek.service.errors import Unauthorized
from inkeek.service.http.access.keys import digest
from inkeek.service.storage import Limit
from tests.service.clients import with_token

API = "/api/v1"
AFAR = {"REMOTE_ADDR": "192.0.2.9"}  # where reading needs a key
HERE, THERE = "Narok Open", "Kajiado Cup"


@pytest.fixture(autouse=True)
def checked_often(monkeypatch):
    monkeypatch.setattr("inkeek.service.live.publisher.RIGHTS_EVERY", 0.0)
    monkeypatch.setattr("inkeek.service.http.api.responses.RIGHTS_EVERY", 0.0)


@pytest.fixture
def game(client):
    return client.post(f"{API}/games", json={"game": "enkeshui", "tags": {"Event": HERE}}).json["id"]


@pytest.fixture
def board(client, game):
    far = {"port": "far:bench", "driver": "far", "game": game}
    return client.post(f"{API}/boards", json=far).json["id"]


@pytest.fixture
def limited(app):
    client = with_token(app, "read", "attach", limit=Limit("event", HERE))
    client.environ_base.update(AFAR)
    return client


def key_of(services, client):
    secret = client.environ_base["HTTP_AUTHORIZATION"].partition(" ")[2]
    return services.store.key(digest(secret)).id


def move_game(client, services, game, mine):
    """Into another event, and play on there."""
    assert client.patch(f"{API}/games/{game}", json={"tags": {"Event": THERE}}).status_code == 200
    client.post(f"{API}/games/{game}/turns", json={"move": "c"})


def revoke(client, services, game, mine):
    services.keys.revoke(key_of(services, mine))


def rotate(client, services, game, mine):
    services.keys.rotate(key_of(services, mine))


@pytest.mark.parametrize("end", [move_game, revoke, rotate])
@pytest.mark.parametrize("path", ["games/{game}/events", "boards/{board}/events", "feed?game_id={game}"])
def test_a_stream_ends_with_its_right(app, client, services, game, board, limited, path, end):
    answer = limited.get(f"{API}/{path.format(game=game, board=board)}", buffered=False)
    assert answer.status_code == 200
    chunks = iter(answer.response)
    while b"data:" not in next(chunks):
        pass
    end(client, services, game, limited)
    seen = b"".join(chunks)  # to its end, and not for the lifetime of a stream
    if "boards" not in path:
        assert THERE.encode() not in seen
        assert b"event: turn" not in seen
    answer.close()


@pytest.mark.parametrize("path", ["games/{game}/events", "boards/{board}/events", "boards/all/events", "feed"])
def test_a_stream_on_this_machine_has_no_limit(app, client, services, game, board, path):
    mine = with_token(app, "read", limit=Limit("event", HERE))
    answer = mine.get(f"{API}/{path.format(game=game, board=board)}", buffered=False)
    chunks = iter(answer.response)
    next(chunks)
    move_game(client, services, game, mine)
    assert next(chunks)
    assert next(chunks)
    answer.close()


def test_a_request_that_waits_for_news_is_answered_when_its_right_ends(
    client, services, game, board, limited, monkeypatch
):
    begun = []
    asked = services.boards.requests_to

    def ask_and_move(board_id):
        if not begun:
            begun.append(services.publisher)
            move_game(client, services, game, limited)
        return asked(board_id)

    last = services.games.load(game).events[-1]
    monkeypatch.setattr(services.boards, "requests_to", ask_and_move)
    answer = limited.get(f"{API}/boards/{board}/news?after={last.seq}&hash={last.hash}&wait=30")
    assert answer.status_code == 401


@pytest.mark.parametrize("path", ["games/export", "feed?format=ndjson", "games/{game}/events?format=ndjson"])
def test_a_download_breaks_off_when_its_key_is_revoked(client, services, game, limited, path):
    client.post(f"{API}/games", json={"game": "enkeshui", "tags": {"Event": HERE}})
    client.post(f"{API}/games/{game}/turns", json={"move": "c"})
    answer = limited.get(f"{API}/{path.format(game=game)}", buffered=False)
    chunks = iter(answer.response)
    next(chunks)
    revoke(client, services, game, limited)
    with pytest.raises(Unauthorized):
        list(chunks)
    answer.close()
