"""docs/explain.md: its turns are explained as by the program, and its words are those of the Swahili messages."""

from __future__ import annotations

import re

import pytest

from inkeek.records import Move, Position, ruleset
from inkeek.records.explain import MAX_LAPS_SHOWN, MAX_MOVES_SHOWN
from inkeek.records.language import load_language
from tests.docs.pages import Block, blocks, page, section

TEXT = page("explain.md")


@pytest.mark.parametrize("block", blocks(TEXT), ids=lambda block: block.kind)
def test_examples_are_what_explain_answers(block: Block) -> None:
    setting, move = block.kind.removeprefix("explain ").split(" : ")
    language, id, text = setting.split(" ", 2)
    position = Position.parse(text)
    options = {"pits": 8} if id == "enkeshui" else {"direction": "cw"} if "x" in text else {}
    rules = ruleset(id, **options).starting_from(position)
    explained = "".join(f"{sentence}\n" for sentence in rules.explain(position, Move.parse(move), language))
    if block.text.startswith("…\n"):
        assert explained.endswith("\n" + block.text.removeprefix("…\n"))
    else:
        assert explained == block.text


def test_bounds_are_those_of_the_code() -> None:
    assert f"up to\n{MAX_MOVES_SHOWN} moves" in TEXT
    assert f"the laps, {MAX_LAPS_SHOWN} at most" in TEXT


def test_the_words_are_those_of_the_messages() -> None:
    swahili = load_language("sw")
    messages = " ".join([*swahili.templates.values(), *swahili.terms.values(), *swahili.sides])
    words = re.findall(r"\*([^*]+)\*", section(TEXT, "The Swahili words").partition("\n\n")[2])
    assert len(words) > 20
    assert [word for word in words if not re.search(rf"\b{word}\b", messages, re.IGNORECASE)] == []
