from __future__ import annotations

import pytest

from service.checks import check_tags, check_text
from service.errors import Invalid


def test_ordinary_tags_and_texts_are_taken():
    check_tags({"South": "Kipsigis “A” {bench}", "SouthTeam": "", "X_1": "x" * 1000})
    check_text("comments", 'with "quotes" and [%clk 0:01:00]', 100)
    check_text("by", "Nasieku ole Sein", 100)


@pytest.mark.parametrize("tags", [{"": "x"}, {"1st": "x"}, {"Süd": "x"}, {"A" * 65: "x"}, {"Setup": "x"}])
def test_names_that_are_no_tags_are_refused(tags):
    with pytest.raises(Invalid):
        check_tags(tags)


def test_too_many_tags_are_refused():
    with pytest.raises(Invalid, match="101 of them"):
        check_tags({f"T{number}": "" for number in range(101)})


@pytest.mark.parametrize(
    ("where", "text"),
    [("tags.X", "a\nb"), ("tags.X", "\x00"), ("by", '"'), ("by", "}"), ("comments", "}"), ("by", "\x1b[1m")],
)
def test_characters_that_would_break_a_record_are_refused(where, text):
    with pytest.raises(Invalid, match="cannot stand there"):
        check_text(where, text, 100)
