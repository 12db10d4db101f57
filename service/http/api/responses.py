"""Responses of the API: JSON with an ETag, conditional where the client asks, and links to other resources."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha1
from typing import TYPE_CHECKING, Any, TypeVar

from flask import Response, request
from werkzeug.datastructures import Headers

from inkeek.service.errors import Unauthorized
from inkeek.service.games.rights import Right
from inkeek.service.http.access.keys import Keys
from inkeek.service.http.compression import SUFFIX
from inkeek.service.http.context import current_right, current_services
from inkeek.service.http.shape import encode
from inkeek.service.live.publisher import RIGHTS_EVERY

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


Line = TypeVar("Line", str, bytes)
JSON = "application/json"
ETAG = rf'(?:W/)?"([0-9]{{1,9}})(?:\.[0-9a-z.]*)?(?:{SUFFIX})?"'  # of a game


class BytesResponse(Response):
    """A response with a complete body and complete headers, which are sent without another look at them."""

    def __init__(self, body: bytes, status: int, headers: Mapping[str, str]) -> None:
        super().__init__([body], status, Headers([*headers.items(), ("Content-Length", str(len(body)))]))

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if self.status_code == 304 or environ["REQUEST_METHOD"] == "HEAD":
            return super().__call__(environ, start_response)
        start_response(self.status, list(self.headers))
        return self.iter_encoded()


def to_json(value: Any) -> bytes:
    """A JSON value as the API sends it."""
    return encode(value) + b"\n"


def respond(value: Any, status: int = 200, **headers: str) -> Response:
    """A JSON response; one to a read has an ETag."""
    return respond_bytes(to_json(value), status, JSON, headers)


def respond_bytes(body: bytes, status: int, media_type: str, headers: Mapping[str, str]) -> Response:
    """A response with this body; to a read with an ETag, of the content unless there is one in `headers`."""
    current = request._get_current_object()  # type: ignore[attr-defined]
    is_read = status == 200 and current.method in ("GET", "HEAD")
    if is_read and "ETag" not in headers:
        headers = {**headers, "ETag": f'"{sha1(body, usedforsecurity=False).hexdigest()}"'}
    response = BytesResponse(body, status, {"Content-Type": media_type, **headers})
    if is_read and "HTTP_IF_NONE_MATCH" in current.environ:
        response.make_conditional(current)
    return response


def while_allowed(lines: Iterator[Line]) -> Iterator[Line]:
    """The lines of a response, as long as the caller's right lasts. It is looked at every `RIGHTS_EVERY` seconds."""
    services, right = current_services(), current_right()
    return lines if right is None else _while_it_lasts(services.keys, right, lines)


def _while_it_lasts(keys: Keys, right: Right, lines: Iterator[Line]) -> Iterator[Line]:
    """:raises Unauthorized: the right has ended: what was sent is not all."""
    looked = time.monotonic()
    for line in lines:
        if time.monotonic() - looked >= RIGHTS_EVERY:
            looked = time.monotonic()
            check_right(keys, right)
        yield line


def check_right(keys: Keys, right: Right) -> None:
    """:raises Unauthorized: the right has ended since the request began."""
    if keys.ended([right]):
        raise Unauthorized("The key was revoked, has expired, or its limit no longer covers this.")


def location(*parts: object) -> str:
    """The path of a resource of the API, for a ``Location`` header."""
    return "/".join((f"{request.root_path}/api/v1", *map(str, parts)))
