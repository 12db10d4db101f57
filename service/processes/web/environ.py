"""A request in ASGI as a WSGI environment, and what is refused of it before the application sees it."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import unquote_to_bytes

from inkeek.service.http.context import ON_HANG_UP

from .connection import CONNECTION

REQUEST_LINE = 4094  # bytes
HEADERS = 100  # of a request
HEADER = 8190  # bytes of one
VERSION = len("  HTTP/1.1\r\n")  # of the request line, with spaces
ONCE = (b"authorization", b"content-type")  # headers that may not be sent twice


def wsgi_environ(scope: Any) -> dict[str, Any]:
    """The WSGI environment of a request, without its body."""
    server, client = scope["server"] or ("", 0), scope["client"] or ("", 0)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        ON_HANG_UP: CONNECTION.get().on_hang_up,
    }
    for name, value in scope["headers"]:
        if b"_" in name:
            continue  # it would look like another header
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


def refusal(scope: Any, environ: dict[str, Any]) -> tuple[int, str] | None:
    """The status and the reason, if the web server refuses a request for its headers."""
    if len(scope["method"]) + len(scope["raw_path"]) + len(scope["query_string"]) + VERSION > REQUEST_LINE:
        return 414, f"The request line has more than {REQUEST_LINE} bytes. Send less in the path and the query."
    headers = scope["headers"]
    if len(headers) > HEADERS or any(len(name) + len(value) > HEADER for name, value in headers):
        return 431, (
            f"There are more than {HEADERS} headers, or one has more than {HEADER} bytes. Send fewer or shorter ones."
        )
    names = [name for name, _ in headers]
    if len(set(names)) < len(names):
        twice = next((name for name in ONCE if names.count(name) > 1), None)
        if twice is not None:
            return 400, f"The header {twice.decode()!r} is sent twice. Send it once."
    if "HTTP_TRANSFER_ENCODING" in environ and "CONTENT_LENGTH" in environ:
        return 400, "The request has Content-Length and Transfer-Encoding. Send one of them."
    if environ.get("HTTP_EXPECT", "100-continue").lower() != "100-continue":
        return 417, f"Expect is {environ['HTTP_EXPECT'][:40]!r}. Expected '100-continue'."
    return None
