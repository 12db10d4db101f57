"""docs/matches.md: its matches are played, its wrong records give their errors, its names are those of the code."""

from __future__ import annotations

import io
import itertools
import re
import typing

import pytest

from docs.generate.games import rules_of
from records import NORTH, SOUTH, Outcome, Side, read_games, ruleset, ruleset_ids
from records.match import Match, MatchOutcome, Played
from records.match_setup import MATCH_KINDS
from records.notation.tags import MAX_GAMES
from records.ruleset import load_ruleset
from tests.docs.pages import Block, blocks, page, quoted, rows, section

TEXT = page("matches.md")
BLOCKS = blocks(TEXT)
ERRORS = [(one, two) for one, two in itertools.pairwise(BLOCKS) if (one.kind, two.kind) == ("pmn error", "text")]


def match_lines(setting: str) -> str:
    """A match, game by game: `setting` is the game with its options, the title in brackets if it has one, and after
    each colon a game: who began, the score, the pits closed for the next."""
    words, *games = setting.split(" : ")
    title = re.search(r" \[(.*)\]$", words)
    match = Match(rules_of(words.split(" [")[0].split()), title[1] if title else "")
    closed = ""
    lines = []
    for number, game in enumerate([*games, ""], 1):
        if match.outcome is not None:
            winner = f"{match.outcome.winner} won" if match.outcome.winner is not None else "a draw"
            lines.append(f"over: {winner}, {match.outcome.reason}")
            break
        coming = match.next_game(closed)
        first = coming.first if coming.first is not None else "anybody"
        lines.append(f"game {number}: {first} begins from {coming.start}")
        if not game:
            break
        begins, score, *rest = game.split()
        south, north = (int(part) for part in score.split("-"))
        outcome = Outcome.of("normal", (south, north))
        closed = next((word.removeprefix("close=") for word in rest if word.startswith("close=")), "")
        match = match.add(Played({"South": SOUTH, "North": NORTH}[begins], outcome))
        left = f", {match.removed} gone" if match.kind == "surplus" else ""
        tally = match.tally
        lines.append(
            f"        {score}: South {tally.south}, North {tally.north}, drawn {tally.drawn}"
            + (f"; seeds {match.seeds[SOUTH]} and {match.seeds[NORTH]}{left}" if match.kind != "games" else "")
        )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.kind.startswith("match ")], ids=lambda block: block.kind
)
def test_matches_are_what_the_program_gives(block: Block) -> None:
    assert block.text == match_lines(block.kind.removeprefix("match "))


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
