from __future__ import annotations

import re
import subprocess
import sys
from importlib import resources
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from inkeek.records import NORTH, SOUTH, Board, Game, Move, Position, ruleset, ruleset_ids
from inkeek.records.drawing import svg, svg as svg_pictures
from inkeek.records.drawing.svg import MOST, board_svg, escape, numbers_by_place
from inkeek.records.rules.trace import SownSeed, sown_seeds

ROWS = st.integers(5, 16)


@st.composite
def positions(draw) -> Position:
    size = 2 * draw(ROWS)
    marks = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    pits = draw(st.lists(st.integers(0, 30), min_size=size, max_size=size))
    pits = [0 if mark == 3 else count for count, mark in zip(pits, marks, strict=True)]
    stores = (draw(st.integers(0, 48)), draw(st.integers(0, 48)))
    return Position(tuple(pits), tuple(marks), stores, draw(st.sampled_from((SOUTH, NORTH))), draw(st.integers(0, 99)))


def parse(text: object) -> ElementTree.Element:
    return ElementTree.fromstring(str(text))


def by_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [part for part in root.iter() if name in part.get("class", "").split()]


def drawn_seeds(part: ElementTree.Element) -> int:
    """The seeds of a pit or store; each of them is a picture of its own."""
    (group,) = by_class(part, "seeds")
    pictures = [seed.get("href") for seed in group]
    assert len(set(pictures)) == len(pictures)
    return len(pictures)


def text_of(part: ElementTree.Element, name: str) -> str:
    (found,) = by_class(part, name)
    return found.text or ""


@given(positions(), st.sampled_from((SOUTH, NORTH)))
def test_every_pit_and_store_is_drawn_with_its_count(position: Position, near):
    root = parse(svg.board_svg(position, title="Board", near=near))
    pits = {int(pit.get("data-pit", "")): pit for pit in by_class(root, "pit")}
    assert sorted(pits) == list(range(len(position.pits)))
    for index, pit in pits.items():
        closed = position.marks[index] == 3
        assert text_of(pit, "count") == ("" if closed else str(position.pits[index]))
        assert text_of(pit, "letter") == position.letter(index)
        assert drawn_seeds(pit) == min(position.pits[index], svg_pictures.SLOTS)
        (mark,) = by_class(pit, "mark")
        assert mark.get("href") == f"#mark-{position.marks[index]}"
    for side, store in enumerate(by_class(root, "store")):
        assert text_of(store, "count") == str(position.stores[side])
        assert drawn_seeds(store) == min(position.stores[side], svg_pictures.MAX_STORED)


@given(positions())
def test_a_board_says_which_position_it_shows(position: Position):
    root = parse(svg.board_svg(position, title="Board"))
    assert Position.parse(root.get("data-position", "")) == position
    assert root.get("data-to-move") == str(int(position.to_move))


@given(positions(), st.sampled_from((SOUTH, NORTH)))
def test_nothing_needs_what_the_content_security_policy_refuses(position: Position, near):
    for root in (parse(svg.board_svg(position, title="Board", near=near)), parse(svg.board_defs())):
        for part in root.iter():
            assert part.tag not in ("style", "script", "image")
            assert not [name for name in part.attrib if name == "style" or name.startswith("on")]


@given(positions(), st.sampled_from((SOUTH, NORTH)))
def test_every_picture_that_is_asked_for_is_there(position: Position, near):
    ids = {part.get("id") for part in parse(svg.board_defs()).iter()}
    text = str(svg.board_svg(position, title="Board", near=near)) + str(svg.board_defs())
    references = set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text))
    assert references <= ids


@pytest.mark.parametrize("near", [SOUTH, NORTH])
@pytest.mark.parametrize("row", range(5, 17))
def test_opposite_pits_face_each_other(row: int, near):
    far = near.other
    for pit in range(2 * row):
        x, y, is_near = svg.pit_place(pit, row, near)
        opposite_x, opposite_y, _ = svg.pit_place(2 * row - 1 - pit, row, near)
        assert x == opposite_x
        assert y != opposite_y
        assert is_near == ((pit < row) == (near is SOUTH))
    own = [svg.pit_place(pit, row, near)[0] for pit in (range(row) if near is SOUTH else range(row, 2 * row))]
    theirs = [svg.pit_place(pit, row, near)[0] for pit in (range(row) if far is SOUTH else range(row, 2 * row))]
    assert own == sorted(own)
    assert theirs == sorted(theirs, reverse=True)


