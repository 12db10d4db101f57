"""docs/selfplay.md: its pictures are those of the games that ship."""

import pytest

from benchmarks.analysis.self_play import GAMES, PICTURES, named, read_figures
from inkeek.records.analysis.self_play.collection import load_collection
from tests.docs.pages import ROOT, page

TEXT = page("selfplay.md")


@pytest.fixture(scope="module")
def figures():
    return read_figures(GAMES)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_that_of_the_games(figures, name):
    assert f"img/{name}" in TEXT
    assert (ROOT / "docs" / "img" / name).read_text("utf-8") == PICTURES[name](named(figures))


def test_the_page_says_how_the_games_were_made(figures):
    for id in figures:
        assert f"{load_collection(id).making.nodes:,} positions" in TEXT
