from __future__ import annotations

import re

import pytest
from markupsafe import escape

from inkeek.records import Position
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.disputes.event_data import DisputeData, SensorsData
from inkeek.service.errors import TooBusy
from inkeek.service.games import view_models
from inkeek.service.games.event_kinds import COURSE
from inkeek.service.games.write import Write
from inkeek.service.http.access.caller import UNNAMED
from inkeek.service.http.web.drawing import fields_of, place_names
from tests.service.clients import signed_in, with_token
from tests.service.http.web.html_forms import form_fields, forms_with
from tests.service.positions import moved

TAGS = {"South": "Naisula", "North": "Tipape"}
BAR = "disputed-bar"


def text(response) -> str:
    assert response.mimetype == "text/html"
    return response.get_data(as_text=True)


def laid_out(position: str) -> dict[str, str]:
    """The fields of the page that counts the board, with what lies in each pit and store."""
    words = fields_of(Position.parse(position))
    return {f"laid.{name}": words[place] for place, name in place_names(Position.parse(position).row)}


def entries(page: str) -> list[str]:
    """The kinds of what was said in the course of a dispute."""
    return re.findall(r'data-entry="(\w+)"', page)


def listed(client) -> str:
    """The first section of the list: the disputes that wait."""
    return text(client.get("/disputes")).split('id="ruled-head"')[0]


@pytest.fixture
def game(new_game):
    return new_game(4, tags=TAGS)


@pytest.fixture
def positions(games, game):
    """The position after each of the four turns, from the start."""
    return games.load(game).state.positions


@pytest.fixture
def post(client):
    """Sends a form and returns the answer."""
    return lambda path, **form: client.post(path, data=form)


@pytest.fixture
def dispute(client, game):
    """The page of a dispute about the last turn, opened with the form of the live page."""
    form = {"side": "South", "claim": "A pit was skipped", "by": "Naisula", "ply": "4"}
    opened = client.post(f"/games/{game}/disputes", data=form)
    assert opened.status_code == 303
    return opened.location


def dispute_id(page: str) -> str:
    _, _, game, _, seq = page.split("/")
    return f"{game}-{seq}"


def test_a_link_for_which_nobody_gave_a_name_is_nobodys(app, games, game):
    browser = signed_in(app, "admin", name=UNNAMED)
    page = browser.post(f"/games/{game}/disputes", data={"side": "South", "claim": "so", "by": "", "ply": "4"}).location
    assert games.load(game).events[-1].data["by"] == ""
    assert form_fields(text(browser.get(page)), "rule-form")["by"] == ""


def test_without_disputes_the_list_says_so(client):
    page = text(client.get("/disputes"))
    assert "data-no-disputes" in page
    assert "data-dispute-row" not in page


def test_a_dispute_is_opened_from_the_live_page_and_listed(client, dispute):
    page = text(client.get(dispute))
    assert 'data-state="open"' in page
    assert "A pit was skipped" in page
    assert entries(page) == ["dispute"]
    assert "data-unknown" in page
    assert "data-finding=" not in page
    assert f'href="{dispute}/sheet"' in page
    waiting = listed(client)
    assert f'data-dispute-row="{dispute_id(dispute)}"' in waiting
    assert f'href="{dispute}"' in waiting
    assert "data-no-disputes" not in waiting


def test_the_first_turn_is_disputed_on_the_board_or_when_it_is_recorded(client, post, games, new_game):
    game = new_game(0, tags=TAGS)
    page = text(client.get(f"/games/{game}/live"))
    assert re.findall(r'<option value="(\d+)"', page.split('id="dispute-ply"')[1].split("</select>")[0]) == ["1"]
    opened = post(f"/games/{game}/disputes", side="North", claim="South sowed the wrong way", ply="1")
    assert opened.status_code == 303
    assert games.load(game).state.waiting.row.is_unrecorded
    assert post(f"{opened.location}/ruling", outcome="stands", by="Koinet").status_code == 303
    games.play(game, games.load(game).legal(1)[0], Write("api"))
    again = post(f"/games/{game}/disputes", side="North", claim="it skipped a pit", ply="1")
    assert again.status_code == 303
    row = games.load(game).state.waiting.row
    assert (row.ply, row.is_unrecorded) == (1, False)


