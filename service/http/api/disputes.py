"""``/games/{id}/retractions``, disputes, and an arbiter's rulings on them."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue

from records import Move
from service.errors import Invalid
from service.games import disputes
from service.http.context import current_limit, current_services
from service.http.serializers import dispute_json

from .blueprint import ApiBlueprint
from .games import check_limit, corrected_end, game_json, respond_page, seq_tag, write
from .people_schemas import (
    DisputeListSchema,
    DisputePageSchema,
    DisputeSchema,
    DisputesSchema,
    NewDisputeSchema,
    NewRetractionSchema,
    NewRulingSchema,
    RetractionSchema,
    RetractionsSchema,
    RuledSchema,
)
from .responses import location, respond

blueprint = ApiBlueprint("disputes", "Turns taken back, disputes and rulings.")


@blueprint.operation("GET", "/games/<game_id>/retractions", scope="read", returns=RetractionsSchema)
def list_retractions(game_id: str) -> dict[str, Any]:
    """List the turns that were taken back."""
    retractions = current_services().games.load(game_id).record.people().retractions
    return {
        "items": [
            {
                "ply": noted.ply,
                "move": str(noted.command.move),
                "side": str(noted.command.side),
                "reason": noted.command.reason,
                "note": noted.command.note,
            }
            for noted in retractions
        ]
    }


@blueprint.operation(
    "POST",
    "/games/<game_id>/retractions",
    scope="record",
    body=NewRetractionSchema,
    returns=RetractionSchema,
    changes_game=True,
)
def take_back(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Take the last turn back. With `ply` or ``If-Match`` it is refused if the game has changed."""
    event = disputes.take_back(
        current_services().games, game_id, body["reason"], write(body), body["side"], body["note"]
    )
    data = event.data
    answer = {"ply": data["ply"] - 1, **{name: data[name] for name in ("move", "side", "reason", "note")}}
    return respond(answer, 201, **seq_tag(event.seq))


@blueprint.operation("GET", "/games/<game_id>/disputes", scope="read", returns=DisputesSchema)
def list_disputes_of_game(game_id: str) -> dict[str, Any]:
    """List the disputes of a game in order."""
    found = disputes.disputes_of(current_services().games, current_services().store, game_id)
    return {"items": [dispute_json(dispute) for dispute in found]}


@blueprint.operation(
    "POST",
    "/games/<game_id>/disputes",
    scope="record",
    body=NewDisputeSchema,
    returns=DisputeSchema,
    headers=("Location",),
    changes_game=True,
)
def open_dispute(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Dispute the last turn, or how the game ended. The game goes on until an arbiter rules."""
    dispute = disputes.open_dispute(
        current_services().games, game_id, body["side"], body["claim"], write(body), body["seen"], body["about"]
    )
    place = location("disputes", dispute.id)
    return respond(dispute_json(dispute), 201, **seq_tag(dispute.seq), Location=place)


@blueprint.operation(
    "GET",
    "/disputes",
    scope="read",
    limited=True,
    query=DisputeListSchema,
    returns=DisputePageSchema,
    headers=("Link",),
)
def list_disputes(query: dict[str, Any]) -> ResponseReturnValue:
    """List the disputes of all games, newest first."""
    check_limit(query["limit"], "disputes")
    found, cursor = disputes.page(
        current_services().store, query["limit"], query["cursor"], query["state"], current_limit()
    )
    return respond_page([dispute_json(dispute) for dispute in found], cursor)


@blueprint.operation("GET", "/disputes/<dispute_id>", scope="read", returns=DisputeSchema)
def get_dispute(dispute_id: str) -> dict[str, Any]:
    """Get a dispute and its ruling."""
    return dispute_json(disputes.find_dispute(current_services().store, dispute_id))


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/ruling",
    scope="arbiter",
    body=NewRulingSchema,
    returns=RuledSchema,
    changes_game=True,
)
def rule_on_dispute(body: dict[str, Any], dispute_id: str) -> ResponseReturnValue:
    """Rule on a dispute: the turn stands, is retracted with all later turns, or is corrected; the end stands, is
    corrected, or the game is reopened."""
    if body["termination"] is None and (body["winner"] is not None or body["score"] is not None):
        raise Invalid("winner or score is given without a termination: give the termination too")
    dispute = disputes.rule(
        current_services().games,
        dispute_id,
        body["outcome"],
        write(body),
        body["note"],
        None if body["move"] is None else Move.parse(body["move"]),
        body["position"],
        None if body["termination"] is None else corrected_end(body),
        confirm=body["confirm"],
    )
    game = current_services().games.load(dispute.game)
    answer = {"dispute": dispute_json(dispute), "game": game_json(game)}
    return respond(answer, 201, **seq_tag(game.seq))
