"""Holds responses against the OpenAPI document: status, media type, headers, body; and the bodies of requests too.

Every test below this folder has all its responses checked (`conftest.py`).
"""

import functools
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from flask import Flask, Request, Response, request
from jsonschema_rs import Draft202012Validator

from inkeek.service.http.context import services_of
from inkeek.service.http.problems import MEDIA_TYPE, problem_types
from inkeek.service.http.sse import MEDIA_TYPE as SSE
from inkeek.service.settings import Settings

PREFIX = "/api/v1/"
_texts: dict[Settings, str] = {}


def documented(app: Flask) -> dict[str, Any]:
    """The document."""
    return app.test_client().get("/api/v1/openapi.json").json


def path_of(rule: str) -> str:
    """A route as the document writes it."""
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule)


def _text(app: Flask) -> str:
    """The text of the document, which is made once for all tests with the same settings."""
    settings = replace(services_of(app).settings, data="", database="")
    if settings not in _texts:
        _texts[settings] = app.test_client().get("/api/v1/openapi.json").text
    return _texts[settings]


@functools.cache
def _parsed(text: str) -> Any:
    return json.loads(text)


@functools.cache
def _validator(schema: str, document: str) -> Draft202012Validator:
    """A validator of a schema in a document. The applications of most tests have the same document."""
    whole = {**json.loads(schema), "components": json.loads(document)["components"]}
    return Draft202012Validator(whole, validate_formats=True)


class Conformance:
    """Collects what differs from the document of an application."""

    def __init__(self, app: Flask) -> None:
        self.differences: list[str] = []
        self._text = _text(app)
        self._document = _parsed(self._text)
        app.after_request_funcs.setdefault(None, []).append(self._check)

    def _check(self, response: Response) -> Response:
        if request.path.startswith(PREFIX):
            response.response = self._checked(request._get_current_object(), response)
        return response

    def _checked(self, request: Request, response: Response) -> Any:
        """The body of the response, which is checked while it is read if it is a stream."""
        what = f"{request.method} {request.full_path} answers {response.status_code}"
        if response.mimetype == MEDIA_TYPE:
            self._check_problem(what, response)
        if (request.method == "OPTIONS" and response.status_code == 204) or response.status_code == 405:
            self._check_allow(what, request, response)
        path = path_of(request.url_rule.rule) if request.url_rule else ""
        operation = self._document["paths"].get(path, {}).get(request.method.lower())
        if operation is None:
            return response.response
        self._check_request(what, operation, request, response)
        found = operation["responses"].get(str(response.status_code))
        if found is None:
            self.differences.append(f"{what}: the document has {', '.join(operation['responses'])}")
            return response.response
        return self._check_response(what, self._resolve(found), response)

    def _check_problem(self, what: str, response: Response) -> None:
        problem = response.get_json()
        slug = problem["type"].removeprefix("/problems/")
        kind = problem_types().get(slug)
        if kind is None or (kind.status, kind.title) != (response.status_code, problem["title"]):
            self.differences.append(f"{what}: {problem} is no type of problem")
            return
        schema = self._document["components"]["schemas"]["Problem"]
        self._note(what, self._errors({**schema, "additionalProperties": True}, problem))

    def _check_allow(self, what: str, request: Request, response: Response) -> None:
        rules = request.url_rule and path_of(request.url_rule.rule)
        path = self._document["paths"].get(rules)
        allowed = set(re.split(", *", response.headers.get("Allow", "")))
        if not allowed > {"OPTIONS"}:
            self.differences.append(f"{what}: Allow is {response.headers.get('Allow')}")
        if path is not None:
            methods = {method.upper() for method in path if method != "parameters"}
            if allowed - {"HEAD", "OPTIONS"} != methods or ("HEAD" in allowed) is not ("GET" in methods):
                self.differences.append(f"{what}: Allow is {allowed}, the document has {methods}")

    def _check_request(self, what: str, operation: Any, request: Request, response: Response) -> None:
        """A body that fits the document is not refused for its form; one that does not is refused."""
        schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
        body = request.get_json(silent=True) if schema and response.status_code not in (400, 413, 415) else None
        if schema and body is not None:
            errors = self._errors(schema, body)
            if re.search("[\ud800-\udfff]", json.dumps(body, ensure_ascii=False)):
                errors.append("half a surrogate pair is no text")
            fields = response.status_code == 422 and response.get_json()["type"] == "/problems/fields"
            query = request.query_string
            if fields and not errors and not query:
                self.differences.append(
                    f"{what}: {response.get_json()} to {json.dumps(body)[:500]}, which the document allows"
                )
            if errors and response.status_code < 300:
                self.differences.append(f"{what} to {json.dumps(body)[:500]}: {errors}")

    def _check_response(self, what: str, documented: Any, response: Response) -> Any:
        for name, header in documented.get("headers", {}).items():
            if self._resolve(header).get("required") and name not in response.headers:
                self.differences.append(f"{what}: no {name}")
        content = documented.get("content", {})
        if response.status_code in (204, 304) or not content:
            if response.status_code not in (204, 304):
                self.differences.append(f"{what}: the document says nothing of {response.mimetype}")
            return response.response
        if response.mimetype not in content:
            self.differences.append(f"{what}: {response.mimetype} is not in the document")
            return response.response
        media = content[response.mimetype]
        if response.is_json and request.method != "HEAD":
            self._note(what, self._errors(media["schema"], response.get_json()))
        elif "contentSchema" in media["schema"] and request.method != "HEAD":
            item = media["schema"]["contentSchema"]["items"]
            return _Stream(self, what, item, response.response, response.mimetype == SSE)
        return response.response

    def check_item(self, what: str, schema: Any, item: str) -> None:
        self._note(what, self._errors(schema, json.loads(item)))

    def _note(self, what: str, errors: list[str]) -> None:
        if errors:
            self.differences.append(f"{what}: {errors}")

    def _errors(self, schema: Any, value: Any) -> list[str]:
        validator = _validator(json.dumps(schema), self._text)
        try:
            return [f"{error.instance_path}: {error.message}"[:500] for error in validator.iter_errors(value)]
        except UnicodeEncodeError:
            return ["half a surrogate pair is no text"]

    def _resolve(self, value: Any) -> Any:
        """What a reference refers to."""
        if "$ref" in value:
            value = functools.reduce(lambda found, key: found[key], value["$ref"].split("/")[1:], self._document)
        return value


class _Stream:
    """A stream whose lines, or events, are checked while it is read."""

    def __init__(self, conformance: Conformance, what: str, schema: Any, stream: Any, events: bool) -> None:
        self._conformance = conformance
        self._what = what
        self._schema = schema
        self._stream = stream
        self._events = events

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[Any]:
        rest = ""
        for part in self._stream:
            rest += part if isinstance(part, str) else part.decode()
            *lines, rest = rest.split("\n")
            for line in lines:
                if self._events and line.startswith("data: "):
                    self._conformance.check_item(self._what, self._schema, line.removeprefix("data: "))
                elif not self._events and line:
                    self._conformance.check_item(self._what, self._schema, line)
            yield part
