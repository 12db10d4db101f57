"""The judge finds what goes wrong when the service does without what each kind of session is about."""

from __future__ import annotations

from typing import Any

import pytest

from service.boards.bindings import Boards
from service.boards.controller import controller, identify
from service.boards.controller.core import ControllerCore
from service.games.repository import Games
from tests.faults.sessions import play

SESSIONS = 80  # at most, until one goes wrong


def goes_wrong(kind: str, parts: tuple[Games, Boards]) -> bool:
    """Whether the judge finds a fault in one of the sessions: a wrong turn, or one that is lost."""
    return any(play(kind, f"4:{kind}:{number}", *parts).faults for number in range(SESSIONS))


@pytest.mark.parametrize("kind", ["swapped", "foreign"])
def test_boards_that_are_not_told_apart(kind: str, parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(identify, "identify", lambda board, event: True)
    monkeypatch.setattr(controller, "clean_serial", lambda text: "any")
    assert goes_wrong(kind, parts)


@pytest.mark.parametrize("kind", ["unsure"])
def test_faulty_sensors_that_are_evidence(kind: str, parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ControllerCore, "ignored", frozenset())
    assert goes_wrong(kind, parts)


def test_lifts_that_are_no_evidence(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ControllerCore, "_evidence", lambda board: None)
    assert goes_wrong("other-turn", parts)
