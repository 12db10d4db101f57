"""The turns of a game, and its people: who plays for a side, and what was tried on the board."""

from __future__ import annotations

from typing import Any

from flask import Response
from marshmallow import Schema, fields, validate

from inkeek.records import Game, Replay, Teams
from inkeek.records.json_codec import to_json
from inkeek.records.notation.commands import Trial
from inkeek.service.games import people
from inkeek.service.games.answers import (
    PeopleJson,
    PlacedJson,
    PlyJson,
    ReplayJson,
    StoredTurnJson,
    TeamsJson,
    TrialJson,
    TrialsJson,
    TurnsJson,
    teams_json,
)
from inkeek.service.games.api import seq_tag, write
from inkeek.service.games.plies import numbered_remarks
from inkeek.service.games.record_check import MAX_ACTOR
from inkeek.service.games.repository import Played
from inkeek.service.games.rules_answers import TraceJson, traced_turn_json
from inkeek.service.games.schemas import (
    LanguageSchema,
    NewGapSchema,
    NewIrregularTurnSchema,
    NewTurnSchema,
    expected_ply,
    side_field,
)
from inkeek.service.games.validation import read_move
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import by_field, move_field, said_field
from inkeek.service.http.api.responses import location, respond
from inkeek.service.http.context import current_services
from inkeek.service.storage import GameEvent

blueprint = ApiBlueprint("turns", "The turns of a game.")


def plies_json(record: Game, replay: Replay) -> list[PlyJson]:
    """Every turn: what it did, and what the record says about it."""
    return [
        PlyJson.of(turn, ply=number, nags=ply.nags, comments=ply.comments, variations=to_json(ply)["variations"])
        for number, (turn, ply) in enumerate(zip(replay.turns, record.plies, strict=True), 1)
    ]


def _respond_played(played: Played) -> Response:
    ply = played.event.data["ply"]
    value = StoredTurnJson.of(played.turn, ply=ply, seq=played.event.seq, ended=played.outcome)
    trace = location("games", played.row.id, "turns", ply, "trace")
    return respond(value, 201, **seq_tag(played.row.seq), Location=trace)


PLAYS: dict[str, Any] = {
    "scope": "record",
    "returns": StoredTurnJson,
    "answer": _respond_played,
    "headers": ("Location",),
    "changes_game": True,
}


@blueprint.operation(
    "POST",
    "/games/<game_id>/turns",
    body=NewTurnSchema,
    example={"move": "d", "ply": 1, "by": "Koinet", "comments": ["[%clk 0:05:10]"]},
    **PLAYS,
    creates={"ply": "ply"},
)
def play_turn(body: dict[str, Any], game_id: str) -> Played:
    """Play a turn. With `ply` or ``If-Match`` it is refused if the game has changed."""
    return current_services().games.play(game_id, read_move(body["move"]), write(body), comments=body["comments"])


@blueprint.operation(
    "POST",
    "/games/<game_id>/irregular-turns",
    body=NewIrregularTurnSchema,
    example={
        "move": "~c",
        "position": "0.0.0.6.5.4.5.4/0.0.4.4.4.4.4.4 0-0 n 1",
        "ply": 1,
        "comments": ["nobody objected"],
    },
    **PLAYS,
)
def play_irregular(body: dict[str, Any], game_id: str) -> Played:
    """Store an irregular turn that stands, with the position after it."""
    return current_services().games.play_irregular(
        game_id, read_move(body["move"]), body["position"], write(body), comments=body["comments"]
    )


@blueprint.operation(
    "POST",
    "/games/<game_id>/gaps",
    body=NewGapSchema,
    example={"turns": 2, "position": "4.?.0.5.5.4.4.4/5.5.4.4.4.4.4.4 0-? s 2", "comments": ["called away"]},
    **PLAYS,
)
def add_gap(body: dict[str, Any], game_id: str) -> Played:
    """Store that nobody saw the next turns: how many, and what lay afterwards, as far as that is known. Without `turns`
    the position is needed, which says whose turn it is."""
    return current_services().games.add_gap(
        game_id, body["turns"], body["position"], write(body), comments=body["comments"]
    )


