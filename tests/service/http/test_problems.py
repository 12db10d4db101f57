from __future__ import annotations

import re
from pathlib import Path

import pytest

from service.http.problems import is_api_path, problem_types

DOCS = Path(__file__).parents[3] / "docs" / "api.md"
OFF_LINE = {"setting"}  # raised before anything is served


@pytest.mark.parametrize(
    ("path", "api"),
    [("/api/v1/games", True), ("/api", True), ("/healthz", True), ("/readyz", True), ("/apis", False), ("/", False)],
)
def test_which_paths_answer_with_problems(path, api):
    assert is_api_path(path) is api


def test_the_documentation_tells_every_type_of_problem():
    from service.processes.launcher import PortTaken  # which no request meets

    assert PortTaken.slug not in problem_types()
    documented = set(re.findall(r"`/problems/([a-z-]+)`", DOCS.read_text("utf-8")))
    assert documented == problem_types().keys() - OFF_LINE


def test_the_documentation_tells_every_route(client):
    text = DOCS.read_text("utf-8")
    for path, methods in client.get("/api/v1/openapi.json").json["paths"].items():
        for method in methods:
            if method in ("get", "post", "patch", "delete"):
                assert f"{method.upper()} {path.removeprefix('/api/v1')}" in text, (method, path)
