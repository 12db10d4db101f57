from __future__ import annotations

from pathlib import Path

import pytest

from service.maintenance.archive import export
from service.storage import Store

from .every_kind import store_every_kind

# Events of every kind, as they have always been written.
GOLDEN = Path(__file__).parents[2] / "data/events.jsonl"


@pytest.fixture
def store(database):
    store = Store(database)
    yield store
    store.close()


def test_events_are_written_as_they_always_were(store):
    store_every_kind(store)
    assert list(export(store)) == GOLDEN.read_text("utf-8").splitlines(keepends=True)
