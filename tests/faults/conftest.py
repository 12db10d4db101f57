from __future__ import annotations

from collections.abc import Iterator

import pytest

from inkeek.service.boards.bindings import Boards
from inkeek.service.games.repository import Games
from tests.faults.sessions import database, registered_driver


@pytest.fixture(scope="module")
def parts() -> Iterator[tuple[Games, Boards]]:
    with registered_driver(), database() as made:
        yield made
