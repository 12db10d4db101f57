"""Fixtures for tests of proofs."""

import pytest

from inkeek.service.proofs.making import make_proof
from inkeek.service.storage.store import Store
from tests.service.http.conftest import app

from .falsified import GAME, KEY, NOW, Draft, fill

__all__ = ["app"]


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
