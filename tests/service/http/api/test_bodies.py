from __future__ import annotations

import pytest
from flask import request
from werkzeug.exceptions import BadRequest

from service.http.api.bodies import read_json


@pytest.mark.timeout(60)
def test_a_name_that_stands_twice_among_very_many_is_found_in_one_pass(app):
    names = [f"{number:x}" for number in range(150_000)]  # comparing all pairs would take many minutes
    body = "{" + ",".join(f'"{name}":1' for name in [*names, names[-1]]) + "}"
    with app.test_request_context("/api/v1/jobs", method="POST", data=body):
        request.max_content_length = len(body) + 1
        with pytest.raises(BadRequest) as refused:
            read_json(request)
    assert repr(names[-1]) in str(refused.value.description)
