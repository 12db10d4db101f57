"""Fixtures for disputes over the API."""

import pytest

from tests.service.clients import with_token
from tests.service.http.conftest import app

__all__ = ["app", "game", "second"]


@pytest.fixture
def game(client):
    """The path of a game of four turns."""
    game_id = client.post("/api/v1/games", json={"game": "enkeshui", "options": {"pits": 8}}).json["id"]
    for move in ("c", "C", "d", "D"):
        assert client.post(f"/api/v1/games/{game_id}/turns", json={"move": move}).status_code == 201
    return f"/api/v1/games/{game_id}"


@pytest.fixture
def second(app):
    """An arbiter with a key of their own."""
    return with_token(app, "arbiter")
