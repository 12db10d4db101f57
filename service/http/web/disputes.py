"""The pages of disputes: the open ones, and the course of one: boards, finding, proposals, ruling, appeal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from records import Move, RecordsError
from records.language import load_language
from records.notation.dispute_commands import PENALTIES
from service.boards.disputed_turn import report_of
from service.errors import Conflict, ErrorText, Illegal, Invalid, TooBusy, TookTooLong
from service.games import disputes, event_rules, evidence, rulings
from service.games.courses import RULED, STATES, WAITS, Course, slip_of
from service.games.ruling_terms import ClockTerm, PenaltyTerm, Terms, terms_json
from service.http.access import allows, needs
from service.http.context import current_caller, current_limit, current_services, current_write
from service.http.dispute_finding import find_disputed, finding_seen
from service.http.dispute_json import seen_finding_json, terms_of
from service.http.dispute_preview import preview_ruling
from service.http.language import error_text, gettext, page_language
from service.storage import Limit
from service.storage.clock import stamp, utc_now

from . import forms
from .dispute_view import DisputeCard, dispute_view
from .finding_view import BoardPicture
from .pages import blueprint, live_page, render_page
from .remedies import RESTART, penalty_word, remedy_text
from .ruling_view import ruling_sentences
from .sheet_course import penalty_sentences

LISTED = 50  # disputes of each state on the list
PRECEDENTS = 10  # earlier rulings about the same slip on the page of a dispute
ENVELOPE = 64 << 10  # bytes of a form around a photograph
_NUMBER = re.compile("[0-9]{1,9}")
_CLOCK = re.compile(r"(\+?)(?:([0-9]{1,2}):)?([0-9]{1,3}):([0-5][0-9])")


@blueprint.get("/disputes")
@needs("read", limited=True)
def list_disputes() -> ResponseReturnValue:
    """The disputes for whose ruling games wait, and those ruled on last."""
    services, cards = current_services(), {}
    for state in STATES:
        rows, _ = disputes.page(services.store, LISTED, None, state, current_limit())
        cards[state] = [DisputeCard.of(row, services.games.load(row.game)) for row in rows]
    waiting = sorted((card for state in WAITS for card in cards[state]), key=lambda card: card.row.time, reverse=True)
    return render_page("disputes.html", waiting=waiting, ruled=cards["ruled"])


@blueprint.get("/games/<game_id>/disputes/<int:seq>")
@needs("read")
def dispute(game_id: str, seq: int) -> ResponseReturnValue:
    """A dispute."""
    return _page(game_id, seq)


@blueprint.post("/games/<game_id>/disputes")
@needs("record")
def open_dispute(game_id: str) -> ResponseReturnValue:
    """Dispute a turn, or how the game ended."""
    form, services = request.form, current_services()
    try:
        snapshot = services.games.load(game_id)
        about = "end" if form.get("ply") == "end" else "turn"
        ply = _number("ply") if about == "turn" else None
        found = disputes.open_dispute(
            services.games,
            game_id,
            _side(form.get("side", "")),
            form.get("claim", ""),
            _write(),
            about=about,
            ply=ply,
            sensors=report_of(snapshot.board, ply, snapshot.row.ply),
        )
    except Invalid as error:
        return live_page(game_id, error_text(error)), 422
    except Conflict as error:
        return live_page(game_id, error_text(error)), 409
    return redirect(url_for("web.dispute", game_id=game_id, seq=found.seq), 303)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/claim")
@needs("record")
def claim(game_id: str, seq: int) -> ResponseReturnValue:
    """Say what the dispute is about."""
    said = request.form.get("claim", "")
    return _change(game_id, seq, lambda name: disputes.add_claim(current_services().games, name, said, _write()))


@blueprint.post("/games/<game_id>/disputes/<int:seq>/evidence")
@needs("record", also="arbiter", max_body=evidence.MAX_BYTES + ENVELOPE)
def add_evidence(game_id: str, seq: int) -> ResponseReturnValue:
    """Add what a witness saw, or a photograph."""
    form, file = request.form, request.files.get("photo")
    photograph = file.read() if file is not None and file.filename else None
    return _change(
        game_id,
        seq,
        lambda name: evidence.add_evidence(
            current_services().games, name, form.get("witness", ""), form.get("text", ""), _write(), photograph
        ),
    )


@blueprint.post("/games/<game_id>/disputes/<int:seq>/evidence/<int:evidence_seq>/release")
@needs("arbiter")
def release_photograph(game_id: str, seq: int, evidence_seq: int) -> ResponseReturnValue:
    """Let everybody who may read the game see a photograph."""
    return _change(game_id, seq, lambda name: evidence.release(current_services().games, name, evidence_seq, _write()))


@blueprint.post("/games/<game_id>/disputes/<int:seq>/ruling")
@needs("arbiter")
def rule(game_id: str, seq: int) -> ResponseReturnValue:
    """Rule on the dispute, or show what the ruling would change."""
    if request.form.get("action") == "preview":
        return _preview(game_id, seq)
    confirm = request.form.get("confirm") == "yes"

    def given(name: str) -> None:
        rulings.rule(
            current_services().games,
            name,
            _terms(),
            _write(),
            confirm=confirm,
            finding=finding_seen(name),
            corrects=request.form.get("corrects", ""),
        )

    return _change(game_id, seq, given)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/proposal")
@needs("record")
def propose(game_id: str, seq: int) -> ResponseReturnValue:
    """Propose to the other side how to settle the dispute, or show what that would change."""
    if request.form.get("action") == "preview":
        return _preview(game_id, seq)
    return _change(
        game_id,
        seq,
        lambda name: rulings.propose(
            current_services().games, name, _side(request.form.get("side", "")), _terms(), _write()
        ),
    )


@blueprint.post("/games/<game_id>/disputes/<int:seq>/answer")
@needs("record")
def answer_proposal(game_id: str, seq: int) -> ResponseReturnValue:
    """Accept or refuse the proposal of the other side."""
    form = request.form
    accepts = form.get("answer") == "accept"

    def given(name: str) -> None:
        rulings.respond(
            current_services().games,
            name,
            _number("proposal"),
            _side(form.get("side", "")),
            _write(),
            accepts=accepts,
            confirm=form.get("confirm") == "yes",
            finding=finding_seen(name) if accepts else None,
        )

    return _change(game_id, seq, given)


@blueprint.post("/games/<game_id>/disputes/<int:seq>/appeal")
@needs("record", also="arbiter")
def appeal(game_id: str, seq: int) -> ResponseReturnValue:
    """Appeal against the last ruling."""
    side, reason = request.form.get("side") or None, request.form.get("reason", "")
    return _change(
        game_id,
        seq,
        lambda name: rulings.appeal(
            current_services().games,
            name,
            reason,
            _write(),
            None if side is None else _side(side),
            is_arbiter=allows(current_caller().scopes, "arbiter"),
        ),
    )


@blueprint.post("/games/<game_id>/disputes/<int:seq>/withdrawal")
@needs("record")
def withdraw(game_id: str, seq: int) -> ResponseReturnValue:
    """Withdraw the dispute."""
    note = request.form.get("note", "")
    return _change(game_id, seq, lambda name: rulings.withdraw(current_services().games, name, _write(), note))


def _change(game_id: str, seq: int, change: Any) -> ResponseReturnValue:
    """Change a dispute, or show its page with why not."""
    try:
        change(f"{game_id}-{seq}")
    except (Illegal, Invalid, RecordsError) as error:
        return _page(game_id, seq, error_text(error)), 422
    except Conflict as error:
        return _page(game_id, seq, error_text(error)), 409
    return redirect(url_for("web.dispute", game_id=game_id, seq=seq), 303)


def _preview(game_id: str, seq: int) -> ResponseReturnValue:
    """The page of a dispute with what a ruling would change."""
    snapshot, course = disputes.load_dispute(current_services().games, f"{game_id}-{seq}")
    try:
        terms = _terms()
        effects, follows = preview_ruling(snapshot, course, terms)
    except (Illegal, Invalid, RecordsError) as error:
        return _page(game_id, seq, error_text(error)), 422
    except Conflict as error:
        return _page(game_id, seq, error_text(error)), 409
    language = load_language(page_language())
    given, cite = terms_of(terms_json(terms)), snapshot.at(course.row.seq).cite
    return _page(
        game_id,
        seq,
        preview=BoardPicture(effects.position, gettext("The board after the ruling")),
        changes=[
            remedy_text(given, course.row, language, cite),
            *ruling_sentences(effects, follows, snapshot, language),
        ],
        penalties=penalty_sentences(given, language),
        clocks_stay=not terms.clocks,
    )


def _page(
    game_id: str,
    seq: int,
    refusal: str | None = None,
    preview: BoardPicture | None = None,
    changes: Sequence[str] = (),
    penalties: Sequence[str] = (),
    *,
    clocks_stay: bool = False,
) -> Response:
    snapshot, course = disputes.load_dispute(current_services().games, f"{game_id}-{seq}")
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
    view = dispute_view(snapshot, course, found, load_language(page_language()))
    return render_page(
        "dispute.html",
        view=view,
        busy=busy,
        game_id=game_id,
        refusal=refusal,
        preview=preview,
        changes=changes,
        penalties=penalties,
        clocks_stay=clocks_stay,
        given=request.form,
        match=snapshot.row.match_id,
        who=course.row.arbiter if may_correct else current_caller().name,
        may_correct=may_correct,
        penalty_kinds=(*rules.ladder, *(kind for kind in PENALTIES if kind not in rules.ladder)),
        penalty_word=penalty_word,
        penalties_so_far=penalties_so_far,
        appeal_until=appeal_until,
        is_late_appeal=appeal_until is not None and appeal_until < stamp(utc_now()),
        photograph_types=",".join(evidence.PHOTOGRAPH_TYPES),
        precedents=_precedents(course, snapshot.row.game, slip, within),
    )


def _precedents(course: Course, ruleset: str, slip: str | None, within: Limit | None) -> list[DisputeCard]:
    """The last rulings about a kind of slip by the same rule set, but for the one on this dispute."""
    if slip is None:
        return []
    services = current_services()
    rows, _ = disputes.page(services.store, PRECEDENTS + 1, None, RULED, within, slip, ruleset)
    others = [row for row in rows if row.id != course.row.id][:PRECEDENTS]
    return [DisputeCard.of(row, services.games.load(row.game)) for row in others]


def _write() -> Any:
    """A write by the name in the form; else by that of who is signed in."""
    return current_write(request.form.get("by", "").strip() or current_caller().name)


def _terms() -> Terms:
    """The terms in the form.

    :raises Invalid: a field that cannot be. :raises RecordsError: it is no move.
    """
    form = request.form
    outcome = form.get("outcome", "")
    last_ply = 0 if outcome == RESTART else None  # that stays
    if outcome == RESTART:
        outcome = "retracted"
    elif outcome == "retracted":
        last_ply = _optional_number("to")
    corrects = outcome == "corrected"
    move, position = form.get("move", "").strip(), form.get("position", "").strip()
    given_end = form.get("termination", "") and outcome in ("ended", "corrected")
    return Terms(
        outcome,
        form.get("note", ""),
        Move.parse(move) if move and corrects else None,
        position if position and corrects and form.get("irregular") == "yes" else None,
        forms.read_end(form) if given_end else None,
        last_ply,
        corrects and form.get("keeps") == "yes",
        _penalties(),
        tuple(clock for side in ("South", "North") if (clock := _clock(side)) is not None),
    )


def _penalties() -> tuple[PenaltyTerm, ...]:
    kind, side = request.form.get("penalty", ""), request.form.get("penalty_side", "")
    if not kind:
        return ()
    seeds = _optional_number("penalty_seeds") if kind == "seeds" else None
    return (PenaltyTerm(_side(side), kind, seeds),)


def _clock(side: str) -> ClockTerm | None:
    """:raises Invalid: it is no time."""
    text = request.form.get(f"clock_{side}", "").strip()
    if not text:
        return None
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise Invalid(
            ErrorText("The clock is %(text)r. Expected a time, as 5:00, or more time, as +1:00.", text=text[:40])
        )
    seconds = int(match[2] or 0) * 3600 + int(match[3]) * 60 + int(match[4])
    return ClockTerm(side, None, seconds) if match[1] else ClockTerm(side, seconds, None)


def _side(text: str) -> str:
    if text not in ("South", "North"):
        raise Invalid(ErrorText("The side is %(text)r. Choose South or North.", text=text[:40]))
    return text


def _number(name: str) -> int:
    text = request.form.get(name, "").strip()
    if not _NUMBER.fullmatch(text):
        raise Invalid(ErrorText("%(field)s is %(text)r. Expected a number.", field=name, text=text[:40]))
    return int(text)


def _optional_number(name: str) -> int | None:
    return _number(name) if request.form.get(name, "").strip() else None
