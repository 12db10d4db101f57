import re
from datetime import date

import pytest
from flask import Flask

from inkeek.service.http.access.scopes import OPEN
from inkeek.service.http.api.blueprint import MAX_NUMBER, ApiBlueprint
from inkeek.service.http.api.openapi import document
from inkeek.service.http.api.operation import Retirement, long_paths
from inkeek.service.settings import Settings


@pytest.mark.parametrize(
    ("path", "is_long"),
    [
        ("/api/v1/games/9pee9je9fg/events", True),
        ("/api/v1/games/export", True),
        ("/api/v1/games/export.ndjson", True),
        ("/api/v1/games/9pee9je9fg/proof", True),
        ("/api/v1/feed", True),
        ("/api/v1/games", False),
        ("/api/v1/games/9pee9je9fg", False),
        ("/api/v1/games/9pee9je9fg.pmn", False),
        ("/api/v1/games/9pee9je9fg/turns", False),
        ("/games/9pee9je9fg/live", False),
    ],
)
def test_streams_and_files_are_long(app, path, is_long):
    assert bool(long_paths(app).fullmatch(path)) is is_long


def test_no_route_takes_a_number_that_no_column_holds(app):
    rules = [rule for rule in app.url_map.iter_rules() if "<int:" in rule.rule]
    assert rules
    matched = app.url_map.bind("")
    for rule in rules:
        for number, is_found in ((MAX_NUMBER, True), (MAX_NUMBER + 1, False)):
            path = re.sub(r"<int:\w+>", str(number), rule.rule)
            path = re.sub(r"<\w+>", "9pee9je9fg", path)
            method = next(iter(rule.methods - {"OPTIONS", "HEAD"}))
            assert matched.test(path, method) is is_found, path


def test_an_operation_that_ends_says_so_in_its_answers_and_in_the_document():
    blueprint = ApiBlueprint("old", "What ends.")

    @blueprint.operation("GET", "/old", scope=OPEN, sends={}, ends=Retirement(date(2027, 1, 1), date(2028, 1, 1)))
    def get_old() -> dict[str, bool]:
        """Get what is old."""
        return {"old": True}

    @blueprint.operation("GET", "/kept", scope=OPEN, sends={})
    def get_kept() -> dict[str, bool]:
        """Get what is kept."""
        return {"old": False}

    app = Flask(__name__)
    app.register_blueprint(blueprint)
    headers = app.test_client().get("/api/v1/old").headers
    assert headers["Deprecation"] == "@1798761600"
    assert headers["Sunset"] == "Sat, 01 Jan 2028 00:00:00 GMT"
    assert not {"Deprecation", "Sunset"} & set(app.test_client().get("/api/v1/kept").headers.keys())
    paths = document([blueprint], Settings())["paths"]
    old, kept = paths["/api/v1/old"]["get"], paths["/api/v1/kept"]["get"]
    assert old["deprecated"]
    assert set(old["responses"]["200"]["headers"]) == {"Deprecation", "Sunset"}
    assert "deprecated" not in kept
