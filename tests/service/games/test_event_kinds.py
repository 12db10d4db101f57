import json

import pytest

from inkeek.service.errors import StorageError
from inkeek.service.games.event_kinds import KINDS, read_data, to_stored
from inkeek.service.maintenance.archive import export
from inkeek.service.storage import GENESIS, seal

from .every_kind import GOLDEN, store_every_kind


def test_events_are_written_as_they_always_were(store):
    store_every_kind(store)
    assert list(export(store)) == GOLDEN.read_text("utf-8").splitlines(keepends=True)


def golden():
    lines = map(json.loads, GOLDEN.read_text("utf-8").splitlines())
    return [seal("g", 1, "t", "", "api", line["kind"], line["data"], GENESIS) for line in lines if "kind" in line]


def test_data_of_every_kind_is_read_and_written_again_without_loss():
    assert {event.kind for event in golden()} == KINDS.keys()
    for event in golden():
        stored = to_stored(read_data(event))
        assert json.dumps(stored) == json.dumps(event.data)  # also in the same order


@pytest.mark.parametrize("kind", KINDS)
def test_data_is_read_tolerantly_but_not_without_what_is_needed(kind):
    event = next(event for event in golden() if event.kind == kind)
    assert read_data(event._replace(data={**event.data, "later": 1})) == read_data(event)
    for name in KINDS[kind].__struct_fields__:
        if name in event.data and len(event.data) > 1:
            with pytest.raises(StorageError, match=name):
                read_data(event._replace(data={**event.data, name: object}))
            break
