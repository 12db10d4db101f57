"""A record as plain JSON values and back, without loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import RecordsError
from ..game import MAX_NESTING, Game, Line, Ply
from ..moves import Move


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
    _only(data, ("tags", "comments", "plies", "ended"), "the record")
    tags = data.get("tags")
    if not isinstance(tags, Mapping) or not all(isinstance(item, str) for pair in tags.items() for item in pair):
        raise RecordsError(f"tags: expected names and texts, not {tags!r}")
    ended = data.get("ended")
    if ended is not None and not isinstance(ended, str):
        raise RecordsError(f"ended: expected a result, not {ended!r}")
    return Game(
        dict(tags), _plies(data.get("plies", []), "plies", 0), _texts(data.get("comments", []), "comments"), ended
    )


def ply_from_json(data: Mapping[str, Any], where: str = "ply", depth: int = 0) -> Ply:
    """:raises RecordsError: the values are not a ply; says where."""
    if not isinstance(data, Mapping):
        raise RecordsError(f"{where}: expected an object with a move, not {data!r}")
    _only(data, ("move", "nags", "comments", "variations"), where)
    move, nags, variations = data.get("move"), data.get("nags", []), data.get("variations", [])
    if not isinstance(move, str):
        raise RecordsError(f"{where}.move: expected a move, not {move!r}")
    if not isinstance(nags, list) or not all(isinstance(nag, int) and 0 <= nag <= 255 for nag in nags):
        raise RecordsError(f"{where}.nags: expected numbers from 0 to 255, not {nags!r}")
    if not isinstance(variations, list):
        raise RecordsError(f"{where}.variations: expected a list, not {variations!r}")
    if depth >= MAX_NESTING and variations:
        raise RecordsError(f"{where}: variations are nested more than {MAX_NESTING} deep")
    lines = []
    for number, line in enumerate(variations):
        here = f"{where}.variations[{number}]"
        if not isinstance(line, Mapping) or not line.get("plies"):
            raise RecordsError(f"{here}: expected an object with plies, not {line!r}")
        _only(line, ("comments", "plies"), here)
        lines.append(
            Line(
                _plies(line["plies"], f"{here}.plies", depth + 1), _texts(line.get("comments", []), f"{here}.comments")
            )
        )
    return Ply(Move.parse(move), tuple(nags), _texts(data.get("comments", []), f"{where}.comments"), tuple(lines))


def _plies(values: Any, where: str, depth: int) -> tuple[Ply, ...]:
    if not isinstance(values, list):
        raise RecordsError(f"{where}: expected a list of plies, not {values!r}")
    return tuple(ply_from_json(value, f"{where}[{number}]", depth) for number, value in enumerate(values))


def _texts(values: Any, where: str) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise RecordsError(f"{where}: expected a list of texts, not {values!r}")
    return tuple(values)


def _only(data: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = [str(name) for name in data if name not in known]
    if unknown:
        raise RecordsError(f"{where}: unknown field {', '.join(unknown)}: expected {', '.join(known)}")
