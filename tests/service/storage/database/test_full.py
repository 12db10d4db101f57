"""No room left for the database: reported as such, no partial write, and all is well again when there is room."""

import contextlib
import shutil
import subprocess

import pytest

from inkeek.service import create_app
from inkeek.service.errors import StorageFull
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import TOKEN
from inkeek.service.http.context import services_of
from inkeek.service.maintenance import verify
from inkeek.service.storage.store import Store

MOST = 2000  # writes, by which 1 MB is long full


def fill(write):
    """Write until it is refused; how often it was not."""
    for number in range(MOST):
        if not write():
            return number
    raise AssertionError(f"after {MOST} writes there is still room")


def verified(store):
    """How many games there are, all of them whole."""
    reports = list(verify.verify(store))
    assert [report.faults for report in reports] == [()] * len(reports)
    return len(reports)


def test_a_file_that_may_not_grow(tmp_path):
    store = Store(f"sqlite:///{tmp_path / 'x.sqlite3'}", 5.0)
    store.upgrade()
    games = Games(store, max_plies=100)

    def pages(most):
        with store.reading() as transaction:  # there is but one connection, which is used again and again
            transaction.games._session.exec_driver_sql(f"PRAGMA max_page_count = {most}")

    def create():
        with contextlib.suppress(StorageFull):
            return games.create("bof", {}, {"Event": "x" * 500}, Write("api"))

    pages(60)
    stored = fill(create)
    assert stored > 0
    assert verified(store) == stored
    pages(1000)
    assert create()
    assert verified(store) == stored + 1
    store.close()


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a file system of 1 MB, where that can be made."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=1m", "inkeek-test", str(folder)]
    if not mount or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small file system")
    yield folder
    subprocess.run([umount or "umount", str(folder)], check=True)


def test_a_disk_that_is_full(small_disk):
    app = create_app({"data": str(small_disk)})
    store = services_of(app).store
    store.upgrade()
    client = app.test_client()
    _, token = services_of(app).keys.create(TOKEN, "tests", ("record",), None)
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    answers = []
    log = small_disk / "inkeek.sqlite3-wal"

    def create():
        answer = client.post("/api/v1/games", json={"game": "bof", "tags": {"Event": "x" * 500}})
        answers.append(answer.json)
        return answer.status_code == 201

    try:
        stored = fill(create)
        assert stored > 0
        assert (answers[-1]["type"], answers[-1]["status"]) == ("/problems/storage-full", 507)
        assert client.get("/api/v1/games").status_code == 200
        assert client.get("/readyz").status_code == 507
        assert log.stat().st_size < 1 << 18  # it leaves the room to the games
        assert verified(store) == stored
        subprocess.run(["mount", "-o", "remount,size=4m", str(small_disk)], check=True)
        assert create()
        assert client.get("/readyz").status_code == 200
        assert verified(store) == stored + 1
    finally:
        store.close()
