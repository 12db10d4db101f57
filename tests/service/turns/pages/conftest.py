"""Fixtures for turns in a real browser."""

import pytest

from tests.service.http.web.conftest import bind_board, database_kind, games, new_game, served, watch
from tests.service.http.web.test_browser import LIVE
from tests.service.turns.pages.test_board_entry_browser import CHOICE, OPEN, PHONE

__all__ = ["bind_board", "database_kind", "games", "new_game", "offline", "phone", "served", "watch"]


@pytest.fixture
def phone(watch, new_game):
    """The live page of a new game on a phone, and the game."""
    game_id = new_game(0, "enkeshui", CHOICE)
    page = watch.open(f"/games/{game_id}/live", ready=LIVE, reduced_motion="reduce", **PHONE)
    page.wait_for_selector(OPEN)
    return page, game_id


@pytest.fixture
def offline(watch, phone):
    """The same, with its connection cut."""
    watch.expected = ("ERR_", "Failed to load resource")
    page, _ = phone
    page.context.set_offline(True)
    return phone
