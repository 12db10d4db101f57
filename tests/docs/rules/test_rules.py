"""docs/rules.md: reasons, bounds and sources are those of the code."""

from __future__ import annotations

import re

import pytest

from docs.generate.games import TRADITIONAL
from inkeek.records import ruleset_ids
from inkeek.records.kernel import codes
from inkeek.records.rules.ruleset import load_ruleset
from tests.docs.pages import ROOT, blocks, page

TEXT = page("rules.md")
BLOCKS = blocks(TEXT)


@pytest.mark.parametrize("id", ruleset_ids())
def test_every_link_to_a_game_has_its_heading(id: str) -> None:
    headings = {re.sub(r" +", "-", title.lower()) for title in re.findall(r"^## (.*)$", TEXT, re.MULTILINE)}
    assert id in headings


def test_every_named_set_up_is_drawn() -> None:
    drawn = " ".join(block.kind for block in BLOCKS)
    for setup in load_ruleset("enkeshui").setups:
        assert f"setup={setup.name}" in drawn


@pytest.mark.parametrize(
    ("bound", "sentence"),
    [
        (codes.MAX_LAPS, r"neither ended nor repeated after ([0-9,]+) laps"),
        (codes.MAX_CHOICES, r"at most ([0-9,]+) choices"),
    ],
)
def test_bounds_are_those_of_the_kernel(bound: int, sentence: str) -> None:
    match = re.search(sentence, TEXT)
    assert match is not None
    assert int(match[1].replace(",", "")) == bound


def test_every_option_and_value_named_in_the_text_exists() -> None:
    values: dict[str, set[str]] = {}
    for id in ruleset_ids():
        for option in load_ruleset(id).options:
            values.setdefault(option.name, set()).update(str(value).lower() for value in option.allowed)
    prose = re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)
    named = re.findall(r"`(\w+)=([\w.-]+)`", prose)
    assert len(named) > 10
    assert [pair for pair in named if pair != ("key", "value") and pair[1] not in values.get(pair[0], set())] == []


def plain(text: str) -> str:
    """A text with straight quotes and single spaces."""
    return " ".join(text.translate(str.maketrans("’“”", '\'""')).split())


def test_readings_name_tests_that_are() -> None:
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    named = {clause.test for id in TRADITIONAL for clause in load_ruleset(id).clauses if clause.test}
    assert [test for test in named if f"def {test}(" not in tests] == []


@pytest.mark.parametrize("id", TRADITIONAL)
def test_quotes_are_in_the_texts_of_the_sources(id: str) -> None:
    places = [near / "seeds" for near in (ROOT, ROOT.parent, *(near / "shared" for near in ROOT.parents))]
    folder = next((place for place in places if place.is_dir()), None)
    if folder is None:
        pytest.skip("the texts of the sources are not beside the project")
    info = load_ruleset(id)
    text = plain((folder / f"{info.text}.txt").read_text("utf-8"))
    quotes = [clause.quote for clause in info.clauses]
    quotes += [part for rule in info.rules.values() for part in rule.quote.split("[…]")]
    assert [quote for quote in quotes if plain(quote) not in text] == []


@pytest.mark.parametrize("id", ruleset_ids())
def test_only_games_with_a_text_have_attested_values(id: str) -> None:
    info = load_ruleset(id)
    assert bool(info.text) is (id in TRADITIONAL)
    assert any(option.attested for option in info.options) is bool(info.text)
