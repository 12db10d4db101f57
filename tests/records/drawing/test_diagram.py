import re
from xml.etree import ElementTree

import pytest

from inkeek.records import NORTH, Position, RecordsError
from inkeek.records.drawing.diagram import diagram_svg

POSITION = Position.parse("1.2s.x/4.5.6 7-8 n 3")


def texts(**options):
    found = ElementTree.fromstring(diagram_svg(POSITION, **options)).iter("{http://www.w3.org/2000/svg}text")
    return [text.text for text in found if text.text]


def test_a_diagram_has_counts_letters_and_stores_and_nothing_else():
    assert sorted(texts()) == sorted([*"abcABC", *"124567", "8", "×", "S"])


def test_letters_are_those_that_were_chosen():
    assert [text for text in texts(letters="ABCDEF") if re.fullmatch("[A-F]", text)] == [*"ABCDEF"]
    assert sorted(texts(letters="", near=NORTH)) == sorted([*"124567", "8", "×", "S"])
    assert ">?</text>" in diagram_svg(Position.parse("1.?/4.5 7-8 n 3"))
    assert "&lt;" in diagram_svg(POSITION, letters="<>&'\"x")
    with pytest.raises(RecordsError, match="'ABC', 3 of them: expected 6"):
        diagram_svg(POSITION, letters="ABC")
