"""What people do in a dispute after it was opened.

A step is a class, and is declared nowhere else: its operation of the API, what its form on the page of the dispute
does, and how the course says it follow from the class. Its data stands in `event_data`, its fields in `schemas`, and
the form itself in ``templates/dispute.html``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, NamedTuple

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage

from inkeek.records import Side
from inkeek.records.language import Language
from inkeek.service.errors import Invalid
from inkeek.service.games.api import game_json, seq_tag, write
from inkeek.service.games.event_data import SIDES, EventData
from inkeek.service.games.events import rules as event_rules
from inkeek.service.http.access import Need, allows
from inkeek.service.http.access.caller import person_name
from inkeek.service.http.api.blueprint import ApiBlueprint
from inkeek.service.http.api.bodies import number_or_text, read_form
from inkeek.service.http.api.responses import respond
from inkeek.service.http.context import current_caller, current_limit, current_services
from inkeek.service.http.language import gettext, second_text
from inkeek.service.http.web.forms import NOBODY, end_fields, merged_field, read_number
from inkeek.service.storage import DisputeRow, GameEvent

from . import disputes, evidence, rulings, schemas
from .answers import CourseJson, DisputeJson, EffectsJson, PenaltiesJson, RuledJson, course_json, effects_json
from .api import blueprint, respond_dispute
from .courses import Course
from .event_data import (
    AppealData,
    ClaimData,
    DisputeData,
    EvidenceData,
    ProposalData,
    ReleaseData,
    RemovalData,
    ResponseData,
    RulingData,
)
from .finding import finding_seen, preview_ruling as preview
from .schemas import terms_in
from .terms import MAX_PENALTIES, Terms, terms_from
from .words import RESTART, Cite, claim_text, clock_text, dropped_penalties, ended, remedy_text, terms_sentences

ENVELOPE = 64 << 10  # bytes of a form around a photograph
PICTURE = "a picture"

evidence_blueprint = ApiBlueprint("evidence", "Evidence and penalties in disputes.")


def _respond_ruled(dispute: DisputeRow) -> ResponseReturnValue:
    game = current_services().games.load(dispute.game)
    return respond(RuledJson.of(dispute=dispute, game=game_json(game)), 201, **seq_tag(game.seq))


def _respond_course(dispute_id: str) -> ResponseReturnValue:
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id)
    return respond(course_json(course), 201, **seq_tag(snapshot.seq))


ANSWERS = {DisputeJson: respond_dispute, RuledJson: _respond_ruled, CourseJson: _respond_course}


class CourseEntry(NamedTuple):
    """An event of a course in words: what was done (`outcome`), and the rest in sentences.

    `dropped` are the penalties and changes of clocks of a ruling that the last ruling no longer orders.
    """

    event: GameEvent
    outcome: str
    note: str = ""
    dropped: tuple[str, ...] = ()

    @property
    def by(self) -> str:
        """Who did it."""
        return person_name(self.event.data["by"])

    @property
    def time(self) -> str:
        """When, as people read it."""
        return second_text(self.event.time)


STEPS_BY_KIND: dict[str, type[DisputeStep]] = {}  # by the kind of their event


class DisputeStep:
    """A step of a dispute. The docstring of its class is what the document of the API says of it.

    `data` is the class of its event. `operation` is the name of its operation, empty if it has none below a dispute;
    `path` is that below the dispute, and the keywords of the class are what else `ApiBlueprint.operation` takes. `form`
    is the path of its form below the page of the dispute, None if it has none, and `form_bytes` what that may have, if
    not as usual. `has_terms`: the form has the terms of a ruling, and can show first what they would change.
    """

    data: ClassVar[type[EventData]]
    operation: ClassVar[str] = ""
    path: ClassVar[str]
    tagged: ClassVar[ApiBlueprint] = blueprint
    declared: ClassVar[dict[str, Any]]
    form: ClassVar[str | None] = None
    form_bytes: ClassVar[int | None] = None
    has_terms: ClassVar[bool] = False

    def __init_subclass__(cls, **declared: Any) -> None:
        """Make the operation, and keep the class for the words of its events."""
        STEPS_BY_KIND.setdefault(cls.data.kind, cls)
        if not cls.operation:
            return

        def view(*given: Any, **numbers: Any) -> Any:
            return cls.write(*given, **numbers)

        view.__name__, view.__doc__ = cls.operation, cls.__doc__
        cls.declared = {"scope": "record", "returns": CourseJson, "changes_game": True, **declared}
        answer, rule = ANSWERS[cls.declared["returns"]], f"/disputes/<dispute_id>/{cls.path}"
        cls.tagged.operation("POST", rule, answer=answer, **cls.declared)(view)

    @classmethod
    def form_need(cls) -> Need:
        """What the form needs: as the operation."""
        declared = {name: cls.declared[name] for name in ("scope", "also") if name in cls.declared}
        return Need(**declared, max_body=cls.form_bytes)

    @staticmethod
    def write(*given: Any, **numbers: Any) -> Any:
        """Do the step with a body or a query and the id of the dispute; `numbers` are those of the path.

        Return what one of `ANSWERS` takes.
        """
        raise NotImplementedError

    @classmethod
    def read(cls) -> dict[str, Any]:
        """The body that the form makes."""
        return form_body(cls.declared["body"], terms_body(request.form) if cls.has_terms else None)

    @classmethod
    def send(cls, *given: Any, **numbers: Any) -> None:
        """Do the step for the form that made this body."""
        cls.write(*given, **numbers)

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        """An event of the step in words; `cite` cites the turns as they stood when the dispute was opened."""
        raise NotImplementedError


def form_body(schema: type[Any], fields: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The body that the form, or these fields, make, with the name in the form or else that of who is signed in."""
    given = request.form if fields is None else fields
    return read_form(schema, {**given, "by": request.form.get("by", "").strip() or current_caller().person})


