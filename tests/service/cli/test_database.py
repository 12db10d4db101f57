from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from service.cli import main
from service.games.repository import Games
from service.games.transfer import import_games
from service.games.write import Write
from service.maintenance import rebuild
from service.storage import Store
from service.storage.migrate import latest

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.fixture
def store(database):
    store = Store(database, 5.0)
    games = Games(store, max_plies=5000)
    for name in ("bof", "oware"):
        with (EXAMPLES / f"{name}.pmn").open("rb") as file:
            assert all(told["ok"] for told in import_games(games, file, 10, Write("import")))
    yield store
    store.close()


@pytest.fixture
def db(runner, database):
    """Runs a command on the database; its status, what it said, and what it said of errors."""

    def run(*words):
        done = runner.invoke(main, ["db", *map(str, words), "--database", database])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout, done.stderr

    return run


def spoil(store, statement):
    with store.writing() as transaction:
        transaction.games._connection.exec_driver_sql(statement)


def test_a_good_database_is_verified(db, store):
    assert db("verify") == (0, "2 good, 0 bad\n", "")
    assert db("verify", "--json") == (0, "", "")


def test_a_bad_game_is_told_and_ends_with_status_1(db, store):
    spoil(store, "UPDATE events SET actor = 'x' WHERE seq = 2")
    status, said, _ = db("verify")
    assert status == 1
    assert said.count("event 2 was changed") == 2
    assert said.endswith("0 good, 2 bad\n")
    status, said, _ = db("verify", "--json")
    told = [json.loads(line) for line in said.splitlines()]
    assert (status, len(told), told[0]["rebuilt"]) == (1, 2, False)
    assert db("rebuild")[0] == 1
    assert db("rebuild")[1].endswith("2 games: 0 rebuilt, 2 left as they are\n")


def test_what_follows_from_the_events_is_rebuilt(db, store):
    spoil(store, "UPDATE games SET result = '1-0', ply = 1 WHERE game = 'bof'")
    spoil(store, "DELETE FROM positions")
    status, said, _ = db("rebuild")
    assert status == 0
    assert said.endswith("2 games: 2 rebuilt, 0 left as they are\n")
    assert "what the game is found by differs from what its events say; it can be rebuilt from them (rebuilt)" in said
    assert db("rebuild")[1] == "2 games: 0 rebuilt, 0 left as they are\n"
    assert db("verify")[0] == 0


def test_all_events_go_out_and_come_in_again(db, runner, store, tmp_path):
    file = tmp_path / "all.ndjson"
    assert db("export", file) == (0, "", "")
    assert db("export")[1] == file.read_text("utf-8")
    there = ["--data", str(tmp_path / "other")]
    done = runner.invoke(main, ["db", "import", str(file), "--json", *there])
    assert json.loads(done.stdout) == {"games": 2, "events": file.read_text("utf-8").count("\n") - 2, "boards": 0}
    again = runner.invoke(main, ["db", "import", str(file), *there])
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr.count("it is stored already, the same as here") == 2
    assert again.stderr.endswith("nothing was stored\n")
    passed = runner.invoke(main, ["db", "import", str(file), "--skip-same", *there])
    assert (passed.exit_code, passed.stdout) == (0, "0 games with 0 events and 0 boards were stored.\n")


def test_a_file_that_is_no_archive_stores_nothing(db, store, tmp_path):
    file = tmp_path / "all.ndjson"
    file.write_bytes(b"\xff\xfe\n")
    status, said, errors = db("import", file)
    assert (status, said) == (1, "")
    assert "line 1" in errors
    assert rebuild.count(store) == 2


@pytest.mark.parametrize("command", ["verify", "rebuild", "export", "backup"])
def test_a_database_without_tables_is_told(runner, tmp_path, command):
    words = ["db", command, *([str(tmp_path / "b")] if command == "backup" else []), "--data", str(tmp_path)]
    done = runner.invoke(main, words)
    assert done.exit_code == 1
    assert "is at revision none" in done.stderr
    assert "inkeek db upgrade" in done.stderr


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.usefixtures("store")
def test_a_backup_is_a_database(db, tmp_path):
    file = tmp_path / "copy.sqlite3"
    status, said, errors = db("backup", file)
    assert (status, said, errors) == (0, f"{file} holds a copy, {file.stat().st_size} bytes.\n", "")
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT count(*) FROM games").fetchone() == (2,)
    connection.close()
    assert db("backup", file)[0] == 1
    status, said, _ = db("backup", tmp_path / "second.sqlite3", "--json")
    assert json.loads(said)["bytes"] == file.stat().st_size


def test_the_revision_is_told(empty_database, runner):
    done = runner.invoke(main, ["db", "upgrade", "--json", "--database", empty_database])
    told = json.loads(done.stdout)
    assert (told["before"], told["revision"]) == (None, latest())


def test_a_password_is_never_shown(runner):
    done = runner.invoke(main, ["db", "verify", "--database", "postgresql://u:geheim@127.0.0.1:1/x?connect_timeout=1"])
    assert done.exit_code == 1
    assert "geheim" not in done.output