def test_a_turn_of_long_ago_is_disputed_from_the_review(client, new_game, monkeypatch):
    monkeypatch.setattr(view_models, "RECENT", 2)
    game = new_game(8)
    review = text(client.get(f"/games/{game}/review?ply=3"))
    link = re.search(r'href="([^"]+)#dispute"', review)[1]
    form = text(client.get(link)).split('id="dispute-ply"')[1].split("</select>")[0]
    offered = re.findall(r'<option value="(\d+)"( selected)?', form)
    assert offered == [("8", ""), ("7", ""), ("3", " selected"), ("9", "")]


def test_play_is_stopped_visibly_until_the_ruling(client, post, games, game, bind_board, dispute):
    board = bind_board(game)
    places = (dispute, f"/games/{game}/live", "/", "/boards", f"/boards/{board}")
    for path in places:
        page = text(client.get(path))
        assert BAR in page, path
        assert path == dispute or f'href="{dispute}"' in page, path
    assert post(f"{dispute}/ruling", outcome="stands", note="rightly sown", by="Koinet").status_code == 303
    for path in places:
        assert BAR not in text(client.get(path)), path
    live, over = f"/games/{game}/live", "The dispute is over"
    assert over in text(client.get(live)), "until somebody plays"
    games.play(game, games.load(game).legal(1)[0], Write("api"))
    assert over not in text(client.get(live))


def test_what_lies_there_is_said_later_and_gives_the_finding(client, post, positions, dispute):
    seen = moved(positions[-1])
    counted = post(f"{dispute}/board", **laid_out(seen), by="Naisula")
    assert (counted.status_code, counted.headers["Location"]) == (303, dispute)
    page = text(client.get(dispute))
    assert entries(page) == ["dispute", "claim"]
    assert 'data-finding="wrong"' in page or 'data-finding="open"' in page
    assert 'data-account="1"' in page
    shown = dict(re.findall(r'data-picture="(\w+)">.*?data-position="([^"]+)"', page, re.DOTALL))
    assert shown == {"should": positions[-1], "lies": seen, "before": positions[-2]}
    assert all(f'value="{word}"' in text(client.get(f"{dispute}/board")) for word in laid_out(seen).values())


def test_the_board_of_a_dispute_is_counted_only_while_it_waits(client, post, positions, dispute):
    assert f'{dispute}/board"' in text(client.get(dispute))
    post(f"{dispute}/ruling", outcome="stands", by="Koinet")
    assert f'{dispute}/board"' not in text(client.get(dispute))
    assert post(f"{dispute}/board", **laid_out(moved(positions[-1])), by="Naisula").status_code == 409


RULING = {"outcome": "stands", "note": "so it was", "by": "Koinet"}
OFFER = {"side": "North", "outcome": "retracted", "note": "fair", "by": "Tipape"}
ANSWER = {"side": "South", "by": "Naisula"}
# Steps by the path of their form; what the form sends, and what the body of the operation has instead.
COURSES: dict[str, list[tuple[str, dict, dict]]] = {
    "stands": [("ruling", RULING, {})],
    "retracted": [("ruling", {**RULING, "outcome": "retracted"}, {})],
    "restarted": [("ruling", {**RULING, "outcome": "restart"}, {"outcome": "retracted", "to": 0})],
    "corrected": [("ruling", {**RULING, "outcome": "corrected", "position": "LIES", "irregular": "yes"}, {})],
    "said": [("claim", {"claim": "six, not five", "by": "Naisula"}, {})],
    "withdrawn": [("withdrawal", {"note": "the wrong table", "by": "Naisula"}, {})],
    "a slip": [
        ("ruling", {**RULING, "outcome": "retracted", "note": "astray"}, {}),
        ("ruling", {**RULING, "corrects": "the wrong button"}, {}),
    ],
    "offered": [("proposal", OFFER, {})],
    "accepted": [("proposal", OFFER, {}), ("answer", {**ANSWER, "answer": "accept"}, {"accepts": True})],
    "refused": [("proposal", OFFER, {}), ("answer", {**ANSWER, "answer": "refuse"}, {"accepts": False})],
    "appealed": [
        ("ruling", {**RULING, "outcome": "retracted", "note": "a pit was skipped"}, {}),
        ("appeal", {"side": "North", "reason": "It was sown rightly", "by": "Tipape"}, {}),
    ],
    "heard again": [
        ("ruling", {**RULING, "outcome": "retracted", "note": "a pit was skipped"}, {}),
        ("appeal", {"side": "North", "reason": "It was sown rightly", "by": "Tipape"}, {}),
        ("ruling", {"outcome": "stands", "note": "nothing was skipped", "by": "Hawo"}, {}),
    ],
}