class OpeningStep(DisputeStep):
    """Dispute a turn, or the end: `api.open_dispute`."""

    data = DisputeData

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        side, ply = language.sides[SIDES[event.data["side"]]], course.row.ply
        if course.row.about == "end":
            return CourseEntry(event, gettext("%(side)s disputes the end.", side=side), claim_text(event.data))
        turn = cite(ply) if ply else ""
        return CourseEntry(event, gettext("%(side)s disputes %(turn)s.", side=side, turn=turn), claim_text(event.data))


class ClaimStep(
    DisputeStep,
    body=schemas.ChangedClaimSchema,
    returns=DisputeJson,
    example={"claim": "six seeds were lifted, not five", "by": "Abdi"},
):
    """Say later what an open dispute is about, or what lies on the board, in place of what was said."""

    data = ClaimData
    operation = "add_claim"
    path = form = "claim"

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str) -> DisputeRow:
        return disputes.add_claim(current_services().games, dispute_id, body["claim"], write(body), body["seen"])

    @classmethod
    def send(cls, body: dict[str, Any], dispute_id: str) -> None:
        """As the form shows the claim, it is said again only if who sends it has changed it."""
        games = current_services().games
        with games.together():
            course = disputes.load_dispute(games, dispute_id)[1]
            claim = merged_field(request.form, "claim", course.row.claim)
            if claim != course.row.claim or not course.waits:
                cls.write({**body, "claim": claim}, dispute_id)

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        what = gettext("Further claim.") if event.data["claim"] else gettext("The board is counted.")
        return CourseEntry(event, what, claim_text(event.data))


@blueprint.operation(
    "POST",
    "/disputes/<dispute_id>/preview",
    scope="read",
    body=schemas.TermsSchema,
    example={"outcome": "retracted", "note": "nobody saw it"},
    status=200,
    problems=(409,),
)
def preview_ruling(body: dict[str, Any], dispute_id: str) -> EffectsJson:
    """Show what a ruling would change: turns, board, clocks, later games of the match, standings. Nothing is stored."""
    snapshot, course = disputes.load_dispute(current_services().games, dispute_id)
    terms = terms_in(body)
    effects, follows = preview(snapshot, course, terms)
    return effects_json(effects, follows, terms, snapshot.row, current_limit())


def _terms_words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
    terms = terms_from(event.data)
    dropped: list[str] = []
    if event.kind == RulingData.kind and course.ruling is not None:
        dropped = dropped_penalties(terms, terms_from(course.ruling.data), language)
    outcome = remedy_text(terms, course.row, language, cite)
    if event.data.get("withdrawn"):
        outcome = gettext("The dispute is withdrawn.")
    note = " ".join(one for one in terms_sentences(terms, language) if one not in dropped)
    return CourseEntry(event, outcome, note, tuple(dropped))


