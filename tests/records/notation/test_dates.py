from datetime import date

import pytest

from inkeek.records.notation.tags import read_day, whole_day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1974-05-21", "1974-05-21"),
        ("1974.05.21", "1974-05-21"),
        ("1974.05.??", "1974-05"),
        ("1974-05", "1974-05"),
        ("1974.??.??", "1974"),
        ("1974.??.21", "1974"),
        ("1974", "1974"),
        ("2024-02-29", "2024-02-29"),
        *((text, None) for text in ("2026-02-29", "2026-13-45", "2026-13", "0000", "????.05.21", "74", "1974-5-2", "")),
    ],
)
def test_a_day_is_read_as_far_as_it_is_known_and_can_be(text, day):
    assert read_day(text) == day


def test_a_day_is_whole_with_month_and_day():
    assert whole_day("1974.05.21") == date(1974, 5, 21)
    assert [whole_day(text) for text in ("1974.05.??", "1974", "soon")] == [None, None, None]
