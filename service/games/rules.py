"""The pages of rules: what they say, their lessons, and the form that describes new ones."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from flask import Response, render_template, request, url_for
from flask.typing import ResponseReturnValue

from inkeek.records import OptionError, RecordsError, ruleset_ids
from inkeek.records.errors import ErrorText
from inkeek.records.language import load_language
from inkeek.records.rules.lessons import load_lessons, reasons_without_lesson
from inkeek.records.rules.ruleset import MAX_FILE, RuleSet
from inkeek.service.errors import Conflict, Forbidden, gettext_later as later
from inkeek.service.http.access import allows, needs
from inkeek.service.http.context import current_caller, current_services, current_write, known_ruleset
from inkeek.service.http.language import error_text, gettext, page_language
from inkeek.service.http.web.base import blueprint, see_other

from .rulesets import read_local
from .table_view import lessons_by_rule, table_view
from .view_models import default_set_ups, set_ups


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
        set_ups=starts,
        boards=boards,
        rows={*boards, *(start.position.row for start in starts)},
        rule_names=rule_names(),
        lessons=lessons_by_rule(ruleset_id, page_language()) if taught else {},
        reasons=reasons_without_lesson(),
        term_names=term_names(info),
    )


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


@dataclass(frozen=True, slots=True)
class RulesQuestion:
    """A question of the form: the `name` of its field, and its `answers` with their words, of which the first is the
    default; without any, a text such as `example`. A text without a `default` must be given."""

    name: str
    asks: str
    answers: Sequence[tuple[str, str]] = ()
    example: str = ""
    default: str = ""


def own_words(question: str) -> RulesQuestion:
    """What is said of what a question is about."""
    return RulesQuestion(f"{question}_why", later("… in the players’ own words (empty: in the program’s)"))


QUESTIONS: Mapping[str, Sequence[RulesQuestion]] = {
    later("The game"): (
        RulesQuestion("place", later("Where is it played?"), example="Kilosa"),
        RulesQuestion("name", later("What is it called?"), example="mbao"),
        RulesQuestion("source", later("Who told you the rules, and when?"), example="Mzee Salum, Kilosa, 2019"),
        RulesQuestion("pits", later("How many pits has a row?"), default="6"),
        RulesQuestion(
            "each",
            later("How many seeds lie in each pit at the start (or, from a side’s left, in its row: 5 5 0 5 5 5)?"),
            default="4",
        ),
    ),
    later("Sowing"): (
        RulesQuestion(
            "direction",
            later("In which direction are seeds sown?"),
            (
                ("ccw", later("counter-clockwise")),
                ("cw", later("clockwise")),
                ("split", later("the left half of a row to the left, the right half to the right")),
            ),
        ),
        RulesQuestion(
            "origin",
            later("Where does sowing begin?"),
            (
                ("sown", later("in the next pit; a lap that goes round sows the pit where it began, too")),
                ("skipped", later("in the next pit; a lap that goes round passes over the pit where it began")),
                ("first-stays", later("in the pit itself: the first of several seeds stays there")),
            ),
        ),
        RulesQuestion(
            "store",
            later("Is a seed sown into the own store?"),
            (("none", later("no")), ("own", later("yes, in passing"))),
        ),
        RulesQuestion(
            "feed",
            later("What if the opponent has no seeds?"),
            (
                ("no", later("any turn may be played")),
                ("turn", later("a turn must leave them some; who cannot do that cannot play")),
                ("first-lap", later("the first lap must reach their row; who cannot do that cannot play")),
            ),
        ),
    ),
    later("The last seed of a lap"): (
        RulesQuestion(
            "in_store",
            later("It falls in the own store (if that is sown):"),
            (("again", later("the same side has another turn")), ("stop", later("the turn is over"))),
        ),
        own_words("in_store"),
        RulesQuestion("makes", later("It captures the pit where it makes so many seeds, such as 2 3 (empty: none):")),
        RulesQuestion(
            "where",
            later("… in whose pits?"),
            (("theirs", later("in the opponent’s")), ("own", later("in own ones")), ("", later("in all"))),
        ),
        RulesQuestion(
            "chain",
            later("… and then the pits before that hold as many?"),
            (("no", later("no")), ("back", later("yes, one after another, backwards"))),
        ),
        own_words("makes"),
        RulesQuestion(
            "occupied",
            later("Else it falls in a pit that was not empty:"),
            (
                ("relay", later("all seeds of that pit are sown on")),
                ("stop", later("the turn is over")),
                ("next", later("the next pit is sown on; if that is empty, the pit after it is captured")),
            ),
        ),
        own_words("occupied"),
        RulesQuestion(
            "own_empty",
            later("It falls in an empty own pit:"),
            (
                ("opposite", later("the seeds opposite are captured")),
                ("both", later("the seeds opposite are captured, and the last one")),
                ("stop", later("the turn is over")),
                ("again", later("the same side has another turn, if this one brought seeds into a store")),
            ),
        ),
        own_words("own_empty"),
        RulesQuestion(
            "theirs_empty",
            later("It falls in an empty pit of the opponent:"),
            (
                ("stop", later("the turn is over")),
                ("opposite", later("the seeds opposite are captured")),
                ("both", later("the seeds opposite are captured, and the last one")),
                ("again", later("the same side has another turn, if this one brought seeds into a store")),
            ),
        ),
        own_words("theirs_empty"),
        RulesQuestion(
            "slam",
            later("What if a capture takes all seeds that the opponent has?"),
            (("takes", later("it takes them")), ("nothing", later("it takes nothing"))),
        ),
    ),
    later("The end of the game"): (
        RulesQuestion(
            "over",
            later("When is the game over?"),
            (
                ("mover", later("when the side to move cannot play")),
                ("both", later("when neither side can play: who cannot passes")),
                ("row", later("as soon as a row is empty")),
            ),
        ),
        RulesQuestion(
            "rest",
            later("Who gets the seeds that are left?"),
            (
                ("row-owner", later("each side those in its row")),
                ("opponent", later("all of them the opponent of the side to move")),
                ("nobody", later("nobody")),
            ),
        ),
        RulesQuestion(
            "majority",
            later("Is it over when somebody has more than half of the seeds?"),
            (("false", later("no")), ("true", later("yes"))),
        ),
    ),
}


def answered(given: Mapping[str, str]) -> dict[str, str]:
    """The answer to each question: what was given, or the default."""
    return {
        question.name: given.get(
            question.name, question.answers[0][0] if question.answers else question.default
        ).strip()
        for questions in QUESTIONS.values()
        for question in questions
    }


def write_file(answers: Mapping[str, str]) -> str:
    """The file of rules that the answers make. What is not possible, its reader names.

    :raises OptionError: what captures is no list of numbers.
    """
    each = [_number(count) for count in answers["each"].replace(",", " ").split()]
    lines = [
        f"id = {_text(ruleset_id(answers))}",
        f"name = {_text(answers['name'])}",
        f"sources = [{_text(answers['source'])}]",
        f"pits = {_number(answers['pits'])}",
        f"each = {each[0] if len(each) == 1 else _list(each)}",
        *_part("start", feed=answers["feed"]),
        *_part("sow", direction=answers["direction"], origin=answers["origin"], store=answers["store"]),
    ]
    for row in _rows(answers):
        lines += ["", "[[last]]", *(f"{key} = {value}" for key, value in row.items())]
    lines += _part("end", over=answers["over"], rest=answers["rest"])
    if answers["majority"] == "true":
        lines.append("majority = true")
    return "\n".join(lines) + "\n"


def ruleset_id(answers: Mapping[str, str]) -> str:
    """The id of the game that the answers are about."""
    return ":".join(_id_of(answers[part]) or part for part in ("place", "name"))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def _id_of(words: str) -> str:
    """A part of an id: the letters that all keyboards have, without accents; empty if there are none."""
    plain = unicodedata.normalize("NFKD", words.lower()).encode("ascii", "ignore").decode()
    return re.sub("[^a-z0-9]+", "-", plain.replace("'", ""))[:30].strip("-")


def _list(values: Sequence[str]) -> str:
    return f"[{', '.join(values)}]"


def _number(value: str) -> str:
    """A number as it stands in a file; another text stays one, and is refused with what is expected."""
    return str(int(value)) if value.isascii() and value.isdecimal() and len(value) < 5 else _text(value)


def _part(name: str, **values: str) -> list[str]:
    return ["", f"[{name}]", *(f"{key} = {_text(value)}" for key, value in values.items())]


def _rows(answers: Mapping[str, str]) -> Iterator[dict[str, str]]:
    slam = {"slam": '"nothing"'} if answers["slam"] == "nothing" else {}
    if answers["store"] == "own":
        yield {"last": '"store"', "then": _text(answers["in_store"]), **_why(answers, "in_store")}
    if counts := answers["makes"].replace(",", " ").split():
        if not all(re.fullmatch(r"[0-9]+\+?", count) for count in counts):
            raise OptionError(
                ErrorText(
                    "it captures the pit where it makes %(text)r: expected numbers of seeds, such as 2 3, or 3+ for "
                    "three or more",
                    text=answers["makes"],
                )
            )
        test = _text(",".join(f"{answers['where']} {count}".strip() for count in counts))
        chain = {"chain": f'{{ way = "back", pit = {test} }}'} if answers["chain"] == "back" else {}
        yield {"last": test, "take": '["last"]', **chain, **slam, **_why(answers, "makes")}
    why = _why(answers, "occupied")
    if answers["occupied"] == "next":
        yield {"next": '"1+"', "then": '"relay-next"', **why}
        yield {"beyond": '"1+"', "take": '["beyond"]', **slam, **why}
        yield {"then": '"stop"'}
        return
    yield {"last": '"2+"', "then": _text(answers["occupied"]), **why}
    yield from _empty(answers["theirs_empty"], {"last": '"theirs"'}, {**slam, **_why(answers, "theirs_empty")})
    yield from _empty(answers["own_empty"], {}, {**slam, **_why(answers, "own_empty")})


def _why(answers: Mapping[str, str], question: str) -> dict[str, str]:
    return {"why": _text(words)} if (words := answers[f"{question}_why"]) else {}


def _empty(does: str, when: Mapping[str, str], more: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """What a last seed in an empty pit does: the rows after those of occupied pits."""
    if does in ("stop", "again"):
        yield {**when, "then": _text(does), **{key: more[key] for key in more if key != "slam"}}
        return
    yield {**when, "opposite": '"0"', "then": '"stop"'}
    yield {**when, "take": '["opposite"]' if does == "opposite" else '["last", "opposite"]', **more}


@blueprint.get("/rules/new")
@needs("read", limited=True)
def new_rules() -> ResponseReturnValue:
    """Questions about a game; the answers in the query are a file, whose rows are played on boards."""
    answers = answered(request.args)
    try:
        return _page(answers, write_file(answers) if request.args else "")
    except OptionError as error:
        return _page(answers, "", error_text(error))


def answer_faults(answers: Mapping[str, str]) -> dict[str, str]:
    """What is wrong with the answers: with each that makes no rules beside the good ones before it and defaults."""
    good, faults = answered({"place": "a", "name": "b", "source": "c"}), dict[str, str]()
    for name, answer in answers.items():
        if name == "each" and "pits" in faults and len(row := answer.replace(",", " ").split()) > 1:
            good["pits"] = str(len(row))
        tried = {**good, name: answer}
        try:
            read_local(write_file(tried))
        except RecordsError as error:
            faults[name] = error_text(error).replace(f"rule set {ruleset_id(tried)}: ", "")
        else:
            good = tried
    return faults


@blueprint.post("/rules/new")
@needs("read", limited=True)
def check_rules() -> ResponseReturnValue:
    """Play the rows of a file, as it was changed by hand; with ``add``, keep it; with ``download``, send it back."""
    text = request.form.get("file", "").replace("\r\n", "\n")
    if "download" in request.form:
        return Response(text, mimetype="application/toml", headers={"Content-Disposition": "attachment"})
    if "add" not in request.form:
        return _page({}, text)
    if not allows(current_caller().scopes, "record") or current_caller().limit is not None:
        raise Forbidden("To add rules you need the scope 'record', without a limit.")
    try:
        info, _ = current_services().games.rulesets.add(text, current_write().source)
    except (RecordsError, Conflict) as error:
        return _page({}, text, error_text(error))
    return see_other("web.show_rules", ruleset_id=info.id)


@blueprint.get("/rules/<ruleset_id>.toml")
@needs("open")
def rules_file(ruleset_id: str) -> ResponseReturnValue:
    """The file of a local rule set."""
    text = current_services().games.rulesets.text(ruleset_id)
    if text is None:
        return Response(status=404)
    return Response(text, mimetype="application/toml", headers={"Content-Disposition": "attachment"})


def _page(answers: Mapping[str, str], text: str, refusal: str = "") -> ResponseReturnValue:
    """The page; without `answers`, of a file that was changed by hand, it asks no questions."""
    info = table = None
    try:
        if text:
            info = read_local(text[: MAX_FILE + 1])
            table = table_view(info, traced=True)
    except RecordsError as error:
        refusal = refusal or error_text(error)
    page = render_template(
        "games/new_rules.html",
        questions=QUESTIONS if answers else {},
        answers=answers,
        text=text,
        info=info,
        table=table,
        start=set_ups(info)[0] if info else None,
        refusal=refusal,
        faults=answer_faults(answers) if refusal and answers else {},
        may_add=allows(current_caller().scopes, "record") and current_caller().limit is None,
        address=url_for("web.new_rules"),
    )
    return page, 422 if refusal else 200
