"""docs/rules.md: tables, boards, turns, reasons and bounds are those of the code."""

from __future__ import annotations

import ast
import re

import pytest

from records import ruleset_ids
from records.ruleset import load_ruleset
from tests.docs.pages import ROOT, Block, blocks, page, quoted, rows, section
from tests.docs.rules_tables import (
    TRADITIONAL,
    board,
    clauses_table,
    common_table,
    marks_table,
    options_table,
    race,
    sources_list,
    terms_table,
    turn,
)

TEXT = page("rules.md")
BLOCKS = blocks(TEXT)
KERNEL = (ROOT / "records" / "kernel" / "sowing.py").read_text("utf-8")


@pytest.mark.parametrize("id", ruleset_ids())
def test_every_game_has_its_table_of_options(id: str) -> None:
    assert options_table(id) in TEXT
    assert f"[`{id}`](#{id})" in TEXT


@pytest.mark.parametrize("id", ruleset_ids())
def test_every_link_to_a_game_has_its_heading(id: str) -> None:
    headings = {re.sub(r" +", "-", title.lower()) for title in re.findall(r"^## (.*)$", TEXT, re.MULTILINE)}
    assert id in headings


def test_no_table_of_options_is_of_a_game_that_is_not() -> None:
    assert common_table() in TEXT
    assert TEXT.count("| option | default |") == len(ruleset_ids()) + 1


def test_terms_and_sources_are_those_of_the_rule_sets() -> None:
    assert terms_table() in section(TEXT, "What players call things")
    assert sources_list() in section(TEXT, "Sources")


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.kind.startswith("board ")], ids=lambda block: block.kind
)
def test_boards_are_the_set_ups(block: Block) -> None:
    assert block.text == board(block.kind.removeprefix("board "))


def test_every_named_set_up_is_drawn() -> None:
    drawn = " ".join(block.kind for block in BLOCKS)
    for setup in load_ruleset("enkeshui").setups:
        assert f"setup={setup.name}" in drawn


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.kind.startswith("turn ")], ids=lambda block: block.kind
)
def test_turns_go_as_told(block: Block) -> None:
    assert block.text == turn(block.kind.removeprefix("turn "))


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.kind.startswith("race ")], ids=lambda block: block.kind
)
def test_races_go_as_told(block: Block) -> None:
    assert block.text == race(block.kind.removeprefix("race "))


def test_every_block_is_tested() -> None:
    assert {block.kind.split()[0] for block in BLOCKS} == {"board", "turn", "race"}


def test_every_game_has_a_turn_or_shares_the_rules_of_one() -> None:
    shown = {block.kind.split()[1] for block in BLOCKS if block.kind.startswith("turn ")}
    assert shown == {load_ruleset(id).family for id in ruleset_ids()}


def test_reasons_are_those_of_the_kernel() -> None:
    reasons = re.search(r"^REASONS = (\(.*?^\))", KERNEL, re.MULTILINE | re.DOTALL)
    assert reasons is not None
    documented = [reason for row in rows(section(TEXT, "Why a turn ended")) for reason in quoted(row[0])]
    assert documented == [reason for reason in ast.literal_eval(reasons[1]) if reason]


@pytest.mark.parametrize(
    ("constant", "sentence"),
    [
        ("MAX_LAPS", r"neither ended nor repeated after ([0-9,]+) laps"),
        ("MAX_CHOICES", r"at most ([0-9,]+) choices"),
    ],
)
def test_bounds_are_those_of_the_kernel(constant: str, sentence: str) -> None:
    match = re.search(sentence, TEXT)
    value = re.search(rf"^    {constant} = ([0-9_]+)", KERNEL, re.MULTILINE)
    assert match is not None
    assert value is not None
    assert int(match[1].replace(",", "")) == int(value[1])


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


def test_the_page_has_the_sentences_of_the_sources_and_counts_them() -> None:
    assert marks_table() in TEXT
    assert [id for id in TRADITIONAL if clauses_table(id) not in TEXT] == []


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
