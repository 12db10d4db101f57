"""Evidence, penalties, appeals and earlier rulings on the page of a dispute; the rules on the page of an event."""

import io
import re
from datetime import timedelta

import pytest
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

from inkeek.service.disputes import pages
from inkeek.service.disputes.disputes import open_dispute
from inkeek.service.disputes.evidence import MAX_BYTES
from inkeek.service.games.write import Write
from inkeek.service.storage.clock import utc_now
from tests.service.clients import signed_in
from tests.service.photographs import jpeg
from tests.service.positions import moved

from .test_pages import entries, text

JPEG = jpeg()
TAGS = {"South": "Naisula", "North": "Tipape", "Event": "Narok Open"}


@pytest.fixture
def disputed(games, new_game):
    """A dispute about the last of four turns, one seed of which lies in the wrong pit."""
    game = new_game(4, tags=TAGS)
    return open_dispute(games, game, "South", "not so", Write("api"), moved(games.row(game).position))


@pytest.fixture
def page(disputed):
    return f"/games/{disputed.game}/disputes/{disputed.seq}"


def send(client, page, photograph=JPEG, **form):
    data = {"witness": "Hawo", **form}
    if photograph is not None:
        data["photo"] = FileStorage(io.BytesIO(photograph), "board.jpg")
    boundary, body = encode_multipart(data)  # the client itself leaves a file open
    return client.post(f"{page}/evidence", data=body, content_type=f"multipart/form-data; boundary={boundary}")


def test_a_photograph_from_a_form_is_shown_when_it_is_released(app, client, page):
    assert send(client, page, JPEG + b"\0" * (MAX_BYTES - len(JPEG)), text="the board").status_code == 303
    reader, arbiter = signed_in(app, "record"), signed_in(app, "arbiter")
    shown = text(reader.get(page))
    assert entries(shown) == ["dispute", "evidence"]
    assert "data-not-released" in shown
    assert "<img class=" not in shown
    assert "/release" in text(arbiter.get(page))
    place = re.search(r'action="([^"]*/release)"', text(arbiter.get(page)))[1]
    assert reader.post(place).status_code == 403
    assert arbiter.post(place).status_code == 303
    shown = text(reader.get(page))
    assert entries(shown) == ["dispute", "evidence", "release"]
    picture = re.search(r'<img class="photograph" src="([^"]*)"', shown)[1]
    assert reader.get(picture).content_type == "image/jpeg"
    sheet = text(client.get(f"{page}/sheet"))
    assert "Hawo" in sheet
    assert re.search("[0-9a-f]{64}", sheet)


def test_whoever_stored_a_photograph_removes_it_on_the_page(app, page):
    keeper, arbiter = signed_in(app, "record"), signed_in(app, "arbiter")
    send(keeper, page)
    assert "data-remove" not in text(arbiter.get(page))
    place = re.search(r'action="([^"]*/removal)"', text(keeper.get(page)))[1]
    assert keeper.post(place).status_code == 303
    shown = text(arbiter.get(page))
    assert entries(shown) == ["dispute", "evidence", "removal"]
    assert "Naisula" in shown
    assert "<img class=" not in shown
    assert "data-remove" not in text(keeper.get(page))
    assert arbiter.post(place).status_code == 404


@pytest.mark.parametrize(
    ("photograph", "form", "status"),
    [
        (b"GIF89a", {}, 422),
        (None, {"text": ""}, 422),
        (JPEG, {"witness": ""}, 422),
        (JPEG + b"\0" * MAX_BYTES, {}, 422),
        (JPEG + b"\0" * (MAX_BYTES + (1 << 17)), {}, 413),
    ],
)
def test_a_form_without_evidence_is_refused(client, games, disputed, page, photograph, form, status):
    before = games.row(disputed.game).seq
    assert send(client, page, photograph, **form).status_code == status
    assert games.row(disputed.game).seq == before


def test_rules_of_the_event_order_penalties_and_end_the_time_for_appeals(app, client, page, monkeypatch):
    arbiter, reader = signed_in(app, "arbiter"), signed_in(app, "record")
    event = "/events/narok open"
    given = {"rung": ["seeds", "", "game"], "appeal_minutes": "30"}
    assert reader.post(event, data=given).status_code == 403
    assert arbiter.post(event, data={"rung": ["seeds", "seeds"]}).status_code == 422
    assert arbiter.post(event, data={**given, "appeal_minutes": "ten"}).status_code == 422
    assert arbiter.post(event, data=given).status_code == 303
    shown = text(reader.get(event))
    assert 'data-ladder="seeds game"' in shown
    assert "data-event-rules" not in shown
    options = re.findall(
        r'<option value="(\w*)"', text(client.get(page)).split('name="penalty">')[1].split("</select")[0]
    )
    assert options[:3] == ["", "seeds", "game"]
    rules = {"outcome": "stands", "note": "so", "penalty": "seeds", "penalty_side": "South", "penalty_seeds": "2"}
    assert client.post(f"{page}/ruling", data={**rules, "by": "Koinet"}).status_code == 303
    shown = text(client.get(page))
    assert "data-appeal-until" in shown
    assert "data-late" not in shown
    monkeypatch.setattr(pages, "utc_now", lambda: utc_now() + timedelta(minutes=31))
    assert "data-late" in text(client.get(page))


def test_an_earlier_ruling_about_the_same_slip_is_a_tap_away(client, games, new_game, page, disputed):
    assert "data-precedents" not in text(client.get(page))
    client.post(f"{page}/ruling", data={"outcome": "stands", "note": "so", "by": "Koinet"})
    assert "data-precedents" not in text(client.get(page))  # not its own
    game = new_game(4, tags=TAGS)
    other = open_dispute(games, game, "South", "not so", Write("api"), moved(games.row(game).position))
    shown = text(client.get(f"/games/{game}/disputes/{other.seq}")).split("data-precedents")[1].split("</details>")[0]
    assert f'data-dispute-row="{disputed.id}"' in shown