class ProposalStep(
    DisputeStep,
    body=schemas.NewProposalSchema,
    example={"side": "North", "outcome": "stands", "note": "we saw it wrong", "by": "Abdi"},
    creates={"proposal": "proposals/0/seq"},
):
    """Propose to the other side how to settle an open dispute."""

    data = ProposalData
    operation = "propose_ruling"
    path, form, has_terms = "proposals", "proposal", True

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str) -> str:
        rulings.propose(current_services().games, dispute_id, body["side"], terms_in(body), write(body))
        return dispute_id

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        said, side = _terms_words(event, course, language, cite), language.sides[SIDES[event.data["side"]]]
        return said._replace(outcome=gettext("%(side)s proposes: %(what)s", side=side, what=said.outcome))


class ResponseStep(
    DisputeStep, body=schemas.NewResponseSchema, example={"side": "South", "accepts": True, "by": "Nasieku"}
):
    """Accept or refuse the other side's proposal. Accepted, it is the ruling."""

    data = ResponseData
    operation = "answer_proposal"
    path, form = "proposals/<int:proposal>/answer", "answer"

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str, proposal: int) -> str:
        rulings.respond(
            current_services().games,
            dispute_id,
            proposal,
            body["side"],
            write(body),
            accepts=body["accepts"],
            confirm=body["confirm"],
            finding=finding_seen(dispute_id) if body["accepts"] else None,
        )
        return dispute_id

    @classmethod
    def read(cls) -> dict[str, Any]:
        return form_body(cls.declared["body"], {**request.form, "accepts": request.form.get("answer") == "accept"})

    @classmethod
    def send(cls, body: dict[str, Any], dispute_id: str) -> None:
        cls.write(body, dispute_id, proposal=read_number(request.form, "proposal"))

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        side = language.sides[SIDES[event.data["side"]]]
        return CourseEntry(
            event,
            gettext("%(side)s accepts.", side=side)
            if event.data["accepts"]
            else gettext("%(side)s refuses.", side=side),
        )


class RulingStep(
    DisputeStep,
    scope="arbiter",
    body=schemas.NewRulingSchema,
    returns=RuledJson,
    example={
        "outcome": "corrected",
        "move": "d",
        "note": "they meant d",
        "penalties": [{"side": "South", "kind": "warning"}],
        "clocks": [{"side": "North", "add": 60}],
        "by": "Judge",
    },
):
    """Rule on a dispute: the turn stands, is retracted with all later turns, or is corrected, or the game ends; the end
    stands, is corrected, or the game is reopened."""

    data = RulingData
    operation = "rule_on_dispute"
    path = form = "ruling"
    has_terms = True

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str) -> DisputeRow:
        return rulings.rule(
            current_services().games,
            dispute_id,
            terms_in(body),
            write(body),
            confirm=body["confirm"],
            finding=finding_seen(dispute_id),
            corrects=body["corrects"],
        )

    words = staticmethod(_terms_words)


class AppealStep(
    DisputeStep,
    scope="record",
    also="arbiter",
    body=schemas.NewAppealSchema,
    returns=DisputeJson,
    example={"reason": "the turn was legal", "side": "South", "by": "Nasieku"},
):
    """Appeal against the last ruling on a dispute: another arbiter must rule, and the game waits."""

    data = AppealData
    operation = "appeal_ruling"
    path = form = "appeal"

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str) -> DisputeRow:
        is_arbiter, games = allows(current_caller().scopes, "arbiter"), current_services().games
        return rulings.appeal(games, dispute_id, body["reason"], write(body), body["side"], is_arbiter=is_arbiter)

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        outcome = gettext("Appeal.")
        if event.data.get("corrects"):
            outcome = gettext("The arbiter corrects their own ruling.")
        elif event.data["side"]:
            outcome = gettext("%(side)s appeals.", side=language.sides[SIDES[event.data["side"]]])
        return CourseEntry(event, outcome, event.data["reason"])


class WithdrawalStep(
    DisputeStep,
    body=schemas.NewWithdrawalSchema,
    returns=DisputeJson,
    example={"note": "it was about the other table", "by": "Koinet"},
):
    """Withdraw a dispute that is not ruled on: what it is about stands, and may be disputed again."""

    data = RulingData  # whose words are those of `RulingStep`
    operation = "withdraw_dispute"
    path = form = "withdrawal"

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str) -> DisputeRow:
        return rulings.withdraw(current_services().games, dispute_id, write(body), body["note"])


