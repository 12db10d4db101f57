from __future__ import annotations

import pytest

from service.boards.status import BoardStatus
from service.games.write import Write
from tests.service.boards_double import set_status


@pytest.fixture
def board(services, monkeypatch):
    monkeypatch.setattr("drivers.registry.driver", lambda name: object())
    row = services.games.create("enkeshui", {}, {}, Write("api"))
    return services.boards.bind("/dev/fake", "inkeek", row.id)


def test_every_change_of_the_status_grows_the_version(services, board):
    again = set_status(services.boards, board.id)
    assert again.version == board.version
    changed = set_status(services.boards, board.id, message="hm")
    assert changed.version == board.version + 1
    assert services.boards.get(board.id) == changed


def test_what_was_settled_and_its_log_are_stored_together(services, board):
    settled = services.boards.commit_event(
        board.id, "S", "b", 9, BoardStatus("connected"), ("button", {"side": "South"})
    )
    assert (settled.serial, settled.boot, settled.seq) == ("S", "b", 9)
    assert services.boards.get(board.id) == settled
    (entry,) = services.boards.log(board.id)
    assert (entry.number, entry.kind, entry.data) == (1, "button", {"side": "South"})


def test_a_released_board_keeps_what_it_said(services, board):
    set_status(services.boards, board.id, counts=[1.0])
    released = services.boards.release(board.id)
    assert (released.wanted, released.status["state"], released.status["counts"]) == ("closed", "closed", [1.0])
    assert services.boards.release(board.id) == released
    assert services.boards.open() == []
