"""Evidence in disputes: ``/disputes/{id}/evidence``, ``/disputes/{id}/photographs``, and the penalties so far."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue
from marshmallow import Schema

from inkeek.service.games.events import rules as event_rules
from inkeek.service.http.access import allows
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.constraints import by_field, note_field, said_field
from inkeek.service.http.api.games.views import write
from inkeek.service.http.context import current_caller, current_limit, current_services

from . import disputes, evidence
from .answers import CourseJson, PenaltiesJson
from .api import respond_course

PICTURE = "a picture"

blueprint = ApiBlueprint("evidence", "Evidence and penalties in disputes.")


class NewPhotographSchema(Schema):
    witness = said_field("who took it, or saw it")
    text = note_field("what is to be seen")
    by = by_field()


class NewEvidenceSchema(NewPhotographSchema):
    text = said_field("what they saw")


class NewReleaseSchema(Schema):
    by = by_field()


class NewRemovalSchema(Schema):
    by = by_field()


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/evidence",
    scope="record",
    also="arbiter",
    body=NewEvidenceSchema,
    example={"witness": "Hawo", "text": "five seeds were in the hand", "by": "Abdi"},
    returns=CourseJson,
    answer=respond_course,
    changes_game=True,
)
def add_evidence(body: dict[str, Any], dispute_id: str) -> str:
    """Add what a witness saw to an open dispute."""
    return add(body, dispute_id)


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/photographs",
    scope="record",
    also="arbiter",
    query=NewPhotographSchema,
    takes=dict.fromkeys(evidence.PHOTOGRAPH_TYPES, PICTURE),
    max_body=evidence.MAX_BYTES,
    returns=CourseJson,
    answer=respond_course,
    changes_game=True,
)
def add_photograph(query: dict[str, Any], dispute_id: str) -> str:
    """Add a photograph, the body, to an open dispute. Only arbiters see it until one releases it."""
    return add(query, dispute_id, request.get_data())


@blueprint.operation(
    "GET",
    "/disputes/<dispute_id>/evidence/<int:evidence_seq>/photograph",
    scope="read",
    sends=dict.fromkeys(evidence.PHOTOGRAPH_TYPES, ()),
)
def get_photograph(dispute_id: str, evidence_seq: int) -> ResponseReturnValue:
    """Get a photograph as it was sent. Needs the scope `arbiter` until it is released."""
    _, course = disputes.load_dispute(current_services().games, dispute_id)
    is_arbiter = allows(current_caller().scopes, "arbiter")
    kind, data = evidence.load_photograph(current_services().store, course, evidence_seq, is_arbiter=is_arbiter)
    return Response(data, content_type=kind)


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/evidence/<int:evidence_seq>/release",
    scope="arbiter",
    body=NewReleaseSchema,
    example={"by": "Judge"},
    returns=CourseJson,
    answer=respond_course,
    changes_game=True,
)
def release_photograph(body: dict[str, Any], dispute_id: str, evidence_seq: int) -> str:
    """Let everybody who may read the game see a photograph."""
    evidence.release(current_services().games, dispute_id, evidence_seq, write(body))
    return dispute_id


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/evidence/<int:evidence_seq>/removal",
    scope="record",
    also="arbiter",
    body=NewRemovalSchema,
    example={"by": "Abdi"},
    returns=CourseJson,
    answer=respond_course,
    changes_game=True,
)
def remove_photograph(body: dict[str, Any], dispute_id: str, evidence_seq: int) -> str:
    """Remove a photograph that was stored with the same key; an administrator removes any. The course says so."""
    is_admin = allows(current_caller().scopes, "admin")
    evidence.remove(current_services().games, dispute_id, evidence_seq, write(body), is_admin=is_admin)
    return dispute_id


@blueprint.operation("GET", "/disputes/<dispute_id>/penalties", scope="read")
def get_penalties(dispute_id: str) -> PenaltiesJson:
    """Get the penalties that the players have in the event by rulings that stand, which is next by its rules, and until
    when an appeal is possible."""
    services = current_services()
    snapshot, course = disputes.load_dispute(services.games, dispute_id)
    rules, players = event_rules.load_penalties(services.store, snapshot.row, current_limit())
    return PenaltiesJson.of(rules, appeal_until=event_rules.appeal_until(rules, course.row), players=players)


def add(given: dict[str, Any], dispute_id: str, photograph: bytes | None = None) -> str:
    """Add what a witness saw, or a photograph."""
    games = current_services().games
    evidence.add_evidence(games, dispute_id, given["witness"], given["text"], write(given), photograph)
    return dispute_id
