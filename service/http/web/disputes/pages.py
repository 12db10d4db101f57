"""The pages of disputes: the open ones, and the course of one: boards, finding, proposals, ruling, appeal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Response, request
from flask.typing import ResponseReturnValue

from inkeek.records.language import load_language
from inkeek.records.notation.commands import PENALTIES
from inkeek.service.boards.disputed_turn import report_of
from inkeek.service.errors import TooBusy, TookTooLong
from inkeek.service.games.disputes import disputes, evidence, rulings
from inkeek.service.games.disputes.courses import RULED, WAITS, Course, slip_of
from inkeek.service.games.disputes.ruling_terms import terms_from
from inkeek.service.games.events import rules as event_rules
from inkeek.service.http.access import allows, needs
from inkeek.service.http.answers.disputes import seen_finding_json
from inkeek.service.http.context import current_caller, current_limit, current_services, current_write
from inkeek.service.http.disputes.finding import find_disputed, finding_seen
from inkeek.service.http.disputes.preview import preview_ruling
from inkeek.service.http.language import gettext, page_language
from inkeek.service.http.web.base import blueprint, render_page, see_other
from inkeek.service.http.web.findings.view import BoardPicture
from inkeek.service.http.web.forms import read_number, shows_refusals
from inkeek.service.http.web.turns.live_page import live_page
from inkeek.service.storage import GameEvent, Limit, dispute_id
from inkeek.service.storage.clock import stamp, utc_now

from .remedies import cite_in_words, penalty_word, remedy_text
from .ruling_form import fields_of_terms, read_side, read_terms
from .ruling_view import clocks_sentence, dropped_sentences, ruling_sentences
from .sheet_course import penalty_sentences
from .view import DisputeCard, dispute_cards, dispute_view

LISTED = 50  # disputes of each state on the list
PRECEDENTS = 10  # earlier rulings about the same slip on the page of a dispute
ENVELOPE = 64 << 10  # bytes of a form around a photograph


@blueprint.get("/disputes")
@needs("read", limited=True)
def list_disputes() -> ResponseReturnValue:
    """The disputes for whose ruling games wait, and those ruled on last."""
    ruled = _cards(RULED, LISTED)
    return render_page("disputes/disputes.html", waiting=waiting_disputes(LISTED), ruled=ruled)


def waiting_disputes(most: int) -> list[DisputeCard]:
    """The disputes for whose ruling games wait, the newest first; at most so many of each state."""
    cards = [card for state in WAITS for card in _cards(state, most)]
    return sorted(cards, key=lambda card: card.row.time, reverse=True)


def _cards(state: str, most: int) -> list[DisputeCard]:
    return dispute_cards(disputes.page(current_services().store, most, None, state, current_limit())[0])


def _page(
    game_id: str,
    seq: int,
    refusal: str | None = None,
    preview: BoardPicture | None = None,
    changes: Sequence[str] = (),
    penalties: Sequence[str] = (),
    dropped: Sequence[str] = (),
    *,
    clocks: str = "",
) -> Response:
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id(game_id, seq))
    found, busy = None, False
    try:
        found = find_disputed(snapshot, course.row, page_language())
    except (TooBusy, TookTooLong):  # the arbiter can rule without it
        busy = True
    store, within = current_services().store, current_limit()
    rules, penalties_so_far = event_rules.load_penalties(store, snapshot.row, within)
    appeal_until = event_rules.appeal_until(rules, course.row)
    slip = course.row.slip or slip_of(seen_finding_json(None if found is None else found.finding))
    may_correct = rulings.may_correct(course, current_caller().source())
    given: Mapping[str, str] = request.form
    if may_correct and not given and course.ruling is not None:
        given = fields_of_terms(terms_from(course.ruling.data))
    view = dispute_view(snapshot, course, found, load_language(page_language()))
    return render_page(
        "disputes/dispute.html",
        view=view,
        busy=busy,
        game_id=game_id,
        refusal=refusal,
        preview=preview,
        changes=changes,
        penalties=penalties,
        dropped=dropped,
        clocks=clocks,
        given=given,
        match=snapshot.row.match_id,
        who=course.row.arbiter if may_correct else current_caller().person,
        may_correct=may_correct,
        penalty_kinds=(*rules.ladder, *(kind for kind in PENALTIES if kind not in rules.ladder)),
        penalty_word=penalty_word,
        penalties_so_far=penalties_so_far,
        appeal_until=appeal_until,
        is_late_appeal=appeal_until is not None and appeal_until < stamp(utc_now()),
        photograph_types=",".join(evidence.PHOTOGRAPH_TYPES),
        may_remove=_may_remove,
        precedents=_precedents(course, snapshot.row.game, slip, within),
    )


def _may_remove(added: GameEvent) -> bool:
    """Whether who asks may remove a photograph: the same key stored it, or an administrator asks."""
    caller = current_caller()
    with current_services().store.reading() as transaction:
        return evidence.may_remove(transaction, added, caller.source(), is_admin=allows(caller.scopes, "admin"))


@blueprint.get("/games/<game_id>/disputes/<int:seq>")
@needs("read", waits=True)
def dispute(game_id: str, seq: int) -> ResponseReturnValue:
    """A dispute."""
    return _page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes")
@needs("record")
@shows_refusals(live_page)
def open_dispute(game_id: str) -> ResponseReturnValue:
    """Dispute a turn, or how the game ended."""
    form, services = request.form, current_services()
    snapshot = services.games.load(game_id)
    about = "end" if form.get("ply") == "end" else "turn"
    ply = read_number(form, "ply") if about == "turn" else None
    found = disputes.open_dispute(
        services.games,
        game_id,
        read_side(form.get("side", "")),
        form.get("claim", ""),
        _write(),
        about=about,
        ply=ply,
        sensors=report_of(snapshot.board, ply, snapshot.row.ply),
    )
    return see_other("web.dispute", game_id=game_id, seq=found.seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/claim")
@needs("record")
@shows_refusals(_page)
def claim(game_id: str, seq: int) -> ResponseReturnValue:
    """Say what the dispute is about."""
    disputes.add_claim(current_services().games, dispute_id(game_id, seq), request.form.get("claim", ""), _write())
    return _to_page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/evidence")
@needs("record", also="arbiter", max_body=evidence.MAX_BYTES + ENVELOPE)
@shows_refusals(_page)
def add_evidence(game_id: str, seq: int) -> ResponseReturnValue:
    """Add what a witness saw, or a photograph."""
    form, file = request.form, request.files.get("photo")
    photograph = file.read() if file is not None and file.filename else None
    witness, text = form.get("witness", ""), form.get("text", "")
    evidence.add_evidence(current_services().games, dispute_id(game_id, seq), witness, text, _write(), photograph)
    return _to_page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/evidence/<int:evidence_seq>/release")
@needs("arbiter")
@shows_refusals(lambda game_id, seq, evidence_seq, refusal: _page(game_id, seq, refusal))
def release_photograph(game_id: str, seq: int, evidence_seq: int) -> ResponseReturnValue:
    """Let everybody who may read the game see a photograph."""
    evidence.release(current_services().games, dispute_id(game_id, seq), evidence_seq, _write())
    return _to_page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/evidence/<int:evidence_seq>/removal")
@needs("record", also="arbiter")
@shows_refusals(lambda game_id, seq, evidence_seq, refusal: _page(game_id, seq, refusal))
def remove_photograph(game_id: str, seq: int, evidence_seq: int) -> ResponseReturnValue:
    """Remove a photograph that was stored with the same key; an administrator removes any."""
    is_admin = allows(current_caller().scopes, "admin")
    games, name = current_services().games, dispute_id(game_id, seq)
    evidence.remove(games, name, evidence_seq, _write(), is_admin=is_admin)
    return _to_page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/ruling")
@needs("arbiter")
@shows_refusals(_page)
def rule(game_id: str, seq: int) -> ResponseReturnValue:
    """Rule on the dispute, or show what the ruling would change."""
    form, name = request.form, dispute_id(game_id, seq)
    if form.get("action") == "preview":
        return _preview(game_id, seq, rules=True)
    rulings.rule(
        current_services().games,
        name,
        read_terms(form),
        _write(),
        confirm=form.get("confirm") == "yes",
        finding=finding_seen(name),
        corrects=form.get("corrects", ""),
    )
    return _to_page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/proposal")
@needs("record")
@shows_refusals(_page)
def propose(game_id: str, seq: int) -> ResponseReturnValue:
    """Propose to the other side how to settle the dispute, or show what that would change."""
    form = request.form
    if form.get("action") == "preview":
        return _preview(game_id, seq)
    side, terms = read_side(form.get("side", "")), read_terms(form)
    rulings.propose(current_services().games, dispute_id(game_id, seq), side, terms, _write())
    return _to_page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/answer")
@needs("record")
@shows_refusals(_page)
def answer_proposal(game_id: str, seq: int) -> ResponseReturnValue:
    """Accept or refuse the proposal of the other side."""
    form, name = request.form, dispute_id(game_id, seq)
    accepts = form.get("answer") == "accept"
    rulings.respond(
        current_services().games,
        name,
        read_number(form, "proposal"),
        read_side(form.get("side", "")),
        _write(),
        accepts=accepts,
        confirm=form.get("confirm") == "yes",
        finding=finding_seen(name) if accepts else None,
    )
    return _to_page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/appeal")
@needs("record", also="arbiter")
@shows_refusals(_page)
def appeal(game_id: str, seq: int) -> ResponseReturnValue:
    """Appeal against the last ruling."""
    form = request.form
    side = read_side(form["side"]) if form.get("side") else None
    is_arbiter = allows(current_caller().scopes, "arbiter")
    name, reason = dispute_id(game_id, seq), form.get("reason", "")
    rulings.appeal(current_services().games, name, reason, _write(), side, is_arbiter=is_arbiter)
    return _to_page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/withdrawal")
@needs("record")
@shows_refusals(_page)
def withdraw(game_id: str, seq: int) -> ResponseReturnValue:
    """Withdraw the dispute."""
    rulings.withdraw(current_services().games, dispute_id(game_id, seq), _write(), request.form.get("note", ""))
    return _to_page(game_id, seq)


def _to_page(game_id: str, seq: int) -> ResponseReturnValue:
    return see_other("web.dispute", game_id=game_id, seq=seq)


def _preview(game_id: str, seq: int, *, rules: bool = False) -> ResponseReturnValue:
    """The page of a dispute with what a ruling would change; `rules`: who asks would give it."""
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id(game_id, seq))
    if rules:
        with current_services().store.reading() as transaction:
            corrects = bool(request.form.get("corrects"))
            rulings.check_arbiter(transaction, snapshot.state, course, _write(), corrects=corrects)
    terms = read_terms(request.form)
    effects, follows = preview_ruling(snapshot, course, terms)
    language = load_language(page_language())
    cite = cite_in_words(snapshot.at(course.row.seq))
    return _page(
        game_id,
        seq,
        preview=BoardPicture(follows.position, gettext("The board after the ruling")),
        changes=[
            remedy_text(terms, course.row, language, cite),
            *ruling_sentences(effects, follows, snapshot, language),
        ],
        penalties=penalty_sentences(terms, language),
        dropped=dropped_sentences(course, terms, language, cite),
        clocks=clocks_sentence(course, terms),
    )


def _precedents(course: Course, ruleset: str, slip: str | None, within: Limit | None) -> list[DisputeCard]:
    """The last rulings about a kind of slip by the same rule set, but for the one on this dispute."""
    if slip is None:
        return []
    rows, _ = disputes.page(current_services().store, PRECEDENTS + 1, None, RULED, within, slip, ruleset)
    return dispute_cards([row for row in rows if row.id != course.row.id][:PRECEDENTS])


def _write() -> Any:
    """A write by the name in the form; else by that of who is signed in."""
    return current_write(request.form.get("by", "").strip() or current_caller().person)
