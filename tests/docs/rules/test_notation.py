"""docs/notation.md: every example, table and rule of the grammar is held against the code and the corpus."""

from __future__ import annotations

import importlib
import io
import itertools
import json
import re
from pathlib import Path

import pytest

from inkeek.records import Game, Move, Ply, Position, Variation, read_games, write_game
from inkeek.records.json_codec import JsonError, field_names, from_json
from inkeek.records.notation.commands import FORMS, RawCommand, parse_command
from inkeek.records.notation.movetext import GLYPHS
from inkeek.records.notation.tags import ORDER, RESULTS, RESULTS_BY_TERMINATION, TERMINATIONS
from tests.data.notation.conformance import cases
from tests.docs.grammar import Grammar
from tests.docs.pages import ROOT, Block, blocks, page, quoted, rows, section

TEXT = page("notation.md")
PROGRAM = page("notation-implementation.md")
BLOCKS = blocks(TEXT)
GRAMMAR = Grammar(next(block.text for block in BLOCKS if block.kind == "ebnf"))
CORPUS = cases()

# Faults that the page tells beside the grammar: limits, the encoding, what begins a record, a tag given twice.
BESIDE_THE_GRAMMAR = {
    *("annotation-number", "variation-depth", "not-utf-8", "not-utf-8-tag", "tag-twice"),
    *("event-in-line", "record-in-line", "tag-twice-before-text"),
}


def following(kind: str, then: str) -> list[tuple[Block, Block]]:
    pairs = [(one, two) for one, two in itertools.pairwise(BLOCKS) if (one.kind, two.kind) == (kind, then)]
    assert pairs, f"no example {kind!r} with {then!r}"
    return pairs


def read(text: str) -> list[Game]:
    return list(read_games(io.StringIO(text)))


def at_line(value: Block | tuple[Block, Block]) -> str:
    return f"line {(value if isinstance(value, Block) else value[0]).line}"


@pytest.mark.parametrize("block", [block for block in BLOCKS if block.kind == "pmn"], ids=at_line)
def test_records_are_right_and_in_canonical_form(block: Block) -> None:
    games = read(block.text)
    assert [game.errors for game in games] == [()]
    assert write_game(games[0]) == block.text


@pytest.mark.parametrize("pair", following("pmn as read", "pmn as written"), ids=at_line)
def test_records_are_written_as_documented(pair: tuple[Block, Block]) -> None:
    (game,) = read(pair[0].text)
    assert game.errors == ()
    assert write_game(game) == pair[1].text
    assert write_game(read(pair[1].text)[0]) == pair[1].text


@pytest.mark.parametrize("pair", following("pmn error", "text"), ids=at_line)
def test_wrong_records_give_the_documented_error(pair: tuple[Block, Block]) -> None:
    (game,) = read(pair[0].text)
    assert str(game.errors[0]) == pair[1].text.replace("\n", " ").strip()


@pytest.mark.parametrize("pair", following("pmn", "json"), ids=at_line)
def test_json_is_as_documented_and_leads_back(pair: tuple[Block, Block]) -> None:
    (game,) = read(pair[0].text)
    assert game.to_json() == json.loads(pair[1].text)
    assert Game.from_json(json.loads(pair[1].text)) == game


def test_every_kind_of_block_is_tested() -> None:
    assert {block.kind for block in BLOCKS} == {
        *("ebnf", "pmn", "pmn as read", "pmn as written", "pmn error", "text", "position", "json", "command")
    }


@pytest.mark.parametrize(
    "line", [line for block in BLOCKS if block.kind == "position" for line in block.text.splitlines()]
)
def test_positions_are_read_and_written_the_same(line: str) -> None:
    assert str(Position.parse(line)) == line
    assert GRAMMAR.accepts("position", line)


@pytest.mark.parametrize("text", [text for row in rows(section(TEXT, "Moves")) for text in quoted(row[0])])
def test_moves_are_read_and_written_the_same(text: str) -> None:
    assert str(Move.parse(text)) == text
    assert GRAMMAR.accepts("move", text)


@pytest.mark.parametrize(
    "line", [line for block in BLOCKS if block.kind == "command" for line in block.text.splitlines()]
)
def test_commands_are_values_and_written_the_same(line: str) -> None:
    assert not isinstance(parse_command(line), RawCommand)
    assert str(parse_command(line)) == line
    assert GRAMMAR.accepts("command", line)


