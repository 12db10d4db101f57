"""What the service is compared with: a Flask view that inserts a row and commits, and one that answers with bytes.

The web server and the database settings are the same.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import warnings

import uvicorn
from flask import Flask, Response, make_response, request
from uvicorn.middleware.wsgi import WSGIMiddleware

DATABASE = os.environ.get("BARE_DATABASE", "")
_here = threading.local()
app = Flask(__name__)


def _connection() -> sqlite3.Connection:
    if not hasattr(_here, "connection"):
        _here.connection = sqlite3.connect(DATABASE, timeout=10, isolation_level=None)
        _here.connection.execute("PRAGMA journal_mode = WAL")
        _here.connection.execute("PRAGMA synchronous = FULL")
        _here.connection.execute(
            "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, game TEXT, ply INTEGER, move TEXT)"
        )
    connection: sqlite3.Connection = _here.connection
    return connection


@app.post("/rows/<game>")
def insert(game: str) -> Response:
    """Insert the JSON body as a row, durable before the answer."""
    row = request.get_json()
    connection = _connection()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO rows (game, ply, move) VALUES (?, ?, ?)", (game, row["ply"], row["move"]))
    connection.execute("COMMIT")
    return make_response({"ply": row["ply"], "move": row["move"]}, 201)


@app.get("/bytes/<int:size>")
def read(size: int) -> Response:
    """Answer with that many bytes of JSON."""
    return Response('"' + "x" * (size - 2) + '"', content_type="application/json")


def serve() -> None:
    """Serve on a port with so many threads."""
    port, threads = map(int, sys.argv[1:])
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        asgi = WSGIMiddleware(app, workers=threads)
    uvicorn.run(
        asgi, host="127.0.0.1", port=port, http="h11", log_level="warning", access_log=False, lifespan="off", ws="none"
    )


if __name__ == "__main__":
    serve()