class EvidenceStep(
    DisputeStep,
    scope="record",
    also="arbiter",
    body=schemas.NewEvidenceSchema,
    example={"witness": "Hawo", "text": "five seeds were in the hand", "by": "Abdi"},
):
    """Add what a witness saw to an open dispute."""

    data = EvidenceData
    operation = "add_evidence"
    path = form = "evidence"
    tagged = evidence_blueprint
    form_bytes = evidence.MAX_BYTES + ENVELOPE

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str, photograph: bytes | None = None) -> str:
        games = current_services().games
        evidence.add_evidence(games, dispute_id, body["witness"], body["text"], write(body), photograph)
        return dispute_id

    @classmethod
    def read(cls) -> dict[str, Any]:
        return form_body(schemas.NewPhotographSchema if _sent_photograph() else cls.declared["body"])

    @classmethod
    def send(cls, body: dict[str, Any], dispute_id: str) -> None:
        photograph = _sent_photograph()
        cls.write(body, dispute_id, None if photograph is None else photograph.read())

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        note = event.data["text"]
        if "photo" in event.data:
            photograph = gettext("Photograph with the SHA-256 %(hash)s.", hash=event.data["photo"]["sha256"])
            note = f"{ended(note)} {photograph}" if note else photograph
        return CourseEntry(
            event, gettext("Evidence %(number)s of %(who)s.", number=event.seq, who=event.data["witness"]), note
        )


def _sent_photograph() -> FileStorage | None:
    file = request.files.get("photo")
    return file if file is not None and file.filename else None


class PhotographStep(
    DisputeStep,
    scope="record",
    also="arbiter",
    max_body=evidence.MAX_BYTES,
    query=schemas.NewPhotographSchema,
    takes=dict.fromkeys(evidence.PHOTOGRAPH_TYPES, PICTURE),
):
    """Add a photograph, the body, to an open dispute. Only arbiters see it until one releases it."""

    data = EvidenceData  # whose words, and whose form, are those of `EvidenceStep`
    operation = "add_photograph"
    path = "photographs"
    tagged = evidence_blueprint

    @staticmethod
    def write(query: dict[str, Any], dispute_id: str) -> str:
        return EvidenceStep.write(query, dispute_id, request.get_data())


@evidence_blueprint.operation(
    "GET",
    "/disputes/<dispute_id>/evidence/<int:evidence_seq>/photograph",
    scope="read",
    sends=dict.fromkeys(evidence.PHOTOGRAPH_TYPES, ()),
)
def get_photograph(dispute_id: str, evidence_seq: int) -> ResponseReturnValue:
    """Get a photograph as it was sent. Needs the scope `arbiter` until it is released."""
    _, course = disputes.load_dispute(current_services().games, dispute_id)
    is_arbiter = allows(current_caller().scopes, "arbiter")
    kind, data = evidence.load_photograph(current_services().store, course, evidence_seq, is_arbiter=is_arbiter)
    return Response(data, content_type=kind)


class ReleaseStep(DisputeStep, scope="arbiter", body=schemas.NewReleaseSchema, example={"by": "Judge"}):
    """Let everybody who may read the game see a photograph."""

    data = ReleaseData
    operation = "release_photograph"
    path = form = "evidence/<int:evidence_seq>/release"
    tagged = evidence_blueprint

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str, evidence_seq: int) -> str:
        evidence.release(current_services().games, dispute_id, evidence_seq, write(body))
        return dispute_id

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        return CourseEntry(
            event, gettext("The photograph of evidence %(number)s is released.", number=event.data["evidence"])
        )


