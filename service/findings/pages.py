"""The page of findings, "was this turn legal": all that is known of a turn, from the query and back into it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import redirect, render_template, request
from flask.typing import ResponseReturnValue

from inkeek.records import Move, Position, RecordsError, Rules
from inkeek.records.findings.evidence import lifted_letters, read_board
from inkeek.records.notation.movetext import cite_moves
from inkeek.service.errors import ErrorText, Invalid
from inkeek.service.games.pages import checked_ruleset
from inkeek.service.games.view_models import finding_address
from inkeek.service.http.access import needs
from inkeek.service.http.context import all_rulesets, current_sender, current_services
from inkeek.service.http.language import gettext, page_language
from inkeek.service.http.web.base import blueprint
from inkeek.service.http.web.drawing import (
    EditedBoard,
    board_of,
    edited_board,
    fields_of,
    fields_of_text,
    given_fields,
    place_names,
    total_texts,
)
from inkeek.service.http.web.forms import OPTION

from .request import FindingRequest, field, read_request, read_rules
from .view import FindingView, finding_view

WAS, NOW = "was.", "now."  # prefixes of the fields of the two boards
MAX_FIELD = 400  # characters
MAX_MOVES_TEXT = 3000  # characters: a query has at most 4094
CLAIMS_OFFERED = 60  # legal moves that the field for the claim proposes
_NUMBER = re.compile("[0-9]{1,9}")
_LIFTED = re.compile(r"seen(\.[0-9]+\.pit)?")  # what the API calls the field `lifted`


@dataclass(frozen=True)
class FindingForm:
    """What the page shows, and what it asks (`question`; None: nothing yet, or `error` says what is wrong).

    `query` is the address of the question, with all of it in few fields. `seeds_offered`: how many seeds the position
    has, if the game does not have as many.
    """

    rules: Rules
    given: Mapping[str, str]
    before: Position
    boards: tuple[EditedBoard, EditedBoard]
    claims: tuple[str, ...]
    query: dict[str, str]
    error: Invalid | None
    seeds_offered: int | None
    question: FindingRequest | None
    is_piecemeal: bool

    @property
    def address(self) -> str:
        """The address of the question."""
        return finding_address(self.query)

    def value(self, name: str) -> str:
        """What was typed into a field."""
        return self.given.get(name, "")


def read_form(args: Mapping[str, str], language: str) -> FindingForm:
    """Read the query. What is wrong is told by `error`; then the fields keep what was typed.

    :raises Invalid: there is no such game.
    """
    typed = {name: value.strip() for name, value in args.items()}
    given = {name: value[: _most(name)] for name, value in typed.items()}
    options = {name.removeprefix(OPTION): value for name, value in given.items() if name.startswith(OPTION) and value}
    error: Invalid | None = None
    seeds_offered = None
    too_long = next((name for name, value in typed.items() if len(value) > _most(name)), None)
    try:
        rules, before = read_rules(given.get("game", ""), options, None, None)
    except Invalid as refused:
        rules, before = read_rules(given.get("game", ""), {}, None, None)
        error = refused
    if too_long is not None and not error:
        error = Invalid(
            "%(field)s is longer than %(most)s characters", field=too_long[:MAX_FIELD], most=_most(too_long)
        )
    piecemeal = any(name.startswith((WAS, NOW)) for name in given)
    position = _position_text(given, rules) if piecemeal else given.get("position", "")
    if position and not error:
        try:
            if piecemeal:
                given = _with_seeds_of(given, position)
            seeds = _number(given, "seeds")
            rules, before = read_rules(given.get("game", ""), options, position, seeds)
        except Invalid as refused:
            error = refused
            seeds_offered = _other_seeds(position, rules)
    was, now = given_fields(given, WAS, before), given_fields(given, NOW, before)
    if not was or (not error and not piecemeal):
        was = fields_of(before)
    if not now:
        now = _prefilled(given, rules, before)
    if not piecemeal and given.get("board") and not error:
        error = _board_error(given["board"], before)
    board = board_of(now, rules.row)
    asks = piecemeal or "board" in given
    query = _query(given, options, before, board) if asks else {}
    question = None
    if not error:
        error = _claim_error(given)
    if asks and not error:
        try:
            question = read_request(_question(given, rules, options, before, board, language))
        except Invalid as refused:
            error = _with_own_fields(refused)
    return FindingForm(
        rules=rules,
        given=given,
        before=before,
        boards=(
            edited_board(WAS, gettext("The board before the turn"), was, before, rules),
            edited_board(NOW, gettext("The board now"), now, before, rules),
        ),
        claims=tuple(str(move.choice) for move in rules.legal_moves(before, CLAIMS_OFFERED)),
        query=query,
        error=error,
        seeds_offered=seeds_offered,
        question=question,
        is_piecemeal=piecemeal,
    )


def _with_own_fields(refused: Invalid) -> Invalid:
    text = refused.message
    if isinstance(text, ErrorText) and _LIFTED.fullmatch(refused.field):
        return Invalid("%(field)s: %(error)s", field="lifted", error=text.values["error"])
    return refused


def _most(name: str) -> int:
    return MAX_MOVES_TEXT if name == "moves" else MAX_FIELD


def _with_seeds_of(given: dict[str, str], position: str) -> dict[str, str]:
    """The fields without the number of seeds that an earlier position of the form had, if this one has another."""
    try:
        stale = given.get("seeds", "") != str(Position.parse(position).seeds)
    except RecordsError:
        return given
    return {name: value for name, value in given.items() if name != "seeds"} if stale else given


def _number(given: Mapping[str, str], name: str) -> int | None:
    text = given.get(name, "")
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise Invalid("%(field)s is %(text)r. Expected a whole number.", field=name, text=text[:40])
    return int(text)


def _position_text(given: Mapping[str, str], rules: Rules) -> str:
    fields = {place: given.get(WAS + name, "") or "0" for place, name in place_names(rules.row)}
    side = "n" if given.get("to_move") == "North" else "s"
    words = [board_of(fields, rules.row), side, given.get("ply", "") or "0", given.get("unsown", "")]
    return " ".join(words).strip()


def _prefilled(given: Mapping[str, str], rules: Rules, before: Position) -> dict[int, str]:
    """The board now, before anybody changed it: as asked for, else as the claimed turn leaves it, else as it was."""
    if given.get("board"):
        try:
            read_board(given["board"], before)
        except RecordsError:
            return fields_of(before)
        return fields_of_text(given["board"])
    try:
        return fields_of(rules.play(before, Move.parse(given.get("claimed", "")).choice).position)
    except RecordsError:
        return fields_of(before)


def _board_error(text: str, before: Position) -> Invalid | None:
    """Why the board in the address is none: the fields cannot show it, and a question about them would be another."""
    try:
        read_board(text, before)
    except RecordsError as error:
        return Invalid("the board in the address: %(error)s", error=error)
    return None


def _claim_error(given: Mapping[str, str]) -> Invalid | None:
    """Why a claim does not fit: it is about one turn, and turns since the position are written."""
    claimed, moves = given.get("claimed", ""), given.get("moves", "").split()
    if not claimed or not moves:
        return None
    return Invalid(
        "they say they played %(claimed)r, which is about one turn, and %(moves)s turns are written since the "
        "position. Empty one of the two fields",
        claimed=claimed[:40],
        moves=len(moves),
    )


def _other_seeds(position: str, rules: Rules) -> int | None:
    """The seeds of a position that is one of the game but for their number."""
    try:
        before = Position.parse(position)
        return before.seeds if rules.starting_from(before).seeds != rules.seeds else None
    except RecordsError:
        return None


def _query(given: Mapping[str, str], options: Mapping[str, str], before: Position, board: str) -> dict[str, str]:
    query = {"game": given["game"], **{OPTION + name: value for name, value in options.items()}}
    query |= {"position": str(before), "board": board}
    kept = ("seeds", "claimed", "lifted", "all_lifted", "hand", "moves", "previous_position", "previous_move")
    return query | {name: given[name] for name in kept if given.get(name)}


def _question(
    given: Mapping[str, str], rules: Rules, options: Mapping[str, str], before: Position, board: str, language: str
) -> dict[str, Any]:
    moves = given.get("moves", "").split() or None
    return {
        "game": given["game"],
        "options": options,
        "position": str(before),
        "seeds": _number(given, "seeds"),
        "board": board,
        "counts": None,
        "spreads": None,
        "marks": None,
        "hand": _number(given, "hand"),
        "claimed": given.get("claimed") or None,
        "captured": None,
        "seen": _lifts(given.get("lifted", "")),
        "seen_all": bool(given.get("all_lifted")),
        "previous": None if moves else _previous(given, rules, before),
        "earlier": [],
        "moves": moves,
        "slips": None,
        "language": language,
    }


def _lifts(text: str) -> list[dict[str, str]]:
    if not text:
        return []
    with field("lifted"):
        return [{"kind": "lift", "pit": letter} for letter in lifted_letters(text)]


def _previous(given: Mapping[str, str], rules: Rules, before: Position) -> dict[str, str] | None:
    """The turn before, unless it does not lead to the position any more because that was changed."""
    position, move = given.get("previous_position", ""), given.get("previous_move", "")
    try:
        if rules.play(Position.parse(position), Move.parse(move)).position != before:
            return None
    except RecordsError:
        return None
    return {"position": position, "move": move}


@blueprint.get("/finding")
@needs("read", limited=True, waits=True)
def finding() -> ResponseReturnValue:
    """Set up a board, say what was claimed, and read what happened. The whole question is in the query."""
    game = request.args.get("game")
    if game is None:
        return render_template("findings/finding_games.html", rulesets=all_rulesets())
    checked_ruleset(game)
    if "rules" in request.args:  # other options, perhaps with another number of pits
        options = {name: value for name, value in request.args.items() if name.startswith(OPTION) and value}
        return redirect(finding_address({"game": game, **options}), 303)
    form = read_form(request.args, page_language())
    if form.is_piecemeal and not form.error:
        return redirect(form.address, 303)
    found = None if form.question is None else _answer(form.question)
    values = {
        "info": form.rules.info,
        "given": form.given,
        "found": found,
        "most": MAX_FIELD,
        "totals": json.dumps(total_texts()),
    }
    return render_template("findings/finding.html", form=form, **values), 422 if form.error else 200


def _answer(question: FindingRequest) -> FindingView:
    found = question.answer(current_services().findings, current_sender())
    cited = cite_moves(question.evidence.before, question.moves)
    return finding_view(question.rules, found, question.evidence, question.language, cited)