@pytest.mark.parametrize("course", COURSES)
def test_each_form_does_what_its_operation_does_and_the_page_tells_it(app, games, new_game, course):
    """Two games of the same turns: one is disputed on its pages, the other over the API."""
    keys = {name: with_token(app, "record", "arbiter", name=name) for name in ("Naisula", "Tipape", "Koinet", "Hawo")}
    ids = [new_game(4, tags=TAGS), new_game(4, tags=TAGS)]
    opened = [open_dispute(games, id, "South", "A pit was skipped", Write("api", "Naisula")) for id in ids]
    page, words = f"/games/{ids[0]}/disputes/{opened[0].seq}", []
    for step, form, changes in COURSES[course]:
        form = {name: moved(games.row(ids[0]).position) if text == "LIES" else text for name, text in form.items()}
        body = {name: value for name, value in {**form, **changes}.items() if name not in ("irregular", "answer")}
        proposal = games.row(ids[0]).seq
        path = {"proposal": "proposals", "answer": f"proposals/{proposal}/answer"}.get(step, step)
        client, preview = keys[form["by"]], ""
        if step == "ruling":
            preview = text(client.post(f"{page}/ruling", data={**form, "action": "preview"})).split("data-preview")[1]
        sent = client.post(f"{page}/{step}", data={**form, "action": "propose", "proposal": str(proposal)})
        done = client.post(f"/api/v1/disputes/{opened[1].id}/{path}", json=body)
        assert (sent.status_code, done.status_code) == (303, 201), (sent.text[-2000:], done.json)
        if preview:
            assert f'value="{form["outcome"]}" required checked' in preview
            assert f'data-position="{games.row(ids[0]).position}"' in preview
        words += [form[name] for name in ("claim", "note", "reason", "corrects", "by") if name in form]
    states = [games.load(id).state for id in ids]
    assert said(states[0]) == said(states[1])
    assert states[0].row.position == states[1].row.position
    shown, waits = text(keys["Naisula"].get(page)), states[0].waiting is not None
    assert entries(shown) == [kind for kind, _ in said(states[0]) if kind in (DisputeData.kind, *COURSE)]
    assert [word for word in words if str(escape(word)) not in shown] == []
    assert f'data-state="{states[0].courses[0].row.state}"' in shown
    assert (BAR in text(keys["Naisula"].get(f"/games/{ids[0]}/live"))) is waits
    assert (f'data-dispute-row="{opened[0].id}"' in listed(keys["Naisula"])) is waits
    assert (f'action="{page}/answer"' in shown) is (course == "offered")
    may_correct = not waits and states[0].courses[0].row.arbiter == "Koinet"
    assert ('name="corrects"' in text(keys["Koinet"].get(page))) is may_correct


def said(state) -> list[tuple[str, dict]]:
    """What was said and done since the dispute was opened, without what only the place of the events determines."""
    first = next(at for at, event in enumerate(state.events) if event.kind == "dispute")
    return [(event.kind, event.data) for event in state.events[first:]]


def test_a_ruling_that_another_device_gave_meanwhile_is_not_replaced_unseen(client, dispute):
    first = {"outcome": "stands", "note": "so it was", "by": "Koinet"}
    assert client.post(f"{dispute}/ruling", data=first).status_code == 303
    shown = form_fields(text(client.get(dispute)), "rule-form")
    again = {**first, "corrects": "the wrong button", "was.ruling": shown["was.ruling"]}
    assert client.post(f"{dispute}/ruling", data={**again, "outcome": "retracted"}).status_code == 303
    late = {**again, "note": "they agree"}
    answer = client.post(f"{dispute}/ruling", data=late)
    assert answer.status_code == 409
    assert "was ruled on since" in text(answer)
    offered = form_fields(text(answer), "rule-form")
    assert offered["note"] == "they agree"
    assert client.post(f"{dispute}/ruling", data={**late, "was.ruling": offered["was.ruling"]}).status_code == 303


