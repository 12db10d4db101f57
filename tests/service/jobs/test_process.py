"""The process of jobs."""

import threading
from typing import Any

import pytest

from inkeek.service.jobs import process


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
