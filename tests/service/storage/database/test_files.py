import contextlib
import os
import sqlite3
import stat
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from inkeek.service.boards.remote.spool import Spool
from inkeek.service.cli import main
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.access.keys import open_keys
from inkeek.service.maintenance.signatures import new_key, read_key
from inkeek.service.settings import Settings
from inkeek.service.storage.store import Store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="files have other rights here")


@pytest.fixture(autouse=True)
def _open_umask():
    """The rights that new files have without care: all."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "inkeek.sqlite3"


@pytest.fixture
def store(path):
    store = Store(f"sqlite:///{path}", 5.0)
    store.upgrade()
    yield store
    store.close()


def test_only_the_owner_may_use_a_new_database_and_the_files_beside_it(store, path):
    Games(store, max_plies=10).create("bof", {}, {}, Write("api"))
    with store.reading() as transaction:
        transaction.games.count()
        files = {file.name: mode(file) for file in path.parent.iterdir()}
    assert files == dict.fromkeys(("inkeek.sqlite3", "inkeek.sqlite3-wal", "inkeek.sqlite3-shm"), 0o600)
    assert mode(path.parent) == 0o700


@pytest.mark.parametrize(
    "words",
    [
        ["key", "new"],
        ["db", "upgrade"],
        ["token", "create", "desk", "--scope", "read"],
        ["db", "export", "data/here/games.jsonl"],
        ["db", "checkpoint", "data/here/checkpoint.json"],
        ["db", "backup", "data/here/copy.sqlite3"],
    ],
    ids=" ".join,
)
def test_only_the_owner_may_use_what_a_command_creates(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    if words[0] == "db" and words[-1] != "upgrade":
        runner.invoke(main, ["db", "upgrade", "--data", "data/here"], catch_exceptions=False)
    found = runner.invoke(main, [*words, "--data", "data/here"], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    modes = {mode(path) for path in tmp_path.glob("**/*") if path.is_dir()}
    assert modes == {0o700}
    assert {mode(path) for path in tmp_path.glob("**/*") if path.is_file()} == {0o600}
    assert os.umask(0) == 0, "the umask is as it was"


def test_only_the_owner_may_use_a_backup(store, tmp_path):
    store.backup(tmp_path / "copy.sqlite3")
    assert mode(tmp_path / "copy.sqlite3") == 0o600


def test_only_the_owner_may_use_a_spool(tmp_path):
    path = tmp_path / "spools" / "game.spool"
    spool = Spool(path)
    try:
        assert {mode(file) for file in path.parent.iterdir()} == {0o600}
        assert mode(path.parent) == 0o700
    finally:
        spool.close()


def test_a_database_that_everybody_could_read_is_closed_to_others_and_stays_open_to_its_group(store, path, caplog):
    wal = path.with_name(path.name + "-wal")
    with store.reading() as transaction:
        transaction.games.count()
        path.chmod(0o664)
        wal.chmod(0o664)
        Store.upgrade(store)
        assert (mode(path), mode(wal)) == (0o660, 0o660)
    assert str(path) in caplog.text
    caplog.clear()
    store.upgrade()
    assert caplog.text == ""


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root may give files away")
def test_what_root_makes_in_the_folder_of_a_services_user_is_that_users():
    user = 54321
    with TemporaryDirectory() as name:  # pytest's own folders let nobody else in
        folder, settings = Path(name), Settings(data=name)
        os.chown(folder, user, user)
        new_key(folder / "key.pem")
        with open_keys(settings) as keys:
            keys.create(TOKEN, "by root", ("admin",), None)
            assert {file.stat().st_uid for file in folder.iterdir()} == {user}  # also what SQLite makes beside it
            os.seteuid(user)
            try:
                read_key(folder / "key.pem")
                with contextlib.closing(sqlite3.connect(folder / "inkeek.sqlite3")) as connection, connection:
                    connection.execute("UPDATE keys SET name = 'by the service'")
            finally:
                os.seteuid(0)
            assert [key.name for key in keys.list()] == ["by the service"]
