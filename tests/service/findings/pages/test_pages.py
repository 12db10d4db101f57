"""The page of findings without scripts."""

import html
import re
from urllib.parse import parse_qsl, urlsplit

import pytest

from inkeek.records import Move, ruleset_ids
from inkeek.records.findings import KINDS
from inkeek.service.errors import TooBusy
from inkeek.service.games.write import Write
from inkeek.service.processes.workers.calculator import Calculator
from tests.service.games.pages.test_pages import text
from tests.service.http.web.html_forms import forms_with

SKIPPED = "/finding?game=oware&board=4.4.0.5.4.5/5.5.4.4.4.4%200-0&claimed=c"
MAX_BYTES = 150_000  # of a page


def fields(page: str) -> dict[str, str]:
    """What the form of a page sends."""
    return forms_with(page, "/finding", {"to_move"})[0]


def kinds(page: str) -> list[str]:
    return re.findall(r'data-kinds="([^"]*)"', page)


def test_the_disputes_link_to_it(client):
    assert 'href="/finding"' in text(client.get("/disputes"))


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_game_has_a_form(client, game):
    assert f"/finding?game={game}" in text(client.get("/finding"))
    page = text(client.get(f"/finding?game={game}"))
    assert len(page) < MAX_BYTES
    assert kinds(page) == []


def test_the_finding_stands_on_the_page(client):
    page = text(client.get(SKIPPED))
    assert 'data-finding="wrong"' in page
    assert kinds(page)[0] == "skipped"
    assert page.count("slip-mark") == sum(kind in KINDS for kind in kinds(page))
    assert len(page) < MAX_BYTES


def test_the_form_leads_to_a_short_address_that_can_be_shared(client):
    sent = fields(text(client.get(SKIPPED)))
    assert sent["now.c"] == "0"
    sent["now.F"] = "?"
    answer = client.get("/finding", query_string=sent)
    assert answer.status_code == 303
    query = dict(parse_qsl(urlsplit(answer.location).query))
    assert query["board"] == "4.4.0.5.4.5/5.5.4.4.4.? 0-0"
    assert not any(name.startswith(("was.", "now.")) for name in query)
    page = text(client.get(answer.location))
    assert kinds(page)[0] == "skipped"
    assert html.escape(answer.location) in page


def test_what_is_wrong_is_told_and_nothing_is_lost(client):
    sent = {**fields(text(client.get(SKIPPED))), "now.c": "<9>", "lifted": "c A"}
    answer = client.get("/finding", query_string=sent)
    assert answer.status_code == 422
    page = text(answer)
    assert "&lt;9&gt;" in page
    assert 'value="c A"' in page
    assert kinds(page) == []


def test_several_turns(client):
    page = text(client.get("/finding?game=oware&moves=c+D+a&board=0.6.2.6.6.6/5.4.4.0.5.4+0-0"))
    assert kinds(page)[0] == "skipped"
    assert "1… D" in page


def test_other_options_begin_anew(client):
    answer = client.get("/finding?game=enkeshui&option.pits=8&was.a=3&rules=changed")
    assert answer.status_code == 303
    page = text(client.get(answer.location))
    assert page.count('data-place="') == 2 * 18


def test_a_turn_of_a_game_leads_to_its_question(client, games, new_game):
    game_id = new_game(0, "oware")
    for move in ("c", "D"):
        games.play(game_id, Move.parse(move), Write("api"))
    for path in (f"/games/{game_id}/review?ply=2", f"/games/{game_id}/live"):
        link = html.unescape(re.search(r'href="(/finding\?[^"]+)"', text(client.get(path)))[1])
        query = dict(parse_qsl(urlsplit(link).query))
        assert query["claimed"] == "D"
        page = text(client.get(link))
        assert kinds(page) == []
        shown = re.findall(r'data-position="([^"]+)"', page)
        positions = games.load(game_id).record.replay().positions
        assert [board.split(" ")[:2] for board in shown[:2]] == [str(one).split(" ")[:2] for one in positions[1:3]]
        asked = client.get("/finding", query_string=fields(page))
        assert kinds(text(client.get(asked.location)))[0] == "legal"
    assert 'href="/finding?' not in text(client.get(f"/games/{game_id}/review?ply=0"))


def test_a_board_that_shows_no_turn_leads_to_its_question(client, games, new_game, bind_board):
    game_id = new_game(2)
    counts = [float(pit) for pit in games.load(game_id).position.pits]
    counts[0], counts[6] = counts[0] + 1, counts[6] + 1
    refusal = {
        "ply": 3, "number": "2.", "side": "South", "cause": "no-fit", "meant": None, "sentences": [], "mend": {},
        "message": "No legal turn.",
    }  # fmt: skip
    bind_board(game_id, counts=counts, verdict="no-fit", refusal=refusal, note=None)
    link = re.search(r'href="(/finding\?[^"]+)"', text(client.get(f"/games/{game_id}/live")))[1]
    query = dict(parse_qsl(urlsplit(html.unescape(link)).query))
    assert query["position"] == str(games.load(game_id).position)
    assert kinds(text(client.get(html.unescape(link))))


def test_when_all_places_are_taken_the_page_says_so(client, monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise TooBusy("Too many.")

    monkeypatch.setattr(Calculator, "call", full)
    answer = client.get(SKIPPED)
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
