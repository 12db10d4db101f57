from __future__ import annotations

from records import Position
from records.findings.board_counts import in_words, listed, place_name

POSITION = Position.parse("1.2/3.4 5-6 s 0")


def test_places_have_names() -> None:
    assert [place_name(POSITION, place)[-1] for place in range(4)] == ["a", "b", "A", "B"]
    assert "South" in place_name(POSITION, 4)
    assert "North" in place_name(POSITION, 5)


def test_small_numbers_are_words() -> None:
    assert [in_words(number) for number in (0, 1, 12, 13)] == ["no", "one", "twelve", "13"]
    assert [listed(["a"]), listed(["a", "b", "c"])] == ["a", "a, b and c"]
