"""``/rulesets``: the rule sets."""

from __future__ import annotations

from inkeek.records import ruleset_ids
from inkeek.records.rules.ruleset import load_ruleset
from inkeek.service.errors import NotFound
from inkeek.service.http.answers.rules import RulesetJson, RulesetsJson, ruleset_json
from inkeek.service.http.api.blueprint import ApiBlueprint

blueprint = ApiBlueprint("rulesets", "Rule sets with their options, defaults, terms and sources.")


@blueprint.operation("GET", "/rulesets", scope="read", limited=True)
def list_rulesets() -> RulesetsJson:
    """List the rule sets."""
    return RulesetsJson(items=[ruleset_json(load_ruleset(ruleset_id)) for ruleset_id in ruleset_ids()])


@blueprint.operation("GET", "/rulesets/<ruleset_id>", scope="read", limited=True)
def get_ruleset(ruleset_id: str) -> RulesetJson:
    """Get a rule set."""
    if ruleset_id not in ruleset_ids():
        raise NotFound(f"There is no rule set {ruleset_id!r}. Known: {', '.join(ruleset_ids())}.")
    return ruleset_json(load_ruleset(ruleset_id))
