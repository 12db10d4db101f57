"""``/games/{id}/people`` and ``/games/{id}/trials``: the teams, and moves that were tried."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue

from records import Move, Teams
from service.games import people
from service.http.context import current_services

from .blueprint import ApiBlueprint
from .games import seq_tag, write
from .people_schemas import NewPersonSchema, NewTrialSchema, PeopleSchema, TeamsSchema, TrialSchema, TrialsSchema
from .responses import respond

blueprint = ApiBlueprint("people", "Teams, and moves that were tried.")


@blueprint.operation("GET", "/games/<game_id>/people", scope="read", returns=PeopleSchema)
def get_people(game_id: str) -> dict[str, Any]:
    """Get the teams for the next turn, the player of each turn, and contradictions in the record."""
    people = current_services().games.load(game_id).record.people()
    faults = [
        {
            "reason": fault.reason,
            "ply": fault.ply,
            "name": fault.name,
            "side": None if fault.side is None else str(fault.side),
            "message": fault.message,
        }
        for fault in people.faults
    ]
    return {"teams": teams_json(people.teams[-1]), "makers": list(people.makers), "faults": faults}


@blueprint.operation(
    "POST", "/games/<game_id>/people", scope="record", body=NewPersonSchema, returns=TeamsSchema, changes_game=True
)
def change_people(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Add a person to a team or remove them. Returns the teams for the next turn."""
    change = people.join if body["action"] == "join" else people.leave
    event, teams = change(current_services().games, game_id, body["side"], body["name"], write(body))
    return respond(teams_json(teams), 201, **seq_tag(event.seq))


@blueprint.operation("GET", "/games/<game_id>/trials", scope="read", returns=TrialsSchema)
def list_trials(game_id: str) -> dict[str, Any]:
    """List the moves that were tried and not played."""
    trials = current_services().games.load(game_id).record.people().trials
    return {"items": [{"ply": n.ply, "move": str(n.command.move), "by": n.command.by} for n in trials]}


@blueprint.operation(
    "POST", "/games/<game_id>/trials", scope="record", body=NewTrialSchema, returns=TrialSchema, changes_game=True
)
def try_move(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Note that a move was tried. `ply` is the number of the next turn."""
    event = people.try_move(current_services().games, game_id, Move.parse(body["move"]), write(body))
    data = event.data
    answer = {"ply": data["ply"] - 1, "move": data["move"], "by": data["by"]}
    return respond(answer, 201, **seq_tag(event.seq))


def teams_json(teams: Teams) -> dict[str, list[str]]:
    """The teams."""
    return {"South": list(teams.south), "North": list(teams.north)}
