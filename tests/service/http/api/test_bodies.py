from __future__ import annotations

import pytest
from flask import request
from werkzeug.exceptions import BadRequest

from service.http.api.bodies import MAX_NAMES, read_json


def refusal(app, names: list[str]) -> str:
    """Why an object with these names is refused."""
    body = "{" + ",".join(f'"{name}":1' for name in names) + "}"
    with app.test_request_context("/api/v1/jobs", method="POST", data=body):
        request.max_content_length = len(body) + 1
        with pytest.raises(BadRequest) as refused:
            read_json(request)
    return str(refused.value.description)


def test_a_name_that_stands_twice_is_quoted(app):
    names = [f"{number:x}" for number in range(MAX_NAMES - 1)]
    assert repr(names[-1]) in refusal(app, [*names, names[-1]])


def test_an_object_with_very_many_names_is_refused_as_one(app):
    assert "1150 names" in refusal(app, [f"{number:x}" for number in range(1150)])


def test_a_parameter_that_is_given_twice_is_quoted(client):
    answer = client.get("/api/v1/games?sort=created&sort=-created&limit=2")
    assert (answer.status_code, answer.json["errors"][0]["pointer"]) == (422, "sort")
    assert 'sort is "created"' in answer.json["detail"]
    assert "'-created'" in answer.json["detail"]
