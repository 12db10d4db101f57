import csv
import io
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import click
import pytest

from inkeek.records import write_game
from inkeek.records.game import write_json_line
from inkeek.service.cli import main
from inkeek.service.games.library.transfer import export_games, import_games
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import verify
from inkeek.service.storage import EVERYTHING
from inkeek.service.storage.migrate import latest
from inkeek.service.storage.store import Store
from tests.databases import sqlite_database

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.fixture
def store(database):
    store = Store(database)
    games = Games(store, max_plies=5000)
    for name in ("bof", "oware"):
        with (EXAMPLES / f"{name}.pmn").open("rb") as file:
            assert all(result.ok for result in import_games(games, file, 10, Write("import")))
    yield store
    store.close()


@pytest.fixture
def db(runner, database, tmp_path):
    """Runs a command on the database; returns its status, output and errors."""

    def run(*words, given=None):
        done = runner.invoke(
            main, ["db", *map(str, words), "--database", database, "--data", str(tmp_path / "data")], input=given
        )
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout, done.stderr

    return run


def numbers(line):
    return [int(number) for number in re.findall(r"\d+", line)]


def spoil(store, statement):
    with store.writing() as transaction:
        transaction.games._session.exec_driver_sql(statement)


def test_a_good_database_is_verified(db, store):
    assert db("verify") == (0, "2 good, 0 bad\n", "")
    assert db("verify", "--json") == (0, "", "")


def test_verify_prints_a_bad_game_and_ends_with_status_1(db, store):
    spoil(store, "UPDATE events SET actor = 'x' WHERE seq = 2")
    status, output, _ = db("verify")
    assert status == 1
    assert output.count("was changed, or one that was stored together with it") == 2
    assert output.endswith("0 good, 2 bad\n")
    status, output, _ = db("verify", "--json")
    wrong = [json.loads(line) for line in output.splitlines()]
    assert (status, len(wrong), wrong[0]["rebuilt"]) == (1, 2, False)
    assert db("rebuild")[0] == 1
    assert numbers(db("rebuild")[1].splitlines()[-1]) == [2, 0, 2]


def test_derived_data_is_rebuilt_from_the_events(db, store):
    spoil(store, "UPDATE games SET result = '1-0', ply = 1 WHERE game = 'bof'")
    spoil(store, "DELETE FROM positions")
    status, output, _ = db("rebuild")
    assert status == 0
    assert numbers(output.splitlines()[-1]) == [2, 2, 0]
    assert output.count("(rebuilt)") == 3
    assert numbers(db("rebuild")[1]) == [2, 0, 0]
    assert db("verify")[0] == 0


def test_an_export_can_be_imported(db, runner, store, tmp_path):
    file = tmp_path / "all.ndjson"
    assert db("export", file) == (0, "", "")
    assert db("export")[1] == file.read_text("utf-8")
    there = ["--data", str(tmp_path / "other")]
    done = runner.invoke(main, ["db", "import", str(file), "--json", *there])
    assert json.loads(done.stdout) == {
        "games": 2,
        "events": file.read_text("utf-8").count("\n") - 2,
        "beside": {},
        "present": {},
    }
    again = runner.invoke(main, ["db", "import", str(file), *there])
    assert (again.exit_code, numbers(again.stdout)) == (0, [0, 0])


def test_tables_of_data_are_exported_with_the_filters_of_lists(db, store):
    rows = list(
        csv.DictReader(io.StringIO(db("export", "--csv", "games", "--game", "bof", "--player", "west bench")[1]))
    )
    assert [(row["rules"], row["south"]) for row in rows] == [("bof", "West bench")]
    turns = list(csv.DictReader(io.StringIO(db("export", "--csv", "turns", "--game", "bof")[1])))
    assert len(turns) == int(rows[0]["turns"])
    assert db("export", "--game", "bof")[0] == 2


@pytest.mark.parametrize("table", ["games", "turns"])
def test_a_table_says_how_many_games_are_left_out(db, store, table):
    Games(store, max_plies=9).create("bof", {}, {"South": "Ada", "Consent": "none"}, Write("api"))
    status, output, errors = db("export", "--csv", table)
    assert (status, "Ada" in output, numbers(errors)) == (0, False, [1])


def test_a_file_that_is_no_archive_stores_nothing(db, store, tmp_path):
    file = tmp_path / "all.ndjson"
    file.write_bytes(b'{"inkeek": "\xff\xfe"}\n')
    status, output, errors = db("import", file)
    assert (status, output) == (1, "")
    assert "line 1" in errors
    assert verify.count(store) == 2


