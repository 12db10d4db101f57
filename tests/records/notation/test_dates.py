from datetime import date

import pytest

from inkeek.records.notation.dates import Span, read_day, read_span, whole_day


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


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1974.05.21", "1974-05-21", "1974-05-21"),
        *((text, "1974", "1974") for text in ("1974?", "1974~", "1974-XX", "c. 1974", "about 1974", "mid-1974")),
        *((text, "1974", "1974") for text in ("1974-21", "spring 1974", "the dry season of 1974")),
        *((text, "1974-05", "1974-05") for text in ("1974-05~", "c. May 1974", "Mei 1974", "1974.05.??")),
        *((text, "1974-05-21", "1974-05-21") for text in ("21 May 1974", "May 21, 1974", "1974-05-21?")),
        *((text, "1974", "1976") for text in ("1974/1976", "1974-1976", "1974 to 1976", "between 1974 and 1976")),
        ("c. 1974 – June 1976", "1974", "1976-06"),
        *(
            (text, "1974-05-12", "1974-05-14")
            for text in ("12-14 May 1974", "12 to 14 May 1974", "1974-05-12/1974-05-14")
        ),
        *((text, "1974-05-28", "1974-06-02") for text in ("28 May - 2 June 1974", "28 May – 2 June 1974")),
        ("May-June 1974", "1974-05", "1974-06"),
        *((text, "1974", "1975") for text in ("1974/75", "winter 1974/75", "dry season 1974-75", "1974 or 1975")),
        *((text, "1974", "1974") for text in ("the rains of 1974", "Ramadan 1974", "mwaka wa 1974", "masika ya 1974")),
        *((text, "1974", "1974") for text in ("Gu' 1974", "jilaal 1974", "msimu wa mvua 1974")),
        ("May 1974 au Juni 1974", "1974-05", "1974-06"),
        *((text, "1970", "1979") for text in ("197X", "1970s")),
        *((text, "1974", "") for text in ("1974/..", "after 1974")),
        ("1974-05-02 or 1974-02-05", "1974-02-05", "1974-05-02"),
        *((text, "", "1980") for text in ("../1980", "before 1980")),
    ],
)
def test_a_date_is_read_as_sources_give_it(text, first, last):
    assert read_span(text) == Span(first, last)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "/",
        "yesterday",
        "2026.13.45",
        "2026.11.20 or so",
        "1976/1974",
        "1974/05",
        "winter 1974/77",
        "31 June 1974",
        "74",
    ],
)
def test_what_is_no_date_is_none(text):
    assert read_span(text) is None
