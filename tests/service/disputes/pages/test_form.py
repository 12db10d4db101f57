"""What a preview shows is what is ruled after it, in every field."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inkeek.records import Position
from inkeek.records.language import load_language
from inkeek.service.disputes.consequences import Consequences
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.disputes.effects import effects_of
from inkeek.service.disputes.rulings import rule
from inkeek.service.disputes.schemas import TermsSchema, terms_in
from inkeek.service.disputes.steps import fields_of_terms, terms_body
from inkeek.service.disputes.terms import ClockData, Terms, terms_from
from inkeek.service.disputes.words import clocks_sentence, ruling_sentences
from inkeek.service.games.matches.games import LaterGames
from inkeek.service.games.write import Write
from inkeek.service.http.api.bodies import read_form
from tests.service.clients import with_token
from tests.service.http.web.html_forms import form_fields

END = {"termination": "time", "winner": "North", "score_South": "20", "score_North": "28"}
OUTCOMES: dict[str, tuple[str, dict[str, str]]] = {
    "stands": ("turn", {"outcome": "stands"}),
    "taken back": ("turn", {"outcome": "retracted"}),
    "taken back to a turn": ("turn", {"outcome": "retracted", "to": "1"}),
    "another move": ("turn", {"outcome": "corrected", "move": "MOVE"}),
    "another move, later turns kept": ("turn", {"outcome": "corrected", "move": "MOVE", "keeps": "yes"}),
    "another board": ("turn", {"outcome": "corrected", "irregular": "yes", "position": "POSITION"}),
    "the game ends": ("turn", {"outcome": "ended", **END}),
    "the end stands": ("end", {"outcome": "stands"}),
    "another end": ("end", {"outcome": "corrected", **END}),
    "no end": ("end", {"outcome": "reopened"}),
}
ALL = {"penalty": "seeds", "penalty_side": "North", "penalty_seeds": "3", "clock_South": "1:05:00"}
FIELDS: list[dict[str, str]] = [
    {},
    {"penalty": "warning", "penalty_side": "North"},
    {"penalty": "turn", "penalty_side": "North"},
    {"clock_South": "5:00", "clock_North": "+1:30"},
]


@pytest.fixture
def dispute(games, new_game):
    """Opens a dispute about turn 2 of 4, or about the end; returns its page."""

    def make(about: str) -> str:
        game = new_game(4, tags={"South": "Naisula", "North": "Tipape"})
        if about == "end":
            games.end(game, "resignation", "South", Write("api"))
        opened = open_dispute(
            games, game, "South", "not so", Write("api"), about=about, ply=2 if about == "turn" else None
        )
        return f"/games/{game}/disputes/{opened.seq}"

    return make


def ruling(games: Any, page: str) -> dict[str, Any]:
    """The data of the only ruling of a dispute, without what its game alone determines."""
    (event,) = (event for event in games.load(page.split("/")[2]).state.events if event.kind == "ruling")
    return {name: value for name, value in event.data.items() if name not in ("dispute", "finding")}


@pytest.mark.parametrize(
    ("outcome", "fields"), [*((outcome, ALL) for outcome in OUTCOMES), *(("stands", fields) for fields in FIELDS)]
)
def test_what_a_preview_shows_is_what_is_ruled(client, games, dispute, outcome, fields):
    about, form = OUTCOMES[outcome]
    pages = dispute(about), dispute(about)
    snapshot = games.load(pages[0].split("/")[2])
    state = snapshot.state
    move = snapshot.rules.legal_moves(Position.parse(state.positions[1]))[-1]
    values = {"MOVE": str(move), "POSITION": state.positions[1].replace(" n 1", " s 2")}
    sent = {name: values.get(value, value) for name, value in {**form, **fields}.items()}
    sent |= {"note": "both saw it", "by": "Koinet"}
    shown = client.post(f"{pages[0]}/ruling", data={**sent, "action": "preview"})
    assert shown.status_code == 200, re.findall(r"data-refusal>(.*?)</p>", shown.text)
    assert not re.search(r">[^<]*\d[.…] ~", shown.text)  # a move that only the notation knows
    again = form_fields(shown.text, "rule-form")
    assert sent.items() <= again.items()
    assert client.post(f"{pages[0]}/ruling", data={**again, "action": "rule"}).status_code == 303
    assert client.post(f"{pages[1]}/ruling", data={**sent, "action": "rule"}).status_code == 303
    assert ruling(games, pages[0]) == ruling(games, pages[1])
    terms = [*ruling(games, pages[1]).get("penalties", []), *ruling(games, pages[1]).get("clocks", [])]
    assert shown.text.count("data-term>") == len(terms)


def test_what_a_proposal_shows_is_what_is_proposed(app, games, dispute):
    tipape = with_token(app, "record", name="Tipape")
    page = dispute("turn")
    sent = {"side": "North", "outcome": "retracted", "note": "fair", "by": "Tipape", **ALL}
    shown = tipape.post(f"{page}/proposal", data={**sent, "action": "preview"})
    again = form_fields(shown.text, "propose-form")
    assert sent.items() <= again.items()
    assert tipape.post(f"{page}/proposal", data={**again, "action": "propose"}).status_code == 303
    proposal = games.load(page.split("/")[2]).state.events[-1].data
    assert proposal["penalties"] == [{"side": "North", "kind": "seeds", "seeds": 3}]
    assert proposal["clocks"] == [{"side": "South", "to": 3900}]


def test_a_form_keeps_every_penalty_with_its_note():
    given = [
        {"side": "South", "kind": "warning", "note": "spoke to a spectator"},
        {"side": "North", "kind": "seeds", "seeds": 2, "note": ""},
    ]
    terms = terms_in(read_form(TermsSchema, {"outcome": "stands", "note": "both", "penalties": given})).checked()
    assert [one.note for one in terms.penalties] == ["spoke to a spectator", ""]
    assert terms_in(read_form(TermsSchema, terms_body(fields_of_terms(terms)))).checked() == terms


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_correction_opens_with_what_the_ruling_has_and_says_what_it_drops(client, games, dispute, outcome):
    about, form = OUTCOMES[outcome]
    page = dispute(about)
    state = games.load(page.split("/")[2]).state
    move = games.load(page.split("/")[2]).rules.legal_moves(Position.parse(state.positions[1]))[-1]
    values = {"MOVE": str(move), "POSITION": state.positions[1].replace(" n 1", " s 2")}
    sent = {name: values.get(value, value) for name, value in {**form, **ALL}.items()}
    client.post(f"{page}/ruling", data={**sent, "note": "both saw it", "by": "Koinet", "action": "rule"})
    first = ruling(games, page)
    again = form_fields(client.get(page).text, "rule-form")
    assert again["by"] == "Koinet"
    chosen = re.search(r'name="outcome" value="(\w+)" required checked', client.get(page).text)
    assert chosen is not None
    if outcome != "another end":  # which the end is by now
        terms = terms_from(first)
        body = read_form(TermsSchema, terms_body({**again, "outcome": chosen[1]}))
        assert terms_in(body).checked() == terms
    empty = dict.fromkeys(("penalty", "penalty_seeds", "clock_South", "clock_North"), "")
    less = {**again, **empty, "outcome": "stands", "corrects": "a slip", "action": "preview"}
    dropped = client.post(f"{page}/ruling", data=less)
    count = len(first.get("penalties", [])) + len(first.get("clocks", [])) + ("end" in first)
    assert dropped.text.count("data-dropped>") == count


def test_a_turn_that_is_played_again_as_it_is_recorded_is_named_once(games, new_game, page_context):
    game, language = new_game(4), load_language("en")
    opened = open_dispute(games, game, "South", "not so", Write("api"), ply=2)
    snapshot = games.load(game)
    cited = [snapshot.cite(ply) for ply in (2, 3, 4)]
    for keeps in (False, True):
        terms = Terms("corrected", move=str(snapshot.turn(2).move), keeps=keeps)
        effects = effects_of(snapshot.state, snapshot.state.course(opened.seq), terms)
        follows = Consequences(effects.position, (), is_counted=False, later=LaterGames(), standings=None)
        shown = " ".join(ruling_sentences(effects, follows, snapshot, language))
        assert [shown.count(turn) for turn in cited] == [1, 1, 1]


def test_a_preview_says_what_becomes_of_clocks_that_the_last_ruling_changed(games, new_game, page_context):
    opened, added = open_dispute(games, new_game(2), "South", "not so", Write("api")), ClockData("South", add=120)
    course = games.load(opened.game).state.course(opened.seq)
    stay = clocks_sentence(course, Terms("stands"))
    rule(games, opened.id, Terms("stands", "so", clocks=(added,)), Write("api", actor="Koinet"))
    course = games.load(opened.game).state.course(opened.seq)
    dropped = clocks_sentence(course, Terms("stands"))
    assert dropped not in ("", stay)
    assert clocks_sentence(course, Terms("stands", clocks=(added,))) == ""
    assert clocks_sentence(course, Terms("stands", clocks=(ClockData("South", to=300),))) == ""
    assert clocks_sentence(course, Terms("stands", clocks=(ClockData("North", to=300),))) == dropped


@pytest.mark.parametrize(
    ("form", "quoted"),
    [
        ({"penalty_seeds": "3"}, "penalties.0.kind"),
        ({"penalty": "warning", "penalty_side": "South", "penalty_seeds": "3"}, "3"),
        ({"outcome": "ended", "termination": "adjudication", "winner": ""}, "South"),
    ],
)
def test_a_field_that_would_be_lost_is_refused_and_kept(client, dispute, form, quoted):
    page = dispute("turn")
    sent = {"outcome": "stands", "note": "so", "by": "Koinet", **form}
    for action in ("preview", "rule"):
        refused = client.post(f"{page}/ruling", data={**sent, "action": action})
        assert refused.status_code == 422
        assert quoted in re.findall(r"data-refusal>(.*?)</p>", refused.text)[0]
        assert "data-fault=" in refused.text
        kept = form_fields(refused.text, "rule-form")
        assert form.get("penalty_seeds", "") == kept["penalty_seeds"]


def test_nobody_wins_by_adjudication_if_nobody_was_chosen(client, games, dispute):
    page = dispute("turn")
    sent = {"outcome": "ended", "termination": "adjudication", "winner": "none", "note": "so", "by": "Koinet"}
    assert client.post(f"{page}/ruling", data={**sent, "action": "rule"}).status_code == 303
    assert ruling(games, page)["end"]["result"] == "1/2-1/2"


@pytest.mark.parametrize("ply", [2, 4, 5])
def test_the_position_of_the_form_is_one_that_it_takes(client, games, new_game, ply):
    game = new_game(4)
    page = f"/games/{game}/disputes/{open_dispute(games, game, 'South', 'not so', Write('api'), ply=ply).seq}"
    again = form_fields(client.get(page).text, "rule-form")
    sent = {**again, "outcome": "corrected", "irregular": "yes", "note": "so", "by": "Koinet", "action": "preview"}
    assert client.post(f"{page}/ruling", data=sent).status_code == 200


def test_the_same_key_sees_no_preview_after_an_appeal(app, client, dispute):
    page, sent = dispute("turn"), {"outcome": "stands", "note": "so", "by": "Koinet"}
    client.post(f"{page}/ruling", data={**sent, "action": "rule"})
    client.post(f"{page}/appeal", data={"reason": "no", "by": "Tipape"})
    for action in ("preview", "rule"):
        assert client.post(f"{page}/ruling", data={**sent, "by": "Hawo", "action": action}).status_code == 409
    hawo = with_token(app, "arbiter", name="Hawo")
    assert hawo.post(f"{page}/ruling", data={**sent, "by": "Hawo", "action": "preview"}).status_code == 200
