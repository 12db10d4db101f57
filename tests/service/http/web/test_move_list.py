from __future__ import annotations

from typing import Any

from records import Move, Ply, Variation, ruleset
from service.http.web.move_list import MAX_TOKENS, list_turns, variation_tokens


def ply(move: str, **more: Any) -> Ply:
    return Ply(Move.parse(move), **more)


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


def test_a_comment_closes_the_row():
    rows = list_turns([ply("f", comments=("why? [%clk 0:01:00]",)), ply("D")], turns_of("f", "D"))
    assert shape(rows) == [(1, "f", None), (1, None, "D")]
    assert rows[0].comments[0].text == "why?"


def test_commands_without_words_close_no_row():
    rows = list_turns([ply("f", comments=('[%board "SIM-1" seq=3]', "[%clk 0:01:00]")), ply("D")], turns_of("f", "D"))
    assert shape(rows) == [(1, "f", "D")]
    assert rows[0].comments == []
    first, second = rows[0].turns[0].commands
    assert "SIM-1" in first
    assert "0:01:00" in second
    assert rows[0].turns[1].commands == ()


def test_a_rearrangement_and_its_turn_share_a_number():
    rows = list_turns([ply("cd@a8"), ply("e"), ply("D")], turns_of("cd@a8", "e", "D"))
    assert shape(rows) == [(1, "cd@a8", None), (1, "e", "D")]


def test_glyphs_stand_at_their_turn():
    rows = list_turns([ply("f", nags=(1, 40))], turns_of("f"))
    assert [glyph.sign for glyph in rows[0].turns[0].glyphs] == ["!", "$40"]


def test_variations_are_listed_in_order_however_deep():
    inner = Variation((ply("g", nags=(2,)),), comments=("or",))
    outer = Variation((ply("c", comments=("sharp",), variations=(inner,)), ply("D")))
    tokens = variation_tokens(outer)
    assert [token.text for token in tokens] == ["(", "c", "sharp", "(", "or", "g?", ")", "D", ")"]
    deep = Variation((ply("c"),))
    for _ in range(5000):
        deep = Variation((ply("c", variations=(deep,)),))
    assert variation_tokens(deep)[-1].kind == "more"
    assert len(variation_tokens(deep)) == MAX_TOKENS + 1


def test_turns_that_could_not_be_replayed_are_left_out():
    assert shape(list_turns([ply("f"), ply("H")], turns_of("f"))) == [(1, "f", None)]
