"""``/rulesets``: the games that can be played."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from records import ruleset, ruleset_ids

from ..errors import NotFound
from .schemas import RulesetSchema, RulesetsSchema
from .smorest import blueprint as make_blueprint

blueprint = make_blueprint("rulesets", "The games, their options, defaults, terms and sources.")


def ruleset_json(ruleset_id: str) -> dict[str, Any]:
    info = ruleset(ruleset_id).info
    return {
        "id": info.id,
        "name": info.name,
        "title": info.title,
        "options": [{**asdict(option), "allowed": list(option.allowed)} for option in info.options],
        "terms": dict(info.terms),
        "setups": [asdict(setup) for setup in info.setups],
        "sources": list(info.sources),
    }


@blueprint.route("/rulesets")
@blueprint.response(200, RulesetsSchema)
def list_rulesets() -> dict[str, Any]:
    """All rule sets."""
    return {"items": [ruleset_json(ruleset_id) for ruleset_id in ruleset_ids()]}


@blueprint.route("/rulesets/<ruleset_id>")
@blueprint.response(200, RulesetSchema)
@blueprint.problems(404)
def get_ruleset(ruleset_id: str) -> dict[str, Any]:
    """One rule set."""
    if ruleset_id not in ruleset_ids():
        raise NotFound(f"there is no rule set {ruleset_id!r}: there are {', '.join(ruleset_ids())}")
    return ruleset_json(ruleset_id)
