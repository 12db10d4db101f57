from typing import Any

import pytest

from inkeek.records import Move, Ply, Variation, ruleset
from inkeek.service.games.move_list import MAX_NODES, Annotated, find_node, list_turns
from inkeek.service.games.plies import Annotation

pytestmark = pytest.mark.usefixtures("page_context")


def ply(move: str, **more: Any) -> Ply:
    return Ply(Move.parse(move), **more)


RULES = ruleset("enkeshui", pits=8, setup="fours-right")


def turns_of(*moves: str, first: str = "s", **options: Any):
    rules = ruleset("enkeshui", pits=8, setup="fours-right", **options)
    position = rules.start()
    if first == "n":
        position = position.replaced(to_move=position.to_move.other)
    turns = []
    for move in moves:
        turns.append(rules.play(position, Move.parse(move)))
        position = turns[-1].position
    return turns


def shape(rows):
    return [(row.number, *(turn and turn.text for turn in row.turns)) for row in rows]


def test_two_turns_a_row():
    rows = list_turns([ply("f"), ply("D"), ply("c")], turns_of("f", "D", "c"))
    assert shape(rows) == [(1, "f", "D"), (2, "c", None)]
    assert [turn.number for row in rows for turn in row.turns if turn] == ["1.", "1…", "2."]
    assert [turn.ply for row in rows for turn in row.turns if turn] == [1, 2, 3]


def test_north_may_begin():
    rows = list_turns([ply("D"), ply("f")], turns_of("D", "f", first="n"))
    assert shape(rows) == [(1, None, "D"), (2, "f", None)]


def test_comments_and_variations_split_no_row():
    written = [ply("f", comments=("why? [%clk 0:01:00]",), variations=(Variation((ply("c"),)),)), ply("D")]
    rows = list_turns(written, turns_of("f", "D"), RULES)
    assert shape(rows) == [(1, "f", "D")]
    (noted,) = rows[0].noted
    assert [remark.text for remark in noted.remarks] == ["why?"]
    assert noted.remarks[0].sentences == ()
    assert len(noted.variations) == 1


def test_clocks_and_boards_are_told_with_their_turn_only():
    rows = list_turns([ply("f", comments=('[%board "SIM-1" seq=3]', "[%clk 0:01:00]")), ply("D")], turns_of("f", "D"))
    assert shape(rows) == [(1, "f", "D")]
    assert rows[0].noted == []
    first, second = rows[0].turns[0].commands
    assert "SIM-1" in first
    assert "0:01:00" in second
    assert rows[0].turns[1].commands == ()


def test_people_and_disputes_are_told_in_the_list():
    rows = list_turns([ply("f", comments=('[%join south "Naisula"] [%clk 0:01:00]',))], turns_of("f"))
    (remark,) = rows[0].noted[0].remarks
    assert remark.text == ""
    assert len(remark.sentences) == 1
    assert "Naisula" in remark.sentences[0]
    assert len(rows[0].turns[0].commands) == 1


def test_a_rearrangement_and_its_turn_share_a_number():
    rows = list_turns([ply("cd@a8"), ply("e"), ply("D")], turns_of("cd@a8", "e", "D"))
    assert shape(rows) == [(1, "cd@a8", None), (1, "e", "D")]


def test_glyphs_stand_at_their_turn():
    rows = list_turns([ply("f", nags=(1, 40))], turns_of("f"))
    assert [glyph.sign for glyph in rows[0].turns[0].glyphs] == ["!", "$40"]


def tokens_of(variation: Variation):
    (row,) = list_turns([ply("f", variations=(variation,))], turns_of("f"), RULES)
    return row.turns[0].variations[0].tokens


def test_variations_are_numbered_and_have_their_positions():
    inner = Variation((ply("g", nags=(2,)),), comments=("or",))
    outer = Variation((ply("c", comments=("sharp",), variations=(inner,)), ply("B"), ply("e")))
    tokens = tokens_of(outer)
    assert [(token.kind, token.turn and token.turn.node) for token in tokens] == [
        ("open", None), ("move", "1v1.1"), ("comment", None), ("open", None), ("comment", None), ("move", "1v1.1v1.1"),
        ("close", None), ("move", "1v1.2"), ("move", "1v1.3"), ("close", None),
    ]  # fmt: skip
    moves = [token for token in tokens if token.turn]
    assert [(token.turn.number, token.numbered) for token in moves] == [
        ("1.", True), ("1.", True), ("1…", True), ("2.", True),
    ]  # fmt: skip
    position = RULES.start()
    for token in (moves[0], *moves[2:]):
        position = RULES.play(position, token.turn.turn.move).position
        assert token.turn.position == position


def test_variations_may_be_nested_however_deep_and_are_cut_where_they_are_long():
    deep = Variation((ply("c"),))
    for _ in range(2000):
        deep = Variation((ply("c", variations=(deep,)),))
    tokens = tokens_of(deep)
    assert tokens[-1].kind == "more"
    assert sum(token.kind == "move" for token in tokens) == MAX_NODES


def test_a_move_that_cannot_be_played_has_no_position():
    tokens = tokens_of(Variation((ply("c"), ply("c"), ply("B"))))
    assert [bool(token.turn) for token in tokens if token.kind == "move"] == [True, False, False]


def test_a_node_is_found_by_its_address():
    outer = Variation((ply("c", variations=(Variation((ply("g"),)),)),))
    rows = list_turns([ply("f", variations=(outer,)), ply("D")], turns_of("f", "D"), RULES)
    for node, text in (("1", "f"), ("2", "D"), ("1v1.1", "c"), ("1v1.1v1.1", "g")):
        assert find_node(rows, node).turn.move.pit == text
    assert find_node(rows, "1v2.1") is None
    assert find_node(rows, "7v1.1") is None


def test_only_the_reader_of_an_annotation_is_offered_to_edit_it():
    def note(number: int, value: str, source: str) -> Annotation:
        return Annotation(f"{number}-1", 1, "comment", value, "", source, "", "", number)

    annotated = Annotated([note(4, "mine", "page:me:1"), note(5, "theirs", "page:you:2")], lambda s: "me" in s)
    first, second, third = annotated.remarks(1, ["mine", "theirs", '[%leave south "A"]'])
    assert (first.id, first.written, first.may_edit) == ("4-1", "mine", True)
    assert (second.id, second.may_edit) == ("5-1", False)
    assert (third.id, third.may_edit) == ("", False)


def test_turns_that_could_not_be_replayed_are_left_out():
    assert shape(list_turns([ply("f"), ply("H")], turns_of("f"))) == [(1, "f", None)]


def test_turns_that_a_ruling_took_back_have_one_sentence(app):
    back = [f"[%retract {move} reason=ruling]" for move in "Dd"]
    with app.test_request_context():
        (ruling, taken_back) = Annotated().remarks(1, ["[%ruling outcome=corrected]", *back])
    assert (len(ruling.sentences), len(taken_back.sentences)) == (1, 1)
    assert "d D" in taken_back.sentences[0]