@pytest.mark.parametrize("near", [SOUTH, NORTH])
def test_a_store_lies_at_its_owners_right_hand(near):
    position = Position((4,) * 16, (0,) * 16)
    root = parse(svg.board_svg(position, title="Board", near=near))
    x = {
        store.get("data-store"): float((store.get("transform") or "").split("(")[1].split(",")[0])
        for store in by_class(root, "store")
    }
    right, left = ("0", "1") if near is SOUTH else ("1", "0")
    assert x[right] > x[left]


@pytest.mark.parametrize("variant", range(svg_pictures.VARIANTS))
def test_seeds_lie_in_the_pit_and_none_of_the_lower_layer_hides_another(variant: int):
    places = svg_pictures.seed_places(variant)
    assert len(set(places)) == svg_pictures.SLOTS
    assert all(x * x + y * y <= (svg_pictures.PIT - svg_pictures.SEED) ** 2 for x, y in places)
    lower = places[: svg_pictures.LAYER]
    for k, (x, y) in enumerate(lower):
        assert all((x - a) ** 2 + (y - b) ** 2 >= (1.8 * svg_pictures.SEED) ** 2 for a, b in lower[:k])


def test_a_store_fills_within_its_walls_from_its_middle():
    places = svg_pictures.store_places()
    assert len(set(places)) == svg_pictures.MAX_STORED
    margin = svg_pictures.SEED
    assert all(margin < x < svg_pictures.STORE_WIDTH - margin for x, _ in places)
    assert all(margin < y < svg_pictures.STORE_HEIGHT - margin for _, y in places)
    spread = [abs(y - svg_pictures.STORE_HEIGHT / 2) for _, y in places]
    assert max(spread[:10]) < max(spread[-10:])


@pytest.mark.parametrize("sign", ["bull", "uur", "", "anything"])
def test_special_pits_have_the_sign_of_their_game(sign: str):
    position = Position((4,) * 16, (1, 2, 3) + (0,) * 13)
    root = parse(svg.board_svg(position, title="Board", sign=sign))
    pictures = {part.get("id"): part for part in parse(svg.board_defs()).iter()}
    marks = [pictures[(mark.get("href") or "").removeprefix("#")] for mark in by_class(root, "mark")]
    for mark in marks[:2]:
        assert bool(by_class(mark, "horns")) == (sign == "bull")
        assert bool(by_class(mark, "belly")) == (sign == "uur")
        assert by_class(mark, "plate")
    assert by_class(marks[2], "cross")
    assert len(marks[3]) == 0


def test_the_style_sheet_knows_the_length_of_every_board_that_stands_upright():
    text = resources.files("inkeek.service.http.web").joinpath("static", "turned_board.css").read_text()
    lengths = dict(re.findall(r'\[data-row="(\d+)"\] \{\s+--length: (\d+)', text))
    assert {int(row): int(length) for row, length in lengths.items()} == {
        row: svg.board_width(row) for row in range(1, 17)
    }
    assert f"calc({svg.HEIGHT} * var(--unit))" in text


def test_a_still_board_shows_the_same_and_hides_nothing():
    position = Position((4,) * 16, (0,) * 16, (5, 70))
    moving, still = (parse(svg.board_svg(position, title="Board", still=value)) for value in (False, True))
    assert len(by_class(still, "hand")) == 0
    assert not [part for part in still.iter() if part.get("display") == "none"]
    for root in (moving, still):
        assert list(map(drawn_seeds, by_class(root, "store"))) == [5, svg_pictures.MAX_STORED]


def test_highlights_are_classes_of_the_pit():
    position = Position((4,) * 16, (0,) * 16)
    marked = svg.Highlights(start=2, changed={2, 3}, legal=(8,), mend={5: -2, 6: 1})
    root = parse(svg.board_svg(position, title="Board", highlights=marked))
    classes = {int(pit.get("data-pit", "")): pit.get("class") for pit in by_class(root, "pit")}
    assert classes[2] == "pit start changed"
    assert classes[3] == "pit changed"
    assert classes[8] == "pit legal"
    assert classes[5] == classes[6] == "pit mend"
    assert classes[0] == "pit"
    badges = {pit.get("data-pit"): [one.text for one in by_class(pit, "badge")] for pit in by_class(root, "pit")}
    assert (badges["5"], badges["6"], badges["0"]) == (["−2"], ["+1"], [])


