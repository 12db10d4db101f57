"""Fixtures that several folders below use."""

import pytest

from inkeek.service.games.repository import Games
from inkeek.service.http import timed_calls
from inkeek.service.storage.store import Store


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A database that is there may take longer to answer on a busy machine, and `/readyz` would say that it is away."""
    monkeypatch.setattr(timed_calls, "PATIENCE", 30.0)


@pytest.fixture
def store(database):
    """A store without an application."""
    store = Store(database)
    yield store
    store.close()


@pytest.fixture
def games(store):
    return Games(store, max_plies=5000)
