"""``/games/{id}/retractions``, and disputes: claims, findings, proposals, rulings, previews and appeals."""

from __future__ import annotations

from typing import Any

from flask.typing import ResponseReturnValue

from inkeek.records.notation.commands import Retraction
from inkeek.records.structs import convert
from inkeek.service.boards.disputed_turn import report_of
from inkeek.service.errors import Invalid
from inkeek.service.games import corrections
from inkeek.service.games.plies import numbered_remarks
from inkeek.service.http.access import allows
from inkeek.service.http.answers.findings import finding_json
from inkeek.service.http.answers.games import RetractionJson, RetractionsJson
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.games.views import check_limit, game_json, respond_page, seq_tag, write
from inkeek.service.http.api.responses import location, respond
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.storage import DisputeRow

from . import disputes, rulings
from .answers import (
    CourseJson,
    DisputeFindingJson,
    DisputeJson,
    DisputePageJson,
    DisputesJson,
    EffectsJson,
    RuledJson,
    course_json,
    effects_json,
    evidence_json,
)
from .finding import find_disputed, finding_seen, preview_ruling as preview
from .schemas import (
    ChangedClaimSchema,
    DisputeListSchema,
    NewAppealSchema,
    NewDisputeSchema,
    NewProposalSchema,
    NewResponseSchema,
    NewRetractionSchema,
    NewRulingSchema,
    NewWithdrawalSchema,
    TermsSchema,
)
from .terms import Terms

blueprint = ApiBlueprint("disputes", "Turns taken back, disputes and rulings.")


def _respond_dispute(dispute: DisputeRow, **headers: str) -> ResponseReturnValue:
    seq = current_services().games.row(dispute.game).seq
    return respond(DisputeJson.of(dispute), 201, **seq_tag(seq), **headers)


def _respond_ruled(dispute: DisputeRow) -> ResponseReturnValue:
    game = current_services().games.load(dispute.game)
    return respond(RuledJson.of(dispute=dispute, game=game_json(game)), 201, **seq_tag(game.seq))


def respond_course(dispute_id: str) -> ResponseReturnValue:
    """Answer a write with the whole course of the dispute."""
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id)
    return respond(course_json(course), 201, **seq_tag(snapshot.seq))


def terms_in(body: dict[str, Any]) -> Terms:
    """The terms in a body.

    :raises Invalid: a winner or a score without a termination.
    """
    if body["termination"] is None and (body["winner"] is not None or body["score"] is not None):
        raise Invalid("winner or score is given without a termination: give the termination too")
    end = body["termination"] and {name: body[name] for name in ("termination", "winner", "score")}
    return convert({**body, "end": end}, Terms)


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
    return DisputesJson.of(items=disputes.disputes_of(current_services().games, current_services().store, game_id))


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
    answer=lambda opened: _respond_dispute(opened, Location=location("disputes", opened.id)),
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
    found, cursor = disputes.page(current_services().store, **query, within=current_limit())
    return respond_page(DisputePageJson.of(items=found, next=cursor))


@blueprint.operation("GET", "/disputes/<dispute_id>", scope="read")
def get_dispute(dispute_id: str) -> DisputeJson:
    """Get a dispute and its ruling."""
    return DisputeJson.of(disputes.find_dispute(current_services().store, dispute_id))


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


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/claim",
    scope="record",
    body=ChangedClaimSchema,
    example={"claim": "six seeds were lifted, not five", "by": "Abdi"},
    returns=DisputeJson,
    answer=_respond_dispute,
    changes_game=True,
)
def add_claim(body: dict[str, Any], dispute_id: str) -> DisputeRow:
    """Say later what an open dispute is about, or what lies on the board, in place of what was said."""
    return disputes.add_claim(current_services().games, dispute_id, body["claim"], write(body), body["seen"])


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/preview",
    scope="read",
    body=TermsSchema,
    example={"outcome": "retracted", "note": "nobody saw it"},
    status=200,
    problems=(409,),
)
def preview_ruling(body: dict[str, Any], dispute_id: str) -> EffectsJson:
    """Show what a ruling would change: turns, board, clocks, later games of the match, standings. Nothing is stored."""
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id)
    terms = terms_in(body)
    effects, follows = preview(snapshot, course, terms)
    return effects_json(effects, follows, terms, snapshot.row, current_limit())


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/proposals",
    scope="record",
    body=NewProposalSchema,
    example={"side": "North", "outcome": "stands", "note": "we saw it wrong", "by": "Abdi"},
    returns=CourseJson,
    answer=respond_course,
    changes_game=True,
    creates={"proposal": "proposals/0/seq"},
)
def propose_ruling(body: dict[str, Any], dispute_id: str) -> str:
    """Propose to the other side how to settle an open dispute."""
    rulings.propose(current_services().games, dispute_id, body["side"], terms_in(body), write(body))
    return dispute_id


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/proposals/<int:proposal>/answer",
    scope="record",
    body=NewResponseSchema,
    example={"side": "South", "accepts": True, "by": "Nasieku"},
    returns=CourseJson,
    answer=respond_course,
    changes_game=True,
)
def answer_proposal(body: dict[str, Any], dispute_id: str, proposal: int) -> str:
    """Accept or refuse the other side's proposal. Accepted, it is the ruling."""
    rulings.respond(
        current_services().games,
        dispute_id,
        proposal,
        body["side"],
        write(body),
        accepts=body["accepts"],
        confirm=body["confirm"],
        finding=finding_seen(dispute_id) if body["accepts"] else None,
    )
    return dispute_id


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/ruling",
    scope="arbiter",
    body=NewRulingSchema,
    example={
        "outcome": "corrected",
        "move": "d",
        "note": "they meant d",
        "penalties": [{"side": "South", "kind": "warning"}],
        "clocks": [{"side": "North", "add": 60}],
        "by": "Judge",
    },
    returns=RuledJson,
    answer=_respond_ruled,
    changes_game=True,
)
def rule_on_dispute(body: dict[str, Any], dispute_id: str) -> DisputeRow:
    """Rule on a dispute: the turn stands, is retracted with all later turns, or is corrected, or the game ends; the end
    stands, is corrected, or the game is reopened."""
    return rulings.rule(
        current_services().games,
        dispute_id,
        terms_in(body),
        write(body),
        confirm=body["confirm"],
        finding=finding_seen(dispute_id),
        corrects=body["corrects"],
    )


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/appeal",
    scope="record",
    also="arbiter",
    body=NewAppealSchema,
    example={"reason": "the turn was legal", "side": "South", "by": "Nasieku"},
    returns=DisputeJson,
    answer=_respond_dispute,
    changes_game=True,
)
def appeal_ruling(body: dict[str, Any], dispute_id: str) -> DisputeRow:
    """Appeal against the last ruling on a dispute: another arbiter must rule, and the game waits."""
    return rulings.appeal(
        current_services().games,
        dispute_id,
        body["reason"],
        write(body),
        body["side"],
        is_arbiter=allows(current_caller().scopes, "arbiter"),
    )


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/withdrawal",
    scope="record",
    body=NewWithdrawalSchema,
    example={"note": "it was about the other table", "by": "Koinet"},
    returns=DisputeJson,
    answer=_respond_dispute,
    changes_game=True,
)
def withdraw_dispute(body: dict[str, Any], dispute_id: str) -> DisputeRow:
    """Withdraw a dispute that is not ruled on: what it is about stands, and may be disputed again."""
    return rulings.withdraw(current_services().games, dispute_id, write(body), body["note"])
