import json
from typing import Any

import pytest

from inkeek.records import Position, ruleset
from inkeek.records.analysis import Limits, analyse
from inkeek.records.position import MAX_TEXT
from inkeek.service.findings.request import MAX_EARLIER, MAX_QUESTION
from inkeek.service.games.api import NDJSON
from inkeek.service.processes.places import Sender
from inkeek.service.study import api as study
from tests.service.processes.workers.test_calculator import fail_unexpectedly
from tests.service.waiting import until

ALMOST_OVER = "0.0.0.0.0.2/1.1.0.0.0.0 23-21 s 60"  # no line goes round


def ask(client: Any, accept: str = "*/*", **sent: Any) -> Any:
    return client.post("/api/v1/analysis", json={"game": "oware", **sent}, headers={"Accept": accept})


def test_the_answer_is_that_of_the_search(client):
    answer = ask(client, depth=3, lines=2)
    assert answer.status_code == 200, answer.text
    found = analyse(ruleset("oware"), ruleset("oware").start(), Limits(depth=3), lines=2)
    assert answer.json["depth"] == found.depth
    assert [line["moves"] for line in answer.json["lines"]] == [list(map(str, line.moves)) for line in found.lines]
    assert [line["value"] for line in answer.json["lines"]] == [line.value for line in found.lines]


def test_the_log_has_the_cause_of_a_fault_in_the_process_that_calculates(client, monkeypatch, caplog):
    monkeypatch.setattr(study, "report_analysis", fail_unexpectedly)
    answer = ask(client)
    assert (answer.status_code, answer.json["type"]) == (500, "/problems/internal")
    assert "no such weights" not in answer.text
    assert "POST /api/v1/analysis" in caplog.text
    assert "KeyError: 'no such weights'" in caplog.text


def test_each_depth_is_a_line(client):
    answer = ask(client, NDJSON, depth=5)
    assert answer.status_code == 200
    assert answer.content_type == NDJSON
    found = list(map(json.loads, answer.text.splitlines()))
    assert [one["depth"] for one in found] == [1, 2, 3, 4, 5]


def test_an_exact_value_is_an_integer(client):
    answer = ask(client, position=ALMOST_OVER)
    expected = analyse(ruleset("oware"), Position.parse(ALMOST_OVER), Limits(seconds=1)).lines[0]
    assert answer.json["exact"] is True
    assert answer.json["lines"][0]["value"] == expected.value


def test_a_game_that_is_over_has_no_moves(client):
    position = "0.0.0.0.0.0/0.0.0.0.0.0 25-23 s 60"
    for accept in ("*/*", NDJSON):
        answer = json.loads(ask(client, accept, position=position).text)
        assert answer["lines"] == [{"value": 2, "moves": [], "depends_on": []}]


def test_the_setting_bounds_the_time(client, services):
    most = services.settings.analysis_time
    answer = ask(client, seconds=most + 1)
    assert answer.status_code == 422
    assert f"{most + 1:g}" in answer.json["detail"]
    assert f"{most:g}" in answer.json["detail"]


def test_a_stream_that_its_client_closes_stops_the_search(client, services):
    sent = {"game": "oware", "seconds": services.settings.analysis_time}  # longer than `until` waits
    answer = client.post("/api/v1/analysis", json=sent, headers={"Accept": NDJSON}, buffered=False)
    next(iter(answer.response))
    answer.close()
    until(lambda: services.places.analyses.free == services.settings.max_analyses)
    assert ask(client, depth=1).status_code == 200


def test_too_many_at_once_are_told_to_wait(client, services, monkeypatch):
    taken = services.places.analyses.taken
    monkeypatch.setattr(services.places.analyses, "taken", lambda sender, patience: taken(sender, 0.1))
    places = [taken(Sender(name, True)) for name in "ab"]
    with places[0], places[1]:
        answer = ask(client, depth=1)
    assert (answer.status_code, answer.json["type"]) == (503, "/problems/too-busy")
    assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize("path", ["analysis", "findings"])
def test_a_question_that_no_schema_allows_is_refused_before_it_is_parsed(client, path):
    sent = b"[" * (MAX_QUESTION + 1)  # it is no JSON
    answer = client.post(f"/api/v1/{path}", data=sent, content_type="application/json")
    assert (answer.status_code, answer.json["type"]) == (413, "/problems/too-large")
    longest = {"game": "oware", "earlier": ["4" * MAX_TEXT] * MAX_EARLIER, "position": "4" * MAX_TEXT}
    assert len(json.dumps(longest)) < MAX_QUESTION
