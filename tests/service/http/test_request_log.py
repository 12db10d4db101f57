import logging
import re

import pytest

from inkeek.service.http.access.keys import SECRET
from inkeek.service.http.request_log import WithRequest
from tests.service.clients import with_token


def test_a_request_has_an_id_in_the_answer_and_on_its_line_of_log(client, caplog):
    caplog.handler.addFilter(WithRequest())
    with caplog.at_level(logging.INFO, "inkeek.service.http.request_log"):
        given = client.get("/healthz", headers={"X-Request-Id": "front-7.b_2"}).headers["X-Request-Id"]
        made = client.get("/api/v1/nothing").headers["X-Request-Id"]
    assert given == "front-7.b_2"
    assert re.fullmatch("[0-9a-f]{32}", made)
    one, other = caplog.records
    assert (one.getMessage(), one.request, one.status) == ("GET /healthz 200", given, 200)
    assert (other.getMessage(), other.request) == ("GET /api/v1/nothing 404", made)
    assert one.ms >= 0
    assert len(one.key) == 10


@pytest.mark.parametrize("given", ["", "x" * 65, "a b", "é", '"'])
def test_an_id_that_is_none_is_replaced(client, given):
    assert re.fullmatch("[0-9a-f]{32}", client.get("/healthz", headers={"X-Request-Id": given}).headers["X-Request-Id"])


def test_a_path_cannot_begin_a_line_of_its_own(client, caplog):
    with caplog.at_level(logging.INFO, "inkeek.service.http.request_log"):
        client.get("/a%0a2026 web ERROR" + "x" * 400)
    (line,) = caplog.records
    assert "\n" not in line.getMessage()
    assert len(line.path) < 400


def test_no_key_stands_in_the_log(app, caplog):
    client = with_token(app)
    with caplog.at_level(logging.DEBUG):
        made = client.post("/api/v1/tokens", json={"name": "x", "scopes": ["read"]}).json["token"]
        client.get(f"/sign-in?key={made}")
        client.get("/api/v1/games", headers={"Authorization": f"Bearer {made}"})
    assert len(caplog.records) >= 3
    assert not SECRET.search("\n".join(str(record.__dict__) for record in caplog.records))


def test_figures_are_counted_by_the_pattern_of_the_route(client):
    client.get("/api/v1/games/nnnnnnnnnn")
    client.get("/api/v1/games/bbbbbbbbbb")
    client.open("/secret-path", method="BREW")
    text = client.get("/metrics").text
    counter = 'inkeek_requests_total{method="GET",route="/api/v1/games/<game_id>",status="404"} 2.0'
    assert counter in text
    assert 'inkeek_requests_total{method="other",route="none",status="404"} 1.0' in text
    assert 'inkeek_request_seconds_count{route="/api/v1/games/<game_id>"} 2.0' in text
    assert "secret-path" not in text
