from __future__ import annotations

import pytest

from service.boards.bindings import known_drivers, known_ports
from service.games.write import Write


@pytest.fixture
def board(parts, monkeypatch):
    monkeypatch.setattr("service.boards.bindings.registry.driver", lambda name: object())
    row = parts.games.create("enkeshui", {}, {}, Write("api"))
    return parts.boards.bind("/dev/fake", "inkeek", row.id)


def test_every_change_of_the_status_grows_the_version(parts, board):
    again = parts.boards.report(board.id, board.status)
    assert again.version == board.version
    changed = parts.boards.report(board.id, {**board.status, "message": "hm"})
    assert changed.version == board.version + 1
    assert parts.boards.get(board.id) == changed


def test_what_was_settled_and_its_log_are_stored_together(parts, board):
    settled = parts.boards.settle(board.id, "S", "b", 9, {"state": "connected"}, ("button", {"side": "South"}))
    assert (settled.serial, settled.boot, settled.seq) == ("S", "b", 9)
    assert parts.boards.get(board.id) == settled
    (entry,) = parts.boards.log(board.id)
    assert (entry.number, entry.kind, entry.data) == (1, "button", {"side": "South"})


def test_a_released_board_keeps_what_it_said(parts, board):
    parts.boards.report(board.id, {**board.status, "counts": [1.0]})
    released = parts.boards.release(board.id)
    assert (released.wanted, released.status["state"], released.status["counts"]) == ("closed", "closed", [1.0])
    assert parts.boards.release(board.id) == released
    assert parts.boards.open() == []


def test_ports_and_drivers_are_listed_whatever_is_there():
    assert isinstance(known_ports(), list)
    assert isinstance(known_drivers(), list)
