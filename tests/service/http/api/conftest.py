"""Every answer that the tests of the API see is held against the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask, Response, request

from tests.service.http.api.test_openapi import GENERAL, documented, path_of


@pytest.fixture
def app(app: Flask) -> Iterator[Flask]:
    seen: set[tuple[str, str, int, str]] = set()

    def note(response: Response) -> Response:
        if request.url_rule is not None and request.method not in ("HEAD", "OPTIONS"):
            kind = response.content_type if response.status_code not in (204, 304) else ""
            seen.add((path_of(request.url_rule.rule), request.method.lower(), response.status_code, kind))
        return response

    app.after_request_funcs.setdefault(None, []).append(note)
    yield app
    document = documented(app)
    for path, method, status, kind in seen:
        if path in document["paths"] and status not in GENERAL:
            answers = document["paths"][path][method]["responses"]
            assert str(status) in answers, f"{method} {path} answers {status}: documented are {', '.join(answers)}"
            assert status < 400 or kind == "application/problem+json"
