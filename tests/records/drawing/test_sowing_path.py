from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inkeek.records import Move, ruleset, ruleset_ids
from inkeek.records.drawing.svg import MOST, board_svg, numbers_by_place
from inkeek.records.rules.trace import SownSeed, sown_seeds

from .test_svg import by_class, parse

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
