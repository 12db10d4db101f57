"""The judge finds what goes wrong when the service does without what each kind of session is about."""

from __future__ import annotations

from typing import Any

import pytest

from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.controller import controller
from inkeek.service.boards.controller.core import ControllerCore
from inkeek.service.games.repository import Games
from tests.faults.sessions import play

SESSIONS = 80  # at most, until one goes wrong


def is_found(kind: str, parts: tuple[Games, Boards], without: pytest.MonkeyPatch) -> bool:
    """Whether the judge finds a fault, a wrong turn or a lost one, in a session that is right once all is back."""
    seeds = (f"4:{kind}:{number}" for number in range(SESSIONS))
    wrong = next((seed for seed in seeds if play(kind, seed, *parts).faults), None)
    without.undo()
    return wrong is not None and not play(kind, wrong, *parts).faults


def test_boards_that_are_not_told_apart(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(controller, "identify", lambda board, event: True)
    monkeypatch.setattr(controller, "clean_serial", lambda text: "any")
    assert is_found("foreign", parts, monkeypatch)


def test_faulty_sensors_that_are_evidence(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ControllerCore, "ignored", frozenset())
    assert is_found("unsure", parts, monkeypatch)


def test_lifts_that_are_no_evidence(parts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ControllerCore, "_evidence", lambda board: None)
    assert is_found("other-turn", parts, monkeypatch)
