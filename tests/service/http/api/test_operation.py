import re

import pytest

from inkeek.service.http.api.blueprint import MAX_NUMBER
from inkeek.service.http.api.operation import long_paths


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
