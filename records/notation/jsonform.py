"""A record as plain JSON values and back, without loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import ValidationError

from records.errors import RecordsError
from records.game import Game, Ply

from .schemas import RecordSchema, load_ply

_NOTHING = object()  # stood there


def game_to_json(game: Game) -> dict[str, Any]:
    """``{"tags": {…}, "comments": […], "plies": […], "ended": "1-0" | null}``."""
    return {
        "tags": dict(game.tags),
        "comments": list(game.comments),
        "plies": [ply_to_json(ply) for ply in game.plies],
        "ended": game.ended,
    }


def ply_to_json(ply: Ply) -> dict[str, Any]:
    """``{"move": "dx7", "nags": [1], "comments": […], "variations": [{"comments": […], "plies": […]}]}``."""
    return {
        "move": str(ply.move),
        "nags": list(ply.nags),
        "comments": list(ply.comments),
        "variations": [
            {"comments": list(line.comments), "plies": [ply_to_json(inner) for inner in line.plies]}
            for line in ply.variations
        ],
    }


def game_from_json(data: Mapping[str, Any]) -> Game:
    """:raises RecordsError: the values are not a record; says where."""
    try:
        return Game(**RecordSchema().load(data))
    except ValidationError as error:
        raise RecordsError(_said(error.messages, data, "")) from error


def ply_from_json(data: Mapping[str, Any], where: str = "ply") -> Ply:
    """:raises RecordsError: the values are not a ply; says where."""
    try:
        return load_ply(data)
    except ValidationError as error:
        raise RecordsError(_said(error.messages, data, where)) from error


def _said(messages: Any, value: Any, where: str) -> str:
    """The first of a schema's messages, where it belongs, and what stood there."""
    while isinstance(messages, dict):
        key, messages = next(iter(messages.items()))
        if key in ("_schema", "key", "value"):
            continue  # the whole; an entry of a mapping
        if isinstance(key, int):
            where += f"[{key}]"
        else:
            where += f".{key}" if where else str(key)
        value = value.get(key, _NOTHING) if isinstance(value, Mapping) else value[key]
    message = messages[0] if isinstance(messages, list) else messages
    quoted = f", not {value!r:.200}" if message.startswith("expected") and value is not _NOTHING else ""
    return f"{where or 'the record'}: {message}{quoted}"
