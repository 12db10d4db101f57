"""The conformance corpus, run as `tests/data/notation/README.md` describes."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from records import Game, read_games, write_game

CORPUS = Path(__file__).parents[2] / "data" / "notation"
CASES = sorted(CORPUS.glob("*/*.pmn"))


def read(path: Path) -> tuple[list[Game], list[dict[str, Any]]]:
    """The records of a file, and what they should be."""
    with path.open("rb") as file:
        games = list(read_games(file))
    expected = json.loads(path.with_suffix(".json").read_text("utf-8"))["records"]
    return games, expected


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_reading_gives_what_the_corpus_says(path: Path) -> None:
    games, expected = read(path)
    assert len(games) == len(expected)
    for game, entry in zip(games, expected, strict=True):
        if "error" in entry:
            error, wanted = game.errors[0], entry["error"]
            assert (error.line, error.column, error.ply) == (wanted["line"], wanted["column"], wanted["ply"])
            assert list(error.legal) == wanted.get("legal", [])
            assert [part for part in wanted["contains"] if part not in error.message] == [], error.message
            assert [str(turn.move) for turn in game.replay().turns] == entry["turns"]
        else:
            assert game.errors == ()
            assert game.to_json() == entry["record"]
            assert Game.from_json(entry["record"]) == game


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_writing_gives_the_canonical_text_and_reading_that_gives_it_again(path: Path) -> None:
    games, expected = read(path)
    for game, entry in zip(games, expected, strict=True):
        if "canonical" in entry:
            assert write_game(game) == entry["canonical"]
            (again,) = read_games(io.StringIO(entry["canonical"]))
            assert again.errors == ()
            assert write_game(again) == entry["canonical"]


def test_every_file_has_its_reading_and_every_reading_its_file() -> None:
    assert {path.stem for path in CASES} == {path.stem for path in CORPUS.glob("*/*.json")}
    for path in CASES:
        wrong = [entry for entry in read(path)[1] if "error" in entry]
        assert bool(wrong) == (path.parent.name == "bad"), path
        assert all(entry["error"]["contains"] for entry in wrong), path


def test_no_two_files_make_the_same_point() -> None:
    points = [json.loads(path.read_text("utf-8"))["point"] for path in CORPUS.glob("*/*.json")]
    assert len(points) == len(set(points))
