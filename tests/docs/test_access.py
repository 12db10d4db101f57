"""docs/access.md, docs/operation.md: the running application keeps the table of routes; metrics exist."""

from __future__ import annotations

import re

import pytest
from flask.testing import FlaskClient

from docs.generate.routes import HOLDERS, may, routes
from inkeek.service import create_app
from inkeek.service.http.context import services_of
from inkeek.service.processes.metrics import FIGURES
from tests.docs.pages import ROOT
from tests.service.clients import with_token

PLACES = {"here": {}, "elsewhere": {"REMOTE_ADDR": "192.0.2.9"}}  # where the request comes from


# Where requests come from matters for reading alone: each other right is tried from elsewhere.
@pytest.mark.parametrize(
    ("holder", "place"), [("none", "here"), ("metrics", "here"), *((holder, "elsewhere") for holder in HOLDERS)]
)
def test_the_running_application_keeps_the_table_for_every_route(tmp_path, place, holder):
    app = create_app({"data": str(tmp_path), "rate": 0})
    services_of(app).store.upgrade()
    client: FlaskClient = app.test_client() if holder == "none" else with_token(app, holder)
    wrong = []
    for method, pattern, endpoint in routes(app):
        path = re.sub(r"<int:\w+>", "1", re.sub(r"<(path:)?\w+>", "nnnnnnnnnn", pattern))
        with client.open(path, method=method, environ_base={**client.environ_base, **PLACES[place]}) as answer:
            status = answer.status_code
        refused = status in (401, 403) and endpoint not in (
            "web.sign_in",
            "web.use_link",
        )  # which refuses links, and needs no scope
        allowed = may(app, endpoint, holder)
        if refused != (allowed == "no" or (allowed == "here" and place == "elsewhere")):
            wrong.append(f"{method} {path}: {status}, and the table says {allowed}")
        if refused:
            assert status == (401 if holder == "none" else 403), path
    services_of(app).store.close()
    assert wrong == []


def test_the_metrics_are_those_of_the_service(client):
    client.get("/healthz")
    there = set(re.findall(r"^# HELP (\w+)", client.get("/metrics").text, re.MULTILINE))
    assert set(FIGURES) == {name for name in there if not name.endswith("_created")}


@pytest.mark.parametrize("name", ["alerts.yml", "dashboard.json"])
def test_the_examples_for_who_watches_ask_for_metrics_that_there_are(name):
    text = (ROOT / "docs/examples/deploy" / name).read_text("utf-8")
    used = set(re.findall(r"\binkeek_\w+", text))
    assert {re.sub("_bucket$", "", name) for name in used} <= set(FIGURES)
    assert len(used) > 8
