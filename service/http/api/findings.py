"""``/findings``: what happened in a turn. Nothing is stored."""

from __future__ import annotations

from typing import Any

from records.findings import Finding
from service.http.context import current_sender, current_services
from service.http.finding_request import MAX_QUESTION, read_request
from service.http.rules_json import finding_json, several_turns_json

from .blueprint import ApiBlueprint
from .finding_schemas import FindingSchema, NewFindingSchema

blueprint = ApiBlueprint("findings", "What happened in a turn.")


@blueprint.operation(
    "POST",
    "/findings",
    scope="read",
    body=NewFindingSchema,
    returns=FindingSchema,
    status=200,
    idempotent=False,
    limited=True,
    max_body=MAX_QUESTION,
)
def find_what_happened(body: dict[str, Any]) -> dict[str, Any]:
    """Find what happened in a turn, or in several. Nothing is stored."""
    request = read_request(body)
    found = request.answer(current_services().finder, current_sender())
    before = request.evidence.before
    return finding_json(found, before) if isinstance(found, Finding) else several_turns_json(found, before)
