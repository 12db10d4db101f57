"""Pages in Swahili have no English left, but for what is marked as English, names, and what has one name everywhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from service.games.annotations import Edit, annotate
from service.games.write import Write
from service.translations.catalogues import read_catalogue
from tests.service.clients import signed_in

WORD = re.compile(r"[A-Za-z’']+")
FIELD = re.compile(r"%\(\w+\)[sd]|\{\w+\}|`[^`]*`|<[^>]*>")
SHOWN = ("aria-label", "title", "placeholder", "alt", "data-lost", "data-failed", "data-waiting", "data-preview")
VOID = ("meta", "link", "input", "br", "img", "hr")
NAMES = {"ann", "ben", "cup", "rounds"}
TAGS = {"South": "Ann", "North": "Ben", "Event": "Cup", "Date": "2026.11.20", "Round": "1"}
PAGES = (
    "/",
    "/games",
    "/games/new",
    "/matches",
    "/matches/MATCH",
    "/events",
    "/events/cup",
    "/players",
    "/players/ann",
    "/games/LIVE/live",
    "/games/ENDED/live",
    "/games/RESIGNED/live",
    "/games/ENDED/review?ply=3",
    "/games/ENDED/analysis",
    "/import",
    "/appearance",
)


def english_words() -> set[str]:
    """The words of the English texts that no Swahili text has."""
    english: set[str] = set()
    swahili: set[str] = set()
    for message in read_catalogue("sw"):
        ids = (message.id,) if isinstance(message.id, str) else message.id
        strings = (message.string,) if isinstance(message.string, str) else message.string
        for texts, found in ((ids, english), (strings, swahili)):
            found |= {word.lower() for text in texts for word in WORD.findall(FIELD.sub("", text)) if len(word) > 2}
    return english - swahili - NAMES


class Texts(HTMLParser):
    """The texts of a page that are not marked as English or as code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self.feed(page)

    @property
    def _is_other(self) -> bool:
        return any(is_other for _, is_other in self._open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        is_other = tag in ("code", "script", "style", "datalist", "kbd", "textarea") or given.get("lang") == "en"
        if not (is_other or self._is_other):
            self.texts += [given[name] for name in SHOWN if given.get(name)]
        if tag not in VOID:
            self._open.append((tag, is_other))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip() and not self._is_other:
            self.texts.append(data.strip())


@pytest.fixture
def stored(games, services, new_game):
    """Games and a match; the names that stand in `PAGES` for them."""
    ended = new_game(500, "oware", tags=TAGS)
    edits = [Edit("c", "comment", "[%eval 2.5] [%clk 0:10:00]", 3), Edit("n", "nag", 4, 3)]
    annotate(games, ended, edits, Write("page:Naisula:1"), is_arbiter=True)
    resigned = new_game(3, "kalah", tags=TAGS)
    games.end(resigned, "resignation", "South", Write("api"))
    match = services.matches.begin("bof", "rounds", {}, TAGS, Write("api"))
    games.end(match.id, "agreement", None, Write("api"))
    return {"LIVE": new_game(5, tags=TAGS), "ENDED": ended, "RESIGNED": resigned, "MATCH": match.id}


def test_the_test_knows_english_words():
    words = english_words()
    assert {"captures", "wins", "resignation", "turns", "board"} <= words
    found = Texts('<p title="the turns">wins <b lang="en">captures</b><code>board</code></p>').texts
    assert found == ["the turns", "wins"]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_in_swahili_has_no_english_left(app, stored, path):
    for name, value in stored.items():
        path = path.replace(name, value)
    page = signed_in(app, "admin").get(path, headers={"Accept-Language": "sw"})
    assert page.status_code == 200
    words = english_words()
    left = [text for text in Texts(page.text).texts if words & {word.lower() for word in WORD.findall(text)}]
    assert left == []


def test_a_turn_is_told_in_the_language_that_is_asked_for(client, stored):
    path = f"/api/v1/games/{stored['LIVE']}/turns/2/trace"
    assert client.get(path).json["sentences"] != client.get(f"{path}?language=sw").json["sentences"]
    assert client.get(f"{path}?language=xx").status_code == 422
    other = "/api/v1/positions/trace?game=oware&move=c"
    assert client.get(other).json["sentences"] != client.get(f"{other}&language=sw").json["sentences"]
