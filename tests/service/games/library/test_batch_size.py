from datetime import UTC, datetime, timedelta

import pytest

from inkeek.service.games.library import batch_size
from inkeek.service.games.library.batch_size import ALONE_AFTER, FEW, MANY, PAUSE, BatchSize
from inkeek.service.storage.clock import stamp

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=1)


def is_few(size: BatchSize) -> bool:
    few = size.is_full(FEW.games, 0)
    assert few == size.is_full(1, FEW.characters)
    assert not size.is_full(FEW.games - 1, FEW.characters - 1)
    assert size.is_full(MANY.games, 0)
    assert size.is_full(1, MANY.characters)
    assert few != (not size.is_full(MANY.games - 1, MANY.characters - 1))
    return few


def test_a_batch_is_small_before_the_ledger_was_looked_at():
    assert is_few(BatchSize(writers_wait=True))


@pytest.mark.parametrize("time", ["", stamp(LONG_AGO), stamp(NOW - ALONE_AFTER)])
def test_batches_are_large_when_nobody_wrote_lately(time):
    size = BatchSize(writers_wait=True)
    size.note(7, time, 4, stamp(NOW))
    assert not is_few(size)


@pytest.mark.parametrize("ago", [timedelta(0), timedelta(seconds=9), timedelta(seconds=-1)])
def test_batches_are_small_while_others_write(ago):
    size = BatchSize(writers_wait=True)
    size.note(7, stamp(NOW - ago), 4, stamp(NOW))
    assert is_few(size)


def test_what_the_import_stored_itself_is_not_of_others():
    size = BatchSize(writers_wait=True)
    size.note(7, stamp(LONG_AGO), 4, stamp(NOW))
    size.note(11, stamp(NOW), 64, stamp(NOW))
    assert not is_few(size)
    size.note(75, stamp(NOW), 0, stamp(NOW))
    assert not is_few(size)
    size.note(76, stamp(NOW), 64, stamp(NOW))
    assert is_few(size)


def test_batches_grow_again_some_time_after_others_wrote():
    size = BatchSize(writers_wait=True)
    size.note(7, stamp(NOW), 4, stamp(NOW))
    size.note(11, stamp(NOW), 4, stamp(NOW + ALONE_AFTER - timedelta(microseconds=1)))
    assert is_few(size)
    size.note(15, stamp(NOW), 4, stamp(NOW + ALONE_AFTER))
    assert not is_few(size)


def test_batches_are_large_where_writers_do_not_wait_for_each_other():
    size = BatchSize(writers_wait=False)
    assert not is_few(size)
    size.note(7, stamp(NOW), 4, stamp(NOW))
    assert not is_few(size)


def test_small_batches_leave_a_moment_to_those_who_wait(monkeypatch):
    now, slept = [100.0], []
    monkeypatch.setattr(batch_size, "monotonic", lambda: now[0])
    monkeypatch.setattr(batch_size, "sleep", slept.append)
    size = BatchSize(writers_wait=True)
    size.pause()
    size.note(7, stamp(NOW), 4, stamp(NOW))
    now[0] += PAUSE / 4
    size.pause()
    now[0] += PAUSE
    size.pause()
    size.note(11, stamp(NOW), 4, stamp(NOW + ALONE_AFTER))
    size.pause()
    assert slept == [0.0, pytest.approx(PAUSE * 3 / 4), 0.0]