@blueprint.operation("GET", "/games/<game_id>/turns", scope="read")
def list_turns(game_id: str) -> TurnsJson:
    """List the turns of a game."""
    record = current_services().games.load(game_id).record
    return TurnsJson(items=plies_json(record, record.replay()))


@blueprint.operation("GET", "/games/<game_id>/turns/<int:ply>/trace", scope="read", query=LanguageSchema)
def get_trace(query: dict[str, Any], game_id: str, ply: int) -> TraceJson:
    """Get a turn seed by seed, and in sentences."""
    snapshot = current_services().games.load(game_id)
    turn = snapshot.turn(ply)
    trace, sentences = snapshot.trace(turn, query["language"])
    return traced_turn_json(ply, turn, trace, sentences)


@blueprint.operation("GET", "/games/<game_id>/positions/<int:ply>", scope="read")
def get_position(game_id: str, ply: int) -> PlacedJson:
    """Get the position after a turn; 0 is the start."""
    snapshot = current_services().games.load(game_id)
    position = snapshot.position_at(ply)
    ended = snapshot.ended and ply == snapshot.row.ply
    return PlacedJson.of(ply=ply, position=position, to_move=None if ended else position.to_move)


@blueprint.operation("GET", "/games/<game_id>/replay", scope="read")
def get_replay(game_id: str) -> ReplayJson:
    """Get the whole game: every turn with the position after it."""
    record = current_services().games.load(game_id).record
    replay = record.replay()
    return ReplayJson.of(record, start=replay.positions[0], plies=plies_json(record, replay), outcome=replay.outcome)


people_blueprint = ApiBlueprint("people", "Teams, and moves that were tried.")


class NewTrialSchema(Schema):
    move = move_field(required=True)
    ply = expected_ply()
    by = by_field("who tried it")


class NewPersonSchema(Schema):
    side = side_field(required=True)
    name = said_field(most=MAX_ACTOR)
    action = fields.String(required=True, validate=validate.OneOf(("join", "leave")))
    by = by_field()


@people_blueprint.operation("GET", "/games/<game_id>/people", scope="read")
def get_people(game_id: str) -> PeopleJson:
    """Get the teams for the next turn, the player of each turn, and contradictions in the record."""
    people = current_services().games.load(game_id).record.people()
    return PeopleJson.of(people, teams=teams_json(people.teams[-1]))


@people_blueprint.operation(
    "POST",
    "/games/<game_id>/people",
    scope="record",
    body=NewPersonSchema,
    example={"action": "join", "side": "North", "name": "Abdi", "by": "Nasieku"},
    returns=TeamsJson,
    answer=lambda changed: respond(teams_json(changed[1]), 201, **seq_tag(changed[0].seq)),
    changes_game=True,
)
def change_people(body: dict[str, Any], game_id: str) -> tuple[GameEvent, Teams]:
    """Add a person to a team or remove them. Returns the teams for the next turn."""
    change = people.join if body["action"] == "join" else people.leave
    return change(current_services().games, game_id, body["side"], body["name"], write(body))


@people_blueprint.operation("GET", "/games/<game_id>/trials", scope="read")
def list_trials(game_id: str) -> TrialsJson:
    """List the moves that were tried and not played."""
    plies = current_services().games.load(game_id).state.plies
    return TrialsJson(items=[TrialJson.of(trial, ply=ply) for ply, trial in numbered_remarks(plies, Trial)])


@people_blueprint.operation(
    "POST",
    "/games/<game_id>/trials",
    scope="record",
    body=NewTrialSchema,
    example={"move": "c", "ply": 1, "by": "Koinet"},
    returns=TrialJson,
    answer=lambda event: respond(TrialJson.of(**event.data), 201, **seq_tag(event.seq)),
    changes_game=True,
)
def try_move(body: dict[str, Any], game_id: str) -> GameEvent:
    """Note that a move was tried. `ply` is the number of the next turn."""
    return people.try_move(current_services().games, game_id, read_move(body["move"]), write(body))
