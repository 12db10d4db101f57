"""The pages ``/rules``: each game with its set-ups, its rules with boards to play them on, its sources and options."""

from __future__ import annotations

from flask import render_template
from flask.typing import ResponseReturnValue

from inkeek.records import Rules, ruleset, ruleset_ids
from inkeek.records.language import load_language
from inkeek.records.rules.families import game_end
from inkeek.records.rules.lessons import load_lessons, reasons_without_lesson
from inkeek.records.rules.ruleset import RuleSet
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_services, known_ruleset
from inkeek.service.http.language import gettext, page_language
from inkeek.service.http.web.base import blueprint

from .lessons import lessons_by_rule
from .set_ups import default_set_ups, set_ups
from .table_view import table_view


@blueprint.get("/rules")
@needs("open")
def list_rules() -> ResponseReturnValue:
    """All games, each with its default set-up."""
    return render_template("games/rule_list.html", rulesets=default_set_ups())


@blueprint.get("/rules/<ruleset_id>")
@needs("open")
def show_rules(ruleset_id: str) -> ResponseReturnValue:
    """One game: set-ups, rules and lessons, how the sources are read, options, terms and sources."""
    info = known_ruleset(ruleset_id)
    starts = set_ups(info)
    taught = load_lessons(ruleset_id) if ruleset_id in ruleset_ids() else {}
    boards = {lesson.position.row: lesson.position for lesson in taught.values()}
    table = table_view(info)
    boards |= table.boards
    return render_template(
        "games/rules.html",
        info=info,
        table=table,
        file=current_services().games.rulesets.text(info.id),
        end=end_words(ruleset(info)),
        set_ups=starts,
        boards=boards,
        rows={*boards, *(start.position.row for start in starts)},
        rule_names=rule_names(),
        lessons=lessons_by_rule(ruleset_id, page_language()) if taught else {},
        reasons=reasons_without_lesson(),
        term_names=term_names(info),
    )


def end_words(rules: Rules) -> str:
    """When a game under these rules ends."""
    words = {
        "row": gettext("The game ends as soon as either row is empty."),
        "majority": gettext(
            "The game ends as soon as a store holds %(count)d seeds, or when the side to move cannot play.",
            count=rules.seeds // 2 + 1,
        ),
        "mover": gettext("The game ends when the side to move cannot play."),
        "neither": gettext("The game ends when neither side can play."),
    }
    return words[game_end(rules.family, rules.settings)]


def rule_names() -> dict[str, str]:
    """What the rules that games have are about, by their ids."""
    return {
        "first-turn": gettext("The first turn"),
        "turn": gettext("The choice of a pit"),
        "sowing": gettext("Sowing"),
        "relay": gettext("Relay"),
        "end": gettext("The end of a turn"),
        "capture": gettext("Captures"),
        "special": gettext("Special pits"),
        "special-made": gettext("How special pits are made"),
        "game-over": gettext("The end of the game"),
    }


def term_names(info: RuleSet) -> list[tuple[str, str]]:
    """What the players of a game call things."""
    words = {
        "pit": gettext("pit"),
        "pits": gettext("pits"),
        "seed": gettext("seed"),
        "special": gettext("special pit"),
        "specials": gettext("special pits"),
        "nothing": gettext("nothing, where nothing is won"),
    }
    terms = load_language(page_language()).terms
    return [(words[name], terms.get(term, term)) for name, term in info.terms.items()]
