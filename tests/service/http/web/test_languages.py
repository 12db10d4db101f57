"""Pages in Swahili have no English left, but for what is marked as English, names, and what has one name everywhere."""

import re
from functools import cache
from html.parser import HTMLParser

import pytest
from markupsafe import escape

from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.games.annotations import Edit, annotate
from inkeek.service.games.write import Write
from inkeek.service.translations.catalogues import read_catalogue
from tests.service.clients import signed_in, with_token

WORD = re.compile(r"[A-Za-z’']+")
# What is the same in all languages: values, code, options as a tag has them, and the key at the end of a title.
FIELD = re.compile(r"%\(\w+\)\.?[0-9]*[sdrg]|\{\w+\}|`[^`]*`|<[^>]*>|(?:/dev/|\w+://|board:)\S*|\b\w+=\S+|\(End\)$")
SHOWN = ("aria-label", "title", "placeholder", "alt", "data-lost", "data-failed", "data-waiting", "data-preview")
VOID = ("meta", "link", "input", "br", "img", "hr")
# "letter" is a size of paper; a player without a name has that of the side in the record.
NAMES = {"ann", "ben", "cup", "rounds", "letter", "south", "north"}
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
    "/analysis",
    "/analysis?game=enkeshui",
    "/boards",
    "/boards/BOARD",
    "/games/LIVE/review?ply=2",
    "/disputes",
    "/games/DISPUTED/disputes/SEQ",
    "/games/DISPUTED/disputes/SEQ/sheet",
    "/games/DISPUTED/live",
    "/games/BOUND/live",
    "/events/cup/hall",
    "/events/cup/wall",
    "/games/LIVE/embed",
    "/finding",
    "/finding?game=oware&board=4.4.0.5.4.5/5.5.4.4.4.4%200-0&claimed=c",
    "/finding?game=oware&board=4.4.4&claimed=c",
    "/games?position=4.4/4&game=oware",
    "/games/new?game=enkeshui",
    "/games/new?game=layli-goobalay",
    "/matches/new",
    "/matches/new?game=bof",
    "/rules",
    "/rules/enkeshui",
    "/rules/anywoli",
    "/rules/oware/score-sheet",
    "/tokens",
)
REFUSED = (  # forms with something wrong, and what the page answers
    ("/games/new", {"game": "oware", "position": "4.4/4"}, 422),
    ("/games/new", {"game": "oware", "position": "4.y/4.4 0-0 s 0"}, 422),
    ("/games/LIVE/live", {"move": "!", "ply": "6"}, 422),
    ("/games/LIVE/live", {"move": "", "ply": "6"}, 422),
    ("/games/LIVE/live", {"move": "--", "ply": "6"}, 422),
    ("/games/LIVE/live", {"move": "a", "ply": "2"}, 409),
    ("/games/ENDED/live", {"move": "a", "ply": "6"}, 409),
    ("/games/LIVE/live/actions", {"action": "take-back", "ply": "x"}, 422),
    ("/games/LIVE/live/actions", {"action": "leave", "side": "South", "name": "Zebu"}, 409),
    ("/games/LIVE/live/actions", {"action": "irregular", "ply": "6", "next": "South"}, 422),
    ("/matches/new", {"game": "oware", "match_kind": "?"}, 422),
    ("/tokens", {"days": "-1"}, 422),
    ("/import", {"text": ""}, 422),
    ("/nothing", {}, 404),
    ("/games/none/live", {}, 404),
)


