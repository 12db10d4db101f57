"""The process of jobs."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from service.jobs import process


def test_an_error_that_nobody_expects_ends_all_of_the_process(services: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def __init__(self, *_arguments: object) -> None:
            pass

        def step(self) -> bool:
            raise ZeroDivisionError

        def close(self) -> None:
            raise LookupError

    monkeypatch.setattr(process, "Runner", Failing)
    settings, stop = services.settings, threading.Event()
    with pytest.raises(LookupError):
        process.run(settings, stop)
    assert stop.is_set()


def test_games_that_an_import_has_left_are_found_after_a_while(services: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stop, looks = threading.Event(), list[int | None]()

    def update(_store: object, *, begun: bool = False, until: int | None = None) -> int:
        looks.append(None if begun else until)
        if looks[-1] == 7:
            stop.set()
        return 7

    monkeypatch.setattr(process, "update_positions", update)
    monkeypatch.setattr(process, "POSITIONS_EVERY", 0.0)
    monkeypatch.setattr(process, "LEFT_AFTER", 0.0)
    process.keep_positions(services.store, stop)
    assert looks == [None, 0, None, 7]
