"""What the recipes of CONTRIBUTING.md add. `test_contributing.py` runs this in the copy where it follows them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from inkeek.drivers.protocol.frames import FrameDecoder
from inkeek.drivers.protocol.messages import StatusReport, parse
from inkeek.drivers.registry import driver
from inkeek.firmware_sim.firmware.board import BoardFirmware
from inkeek.records import Move, Position, read_games, ruleset, write_game
from inkeek.service.cli.boards.steps import event_text
from inkeek.service.errors import SettingError
from inkeek.service.games import people
from inkeek.service.games.library import persons
from inkeek.service.games.write import Write
from inkeek.service.http.services import Services
from inkeek.service.reference import filled
from inkeek.service.settings import read_settings
from inkeek.service.storage.tables.jobs import QUEUED, JobRow
from tests.records.reference import Done, all_turns
from tests.service.clients import with_token

DOCS = Path(__file__).parents[2] / "docs"


def test_an_option_is_played_by_kernel_and_model() -> None:
    rules = ruleset("oware", kernel="interpreted", grand_slam="takes")
    before = Position.parse("1.0.0.0.0.2/1.1.0.0.0.0 22-21 s 40")
    after = rules.play(before, Move.parse("f")).position
    assert after.stores == (26, 21)
    assert Done(5, (), after.pits, after.marks, after.stores, 1) in all_turns("oware", rules.options, before)
    assert "`grand_slam`" in (DOCS / "rules.md").read_text("utf-8")


def test_an_operation_and_an_event_are_in_the_api(client: FlaskClient, services: Services) -> None:
    id = client.post("/api/v1/games", json={"game": "kalah"}).json["id"]
    game = f"/api/v1/games/{id}"
    client.post(f"{game}/turns", json={"move": "a"})
    assert client.get(f"{game}/score").json == {"stores": [0, 0]}
    add: Any = vars(people)["pause"]
    add(services.games, id, "rain", Write("api", "Naisula"))
    assert '"kind":"pause","data":{"reason":"rain"}' in client.get(f"{game}/events?format=ndjson").text


def test_a_step_of_a_dispute_is_in_the_api_and_on_the_page(client: FlaskClient) -> None:
    id = client.post("/api/v1/games", json={"game": "kalah"}).json["id"]
    client.post(f"/api/v1/games/{id}/turns", json={"move": "a"})
    opened = client.post(f"/api/v1/games/{id}/disputes", json={"side": "North", "claim": "one short"}).json
    assert client.post(f"/api/v1/disputes/{opened['id']}/hearing", json={"when": "at noon"}).status_code == 201
    page = f"/games/{id}/disputes/{opened['seq']}"
    assert client.post(f"{page}/hearing", data={"when": "at one"}).status_code == 303
    shown = client.get(page).text
    assert "heard: at noon" in shown
    assert "heard: at one" in shown


def test_a_field_of_a_plan_is_in_the_api_and_the_form_and_hides_who_asks_for_it(
    client: FlaskClient, services: Services
) -> None:
    game = {"game": "bof", "tags": {"South": "Hawo Ali", "North": "Abdi"}}
    client.post("/api/v1/games", json=game)
    cup = {"name": "Cup", "games": [{"game": "bof"}], "umpire": "Hawo Ali"}
    plan = client.post("/api/v1/events", json=cup).headers["Location"]
    persons.set_initials(services.store, "hawo ali", True, Write("api", "Naisula"))
    assert client.get(plan).json["umpire"] == "Hawo Ali"
    assert with_token(client.application, "read").get(plan).json["umpire"] == "H. A."
    form = {"version": "1", "name": "Cup", "game.bof": "yes", "format": "free", "legs": "1", "umpire": "Abdi"}
    assert client.post("/events/cup/plan", data=form).status_code == 303
    assert client.get(plan).json["umpire"] == "Abdi"
    assert "Umpire" in client.get("/events/cup/changes").text


def test_a_penalty_is_in_the_rules_of_an_event(client: FlaskClient) -> None:
    plan = client.post("/api/v1/events", json={"name": "Cup", "games": [{"game": "bof"}]}).headers["Location"]
    rules = {"ladder": ["points"], "appeal_minutes": None}
    assert client.put(plan.replace("/plan", "/rules"), json=rules).json == rules
    assert "<p data-ladder=points>" in client.get("/events/cup").text.replace('"', "")


def test_a_fact_is_in_the_api_and_on_the_page(client: FlaskClient) -> None:
    id = client.post("/api/v1/games", json={"game": "kalah"}).json["id"]
    client.post(f"/api/v1/games/{id}/turns", json={"move": "a"})
    client.post(f"/api/v1/games/{id}/retractions", json={"reason": "team"})
    assert client.get(f"/api/v1/games/{id}").json["taken_back"] == 1
    page = client.get(f"/games/{id}/live", headers={"Accept-Language": "sw"}).text
    assert "zamu zilizorudishwa: 1" in page


def test_a_column_is_stored(services: Services) -> None:
    job = JobRow("job", "key", QUEUED, (), {}, 0, 0, None, "1", "1")
    with services.store.writing() as transaction:
        transaction.jobs.add(job)
        (begun,) = transaction.jobs.claim("runner", "2", "3")
        assert begun._asdict()["started"] == "2"


def test_a_setting_is_a_variable() -> None:
    assert vars(read_settings({"INKEEK_MAX_JOINED": "5"}))["max_joined"] == 5
    with pytest.raises(SettingError, match="1 to 1000"):
        read_settings({"INKEEK_MAX_JOINED": "0"})


def test_a_page_is_served(client: FlaskClient) -> None:
    assert "abapa" in client.get("/sources").text


def test_a_tag_has_its_place() -> None:
    (game,) = read_games(['[Annotator "Hawo"]\n[Game "oware"]\n[Arbiter "Abdi"]\n[Mood "good"]\n\n*\n'])
    assert [line.split()[0] for line in write_game(game).splitlines()[8:11]] == ["[Arbiter", "[Annotator", "[Mood"]


def test_an_answer_of_a_board_reaches_people() -> None:
    board = BoardFirmware(2, False, "IK-7", "0123abcd")
    board.receive(b"$PING*6427\r\n")
    messages = map(parse, FrameDecoder().feed(board.output(0)))
    (report,) = (message for message in messages if isinstance(message, StatusReport))
    assert event_text(report.status, 2).endswith("calibrated 4")
    assert "| `calibrated`" in filled((DOCS / "api-fields.md").read_text("utf-8"))


def test_an_installed_driver_is_found() -> None:
    assert driver("reed").title == "Board with reed switches"