@pytest.mark.parametrize("command", ["verify", "rebuild", "export", "backup"])
def test_a_database_without_tables_is_refused(runner, tmp_path, command):
    words = ["db", command, *([str(tmp_path / "b")] if command == "backup" else []), "--data", str(tmp_path)]
    none = runner.invoke(main, words)
    assert none.exit_code == 1
    assert str(tmp_path) in none.stderr
    assert not list(tmp_path.iterdir())
    (tmp_path / "inkeek.sqlite3").touch()
    done = runner.invoke(main, words)
    assert done.exit_code == 1
    assert "inkeek db upgrade" in done.stderr


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.usefixtures("store")
def test_a_backup_is_a_database(db, tmp_path):
    file = tmp_path / "copy.sqlite3"
    status, output, errors = db("backup", file)
    assert (status, errors) == (0, "")
    assert f"{file}, {file.stat().st_size} bytes" in output
    connection = sqlite3.connect(file)
    assert connection.execute("SELECT count(*) FROM games").fetchone() == (2,)
    connection.close()
    status, output, _ = db("backup", tmp_path / "second.sqlite3", "--json")
    assert json.loads(output)["bytes"] == file.stat().st_size
    assert json.loads(output)["games"] == 2


@pytest.mark.parametrize("database_kind", ["sqlite"])
def test_a_backup_counts_the_games_that_it_has(db, store, tmp_path, monkeypatch):
    copy = Store.backup

    def copy_and_play_on(*arguments):
        copy(*arguments)
        Games(store, max_plies=5000).create("bof", {}, {}, Write("api"))

    monkeypatch.setattr(Store, "backup", copy_and_play_on)
    assert json.loads(db("backup", tmp_path / "copy.sqlite3", "--json")[1])["games"] == 2


def test_upgrade_prints_the_revision(empty_database, runner):
    done = runner.invoke(main, ["db", "upgrade", "--json", "--database", empty_database])
    answer = json.loads(done.stdout)
    assert (answer["before"], answer["revision"]) == (None, latest())


def test_a_password_is_never_shown(runner):
    done = runner.invoke(main, ["db", "verify", "--database", "postgresql://u:geheim@127.0.0.1:1/x?connect_timeout=1"])
    assert done.exit_code == 1
    assert "geheim" not in done.output


@pytest.mark.parametrize("kind", ["pmn", "ndjson"])
def test_records_are_imported_once(db, store, tmp_path, kind):
    games = [game for _, game in export_games(Games(store, max_plies=5000), EVERYTHING)]
    records = [game.record.with_tags(Round="2") for game in games]
    file = tmp_path / f"records.{kind}"
    if kind == "pmn":
        file.write_text("\n".join(map(write_game, records)), "utf-8")
    else:
        file.write_bytes(b"".join(write_json_line(record.to_json()) for record in records))
    assert (db("import", file, "--dry-run")[0], verify.count(store)) == (0, 2)
    first = [json.loads(line) for line in db("import", file, "--json")[1].splitlines()]
    again = [json.loads(line) for line in db("import", file, "--json")[1].splitlines()]
    assert [line["present"] for line in first + again] == [False, False, True, True]
    assert [line["id"] for line in first] == [line["id"] for line in again]
    assert numbers(db("import", file)[1]) == [0, 2, 0]
    assert (verify.count(store), db("verify")[0]) == (4, 0)


def test_a_refused_record_is_printed_and_the_others_are_stored(db, store, tmp_path):
    file = tmp_path / "inkeek.records.pmn"
    file.write_text('[Game "bof"]\n\n1. ? *\n\n[Game "oware"]\n\n1. c *\n', "utf-8")
    status, output, errors = db("import", file)
    assert (status, numbers(output)) == (1, [1, 0, 1])
    assert f"{file}: game 1, line 3" in errors
    assert verify.count(store) == 3


def test_many_files_and_standard_input_are_imported(db, runner, store, tmp_path):
    record = '\ufeff[Game "oware"]\n\n1. %s *\n'
    files = [tmp_path / "a.pmn", tmp_path / "b.pmn"]
    for file, move in zip(files, "ab", strict=True):
        file.write_text(record % move, "utf-8")
    status, output, errors = db("import", files[0], "-", files[1], given=record % "?")
    assert (status, numbers(output)) == (1, [2, 0, 1])
    assert errors.startswith("-: game 1, line 3")
    line = json.dumps({"tags": {"Game": "oware"}, "plies": [{"move": "c"}]})
    assert numbers(db("import", given=f"\ufeff{line}\n")[1]) == [1, 0, 0]
    archived = db("export")[1]
    done = runner.invoke(main, ["db", "import", "-", "--data", str(tmp_path / "other")], input=f"\ufeff{archived}")
    assert (done.exit_code, numbers(done.stdout)[0]) == (0, 5)
    refused = runner.invoke(
        main, ["db", "import", "--data", str(tmp_path / "other"), "-", str(files[0])], input=archived
    )
    assert (refused.exit_code, numbers(refused.stdout)) == (0, [0, 0, 0, 1, 0])  # nothing new in the archive


