"""Requests to a board, and what becomes of them when the desk is killed."""

from __future__ import annotations

import pytest

from service.boards.bindings import MAX_TRIES
from tests.service.boards_double import FakeConnection, connected

from .conftest import BOOT


class Calibrated(FakeConnection):
    """A connection to a board that can be calibrated."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[tuple[int | None, int]] = []

    def calibrate(self, pit: int | None, seeds: int = 0) -> None:
        self.steps.append((pit, seeds))


@pytest.fixture
def seated(table, monkeypatch):
    """A table whose board can be calibrated and has connected. `sit` and `take` are what a desk does at its start."""
    monkeypatch.setattr("tests.service.boards.controller.conftest.FakeConnection", Calibrated)
    table.take = lambda: [table.controller.add_request(request) for request in table.boards.poll()[1]]
    table.sit()
    table.hear(connected(BOOT))
    return table


def test_a_calibration_survives_a_desk_that_is_killed_before_it_was_sent(seated):
    seated.boards.add_request(seated.board, "tare", {})
    seated.take()
    seated.step()  # the line goes out with the next poll
    assert seated.boards.poll()[1]
    seated.sit()
    seated.take()
    seated.step()
    assert seated.connection.steps == [], "no board is connected yet"
    seated.hear(connected(BOOT))
    assert seated.connection.steps == [(None, 0)]
    seated.step()
    assert seated.boards.poll()[1] == []


def test_a_request_waits_only_for_a_time_for_a_board(seated):
    seated.boards.add_request(seated.board, "seeds", {"pit": 1, "seeds": 5})
    seated.sit()
    seated.take()
    seated.step()
    assert seated.connection.steps == []
    seated.later(11)
    seated.step()
    assert seated.boards.poll()[1] == []


def test_a_request_that_ends_the_desk_is_given_up(seated):
    seated.boards.add_request(seated.board, "tare", {})
    for _ in range(MAX_TRIES + 1):
        assert seated.boards.poll()[1]
        seated.sit()
        seated.take()
        seated.hear(connected(BOOT))
        assert len(seated.connection.steps) <= 1
    assert seated.boards.poll()[1] == []
    assert seated.connection.steps == []
