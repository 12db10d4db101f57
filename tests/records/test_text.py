"""Times of RFC 3339."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from inkeek.records.text import read_instant

BEFORE_2017 = datetime(2016, 12, 31, 23, 59, 59, 999999, UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-20T18:05:10Z", datetime(2026, 11, 20, 18, 5, 10, tzinfo=UTC)),
        ("2026-11-20T18:05:10.1234567+03:00", datetime(2026, 11, 20, 15, 5, 10, 123456, UTC)),
        ("2016-12-31T23:59:60Z", BEFORE_2017),
        ("2016-12-31T23:59:60.5Z", BEFORE_2017),
        ("2017-01-01T02:59:60+03:00", BEFORE_2017),
        ("2015-06-30T23:59:60Z", datetime(2015, 6, 30, 23, 59, 59, 999999, UTC)),
    ],
)
def test_a_time_is_read_and_a_leap_second_is_the_last_moment_of_its_month(text, moment):
    assert read_instant(text) == moment


def test_a_leap_second_keeps_its_offset():
    assert read_instant("2017-01-01T02:59:60+03:00").tzinfo == timezone(timedelta(hours=3))


@pytest.mark.parametrize(
    "text",
    [
        *("2016-12-30T23:59:60Z", "2016-12-31T22:59:60Z", "2016-12-31T23:58:60Z", "2016-12-31T23:59:60+01:00"),
        *("2016-12-31T23:59:61Z", "2016-12-31T24:00:00Z", "2026-02-30T10:00:00Z", "2026-11-20", "2026-11-20T18:05Z"),
        *("2026-11-20 18:05:10Z", "2026-11-20T18:05:10", "２026-11-20T18:05:10Z"),
    ],
)
def test_what_is_no_time_is_quoted(text):
    with pytest.raises(ValueError, match=r"60 UTC|RFC 3339|day|hour|second"):
        read_instant(text)
