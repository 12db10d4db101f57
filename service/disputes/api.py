"""``/games/{id}/retractions``, and disputes: claims, findings, proposals, rulings, previews and appeals."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue

from inkeek.records.notation.commands import Retraction
from inkeek.service.boards.disputed_turn import report_of
from inkeek.service.findings.answers import finding_json
from inkeek.service.games import corrections
from inkeek.service.games.answers import RetractionJson, RetractionsJson
from inkeek.service.games.api import check_limit, respond_page, seq_tag, write
from inkeek.service.games.plies import numbered_remarks
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.responses import location, respond
from inkeek.service.http.context import current_limit, current_services
from inkeek.service.storage import DisputeRow

from . import disputes
from .answers import (
    CourseJson,
    DisputeFindingJson,
    DisputeJson,
    DisputePageJson,
    DisputesJson,
    course_json,
    evidence_json,
)
from .finding import find_disputed
from .schemas import (
    DisputeListSchema,
    NewDisputeSchema,
    NewRetractionSchema,
)

blueprint = ApiBlueprint("disputes", "Turns taken back, disputes and rulings.")


def respond_dispute(dispute: DisputeRow, **headers: str) -> ResponseReturnValue:
    seq = current_services().games.row(dispute.game).seq
    return respond(DisputeJson.of(dispute), 201, **seq_tag(seq), **headers)


@blueprint.operation("GET", "/games/<game_id>/retractions", scope="read")
def list_retractions(game_id: str) -> RetractionsJson:
    """List the turns that were taken back."""
    plies = current_services().games.load(game_id).state.plies
    found = numbered_remarks(plies, Retraction)
    return RetractionsJson(items=[RetractionJson.of(retraction, ply=ply) for ply, retraction in found])


@blueprint.operation(
    "POST",
    "/games/<game_id>/retractions",
    scope="record",
    body=NewRetractionSchema,
    example={"reason": "team", "side": "South", "note": "not what the team had said", "ply": 1},
    returns=RetractionJson,
    changes_game=True,
)
def take_back(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Take the last turn back. With `ply` or ``If-Match`` it is refused if the game has changed."""
    event = corrections.take_back(
        current_services().games, game_id, body["reason"], write(body), body["side"], body["note"]
    )
    return respond(RetractionJson.of(**event.data), 201, **seq_tag(event.seq))


@blueprint.operation("GET", "/games/<game_id>/disputes", scope="read")
def list_disputes_of_game(game_id: str) -> DisputesJson:
    """List the disputes of a game in order."""
    return DisputesJson.of(items=current_services().games.load(game_id).state.disputes)


@blueprint.operation(
    "POST",
    "/games/<game_id>/disputes",
    scope="record",
    body=NewDisputeSchema,
    example={
        "side": "North",
        "claim": "five seeds were lifted",
        "seen": "0.0.0.6.5.4.5.4/0.0.4.4.4.4.4.4 0-0 n 1",
        "ply": 1,
        "by": "Abdi",
    },
    returns=DisputeJson,
    answer=lambda opened: respond_dispute(opened, Location=location("disputes", opened.id)),
    headers=("Location",),
    changes_game=True,
    creates={"dispute_id": "id", "seq": "seq"},
)
def open_dispute(body: dict[str, Any], game_id: str) -> DisputeRow:
    """Dispute a turn, the last one by default, or how the game ended. The game waits until it is ruled on."""
    snapshot = current_services().games.load(game_id)
    return disputes.open_dispute(
        current_services().games,
        game_id,
        body["side"],
        body["claim"],
        write(body),
        body["seen"],
        body["about"],
        ply=body["disputed"],
        sensors=report_of(snapshot.board, body["disputed"], snapshot.row.ply),
    )


@blueprint.operation(
    "GET",
    "/disputes",
    scope="read",
    limited=True,
    query=DisputeListSchema,
    returns=DisputePageJson,
    headers=("Link",),
)
def list_disputes(query: dict[str, Any]) -> ResponseReturnValue:
    """List the disputes of all games, newest first."""
    check_limit(query["limit"], "disputes")
    with current_services().store.reading() as transaction:
        found, cursor = transaction.disputes.page(**query, within=current_limit())
    return respond_page(DisputePageJson.of(items=found, next=cursor))


@blueprint.operation("GET", "/disputes/<dispute_id>", scope="read")
def get_dispute(dispute_id: str) -> DisputeJson:
    """Get a dispute and its ruling."""
    return DisputeJson.of(disputes.load_dispute(current_services().games, dispute_id)[1].row)


@blueprint.operation("GET", "/disputes/<dispute_id>/course", scope="read")
def get_course(dispute_id: str) -> CourseJson:
    """Get a dispute with all that followed: claims, proposals, rulings with what who ruled saw, appeals."""
    return course_json(disputes.load_dispute(current_services().games, dispute_id)[1])


@blueprint.operation("GET", "/disputes/<dispute_id>/finding", scope="read", waits=True)
def get_dispute_finding(dispute_id: str) -> DisputeFindingJson:
    """Get what happened in the disputed turn, or in the last one if the end is disputed, by all that is known of it.
    Nothing of it is decided."""
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id)
    found = find_disputed(snapshot, course.row)
    is_known = found is not None or course.row.about != "end"
    finding = found and finding_json(found.finding, found.evidence.before)
    is_since = found is not None and found.finding.agreed is not None
    return DisputeFindingJson(
        evidence=evidence_json(disputes.dispute_evidence(snapshot.state, course.row)) if is_known else None,
        finding=None if is_since else finding,
        since=finding if is_since else None,
        first=found and found.first,
        examined=found and found.examined,
    )
