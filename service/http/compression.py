"""Responses of text are compressed with gzip for clients that accept it.

Streams stay as they are, so that each event arrives at once. A compressed response has an ETag of its own, as HTTP
wants it: that of the plain one with `SUFFIX`, which ``If-None-Match`` and ``If-Match`` take too.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import lru_cache

from flask import Flask, Request, Response, request

GZIP, PLAIN = "gzip", "identity"
SUFFIX = "-gzip"
MIN_SIZE = 1000  # bytes: a shorter response gains nothing
COMPRESSION_LEVEL = 5
NO_BODY = (204, 206, 304)  # statuses without a body, or with a part of one
MAX_FILES = 64  # style sheets and scripts of which the compressed text is kept
TYPES = frozenset(
    {
        *("text/html", "text/css", "text/javascript", "application/javascript", "image/svg+xml"),
        *("application/json", "application/problem+json", "application/manifest+json", "application/x-mancala-pmn"),
    }
)


def compress_responses(app: Flask, file_views: frozenset[str]) -> None:
    """Compress the responses of an application. `file_views`: endpoints that send files, which are read whole."""

    @app.after_request
    def compress(response: Response) -> Response:
        if response.is_sequence and sum(map(len, response.response)) < MIN_SIZE:
            return response
        if response.mimetype not in TYPES or "Content-Encoding" in response.headers:
            return response
        if response.is_streamed and not (request.endpoint in file_views and response.status_code == 200):
            return response
        if response.content_length is None or response.content_length < MIN_SIZE:
            return response
        response.vary.add("Accept-Encoding")
        if response.status_code in NO_BODY:
            return response
        current = request._get_current_object()  # type: ignore[attr-defined]
        if current.accept_encodings.best_match([GZIP, PLAIN], default=PLAIN) == GZIP:
            _compress(response, current, _file_text if request.endpoint in file_views else _text)
        return response


def _compress(response: Response, request: Request, text: Callable[[bytes], bytes]) -> None:
    """Compress a response, or make it a 304 if the client has it compressed already."""
    tag, is_weak = response.get_etag()
    if tag is not None and not is_weak:
        tag += SUFFIX
        response.set_etag(tag)
    response.headers["Content-Encoding"] = GZIP
    response.headers.pop("Accept-Ranges", None)
    is_read = request.method in ("GET", "HEAD") and response.status_code == 200
    if is_read and tag is not None and request.if_none_match.contains_weak(tag):
        response.status_code = 304
        response.direct_passthrough = False
        response.close()
        response.set_data(b"")
        for name in ("Content-Length", "Content-Encoding", "Content-Type"):
            response.headers.pop(name, None)
        return
    response.direct_passthrough = False
    data = response.get_data()
    response.close()  # the file, if it was one
    response.set_data(text(data))


def _text(data: bytes) -> bytes:
    return gzip.compress(data, COMPRESSION_LEVEL, mtime=0)


_file_text = lru_cache(MAX_FILES)(_text)
