"""Sessions of every kind, and that the judge finds what is wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from inkeek.drivers.base import Connection
from inkeek.drivers.detection.verdicts import Clear
from inkeek.service.boards.bindings import Boards
from inkeek.service.boards.controller.core import ControllerCore
from inkeek.service.games.repository import Games
from tests.faults.sessions import KINDS, play
from tests.faults.table import CHANGES

EACH = 2  # sessions per kind


@pytest.mark.parametrize("kind", KINDS)
def test_no_turn_is_recorded_wrong_or_lost_without_a_logged_gap(kind: str, parts: tuple[Games, Boards]) -> None:
    for number in range(EACH):
        outcome = play(kind, f"2:{kind}:{number}", *parts)
        assert outcome.faults == []
        assert outcome.figures["recorded"] >= outcome.figures["turns"] > 0


def test_the_judge_finds_a_wrong_turn(parts: tuple[Games, Boards], monkeypatch: pytest.MonkeyPatch) -> None:
    """The detector here takes every board for the first legal turn."""
    judge = ControllerCore.detect_turn

    def guess(board: ControllerCore, *arguments: Any, **named: Any) -> Any:
        verdict = judge(board, *arguments, **named)
        if not isinstance(verdict, Clear):
            return verdict
        loaded = board.games.load(board.row.game)
        return Clear(loaded.rules.play(loaded.position, loaded.legal(1)[0]), 1.0)

    monkeypatch.setattr(ControllerCore, "detect_turn", guess)
    outcome = play("none", "2:none:0", *parts)
    assert outcome.figures["wrong"] > 0
    assert outcome.faults


def test_the_judge_finds_a_missing_turn(parts: tuple[Games, Boards], monkeypatch: pytest.MonkeyPatch) -> None:
    """The last turn of the record is gone, though the lights accepted it."""
    load = Games.load

    def short(games: Games, game_id: str) -> Any:
        loaded = load(games, game_id)
        if loaded.row.ply < 8:
            return loaded

        class Short:
            record = replace(loaded.record, plies=loaded.record.plies[:-1])
            position = loaded.position

        return Short()

    monkeypatch.setattr(Games, "load", short)
    outcome = play("none", "2:none:0", *parts)
    assert outcome.figures["lost"] == 1
    assert outcome.faults


def test_the_desk_can_die_in_calls_that_exist() -> None:
    assert [name for name in CHANGES if not any(hasattr(kind, name) for kind in (Games, Boards, Connection))] == []
