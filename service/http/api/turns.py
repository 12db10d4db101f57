"""``/games/{id}/turns``: play and list turns; traces, positions and the replay of a game."""

from __future__ import annotations

from typing import Any

from flask import Response
from flask.typing import ResponseReturnValue

from records import Game, Move, Replay
from records.json_codec import to_json
from service.games.repository import Played
from service.http.context import current_services
from service.http.rules_json import outcome_json, path_json, trace_json, turn_json

from .blueprint import ApiBlueprint
from .games import seq_tag, write
from .responses import location, respond
from .schemas import (
    LanguageSchema,
    NewIrregularTurnSchema,
    NewTurnSchema,
    PlacedSchema,
    ReplaySchema,
    StoredTurnSchema,
    TraceSchema,
    TurnsSchema,
)

blueprint = ApiBlueprint("turns", "The turns of a game.")


def plies_json(record: Game, replay: Replay) -> list[dict[str, Any]]:
    """Every turn: what it did, and what the record says about it."""
    return [
        {
            "ply": number,
            **turn_json(turn),
            "nags": list(ply.nags),
            "comments": list(ply.comments),
            "variations": to_json(ply)["variations"],
        }
        for number, (turn, ply) in enumerate(zip(replay.turns, record.plies, strict=True), 1)
    ]


@blueprint.operation(
    "POST",
    "/games/<game_id>/turns",
    scope="record",
    body=NewTurnSchema,
    returns=StoredTurnSchema,
    headers=("Location",),
    changes_game=True,
    creates={"ply": "ply"},
)
def play_turn(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Play a turn. With `ply` or ``If-Match`` it is refused if the game has changed."""
    played = current_services().games.play(game_id, Move.parse(body["move"]), write(body), comments=body["comments"])
    return _respond_played(game_id, played)


@blueprint.operation(
    "POST",
    "/games/<game_id>/irregular-turns",
    scope="record",
    body=NewIrregularTurnSchema,
    returns=StoredTurnSchema,
    headers=("Location",),
    changes_game=True,
)
def play_irregular(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Store an irregular turn that stands, with the position after it."""
    played = current_services().games.play_irregular(
        game_id, Move.parse(body["move"]), body["position"], write(body), comments=body["comments"]
    )
    return _respond_played(game_id, played)


def _respond_played(game_id: str, played: Played) -> Response:
    ply = played.event.data["ply"]
    value = {"ply": ply, **turn_json(played.turn), "seq": played.event.seq, "ended": outcome_json(played.outcome)}
    return respond(value, 201, **seq_tag(played.row.seq), Location=location("games", game_id, "turns", ply, "trace"))


@blueprint.operation("GET", "/games/<game_id>/turns", scope="read", returns=TurnsSchema)
def list_turns(game_id: str) -> dict[str, Any]:
    """List the turns of a game."""
    record = current_services().games.load(game_id).record
    return {"items": plies_json(record, record.replay())}


@blueprint.operation(
    "GET", "/games/<game_id>/turns/<int:ply>/trace", scope="read", query=LanguageSchema, returns=TraceSchema
)
def get_trace(query: dict[str, Any], game_id: str, ply: int) -> dict[str, Any]:
    """Get a turn seed by seed, and in sentences."""
    snapshot = current_services().games.load(game_id)
    turn = snapshot.turn(ply)
    trace, sentences = snapshot.trace(turn, query["language"])
    return {
        "ply": ply,
        "move": str(turn.move),
        "before": str(turn.before),
        "position": str(turn.position),
        "events": [] if trace is None else trace_json(trace),
        "path": [] if trace is None else path_json(trace),
        "sentences": sentences,
    }


@blueprint.operation("GET", "/games/<game_id>/positions/<int:ply>", scope="read", returns=PlacedSchema)
def get_position(game_id: str, ply: int) -> dict[str, Any]:
    """Get the position after a turn; 0 is the start."""
    snapshot = current_services().games.load(game_id)
    position = snapshot.position_at(ply)
    ended = snapshot.ended and ply == snapshot.row.ply
    return {"ply": ply, "position": str(position), "to_move": None if ended else str(position.to_move)}


@blueprint.operation("GET", "/games/<game_id>/replay", scope="read", returns=ReplaySchema)
def get_replay(game_id: str) -> dict[str, Any]:
    """Get the whole game: every turn with the position after it."""
    record = current_services().games.load(game_id).record
    replay = record.replay()
    return {
        "start": str(replay.positions[0]),
        "comments": list(record.comments),
        "plies": plies_json(record, replay),
        "outcome": outcome_json(replay.outcome),
    }
