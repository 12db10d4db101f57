from xml.etree import ElementTree

from hypothesis import given

from inkeek.service.http.web.drawing import blank_boards, small_board
from tests.records.drawing.test_svg import positions


@given(positions())
def test_a_small_board_has_the_counts_and_marks_at_their_pits(position):
    root = ElementTree.fromstring(str(small_board(position, title="<b>", sign="bull", mend={1: -2})))
    counts = [part.text or "" for part in root.iter("text") if not part.get("class")]
    expected = ["" if mark == 3 else str(seeds) for seeds, mark in zip(position.pits, position.marks, strict=True)]
    assert counts == [*expected, *map(str, position.stores)]
    (marks,) = [part for part in root if part.get("class") == "marks"]
    assert len(marks) == sum(map(bool, position.marks))
    assert root.get("data-position") == str(position)
    assert [part.text for part in root.iter("text") if part.get("class") == "badge"] == ["−2"]
    blank = ElementTree.fromstring(str(blank_boards([position.row])))
    (group,) = blank[0]
    assert next(part.get("href") for part in root.iter("use")) == f"#{group.get('id')}"
    assert sum(part.get("class") == "letter" for part in group.iter()) == 2 * position.row


def test_each_length_of_row_is_drawn_once():
    drawn = ElementTree.fromstring(str(blank_boards([8, 12, 8])))
    assert [part.get("id") for part in drawn[0]] == ["blank-8", "blank-12"]