@cache
def english_words() -> set[str]:
    """The words of the English texts that no Swahili text has."""
    english: set[str] = set()
    swahili: set[str] = set()
    for message in read_catalogue("sw", "messages"):
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
def stored(games, services, new_game, bind_board):
    """Games and a match; the names that stand in `PAGES` for them."""
    ended = new_game(500, "oware", tags=TAGS)
    edits = [Edit("c", "comment", "[%eval 2.5] [%clk 0:10:00]", 3), Edit("n", "nag", 4, 3)]
    annotate(games, ended, edits, Write("page:Naisula:1"), is_arbiter=True)
    resigned = new_game(3, "kalah", tags=TAGS)
    games.end(resigned, "resignation", "South", Write("api"))
    match = services.matches.begin("bof", "rounds", {}, TAGS, Write("api"))
    games.end(match.id, "agreement", None, Write("api"))
    disputed, bound = new_game(3), new_game(2)
    dispute = open_dispute(games, disputed, "South", "shimo b", Write("api"), games.row(disputed).position)
    return {
        "LIVE": new_game(5, tags=TAGS), "ENDED": ended, "RESIGNED": resigned, "MATCH": match.id,
        "DISPUTED": disputed, "SEQ": str(dispute.seq), "BOUND": bound, "BOARD": bind_board(bound),
    }  # fmt: skip


def filled(path: str, stored: dict[str, str]) -> str:
    """The path with the ids of what is stored."""
    for name, value in stored.items():
        path = path.replace(name, value)
    return path


def english_left(page: str) -> list[str]:
    """The texts of a page that have English words and are not marked."""
    words = english_words()
    texts = Texts(page).texts
    return [text for text in texts if words & {word.lower() for word in WORD.findall(FIELD.sub("", text))}]


def test_pages_in_swahili_have_no_english_left(app, stored):
    client = signed_in(app, "admin")
    left = {}
    for path in PAGES:
        page = client.get(filled(path, stored), headers={"Accept-Language": "sw"})
        assert page.status_code in (200, 422), path  # 422: the answer to a question that cannot be
        left[path] = english_left(page.text)
    assert {path: texts for path, texts in left.items() if texts} == {}


def test_refusals_in_swahili_have_no_english_left_and_none_that_is_marked(app, stored):
    client = signed_in(app, "admin")
    left = {}
    for path, form, status in REFUSED:
        send = client.post if form else client.get
        page = send(filled(path, stored), headers={"Accept-Language": "sw"}, **({"data": form} if form else {}))
        assert page.status_code == status, (path, form)
        refusals = re.findall(r'<p class="(?:warning|refusal)"[^>]*role="alert"[^>]*>(.*?)</p>', page.text)
        marked = [refusal for refusal in refusals if 'lang="en"' in refusal]
        left[path, *form] = english_left(page.text) + marked
    assert {key: texts for key, texts in left.items() if texts} == {}


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("turns", {"move": "--"}, 422),
        ("turns", {"move": "!"}, 422),
        ("turns", {"move": "a", "ply": 2}, 409),
        ("irregular-turns", {"move": "~?", "position": "4.4/4.4 0-0 s 6"}, 422),
    ],
)
def test_the_live_page_is_told_in_its_language_why_a_turn_is_refused_and_others_in_english(
    app, stored, path, body, status
):
    address, swahili = f"/api/v1/games/{stored['LIVE']}/{path}", {"Accept-Language": "sw"}
    answers = [client.post(address, json=body, headers=swahili) for client in (signed_in(app), with_token(app))]
    assert [answer.status_code for answer in answers] == [status, status]
    said, english = (answer.json["detail"] for answer in answers)
    assert said != english
    assert english_left(f"<p>{escape(said)}</p>") == []
    assert english_left(f"<p>{escape(english)}</p>") != []


def test_an_error_that_has_no_translation_is_marked_as_english(app):
    record = {"text": '[Game "bof"]\n\n1. a {[%clk soon]} *\n'}
    page = signed_in(app, "record").post("/import", data=record, headers={"Accept-Language": "sw"})
    assert english_left(page.text) == []
    assert re.search(r'<span lang="en">[^<]*soon', page.text)


def test_a_turn_is_told_in_the_language_that_is_asked_for(client, stored):
    path = f"/api/v1/games/{stored['LIVE']}/turns/2/trace"
    assert client.get(path).json["sentences"] != client.get(f"{path}?language=sw").json["sentences"]
    assert client.get(f"{path}?language=xx").status_code == 422
    other = "/api/v1/positions/trace?game=oware&move=c"
    assert client.get(other).json["sentences"] != client.get(f"{other}&language=sw").json["sentences"]