def test_a_title_cannot_break_out():
    title = '</title><script>alert("x")</script>&'
    root = parse(svg.board_svg(Position((4,) * 16, (0,) * 16), title=title))
    assert root.findtext("title") == title


def test_changed_pits_sees_seeds_and_owners():
    before = Position((4, 3, 2, 1), (0, 0, 0, 0))
    after = Position((4, 3, 0, 1), (0, 1, 0, 0))
    assert svg.changed_pits(before, after) == {1, 2}


def test_what_xml_cannot_hold_is_replaced():
    text = escape("A\uffff\ufffe\0\x1b\ud800<\t\U0001f41a")
    assert ElementTree.fromstring(f"<a>{text}</a>").text == "A" + 5 * "\ufffd" + "<\t\U0001f41a"


PATHS = st.lists(st.builds(SownSeed, st.integers(0, 17), st.integers(1, 9)), max_size=80)


@given(PATHS)
def test_each_place_has_its_first_and_last_numbers_in_order(path: list[SownSeed]) -> None:
    shown = numbers_by_place(path)
    assert set(shown) == {seed.place for seed in path}
    for place, numbers in shown.items():
        all_numbers = [str(number) for number, seed in enumerate(path, 1) if seed.place == place]
        texts = [text for text, _ in numbers if text != "…"]
        assert len(numbers) == min(len(all_numbers), MOST)
        assert (texts == all_numbers) == (len(all_numbers) <= MOST)
        assert texts == [text for text in all_numbers if text in texts]
        assert (texts[0], texts[-1]) == (all_numbers[0], all_numbers[-1])
        for text, lap in numbers:
            assert text == "…" or lap == path[int(text) - 1].lap


@pytest.mark.parametrize("game", ruleset_ids())
def test_a_turn_is_numbered_where_its_seeds_fell(game: str) -> None:
    rules = ruleset(game)
    for move in rules.legal_moves(rules.start(), 4):
        trace = rules.trace(rules.start(), move)
        path = sown_seeds(trace.events, len(trace.before.pits))
        assert trace.turn is not None
        assert max(seed.lap for seed in path) == trace.turn.laps
        drawn = parse(board_svg(trace.turn.position, title="Board", path=path, still=True))
        places = {int(pit.get("data-pit", "")): pit for pit in by_class(drawn, "pit")}
        places |= {len(trace.before.pits) + int(one.get("data-store", "")): one for one in by_class(drawn, "store")}
        for place, part in places.items():
            texts = [sown[1].text for sown in by_class(part, "sown")]
            assert texts == [text for text, _ in numbers_by_place(path).get(place, [])]


def test_the_store_of_a_side_is_a_place_of_its_own() -> None:
    rules = ruleset("kalah")
    trace = rules.trace(rules.start(), Move.parse("c"))
    assert sown_seeds(trace.events, 12) == tuple(SownSeed(place, 1) for place in (3, 4, 5, 12))


def test_a_board_that_no_script_changes_has_no_empty_numbers() -> None:
    start = ruleset("oware").start()
    assert not by_class(parse(board_svg(start, title="Board", still=True)), "path")
    assert len(by_class(parse(board_svg(start, title="Board")), "path")) == 14
    assert re.search("plate-", str(board_svg(start, title="Board"))) is None


def test_positions_turns_boards_and_games_are_drawn_with_their_seeds_and_where_the_turn_was():
    board = Board(ruleset("enkeshui", pits=8))
    assert len(by_class(parse(board._repr_svg_()), "pit")) == 16
    turn = board.push("c")
    for shown in (turn, board, board.game(), turn.position):
        root = parse(shown._repr_svg_())
        assert [int(text_of(pit, "count")) for pit in by_class(root, "pit")] == list(turn.position.pits)
        assert len(by_class(root, "start")) == (shown is not turn.position)
    assert Game({"Game": "chess"})._repr_svg_() is None


def test_the_library_needs_nothing_but_msgspec():
    program = (
        "import sys; before = set(sys.modules)\n"
        "from inkeek import records; records.ruleset('bof').start()._repr_svg_()\n"
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)\n"
        "loaded = {name for name in loaded if not name.startswith('_')} - {'cython_runtime', 'typing_extensions'}\n"
        "assert loaded == {'inkeek', 'msgspec'}, loaded\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
