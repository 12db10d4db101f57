"""``/games/{id}/retractions``, and disputes: claims, findings, proposals, rulings, previews and appeals."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue

from records import Move
from service.boards.disputed_turn import report_of
from service.errors import Invalid
from service.games import disputes, rulings
from service.games.ruling_terms import ClockTerm, PenaltyTerm, Terms
from service.http.access import allows
from service.http.context import current_caller, current_limit, current_services
from service.http.dispute_finding import find_disputed, finding_seen
from service.http.dispute_json import (
    any_finding_json,
    course_json,
    effects_json,
    evidence_json,
)
from service.http.dispute_preview import preview_ruling as preview
from service.http.serializers import dispute_json
from service.storage import DisputeRow

from .blueprint import ApiBlueprint
from .dispute_schemas import (
    ChangedClaimSchema,
    CourseSchema,
    DisputeFindingSchema,
    DisputeListSchema,
    DisputePageSchema,
    DisputeSchema,
    DisputesSchema,
    EffectsSchema,
    NewAppealSchema,
    NewDisputeSchema,
    NewProposalSchema,
    NewResponseSchema,
    NewRulingSchema,
    NewWithdrawalSchema,
    RuledSchema,
    TermsSchema,
)
from .games import check_limit, corrected_end, game_json, respond_page, seq_tag, write
from .people_schemas import NewRetractionSchema, RetractionSchema, RetractionsSchema
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
                "side": None if noted.command.side is None else str(noted.command.side),
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
    creates={"dispute_id": "id", "seq": "seq"},
)
def open_dispute(body: dict[str, Any], game_id: str) -> ResponseReturnValue:
    """Dispute a turn, the last one by default, or how the game ended. The game waits until it is ruled on."""
    snapshot = current_services().games.load(game_id)
    dispute = disputes.open_dispute(
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
        current_services().store,
        query["limit"],
        query["cursor"],
        query["state"],
        current_limit(),
        query["slip"],
        query["game"],
    )
    return respond_page([dispute_json(dispute) for dispute in found], cursor)


@blueprint.operation("GET", "/disputes/<dispute_id>", scope="read", returns=DisputeSchema)
def get_dispute(dispute_id: str) -> dict[str, Any]:
    """Get a dispute and its ruling."""
    return dispute_json(disputes.find_dispute(current_services().store, dispute_id))


@blueprint.operation("GET", "/disputes/<dispute_id>/course", scope="read", returns=CourseSchema)
def get_course(dispute_id: str) -> dict[str, Any]:
    """Get a dispute with all that followed: claims, proposals, rulings with what who ruled saw, appeals."""
    return course_json(disputes.load_dispute(current_services().games, dispute_id)[1])


@blueprint.operation("GET", "/disputes/<dispute_id>/finding", scope="read", returns=DisputeFindingSchema)
def get_dispute_finding(dispute_id: str) -> dict[str, Any]:
    """Get what happened in the disputed turn, or in the last one if the end is disputed, by all that is known of it.
    Nothing of it is decided."""
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id)
    found = find_disputed(snapshot, course.row)
    if found is None and course.row.about == "end":
        return {"evidence": None, "finding": None, "since": None, "first": None, "examined": None}
    evidence = disputes.dispute_evidence(snapshot.state, course.row)
    before = evidence.before if found is None else found.evidence.before
    return {
        "evidence": evidence_json(evidence),
        **any_finding_json(None if found is None else found.finding, before),
        "first": None if found is None else found.first,
        "examined": None if found is None else found.examined,
    }


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/claim",
    scope="record",
    body=ChangedClaimSchema,
    returns=DisputeSchema,
    changes_game=True,
)
def add_claim(body: dict[str, Any], dispute_id: str) -> ResponseReturnValue:
    """Say later what an open dispute is about, or what lies on the board, in place of what was said."""
    dispute = disputes.add_claim(current_services().games, dispute_id, body["claim"], write(body), body["seen"])
    return _respond_dispute(dispute)


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/preview",
    scope="read",
    body=TermsSchema,
    returns=EffectsSchema,
    status=200,
    problems=(409,),
)
def preview_ruling(body: dict[str, Any], dispute_id: str) -> dict[str, Any]:
    """Show what a ruling would change: turns, board, clocks, later games of the match, standings. Nothing is stored."""
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id)
    terms = _terms(body)
    effects, follows = preview(snapshot, course, terms)
    return effects_json(effects, follows, terms, snapshot.row, current_limit())


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/proposals",
    scope="record",
    body=NewProposalSchema,
    returns=CourseSchema,
    changes_game=True,
    creates={"proposal": "proposals/0/seq"},
)
def propose_ruling(body: dict[str, Any], dispute_id: str) -> ResponseReturnValue:
    """Propose to the other side how to settle an open dispute."""
    dispute = rulings.propose(current_services().games, dispute_id, body["side"], _terms(body), write(body))
    return _respond_course(dispute)


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/proposals/<int:proposal>/answer",
    scope="record",
    body=NewResponseSchema,
    returns=CourseSchema,
    changes_game=True,
)
def answer_proposal(body: dict[str, Any], dispute_id: str, proposal: int) -> ResponseReturnValue:
    """Accept or refuse the other side's proposal. Accepted, it is the ruling."""
    dispute = rulings.respond(
        current_services().games,
        dispute_id,
        proposal,
        body["side"],
        write(body),
        accepts=body["accepts"],
        confirm=body["confirm"],
        finding=finding_seen(dispute_id) if body["accepts"] else None,
    )
    return _respond_course(dispute)


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/ruling",
    scope="arbiter",
    body=NewRulingSchema,
    returns=RuledSchema,
    changes_game=True,
)
def rule_on_dispute(body: dict[str, Any], dispute_id: str) -> ResponseReturnValue:
    """Rule on a dispute: the turn stands, is retracted with all later turns, or is corrected, or the game ends; the end
    stands, is corrected, or the game is reopened."""
    dispute = rulings.rule(
        current_services().games,
        dispute_id,
        _terms(body),
        write(body),
        confirm=body["confirm"],
        finding=finding_seen(dispute_id),
        corrects=body["corrects"],
    )
    game = current_services().games.load(dispute.game)
    answer = {"dispute": dispute_json(dispute), "game": game_json(game)}
    return respond(answer, 201, **seq_tag(game.seq))


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/appeal",
    scope="record",
    also="arbiter",
    body=NewAppealSchema,
    returns=DisputeSchema,
    changes_game=True,
)
def appeal_ruling(body: dict[str, Any], dispute_id: str) -> ResponseReturnValue:
    """Appeal against the last ruling on a dispute: another arbiter must rule, and the game waits."""
    dispute = rulings.appeal(
        current_services().games,
        dispute_id,
        body["reason"],
        write(body),
        body["side"],
        is_arbiter=allows(current_caller().scopes, "arbiter"),
    )
    return _respond_dispute(dispute)


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/withdrawal",
    scope="record",
    body=NewWithdrawalSchema,
    returns=DisputeSchema,
    changes_game=True,
)
def withdraw_dispute(body: dict[str, Any], dispute_id: str) -> ResponseReturnValue:
    """Withdraw a dispute that is not ruled on: what it is about stands, and may be disputed again."""
    return _respond_dispute(rulings.withdraw(current_services().games, dispute_id, write(body), body["note"]))


def _terms(body: dict[str, Any]) -> Terms:
    """The terms in a body.

    :raises Invalid: a winner or a score without a termination.
    """
    if body["termination"] is None and (body["winner"] is not None or body["score"] is not None):
        raise Invalid("winner or score is given without a termination: give the termination too")
    return Terms(
        body["outcome"],
        body["note"],
        None if body["move"] is None else Move.parse(body["move"]),
        body["position"],
        None if body["termination"] is None else corrected_end(body),
        body["to"],
        body["keeps"],
        tuple(PenaltyTerm(**penalty) for penalty in body["penalties"]),
        tuple(ClockTerm(**clock) for clock in body["clocks"]),
    )


def _respond_dispute(dispute: DisputeRow) -> ResponseReturnValue:
    seq = current_services().games.row(dispute.game).seq
    return respond(dispute_json(dispute), 201, **seq_tag(seq))


def _respond_course(dispute: DisputeRow) -> ResponseReturnValue:
    snapshot, course = disputes.load_dispute(current_services().games, dispute.id)
    return respond(course_json(course), 201, **seq_tag(snapshot.seq))
