"""docs/matches.md: its wrong records give their errors, its names are those of the code."""

from __future__ import annotations

import io
import itertools
import re
import typing

import pytest

from inkeek.records import NORTH, SOUTH, Outcome, Side, read_games, ruleset, ruleset_ids
from inkeek.records.matches import Match, MatchOutcome, Played
from inkeek.records.notation.tags import MAX_GAMES
from inkeek.records.rules.ruleset import load_ruleset
from inkeek.records.setups import MATCH_KINDS
from tests.docs.pages import Block, blocks, page, quoted, rows, section

TEXT = page("matches.md")
BLOCKS = blocks(TEXT)
ERRORS = [(one, two) for one, two in itertools.pairwise(BLOCKS) if (one.kind, two.kind) == ("pmn error", "text")]


@pytest.mark.parametrize("pair", ERRORS, ids=lambda pair: f"line {pair[0].line}")
def test_wrong_records_give_the_error_told(pair: tuple[Block, Block]) -> None:
    (game,) = read_games(io.StringIO(pair[0].text))
    assert str(game.errors[0]) == pair[1].text.replace("\n", " ").strip()


def test_every_block_is_tested() -> None:
    assert {block.kind.split()[0] for block in BLOCKS} == {"match", "pmn", "text"}
    assert len(ERRORS) == sum(block.kind == "text" for block in BLOCKS) > 0


def test_every_kind_has_an_example() -> None:
    shown = {re.search(r"match=(\w+)", block.kind)[1] for block in BLOCKS if block.kind.startswith("match ")}  # type: ignore[index]
    assert shown == set(MATCH_KINDS)


def test_every_kind_is_told_with_the_games_that_have_it() -> None:
    kinds = {quoted(row[0])[0]: set(quoted(row[1])) for row in rows(section(TEXT, "Kinds"))}
    assert kinds == {
        f"match={kind}": {id for id in ruleset_ids() if kind in load_ruleset(id).option("match").allowed}
        for kind in MATCH_KINDS
    }


def test_ends_are_those_of_the_code() -> None:
    ends = {name for row in rows(section(TEXT, "Ends")) for name in quoted(row[0])}
    found = {
        finished("enkeshui", "surplus", [((47, 1), SOUTH)]).reason,
        finished("bof", "rounds", [((3, 37), NORTH)]).reason,
        finished("oware", "games", [((30, 18), SOUTH)], "games 1").reason,
    }
    assert ends == found
    assert f"at most {MAX_GAMES} games" in TEXT


def finished(id: str, kind: str, games: list[tuple[tuple[int, int], Side]], title: str = "") -> MatchOutcome:
    match = Match(ruleset(id, match=kind), title)
    for score, _ in games:
        match = match.add(Played(SOUTH, Outcome.of("normal", score)))
    return typing.cast(MatchOutcome, match.outcome)
