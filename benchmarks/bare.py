"""What the service is measured against: a Flask view that inserts one row and commits, and one that answers with bytes.

The web server is the same, and so are the settings of the database.
"""

from __future__ import annotations

import os
import sqlite3
import threading

from flask import Flask, Response, request

DATABASE = os.environ.get("BARE_DATABASE", "")
_here = threading.local()
app = Flask(__name__)


def _connection() -> sqlite3.Connection:
    if not hasattr(_here, "connection"):
        _here.connection = sqlite3.connect(DATABASE, timeout=10, isolation_level=None)
        _here.connection.execute("PRAGMA journal_mode = WAL")
        _here.connection.execute("PRAGMA synchronous = FULL")
        _here.connection.execute("CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, game TEXT, data TEXT)")
    connection: sqlite3.Connection = _here.connection
    return connection


@app.post("/rows/<game>")
def insert(game: str) -> Response:
    """One row, durable before it is answered."""
    connection = _connection()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO rows (game, data) VALUES (?, ?)", (game, request.get_data(as_text=True)))
    connection.execute("COMMIT")
    return Response("{}", status=201, content_type="application/json")


@app.get("/bytes/<int:size>")
def read(size: int) -> Response:
    """So many bytes of JSON."""
    return Response('"' + "x" * (size - 2) + '"', content_type="application/json")
