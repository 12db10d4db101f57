"""What a preview shows is what is ruled after it, in every field."""

from __future__ import annotations

import re
from typing import Any

import pytest

from records import Position
from service.games.disputes import open_dispute
from service.games.write import Write
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
FIELDS: dict[str, dict[str, str]] = {
    "nothing": {},
    "a warning": {"penalty": "warning", "penalty_side": "North"},
    "seeds": {"penalty": "seeds", "penalty_side": "North", "penalty_seeds": "2"},
    "a lost turn": {"penalty": "turn", "penalty_side": "North"},
    "clocks": {"clock_South": "5:00", "clock_North": "+1:30"},
    "all": {"penalty": "seeds", "penalty_side": "North", "penalty_seeds": "3", "clock_South": "1:05:00"},
}  # fmt: skip


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


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_a_preview_shows_is_what_is_ruled(client, games, dispute, outcome, field):
    about, form = OUTCOMES[outcome]
    pages = dispute(about), dispute(about)
    snapshot = games.load(pages[0].split("/")[2])
    state = snapshot.state
    move = snapshot.rules.legal_moves(Position.parse(state.positions[1]))[-1]
    values = {"MOVE": str(move), "POSITION": state.positions[1].replace(" n 1", " s 2")}
    sent = {name: values.get(value, value) for name, value in {**form, **FIELDS[field]}.items()}
    sent |= {"note": "both saw it", "by": "Koinet"}
    shown = client.post(f"{pages[0]}/ruling", data={**sent, "action": "preview"})
    assert shown.status_code == 200, re.findall(r"data-refusal>([^<]*)<", shown.text)
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
    sent = {"side": "North", "outcome": "retracted", "note": "fair", "by": "Tipape", **FIELDS["all"]}
    shown = tipape.post(f"{page}/proposal", data={**sent, "action": "preview"})
    again = form_fields(shown.text, "propose-form")
    assert sent.items() <= again.items()
    assert tipape.post(f"{page}/proposal", data={**again, "action": "propose"}).status_code == 303
    proposal = games.load(page.split("/")[2]).state.events[-1].data
    assert proposal["penalties"] == [{"side": "North", "kind": "seeds", "seeds": 3}]
    assert proposal["clocks"] == [{"side": "South", "to": 3900}]
