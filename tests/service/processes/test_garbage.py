"""The garbage collector in processes that make many objects."""

from __future__ import annotations

import gc

from service.processes.garbage import THRESHOLD, collecting_less


def test_the_collector_skips_what_there_was_and_runs_less_often() -> None:
    before = gc.get_threshold()
    with collecting_less():
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold()[0] == THRESHOLD > before[0]
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