def test_an_import_goes_on_after_a_file_that_cannot_be_read(runner, tmp_path):
    good = tmp_path / "good.pmn"
    good.write_text('[Game "bof"]\n\n1. a *\n')
    files = [str(tmp_path / "none.pmn"), str(tmp_path), str(good)]
    done = runner.invoke(main, ["db", "import", *files, "--data", str(tmp_path / "data")])
    assert (done.exit_code, numbers(done.stdout)[0]) == (1, 1)
    assert [line.split(": ")[0] for line in done.stderr.splitlines()][:2] == files[:2]


def test_a_dry_run_of_an_archive_stores_nothing(db, runner, store, tmp_path):
    file = tmp_path / "all.ndjson"
    db("export", file)
    there = ["--data", str(tmp_path / "other")]
    assert runner.invoke(main, ["db", "import", str(file), "--dry-run", *there]).exit_code == 1  # no tables
    runner.invoke(main, ["db", "upgrade", *there])
    assert runner.invoke(main, ["db", "import", str(file), "--dry-run", *there]).exit_code == 0
    assert numbers(runner.invoke(main, ["db", "import", str(file), *there]).stdout)[0] == 2


OPENING = {
    "db backup": ("copy.sqlite3",),
    "db checkpoint": (),
    "db export": (),
    "db import": (str(EXAMPLES / "bof.pmn"),),
    "db proof": ("nothing",),
    "db rebuild": (),
    "db upgrade": (),
    "db verify": (),
    "token create": ("desk", "--scope", "record"),
    "token link": (),
    "token list": (),
    "token revoke": ("nothing",),
}  # the commands that open the database, with what they need
OTHERS = {"demo", "key new", "key show", "serve"}  # `serve` upgrades as `token list` does
OTHERS |= {"rules add"}  # files beside it
OTHERS |= {"tables build", "tables list", "tables verify"}


def commands_on_data(group, path=""):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands_on_data(command, f"{path}{name} ")
        elif any(parameter.name == "data" for parameter in command.params):
            yield f"{path}{name}"


def test_every_command_refuses_a_newer_database_with_the_same_line(runner, tmp_path):
    assert set(commands_on_data(main)) == OPENING.keys() | OTHERS
    data = ["--data", str(tmp_path)]
    assert runner.invoke(main, ["key", "new", *data]).exit_code == 0
    with sqlite_database(tmp_path, empty=False) as url, closing(sqlite3.connect(tmp_path / "inkeek.sqlite3")) as file:
        with file:
            file.execute("UPDATE alembic_version SET version_num = '9999'")
            file.execute("UPDATE upgrades SET program = '7.8.9'")
        before = list(file.iterdump())
        for name, arguments in OPENING.items():
            done = runner.invoke(main, [*name.split(), *arguments, *data])
            assert isinstance(done.exception, SystemExit), (name, done.exception)
            assert (done.exit_code, done.stdout) == (1, ""), name
            assert done.stderr.startswith(f"Error: the database {url} was made by a newer Inkeek, 7.8.9: "), name
            assert done.stderr.count("\n") == 1
        assert list(file.iterdump()) == before


@pytest.mark.parametrize("has_log", [False, True])
def test_verify_changes_nothing_of_the_files(db, store, has_log):
    if store.file is None:
        pytest.skip("PostgreSQL keeps its own files")
    Games(store, max_plies=5000).create("bof", {}, {}, Write("api"))  # which the ledger does not have yet
    folder = store.file.parent
    with closing(sqlite3.connect(store.file)) as other:
        other.execute("SELECT count(*) FROM games").fetchall()
        if has_log:
            kept = {path.name: path.read_bytes() for path in folder.glob(f"{store.file.name}*")}
    store.close()
    if has_log:  # as after a crash
        for name, data in kept.items():
            (folder / name).write_bytes(data)
        assert kept[f"{store.file.name}-wal"]
    before = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())}
    assert db("verify") == (0, "3 good, 0 bad\n", "")
    after = {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())}
    index = f"{store.file.name}-shm"  # the index of the log, in which readers mark what they read
    assert {**after, index: None} == {**before, index: None}


def test_standard_input_without_an_end_is_refused_and_leaves_nothing(db, monkeypatch, tmp_path):
    monkeypatch.setattr("inkeek.service.cli.record_files.MAX_COPY", 1000)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    status, _, errors = db("import", "-", given="y\n" * 501)
    assert (status, "1000" in errors, list(tmp_path.glob("inkeek-*"))) == (2, True, [])


def test_an_import_lists_the_lines_that_it_leaves_out_and_its_status_says_so(db, tmp_path):
    file = tmp_path / "x.pmn"
    file.write_text('[Game "oware"]\n[Result "*"]\n\n1. c\n% two turns not seen\n')
    for more in (["--dry-run"], []):
        status, output, errors = db("import", *more, file)
        assert (status, numbers(output)) == (1, [1, 0, 0, 1])
        assert "% two turns not seen" in errors
