"""The pages of disputes: the open ones, and the course of one: boards, finding, proposals, ruling, appeal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.records import Position
from inkeek.records.language import load_language
from inkeek.records.notation.commands import PENALTIES
from inkeek.service.boards.turn_recording import recorded_touches, recording_span, reported_touches
from inkeek.service.errors import Conflict, Disputed, TooBusy, TookTooLong
from inkeek.service.games.events import rules as event_rules
from inkeek.service.http.access import allows, needs
from inkeek.service.http.context import current_caller, current_limit, current_sender, current_services, current_write
from inkeek.service.http.language import error_text, gettext, local_time, page_language
from inkeek.service.http.services import SHEET_PATIENCE
from inkeek.service.http.web import labels
from inkeek.service.http.web.base import blueprint, qr_svg, render_page, see_other
from inkeek.service.http.web.drawing import BoardPicture, edited_board, fields_of_text, given_fields, total_texts
from inkeek.service.http.web.forms import merged, read_number, shows_refusals
from inkeek.service.storage import GameEvent, GameRow, Limit, dispute_id
from inkeek.service.storage.clock import stamp, utc_now
from inkeek.service.storage.rows import FAR
from inkeek.service.turns.pages import LAID, check_turns_known, live_page, read_laid_board

from . import api, disputes, evidence, rulings
from .answers import seen_finding_json
from .courses import RULED, Course, slip_of
from .disputes import load_dispute
from .finding import find_disputed, preview_ruling
from .schemas import ChangedClaimSchema, NewDisputeSchema, terms_in
from .sheet import sheet_view
from .steps import ClaimStep, DisputeStep, RulingStep, fields_of_terms, form_body
from .terms import MAX_PENALTIES, terms_from
from .view import dispute_cards, dispute_view, listed_disputes, waiting_disputes
from .words import (
    cite_in_words,
    clocks_sentence,
    dropped_sentences,
    penalty_sentences,
    remedy_text,
    ruling_sentences,
)

OPENING = "web.open_dispute"  # endpoint
PAGE = "/games/<game_id>/disputes/<int:seq>"
LISTED = 50  # disputes of each state on the list
LOG_KEPT = 1000  # entries of a board
PRECEDENTS = 10  # earlier rulings about the same slip on the page of a dispute


@blueprint.get("/disputes")
@needs("read", limited=True)
def list_disputes() -> ResponseReturnValue:
    """The disputes for whose ruling games wait, and those ruled on last."""
    ruled = listed_disputes(RULED, LISTED)
    return render_page("disputes/disputes.html", waiting=waiting_disputes(LISTED), ruled=ruled)


def _page(game_id: str, seq: int, refusal: str | None = None, **preview: Any) -> Response:
    """The page of a dispute; `preview`: what a ruling would change, as `_preview` says it."""
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id(game_id, seq))
    found, busy = None, False
    try:
        found = find_disputed(snapshot, course.row, page_language())
    except (TooBusy, TookTooLong):  # the arbiter can rule without it
        busy = True
    store, within = current_services().store, current_limit()
    rules, penalties_so_far = event_rules.load_penalties(store, snapshot.row, within)
    kinds = (*rules.ladder, *(kind for kind in PENALTIES if kind not in rules.ladder))
    appeal_until = event_rules.appeal_until(rules, course.row)
    slip = course.row.slip or slip_of(seen_finding_json(None if found is None else found.finding))
    may_correct = rulings.may_correct(course, current_caller().source())
    claim = request.form.get("claim") if request.endpoint == OPENING else None
    given: Mapping[str, str] = request.form if claim is None else {}
    if may_correct and not given and course.ruling is not None:
        given = fields_of_terms(terms_from(course.ruling.data))
    return render_page(
        "disputes/dispute.html",
        view=dispute_view(snapshot, course, found, load_language(page_language())),
        course=course,
        row=course.row,
        busy=busy,
        game_id=game_id,
        refusal=refusal,
        **{"preview": None, "changes": (), "penalties": (), "dropped": (), "clocks": "", **preview},
        given=given,
        second_claim=claim,
        match=snapshot.row.match_id,
        who=course.row.arbiter if may_correct else current_caller().person,
        may_correct=may_correct,
        penalty_kinds=[(kind, labels.penalty_word(kind)) for kind in kinds],
        max_penalties=MAX_PENALTIES,
        penalty_word=labels.penalty_word,
        penalties_so_far=penalties_so_far,
        appeal_until=appeal_until,
        is_late_appeal=appeal_until is not None and appeal_until < stamp(utc_now()),
        photograph_types=",".join(evidence.PHOTOGRAPH_TYPES),
        may_remove=_may_remove,
        precedents=_precedents(course, snapshot.row, slip, within),
    )


def _may_remove(added: GameEvent) -> bool:
    caller = current_caller()
    with current_services().store.reading() as transaction:
        return evidence.may_remove(transaction, added, caller.source(), is_admin=allows(caller.scopes, "admin"))


@blueprint.get(PAGE)
@needs("read", waits=True)
def dispute(game_id: str, seq: int) -> ResponseReturnValue:
    """A dispute."""
    return _page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes")
@needs("record")
@shows_refusals(live_page)
def open_dispute(game_id: str) -> ResponseReturnValue:
    """Dispute a turn, or how the game ended. Where another was first, their dispute is shown, with what is typed."""
    check_turns_known(game_id)
    form = dict(request.form)
    ply = form.pop("ply", "")
    about = {"about": "end"} if ply == "end" else {"disputed": read_number({"ply": ply}, "ply")}
    try:
        found = api.open_dispute(form_body(NewDisputeSchema, {**form, **about}), game_id)
    except Disputed as error:
        seq = current_services().games.row(game_id).dispute
        if seq is None:  # it was ruled on since
            raise
        return _page(game_id, seq, error_text(error)), error.status
    return see_other("web.dispute", game_id=game_id, seq=found.seq)


def _take(step: type[DisputeStep]) -> None:
    """Register what the form of a step on the page of a dispute does."""

    @step.form_need()
    @shows_refusals(lambda game_id, seq, refusal, **_: _page(game_id, seq, refusal))
    def take(game_id: str, seq: int, **numbers: int) -> ResponseReturnValue:
        name, body = dispute_id(game_id, seq), step.read()
        if step.has_terms and request.form.get("action") == "preview":
            return _preview(name, body, rules=step is RulingStep)
        if step is RulingStep:
            _check_ruling_shown(name)
        step.send(body, name, **numbers)
        return see_other("web.dispute", game_id=game_id, seq=seq)

    blueprint.add_url_rule(f"{PAGE}/{step.form}", step.operation, take, methods=["POST"])


def _check_ruling_shown(name: str) -> None:
    """Check that the ruling which a form would replace is the one that it showed: another device may have been first.

    :raises Conflict: there is another now.
    """
    _, course = disputes.load_dispute(current_services().games, name)
    now = "" if course.waits or course.ruling is None else str(course.ruling.seq)
    if request.form.get("was.ruling", now) != now:
        raise Conflict(
            "dispute %(dispute)s was ruled on since this page was opened: look at that ruling first", dispute=name
        )


for step in DisputeStep.__subclasses__():
    if step.form is not None:
        _take(step)


def _preview(name: str, body: dict[str, Any], *, rules: bool = False) -> Response:
    """The page of a dispute with what a ruling would change; `rules`: who asks would give it."""
    snapshot, course = disputes.load_dispute(current_services().games, name)
    if rules:
        with current_services().store.reading() as transaction:
            corrects = bool(body["corrects"])
            rulings.check_arbiter(transaction, snapshot.state, course, current_write(body["by"]), corrects=corrects)
    terms = terms_in(body)
    effects, follows = preview_ruling(snapshot, course, terms)
    language = load_language(page_language())
    cite = cite_in_words(snapshot.at(course.row.seq))
    return _page(
        course.row.game,
        course.row.seq,
        preview=BoardPicture(follows.position, gettext("The board after the ruling")),
        changes=[
            remedy_text(terms, course.row, language, cite),
            *ruling_sentences(effects, follows, snapshot, language),
        ],
        penalties=penalty_sentences(terms, language),
        dropped=dropped_sentences(course, terms, language, cite),
        clocks=clocks_sentence(course, terms),
    )


def _precedents(course: Course, game: GameRow, slip: str | None, within: Limit | None) -> list[dict[str, Any]]:
    """The last rulings about a kind of slip by the same rules, but for the one on this dispute."""
    if slip is None:
        return []
    with current_services().store.reading() as transaction:
        rows, _ = transaction.disputes.page(PRECEDENTS + 1, None, RULED, within, slip, like=game)
    return dispute_cards([row for row in rows if row.id != course.row.id][:PRECEDENTS])


def _board_page(game_id: str, seq: int, refusal: str | None = None) -> Response:
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id(game_id, seq))
    recorded = snapshot.position
    shown = course.row.seen or str(recorded)
    words = given_fields(request.form, LAID, recorded) or fields_of_text(shown)
    return render_page(
        "disputes/dispute_board.html",
        game_id=game_id,
        seq=seq,
        seen=course.row.seen or "",
        names=labels.player_names(snapshot.row.tags),
        terms=snapshot.rules.info.terms,
        edited=edited_board(LAID, gettext("The board now"), words, recorded, snapshot.rules),
        totals=json.dumps(total_texts()),
        seeds=snapshot.rules.seeds,
        refusal=refusal,
        who=current_caller().person,
    )


@blueprint.get(f"{PAGE}/board")
@needs("record")
def dispute_board(game_id: str, seq: int) -> ResponseReturnValue:
    """A form with what was said to lie on the board, or else with the recorded position."""
    return _board_page(game_id, seq)


@blueprint.post(f"{PAGE}/board")
@needs("record")
@shows_refusals(_board_page)
def count_board(game_id: str, seq: int) -> ResponseReturnValue:
    """Say what lies on the board."""
    games, name = current_services().games, dispute_id(game_id, seq)
    with games.together():
        snapshot, course = disputes.load_dispute(games, name)
        recorded = snapshot.position
        board = read_laid_board(request.form, recorded, is_whole=False)
        counted, now = f"{board} {'sn'[recorded.to_move]} {recorded.ply}", course.row.seen or ""
        seen = merged(str(Position.parse(counted)), request.form.get("was.seen", now), now)
        if seen != now or not course.waits:
            ClaimStep.write(form_body(ChangedClaimSchema, {"seen": seen}), name)
    return see_other("web.dispute", game_id=game_id, seq=seq)


@blueprint.get(f"{PAGE}/sheet")
@needs("read", waits=True)
def sheet(game_id: str, seq: int) -> ResponseReturnValue:
    """The sheet of a dispute."""
    services, language = current_services(), page_language()
    with services.places.sheets.taken(current_sender(), SHEET_PATIENCE):
        snapshot, course = load_dispute(services.games, dispute_id(game_id, seq))
        bound = services.boards.bound_to(game_id)
        boards = [(board.id, bool(board.status.get("turned"))) for board in bound]
        then = snapshot.at(course.row.seq)
        recording = recorded_touches(services.settings, boards, *recording_span(then, course.row))
        for board in (one for one in bound if one.driver == FAR):
            recording = reported_touches(services.boards.log(board.id, limit=LOG_KEPT), course.row.id) or recording
        found = find_disputed(snapshot, course.row, language)
        view = sheet_view(snapshot, course, found, recording, load_language(language), stamp(utc_now()))
    return render_page("disputes/sheet.html", view=view, zone=local_time().tzname(), qr=qr_svg(view["hash"]))
