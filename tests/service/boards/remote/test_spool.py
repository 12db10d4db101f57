"""The spool keeps reports and what is known, over everything that happens to its file."""

import sqlite3
from contextlib import closing

import pytest

from inkeek.drivers.errors import SpoolError, SpoolFull
from inkeek.service.boards.remote.spool import Known, Spool
from inkeek.service.errors import ErrorText
from inkeek.service.storage import BoardRow, GameEvent

MESSAGE = ErrorText("Recorded: %(turns)s.", turns="1. c")
BOARD = BoardRow("b1", "inkeek", "/dev/x", "g1", "open", "B-7", "0a", 3, {"message": MESSAGE}, 1, "t", "t")


def known(*hashes):
    events = [GameEvent("g1", seq, "t", "", "api", "turn", {"ply": seq}, "", one) for seq, one in enumerate(hashes, 1)]
    return Known(BOARD, tuple(events), 1)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "spools" / "g1.spool"


def test_what_was_kept_is_there_again_in_order(path):
    spool = Spool(path)
    assert spool.load() == (None, [])
    first = spool.keep({"id": "1"}, known("a", "b"))
    spool.keep({"id": "2"}, known("a", "b", "c"))
    spool.keep({"id": "3"}, known("a", "x"), [first])
    spool.close()
    again = Spool(path)
    found, waiting = again.load()
    assert found == known("a", "x")
    assert found.board.status["message"].template == MESSAGE.template
    assert [report for _, report in waiting] == [{"id": "2"}, {"id": "3"}]
    again.forget([number for number, _ in waiting])
    assert (again.waiting, again.load()[1]) == (0, [])
    again.close()


def test_one_process_fills_it_and_not_without_end(path):
    spool = Spool(path, limit=1)
    with pytest.raises(SpoolError, match="is in use"):
        Spool(path)
    spool.keep({}, None)
    with pytest.raises(SpoolFull, match="is full"):
        spool.keep({}, None)
    spool.close()


def test_a_file_that_is_none_is_told_and_left_alone(path):
    path.parent.mkdir()
    path.write_bytes(b"no spool" * 100)
    with pytest.raises(SpoolError, match="fails"):
        Spool(path)
    assert path.read_bytes() == b"no spool" * 100


def test_a_spool_of_another_version_is_told(path):
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 1")
        file.commit()
    with pytest.raises(SpoolError, match="version 1"):
        Spool(path)
