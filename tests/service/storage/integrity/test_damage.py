"""Files that are really damaged: what the service answers, and what `inkeek db verify` says."""

import json
import logging
import os
import random
import shutil
import sqlite3
from contextlib import closing

import pytest

from inkeek.service import create_app
from inkeek.service.cli import main
from inkeek.service.games import integrity
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http.context import services_of
from inkeek.service.storage.ids import ALPHABET, ID_LENGTH
from inkeek.service.storage.store import Store
from tests.service.clients import token_in
from tests.service.waiting import until

API = Write("api")
GAMES, TURNS = 16, 40
PAGE = 4096


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The file of a database with some hundred pages, the ids of its games, and a token."""
    path = tmp_path_factory.mktemp("original") / "inkeek.sqlite3"
    token = token_in(path.parent)
    store = Store(f"sqlite:///{path}")
    chance = random.Random(1)  # ids that are drawn anew would be on other pages in each run
    games = Games(store, max_plies=5000, new_id=lambda: "".join(chance.choices(ALPHABET, k=ID_LENGTH)))
    ids = []
    with store.together():
        for number in range(GAMES):
            ids.append(games.create("bof", {}, {"South": f"Player {number}"}, API).id)
            for turn in range(TURNS):
                legal = games.load(ids[-1]).legal(9)
                if legal:
                    games.play(ids[-1], legal[(number + turn) % len(legal)], API)
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path, sorted(ids), token


@pytest.fixture
def folder(original, tmp_path):
    shutil.copyfile(original[0], tmp_path / "inkeek.sqlite3")
    return tmp_path


def pages_of(path, name):
    """The numbers of the pages of a table or an index, without its root if there are others."""
    with closing(sqlite3.connect(path)) as connection:
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()
        data = path.read_bytes()
    found, waiting = [], [root]
    while waiting:
        number = waiting.pop()
        start = (number - 1) * PAGE
        page = data[start : start + PAGE]
        if page[0] in (2, 5):  # an inner page: its cells and its end name others
            count = int.from_bytes(page[3:5])
            cells = [int.from_bytes(page[12 + 2 * cell : 14 + 2 * cell]) for cell in range(count)]
            children = [int.from_bytes(page[cell : cell + 4]) for cell in cells] + [int.from_bytes(page[8:12])]
            found += children
            waiting += children
    return found or [root]


def overwrite(path, number, content, offset=0):
    with path.open("r+b") as file:
        file.seek((number - 1) * PAGE + offset)
        file.write(content)


def flip_page(name):
    """Flip all bytes of a page in the middle of a table or an index."""

    def flip(path):
        numbers = pages_of(path, name)
        number = numbers[len(numbers) // 2]
        start = (number - 1) * PAGE
        overwrite(path, number, bytes(byte ^ 0xFF for byte in path.read_bytes()[start : start + PAGE]))

    return flip


def flip_bit(place):
    """Flip one bit of what an event says: of its number of turns, which only the hash shows, or of a quotation mark."""

    def flip(path):
        data = path.read_bytes()
        where = data.index(b'{"ply":7,"turn":{"move":"') + place
        overwrite(path, 1, bytes([data[where] ^ 1]), where)

    return flip


def run_sql(statement):
    def run(path):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute(statement)
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    return run


def lose_index_entries(path):
    """Remove entries of an index, but not the rows."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET rootpage = rootpage WHERE name = 'x'")
        sql = "SELECT sql FROM sqlite_schema WHERE name = 'ix_games_result_number'"
        (text,) = connection.execute(sql).fetchone()
        narrow = text + " WHERE number > 20"
        connection.execute("DROP INDEX ix_games_result_number")
        connection.execute(narrow)
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'ix_games_result_number'", (text,))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