def test_who_disputes_second_says_it_in_the_open_dispute(client, dispute):
    game = dispute.partition("/disputes")[0]
    second = {"claim": "six, I counted", "side": "North", "ply": "1"}
    answer = client.post(f"{game}/disputes", data=second)
    page = text(answer)
    assert answer.status_code == 409
    (more,) = (one for one in forms_with(page, f"{dispute}/claim", ["claim"]) if "was.claim" in one)
    assert more["claim"] == "six, I counted"
    assert client.post(f"{dispute}/claim", data=more).status_code == 303
    assert "six, I counted" in text(client.get(dispute))


def test_an_earlier_turn_offers_to_keep_those_that_followed(client, post, game, new_game):
    opened = post(f"/games/{game}/disputes", side="South", claim="then already", ply="2", by="Naisula")
    page = text(client.get(opened.location))
    assert 'name="keeps"' in page
    assert f'href="/games/{game}/review?ply=2"' in page
    last = post(f"/games/{new_game(2)}/disputes", side="South", claim="now", ply="2")
    assert 'name="keeps"' not in text(client.get(last.location))


def test_nothing_that_is_said_becomes_markup(client, post, new_game):
    script = "<script>alert(1)</script>"
    game = new_game(2, tags={"South": script, "North": "<b>Tipape"})
    opened = post(f"/games/{game}/disputes", side="South", claim=script, ply="2", by=script)
    dispute = opened.location
    post(f"{dispute}/claim", claim=f"{script} again", by=script)
    post(f"{dispute}/proposal", side="North", outcome="stands", note=script, by=script, action="propose")
    for path in (dispute, "/disputes", f"/games/{game}/live", "/"):
        page = text(client.get(path))
        assert script not in page, path
        assert "<b>Tipape" not in page, path
        assert "&lt;script&gt;" in page, path
    post(f"{dispute}/ruling", outcome="stands", note=script, by="Koinet")
    post(f"{dispute}/appeal", reason=script, by=script)
    for path in (dispute, "/disputes"):
        assert script not in text(client.get(path)), path


def test_an_arbiter_can_rule_without_a_finding(client, post, services, games, positions, dispute, monkeypatch):
    post(f"{dispute}/board", **laid_out(moved(positions[-1])), by="Naisula")

    def refuse(*arguments, **more):
        raise TooBusy("All places are taken.")

    monkeypatch.setattr(services.findings, "call", refuse)
    page = text(client.get(dispute))
    assert "data-busy" in page
    assert post(f"{dispute}/ruling", outcome="stands", note="seen", by="Judge").status_code == 303
    assert 'data-state="ruled"' in text(client.get(dispute))


def test_sides_and_refusals_of_a_dispute_are_swahili_on_a_swahili_page(client, post, new_game):
    game_id = new_game(4)
    opened = post(f"/games/{game_id}/disputes", side="South", claim="Si hivyo", ply="4")
    page = text(client.get(f"{opened.location}?lang=sw"))
    main = page[page.index("<main") : page.index("</main")]
    assert re.findall(r"\b(?:South|North)\b", re.sub(r"<[^>]*>", " ", main)) == []
    assert '<option value="South">Kusini</option>' in main
    refused = post(f"{opened.location}/ruling?lang=sw", outcome="ended", by="Koinet", note="Hivyo")
    assert refused.status_code == 422
    assert "&#39;ended&#39;" in re.search(r"data-refusal>(.*?)</p>", text(refused))[1]
    listed = text(client.get("/disputes?lang=sw"))
    assert "Kusini" in listed
    assert not re.search(r">[^<]*\b(?:South|North)\b", listed[listed.index("<main") :])


def test_a_lift_that_a_sensor_reports_in_a_closed_pit_is_no_evidence(client, games):
    row = games.create("bof", {}, {}, Write("api"), "4.4.4.4.x/4.4.4.4.4 4-0 s 0")
    games.play(row.id, games.load(row.id).legal(1)[0], Write("api"))
    counts = tuple(float(seeds) for seeds in games.load(row.id).position.pits)
    found = open_dispute(games, row.id, "North", "wrong", Write("api"), sensors=SensorsData(counts, (4, 0)))
    assert client.get(f"/games/{row.id}/disputes/{found.seq}").status_code == 200
