import json
from dataclasses import asdict, replace

import pytest

from inkeek.service.errors import Invalid
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import archive
from inkeek.service.maintenance.checkpoint import Checkpoint, read, take, write
from inkeek.service.maintenance.signatures import new_key, public_text
from inkeek.service.maintenance.verify import verify
from inkeek.service.storage.store import Store

API = Write("api")
NOW = "2026-11-22T18:30:00.000000Z"


@pytest.fixture
def store(database):
    store = Store(database)
    games = Games(store, max_plies=5000)
    for turns in (3, 0, 2):
        play(games, games.create("bof", {}, {}, API).id, turns)
    yield store
    store.close()


def play(games, game_id, turns):
    for _ in range(turns):
        games.play(game_id, games.load(game_id).legal(1)[0], API)


def faults(store, checkpoint):
    return [fault for report in verify(store, checkpoint) for fault in report.faults]


def test_a_checkpoint_counts_what_is_stored(store):
    found = take(store, NOW)
    assert (found.position, found.games, found.events, found.time) == (8, 3, 8, NOW)
    with store.reading() as transaction:
        assert transaction.ledger.head() == (found.position, found.hash)
    assert faults(store, found) == []


def test_an_empty_database_has_a_checkpoint(database):
    store = Store(database)
    found = take(store, NOW)
    assert (found.position, found.games, found.events) == (0, 0, 0)
    assert faults(store, found) == []
    store.close()


def test_the_database_may_grow_after_a_checkpoint(store):
    found = take(store, NOW)
    games = Games(store, max_plies=5000)
    play(games, games.create("oware", {}, {}, API).id, 2)
    with store.reading() as transaction:
        old = transaction.games.ids("", 1)[0]
    games.retag(old, {"Round": "2"}, API)
    assert faults(store, found) == []
    assert take(store, NOW).position == found.position + 4


def test_a_database_that_was_written_anew_is_found_by_the_checkpoint_alone(store, tmp_path):
    """Without one game, with its events, ledger and all else right in itself."""
    before = take(store, NOW)
    with store.reading() as transaction:
        removed = transaction.games.ids("", 1)[0]
    lines = [line for line in archive.export(store) if f'"{removed}"' not in line]
    counts = json.loads(lines[-1])["end"]
    kept = [json.loads(line)["game"] for line in lines[1:-1]]
    lines[-1] = json.dumps({"end": {**counts, "games": len(set(kept)), "events": len(kept)}})
    other = Store(f"sqlite:///{tmp_path / 'other.sqlite3'}")
    other.upgrade()
    assert archive.check(other, lines) == []
    archive.load(other, lines)
    games = Games(other, max_plies=5000)
    while take(other, NOW).position <= before.position:
        games.create("bof", {}, {}, API)
    assert faults(other, None) == []
    assert faults(other, before)
    other.close()


@pytest.mark.parametrize("change", [{"position": 7}, {"hash": "0" * 64}, {"games": 4}, {"events": 9}, {"position": 99}])
def test_another_past_is_found(store, change):
    assert faults(store, replace(take(store, NOW), **change))


def test_a_checkpoint_is_read_back_with_its_key(store, tmp_path):
    found, key = take(store, NOW), new_key(tmp_path / "key.pem")
    assert read(json.dumps(write(found, key))) == (found, public_text(key))
    assert read(json.dumps(write(found, None))) == (found, None)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "nonsense",
        "[" * 100_000,
        '{"inkeek": "checkpoint", "version": 2}',
        '{"inkeek": "events", "version": 1}',
    ],
)
def test_other_texts_are_no_checkpoints(text):
    with pytest.raises(Invalid):
        read(text)


@pytest.mark.parametrize(
    "change", [{"position": -1}, {"position": 1 << 63}, {"games": "3"}, {"hash": None}, {"more": 1}, {"key": "x"}]
)
def test_a_checkpoint_with_wrong_fields_is_refused(change):
    document = write(Checkpoint(1, "0" * 64, 1, 1, NOW), None)
    assert read(json.dumps(document))[0].position == 1
    with pytest.raises(Invalid):
        read(json.dumps({**document, **change}))
    assert asdict(Checkpoint(1, "0" * 64, 1, 1, NOW)).keys() < document.keys()