# What is done to the file; how many games are not whole then: (at least, at most); whether a quick look shows it.
DAMAGE = {
    "a page of events": (flip_page("events"), (1, GAMES // 2), True),
    "a page of positions": (flip_page("positions"), (1, GAMES // 2), False),
    "a page of the ledger": (flip_page("ledger"), (GAMES, GAMES), True),
    "a page of an index of games": (flip_page("ix_games_state_number"), (0, 0), False),
    "a bit of an event": (flip_bit(7), (1, 1), True),
    "the form of an event": (flip_bit(1), (1, 1), True),
    "the header": (lambda path: overwrite(path, 1, b"not a database"), None, True),
    "the first page": (lambda path: overwrite(path, 1, b"\xff" * PAGE), None, True),
    "the end": (lambda path: os.truncate(path, path.stat().st_size // 2), None, True),
    "everything but the first page": (lambda path: os.truncate(path, PAGE), None, True),
    "everything": (lambda path: os.truncate(path, 0), None, True),
    "a table": (run_sql("DROP TABLE positions"), (GAMES, GAMES), True),
    "a table that all need": (run_sql("DROP TABLE events"), None, True),
    "the row of an index": (lose_index_entries, (0, 0), False),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_verify_names_the_games_that_are_not_whole(name, folder, original, runner):
    damage, bounds, _ = DAMAGE[name]
    damage(folder / "inkeek.sqlite3")
    done = runner.invoke(main, ["db", "verify", "--json", "--data", str(folder)])
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == 1
    assert "Traceback" not in done.output
    reports = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    bad = {report["game"] for report in reports if report["game"] is not None}
    assert reports or done.stderr.startswith("Error: ") or "damaged" in done.stderr
    if bounds is not None:
        assert bounds[0] <= len(bad) <= bounds[1], reports
        assert bad <= set(original[1])


@pytest.mark.parametrize("name", DAMAGE)
@pytest.mark.parametrize("running", [False, True], ids=["at the start", "while it runs"])
def test_no_answer_is_wrong(name, running, folder, original, caplog, monkeypatch):
    """Whatever is asked: the right answer or 503, and once damage is known nothing is written."""
    monkeypatch.setattr(integrity, "PAUSE", 0.0)
    damage, _, shows = DAMAGE[name]
    if not running:
        damage(folder / "inkeek.sqlite3")
    app = create_app({"data": str(folder), "PROPAGATE_EXCEPTIONS": False})
    client = app.test_client()
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {original[2]}"
    try:
        if running:
            assert client.get("/readyz").status_code == 200
            assert client.get(f"/api/v1/games/{original[1][0]}").status_code == 200
            damage(folder / "inkeek.sqlite3")
        with caplog.at_level(logging.ERROR):
            if shows:
                until(lambda: client.get("/readyz").status_code == 503)
                answer = client.get("/readyz").json
                assert answer["type"] in ("/problems/damaged", "/problems/storage")
                assert len(answer["detail"]) > 20
            lines = len([record for record in caplog.records if record.levelno >= logging.ERROR])
            assert lines <= 2
            for _ in range(5):
                client.get("/readyz")
            assert len([record for record in caplog.records if record.levelno >= logging.ERROR]) <= max(1, lines)
        for path in ("/api/v1/games", "/api/v1/matches", *(f"/api/v1/games/{game}" for game in original[1])):
            answer = client.get(path)
            assert answer.status_code in (200, 503), (path, answer.json)
            if answer.status_code == 503:
                assert answer.json["type"] in ("/problems/damaged", "/problems/storage")
        refused = services_of(app).store.damage.reason is not None
        for game in original[1][:5]:
            answer = client.post(f"/api/v1/games/{game}/turns", json={"move": "a"})
            assert answer.status_code in ((503,) if refused else (201, 409, 422, 503))
        assert not any(record.exc_info for record in caplog.records)
    finally:
        services_of(app).close()


@pytest.mark.parametrize("how", ["replaced", "removed"])
def test_a_file_that_is_not_the_same_any_more_is_not_written(how, folder, original):
    path = folder / "inkeek.sqlite3"
    store = Store(f"sqlite:///{path}")
    games = Games(store, max_plies=5000)
    games.create("bof", {}, {}, API)
    if how == "removed":
        path.unlink()
    else:
        shutil.copyfile(original[0], folder / "copy")
        os.replace(folder / "copy", path)
    app = create_app({"data": str(folder)})
    try:
        with pytest.raises(Exception, match="file") as error:
            games.create("bof", {}, {}, API)
        assert error.value.status == 503
    finally:
        services_of(app).close()
        store.close()


@pytest.fixture
def store(folder):
    store = Store(f"sqlite:///{folder / 'inkeek.sqlite3'}")
    yield store
    store.close()


def test_what_others_rightly_do_with_the_log_is_no_damage(folder, store, runner):
    """They empty it, close the last connection, whereupon SQLite deletes it, check and copy beside the service."""
    games = Games(store, max_plies=5000)
    path = folder / "inkeek.sqlite3"
    for number in range(3):
        games.create("bof", {}, {}, API)
        with closing(sqlite3.connect(path)) as other:
            assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
        assert store.surface_faults() == []
        games.create("bof", {}, {}, API)
        assert runner.invoke(main, ["db", "verify", "--data", str(folder)]).exit_code == 0
        copied = runner.invoke(main, ["db", "backup", str(folder / f"copy-{number}"), "--data", str(folder)])
        assert copied.exit_code == 0
        games.create("bof", {}, {}, API)
        store.close()  # all of this process
        assert not (folder / "inkeek.sqlite3-wal").exists()
    games.create("bof", {}, {}, API)
    assert store.surface_faults() == []


def test_a_database_may_be_a_symbolic_link(folder, tmp_path):
    """SQLite keeps the log beside the file that the link leads to."""
    (tmp_path / "club").mkdir()
    link = tmp_path / "club" / "inkeek.sqlite3"
    link.symlink_to(folder / "inkeek.sqlite3")
    store = Store(f"sqlite:///{link}")
    games = Games(store, max_plies=5000)
    reader = sqlite3.connect(folder / "inkeek.sqlite3")
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM games").fetchone()  # nothing is copied out of the log while it reads
    for _ in range(40):
        games.create("bof", {}, {"Event": "x" * 2000}, API)
    assert store.surface_faults() == []
    games.create("bof", {}, {}, API)
    reader.close()
    store.close()


@pytest.mark.skipif(os.name != "posix", reason="no rights of others")
def test_the_files_beside_a_linked_database_are_its_owners(folder, tmp_path):
    link = tmp_path / "link.sqlite3"
    link.symlink_to(folder / "inkeek.sqlite3")
    with closing(sqlite3.connect(folder / "inkeek.sqlite3")) as connection:
        connection.execute("SELECT count(*) FROM games").fetchone()
        (folder / "inkeek.sqlite3-wal").chmod(0o644)
        store = Store(f"sqlite:///{link}")
        store.upgrade()
        store.close()
        assert not (folder / "inkeek.sqlite3-wal").stat().st_mode & 0o007