class RemovalStep(DisputeStep, scope="record", also="arbiter", body=schemas.NewRemovalSchema, example={"by": "Abdi"}):
    """Remove a photograph that was stored with the same key; an administrator removes any. The course says so."""

    data = RemovalData
    operation = "remove_photograph"
    path = form = "evidence/<int:evidence_seq>/removal"
    tagged = evidence_blueprint

    @staticmethod
    def write(body: dict[str, Any], dispute_id: str, evidence_seq: int) -> str:
        is_admin = allows(current_caller().scopes, "admin")
        evidence.remove(current_services().games, dispute_id, evidence_seq, write(body), is_admin=is_admin)
        return dispute_id

    @staticmethod
    def words(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
        return CourseEntry(
            event, gettext("The photograph of evidence %(number)s is removed.", number=event.data["evidence"])
        )


@evidence_blueprint.operation("GET", "/disputes/<dispute_id>/penalties", scope="read")
def get_penalties(dispute_id: str) -> PenaltiesJson:
    """Get the penalties that the players have in the event by rulings that stand, which is next by its rules, and until
    when an appeal is possible."""
    services = current_services()
    snapshot, course = disputes.load_dispute(services.games, dispute_id)
    rules, players = event_rules.load_penalties(services.store, snapshot.row, current_limit())
    return PenaltiesJson.of(rules, appeal_until=event_rules.appeal_until(rules, course.row), players=players)


def course_entries(
    events: Iterable[GameEvent], course: Course, language: Language, cite: Cite
) -> tuple[CourseEntry, ...]:
    """Events of a course in words. `cite` cites the turns as they stood when the dispute was opened."""
    return tuple(STEPS_BY_KIND[event.kind].words(event, course, language, cite) for event in events)


_CLOCK = re.compile(r"(\+?)(?:([0-9]{1,2}):)?([0-9]{1,3}):([0-5][0-9])")
# Fields of the form; those of the second penalty end with ``_1``, and so on.
PENALTY = {"kind": "penalty", "side": "penalty_side", "seeds": "penalty_seeds", "note": "penalty_note"}


def _penalty_suffixes(count: int) -> list[str]:
    """What the names of the fields of so many penalties end with."""
    return [f"_{at}" if at else "" for at in range(count)]


def terms_body(form: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a ruling or a proposal that a form sends; what does not fit its outcome is left out.

    :raises Invalid: a clock shows no time, or nobody was chosen to win by adjudication.
    """
    outcome = form.get("outcome", "")
    corrects, ends = outcome == "corrected", outcome in ("ended", "corrected") and form.get("termination")
    fits = {
        "move": corrects,
        "keeps": corrects,
        "position": corrects and form.get("irregular") == "yes",
        "to": outcome == "retracted",
        "termination": ends,
        "winner": ends,
    }
    body: dict[str, Any] = {name: value for name, value in form.items() if fits.get(name, True)}
    if outcome == RESTART:
        body |= {"outcome": "retracted", "to": 0}
    if ends:
        body |= end_fields(form)
    body["penalties"] = []
    for suffix in _penalty_suffixes(MAX_PENALTIES):
        penalty = {name: form.get(field + suffix, "").strip() for name, field in PENALTY.items()}
        if penalty["kind"] or penalty["seeds"]:
            seeds_given = number_or_text(penalty["seeds"]) if penalty["seeds"] else None
            body["penalties"].append({**penalty, "seeds": seeds_given})
    body["clocks"] = [clock for side in Side if (clock := _clock(form, str(side))) is not None]
    return body


def fields_of_terms(terms: Terms) -> dict[str, str]:
    """The fields that send these terms, as far as the form has them."""
    fields = {"outcome": terms.outcome, "note": terms.note, "move": "" if terms.move is None else str(terms.move)}
    if terms.to is not None:
        fields |= {"to": str(terms.to)} if terms.to else {"outcome": RESTART}
    if terms.position:
        fields |= {"irregular": "yes", "position": terms.position}
    if terms.keeps:
        fields["keeps"] = "yes"
    if terms.end is not None:
        end = terms.end
        fields |= {"termination": end.termination, "winner": end.winner or NOBODY}
        fields |= {f"score_{side}": str(seeds) for side, seeds in zip(Side, end.score or (), strict=False)}
    for suffix, penalty in zip(_penalty_suffixes(len(terms.penalties)), terms.penalties, strict=True):
        seeds = "" if penalty.seeds is None else str(penalty.seeds)
        given = {"kind": penalty.kind, "side": penalty.side, "seeds": seeds, "note": penalty.note}
        fields |= {PENALTY[name] + suffix: value for name, value in given.items()}
    for clock in terms.clocks:
        fields[f"clock_{clock.side}"] = ("+" if clock.to is None else "") + clock_text(clock.seconds)
    return {name: value for name, value in fields.items() if value}


def _clock(form: Mapping[str, str], side: str) -> dict[str, Any] | None:
    """:raises Invalid: it is no time."""
    text = form.get(f"clock_{side}", "").strip()
    if not text:
        return None
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise Invalid(
            "The clock is %(text)r. Expected a time, as 5:00, or more time, as +1:00.",
            text=text[:40],
            field=f"clock_{side}",
        )
    seconds = int(match[2] or 0) * 3600 + int(match[3]) * 60 + int(match[4])
    return {"side": side, "add" if match[1] else "to": seconds}
