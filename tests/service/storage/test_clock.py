from datetime import UTC, datetime, timedelta, timezone

from inkeek.service.storage.clock import stamp, utc_now


def test_a_stamp_is_utc_with_microseconds():
    moment = datetime(2026, 11, 20, 21, 30, tzinfo=timezone(timedelta(hours=3)))
    assert stamp(moment) == "2026-11-20T18:30:00.000000Z"


def test_stamps_sort_as_time_does():
    moments = [datetime(2026, 11, 20, tzinfo=UTC) + timedelta(microseconds=10**n) for n in range(8)]
    assert sorted(map(stamp, moments)) == [stamp(moment) for moment in moments]


def test_now_knows_where_it_is():
    assert utc_now().tzinfo is UTC
