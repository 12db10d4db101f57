"""Fixtures that several folders below use."""

import pytest

from inkeek.service.games.repository import Games
from inkeek.service.http import timed_calls
from inkeek.service.proofs.making import make_proof
from inkeek.service.storage.store import Store

from .proofs.falsified import GAME, KEY, NOW, Draft, fill


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


@pytest.fixture(scope="module")
def proof(tmp_path_factory):
    """The proof of the first dispute in a game with every kind of event."""
    store = Store(f"sqlite:///{tmp_path_factory.mktemp('proof') / 'games.sqlite3'}")
    store.upgrade()
    dispute = fill(store)
    data = make_proof(store, GAME, KEY, NOW, dispute)
    store.close()
    return data


@pytest.fixture
def draft(proof):
    return Draft(proof)
