"""The course of a dispute on its sheet: claims, evidence, proposals, rulings and appeals in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from inkeek.records.explain import explain_board
from inkeek.records.language import Language
from inkeek.service.games.disputes.courses import Course
from inkeek.service.games.disputes.ruling_terms import PenaltyTerm, Terms, terms_from
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.snapshot import position_of
from inkeek.service.http.access.caller import person_name
from inkeek.service.http.language import gettext, ngettext, second_text
from inkeek.service.storage import GameEvent

from .remedies import Cite, penalty_word, remedy_text

MAX_ENTRIES = 100  # of a course; the last ones count


@dataclass(frozen=True, slots=True)
class CourseEntry:
    """A step of the dispute after it was opened: when, by whom, what (`outcome`), and the rest in sentences.

    `dropped` are the penalties and changes of clocks of a ruling that the last ruling no longer orders.
    """

    time: str
    by: str
    outcome: str
    note: str
    dropped: tuple[str, ...] = ()


def course_entries(course: Course, language: Language, cite: Cite) -> tuple[CourseEntry, ...]:
    """All that followed the dispute, in order. `cite` cites the turns as they stood when it was opened."""
    return tuple(course_entry(event, course, language, cite) for event in course.events[1:][-MAX_ENTRIES:])


def course_entry(event: GameEvent, course: Course, language: Language, cite: Cite) -> CourseEntry:
    """A step of a dispute."""
    data, dispute = event.data, course.row
    outcome, note = "", ""
    dropped: list[str] = []
    if event.kind == "ruling" and course.ruling is not None:
        dropped = dropped_penalties(terms_from(data), terms_from(course.ruling.data), language)
    if event.kind in ("ruling", "proposal"):
        terms = terms_from(data)
        outcome = remedy_text(terms, dispute, language, cite)
        if data.get("withdrawn"):
            outcome = gettext("The dispute is withdrawn.")
        note = " ".join(one for one in _terms(terms, language) if one not in dropped)
    if event.kind == "proposal":
        outcome = gettext("%(side)s proposes: %(what)s", side=language.sides[SIDES[data["side"]]], what=outcome)
    elif event.kind == "response":
        side = language.sides[SIDES[data["side"]]]
        outcome = (
            gettext("%(side)s accepts.", side=side) if data["accepts"] else gettext("%(side)s refuses.", side=side)
        )
    elif event.kind == "appeal":
        outcome, note = gettext("Appeal."), data["reason"]
        if data.get("corrects"):
            outcome = gettext("The arbiter corrects their own ruling.")
        elif data["side"]:
            outcome = gettext("%(side)s appeals.", side=language.sides[SIDES[data["side"]]])
    elif event.kind == "dispute":
        side, turn = language.sides[SIDES[data["side"]]], cite(dispute.ply) if dispute.ply else ""
        outcome, note = gettext("%(side)s disputes %(turn)s.", side=side, turn=turn), _claim(data)
        if dispute.about == "end":
            outcome = gettext("%(side)s disputes the end.", side=side)
    elif event.kind == "claim":
        outcome, note = gettext("Further claim.") if data["claim"] else gettext("The board is counted."), _claim(data)
    elif event.kind == "evidence":
        outcome, note = gettext("Evidence %(number)s of %(who)s.", number=event.seq, who=data["witness"]), data["text"]
        if "photo" in data:
            photograph = gettext("Photograph with the SHA-256 %(hash)s.", hash=data["photo"]["sha256"])
            note = f"{_ended(note)} {photograph}" if note else photograph
    elif event.kind == "release":
        outcome = gettext("The photograph of evidence %(number)s is released.", number=data["evidence"])
    elif event.kind == "removal":
        outcome = gettext("The photograph of evidence %(number)s is removed.", number=data["evidence"])
    return CourseEntry(second_text(event.time), person_name(data["by"]), outcome, note, tuple(dropped))


def _claim(data: Mapping[str, Any]) -> str:
    """What was claimed, and what was counted."""
    parts = [_ended(data["claim"])] if data["claim"] else []
    if data["seen"]:
        parts.append(gettext("Counted on the board: %(position)s.", position=data["seen"]))
    return " ".join(parts)


def _terms(terms: Terms, language: Language) -> list[str]:
    """What a ruling or a proposal says besides its remedy."""
    found = [_ended(terms.note)] if terms.note else []
    if terms.position:
        found.append(_board(terms.position, language))
    if terms.end is not None and terms.end.score is not None:
        found.append(gettext("The score is %(score)s.", score="–".join(map(str, terms.end.score))))
    if terms.keeps:
        found.append(gettext("Later turns are kept as far as they are legal."))
    return [*found, *penalty_sentences(terms, language)]


def _board(text: str, language: Language) -> str:
    """What lies on the board by a ruling, and who is to move."""
    position = position_of(text)
    board = explain_board(position, language)
    return gettext("The board: %(board)s. %(side)s is to move.", board=board, side=language.sides[position.to_move])


def penalty_sentences(terms: Terms, language: Language) -> list[str]:
    """The penalties and the changes of clocks in the terms of a ruling, a sentence each."""
    found = []
    for penalty in terms.penalties:
        what = _penalty(penalty) + (f" ({penalty.note})" if penalty.note else "")
        found.append(gettext("Penalty for %(side)s: %(what)s.", side=language.sides[SIDES[penalty.side]], what=what))
    for clock in terms.clocks:
        side, time = language.sides[SIDES[clock.side]], clock_text(clock.seconds)
        if clock.to is None:
            found.append(gettext("The clock of %(side)s gets %(time)s more.", side=side, time=time))
        else:
            found.append(gettext("The clock of %(side)s is set to %(time)s.", side=side, time=time))
    return found


def dropped_penalties(old: Terms, new: Terms, language: Language) -> list[str]:
    """The penalties and the changes of clocks in `old` terms that `new` ones do not order, a sentence each."""
    stays = penalty_sentences(new, language)
    return [one for one in penalty_sentences(old, language) if one not in stays]


def _ended(text: str) -> str:
    """What somebody wrote, with a full stop if it has none."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _penalty(penalty: PenaltyTerm) -> str:
    if penalty.seeds is not None:
        return ngettext("%(num)d seed", "%(num)d seeds", penalty.seeds)
    return penalty_word(penalty.kind)


def clock_text(seconds: int) -> str:
    """Seconds as ``1:05:00``."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
