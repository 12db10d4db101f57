import threading

import pytest

from inkeek.service.errors import StorageError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import verify
from inkeek.service.storage.store import Store


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_backup_under_writers_is_whole_and_of_one_moment(store, tmp_path, monkeypatch):
    monkeypatch.setattr("inkeek.service.storage.store.PAGES_PER_STEP", 1)
    games = Games(store, max_plies=100)
    for _ in range(20):
        games.create("bof", {}, {"Event": "x" * 400}, Write("api"))
    seen = []

    def progress(done, whole):
        """Write while the backup goes on."""
        if done % 5 == 0:
            writer = threading.Thread(target=games.create, args=("bof", {}, {}, Write("api")))
            writer.start()
            writer.join()
        seen.append((done, whole))

    target = tmp_path / "copy.sqlite3"
    store.backup(target, progress)
    assert seen[-1][0] == seen[-1][1] > 10
    assert verify.count(store) > 20
    assert not list(tmp_path.glob("copy.sqlite3?*"))
    copy = Store(f"sqlite:///{target}")
    assert [one.faults for one in verify.verify(copy)] == [()] * 20
    assert copy.revisions()[0] == store.revisions()[0]
    copy.close()


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_backup_never_overwrites(store, tmp_path):
    target = tmp_path / "copy.sqlite3"
    target.write_text("dear")
    with pytest.raises(StorageError, match=r"copy\.sqlite3"):
        store.backup(target)
    assert target.read_text() == "dear"


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_backup_that_cannot_be_written_is_reported_and_leaves_nothing(store, tmp_path):
    with pytest.raises(StorageError, match=r"copy\.sqlite3"):
        store.backup(tmp_path / "nowhere" / "copy.sqlite3")
    Games(store, max_plies=9).create("bof", {}, {}, Write("api"))  # the connection is as good as before


@pytest.mark.parametrize("database_kind", ["postgresql"])
def test_postgresql_has_a_backup_of_its_own(store, tmp_path):
    with pytest.raises(StorageError, match="pg_dump"):
        store.backup(tmp_path / "copy")