def test_every_command_has_an_example() -> None:
    examples = [line for block in BLOCKS if block.kind == "command" for line in block.text.splitlines()]
    for name in FORMS.keys() - {"eval"}:
        assert any(line.startswith(f"[%{name} ") for line in examples), name


def test_faults_of_people_are_those_of_the_code() -> None:
    listed = [quoted(row[0])[0] for row in rows(section(PROGRAM, "People at the board"))]
    assert sorted(listed) == sorted(set(re.findall(r'_fault\("([a-z-]+)"', _source("inkeek.records.people"))))


def test_members_of_the_json_form_are_those_of_the_code() -> None:
    listed: dict[str, list[str]] = {}
    name = ""
    for kind, member, means in rows(section(TEXT, "As JSON")):
        name = kind or name
        listed.setdefault(name, []).append(quoted(member)[0] + ("!" if "Required" in means else ""))
    kinds: dict[str, type] = {"record": Game, "ply": Ply, "variation": Variation}
    for name, kind in kinds.items():
        with pytest.raises(JsonError) as missing:
            from_json({}, kind)
        assert sorted(listed.pop(name)) == sorted(f + "!" * (f == missing.value.path) for f in field_names(kind))
    assert not listed


def test_tags_are_those_of_the_code_in_its_order() -> None:
    listed = [tag for row in rows(section(TEXT, "Tags")) for tag in quoted(row[0])]
    assert sorted(listed) == sorted(ORDER)
    order = [tag for tag in re.findall(r"`(\w+)`", section(TEXT, "Canonical form")) if tag in ORDER]
    assert list(dict.fromkeys(order)) == [tag for tag in ORDER if tag in order]
    meanings = {name: row[1] for row in rows(section(TEXT, "Tags")) for name in quoted(row[0])}
    assert tuple(quoted(meanings["Result"])) == RESULTS
    assert tuple(quoted(meanings["Termination"])) == TERMINATIONS
    ends = {
        name: tuple(quoted(row[1])) for row in rows(section(TEXT, "The end of the game")) for name in quoted(row[0])
    }
    assert ends == RESULTS_BY_TERMINATION


def test_glyphs_are_those_of_the_code() -> None:
    listed = re.search(r"The glyphs (.*?) are `\$1` to `\$6`", TEXT)
    assert listed is not None
    assert {glyph: nag for nag, glyph in enumerate(quoted(listed[1]), 1)} == GLYPHS


def test_white_space_in_the_grammar_is_what_the_reader_takes_for_it() -> None:
    every = "".join(map(chr, range(0x110000)))
    blank = re.search(
        r"^blank +::= (\[.*\])$", next(block.text for block in BLOCKS if block.kind == "ebnf"), re.MULTILINE
    )
    assert blank is not None
    assert re.findall(r"\s", every) == re.findall(f"{blank[1]}|\n", every)


def test_the_grammar_uses_all_its_rules() -> None:
    assert GRAMMAR.unused == {"file", "options", "timecontrol", "position", "command"}


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_grammar_takes_what_the_reader_takes(path: Path) -> None:
    games = list(read_games(path))
    faults = [fault for game in games for fault in game.faults]
    text = re.sub("\r+(\n|$)", r"\1", path.read_bytes().decode("utf-8", "replace").replace("\ufeff", ""))
    if path.stem.startswith(("escape-", "byte-order-marks")):
        text = re.sub(r"^%.*\n", "", text, flags=re.MULTILINE)
    accepted = GRAMMAR.accepts("file", text)
    if path.stem in BESIDE_THE_GRAMMAR:
        assert faults
        assert accepted
    elif path.stem in ("no-tags", "no-tags-moves"):
        assert not accepted  # the reader calls text before any tag a record
    else:
        assert accepted == (not faults)
        for game in games if path.parent.name == "good" else ():
            assert GRAMMAR.accepts("options", game.tags.get("Options", ""))
            for name in {"Setup", "RacePosition"} & game.tags.keys():
                assert GRAMMAR.accepts("position", game.tags[name])


def test_examples_of_the_project_fit_the_grammar() -> None:
    paths = sorted((ROOT / "docs" / "examples").glob("*.pmn"))
    assert paths
    for path in paths:
        assert GRAMMAR.accepts("file", path.read_text("utf-8")), path


def _source(module: str) -> str:
    path = importlib.import_module(module).__file__
    assert path is not None
    return Path(path).read_text("utf-8")
