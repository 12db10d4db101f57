"""``/rulesets``: the rule sets, also local ones."""

from __future__ import annotations

from typing import Any

from flask import Response
from marshmallow import Schema

from inkeek.records.rules.ruleset import MAX_FILE
from inkeek.service.http.answers.rules import RulesetJson, RulesetsJson, ruleset_json
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.responses import respond
from inkeek.service.http.api.text_fields import text_field
from inkeek.service.http.context import all_rulesets, current_services, current_write, known_ruleset

blueprint = ApiBlueprint("rulesets", "Rule sets with their options, defaults, terms and sources.")

EXAMPLE = """id = "yoruba:ayoayo"
name = "Ayoayo"
sources = ["who told you the rules, and when"]
pits = 6
each = 4

[[last]]
last = "2+"
then = "relay"

[[last]]
take = ["opposite"]
why = "captured"
"""


class NewRulesetSchema(Schema):
    file = text_field(r"[^\u0000]*", 1, MAX_FILE, "the rule set as a TOML file", required=True)


@blueprint.operation("GET", "/rulesets", scope="read", limited=True)
def list_rulesets() -> RulesetsJson:
    """List the rule sets, local ones last."""
    return RulesetsJson(items=[ruleset_json(info) for info in all_rulesets()])


@blueprint.operation("GET", "/rulesets/<ruleset_id>", scope="read", limited=True)
def get_ruleset(ruleset_id: str) -> RulesetJson:
    """Get a rule set."""
    return ruleset_json(known_ruleset(ruleset_id), current_services().games.rulesets.text(ruleset_id) or "")


@blueprint.operation(
    "POST",
    "/rulesets",
    scope="record",
    body=NewRulesetSchema,
    example={"file": EXAMPLE},
    returns=RulesetJson,
    problems=(409,),
)
def add_ruleset(body: dict[str, Any]) -> Response:
    """Add a local rule set, which is never changed. The same file again changes nothing; another one with the same `id`
    is refused."""
    info, _ = current_services().games.rulesets.add(body["file"], current_write().source)
    return respond(ruleset_json(info, body["file"]), 201)


@blueprint.operation("DELETE", "/rulesets/<ruleset_id>", scope="arbiter", status=204, problems=(409,))
def remove_ruleset(ruleset_id: str) -> Response:
    """Remove a local rule set by which no game is played."""
    current_services().games.rulesets.remove(ruleset_id)
    return Response(status=204)
