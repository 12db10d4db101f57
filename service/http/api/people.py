"""``/games/{id}/people`` and ``/games/{id}/trials``: the teams, and moves that were tried."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue
from marshmallow import Schema, fields, validate

from inkeek.records import Move
from inkeek.records.notation.commands import Trial
from inkeek.service.games import people
from inkeek.service.games.plies import numbered_remarks
from inkeek.service.games.record_check import MAX_ACTOR
from inkeek.service.http.answers.people import PeopleJson, TeamsJson, TrialJson, TrialsJson, teams_json
from inkeek.service.http.context import current_services

from .blueprint import ApiBlueprint
from .games.schemas import expected_ply, side_field
from .games.views import seq_tag, write
from .responses import respond
from .text_fields import by_field, move_field, said_field

blueprint = ApiBlueprint("people", "Teams, and moves that were tried.")


class NewTrialSchema(Schema):
    move = move_field(required=True)
    ply = expected_ply()
    by = by_field("who tried it")


class NewPersonSchema(Schema):
    side = side_field(required=True)
    name = said_field(most=MAX_ACTOR)
    action = fields.String(required=True, validate=validate.OneOf(("join", "leave")))
    by = by_field()


@blueprint.operation("GET", "/games/<game_id>/people", scope="read")
def get_people(game_id: str) -> PeopleJson:
    """Get the teams for the next turn, the player of each turn, and contradictions in the record."""
    people = current_services().games.load(game_id).record.people()
    return PeopleJson.of(people, teams=teams_json(people.teams[-1]))


@blueprint.operation(
    "POST",
    "/games/<game_id>/people",
    scope="record",
    body=NewPersonSchema,
    example={"action": "join", "side": "North", "name": "Abdi", "by": "Nasieku"},
    returns=TeamsJson,
    changes_game=True,
)
def change_people(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Add a person to a team or remove them. Returns the teams for the next turn."""
    change = people.join if body["action"] == "join" else people.leave
    event, teams = change(current_services().games, game_id, body["side"], body["name"], write(body))
    return respond(teams_json(teams), 201, **seq_tag(event.seq))


@blueprint.operation("GET", "/games/<game_id>/trials", scope="read")
def list_trials(game_id: str) -> TrialsJson:
    """List the moves that were tried and not played."""
    plies = current_services().games.load(game_id).state.plies
    return TrialsJson(items=[TrialJson.of(trial, ply=ply) for ply, trial in numbered_remarks(plies, Trial)])


@blueprint.operation(
    "POST",
    "/games/<game_id>/trials",
    scope="record",
    body=NewTrialSchema,
    example={"move": "c", "ply": 1, "by": "Koinet"},
    returns=TrialJson,
    changes_game=True,
)
def try_move(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Note that a move was tried. `ply` is the number of the next turn."""
    event = people.try_move(current_services().games, game_id, Move.parse(body["move"]), write(body))
    return respond(TrialJson.of(**event.data), 201, **seq_tag(event.seq))
