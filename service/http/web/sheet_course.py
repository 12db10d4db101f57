"""The course of a dispute on its sheet: claims, proposals, rulings and appeals in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from records.language import Language
from service.games.courses import Course
from service.games.plies import SIDES
from service.http.dispute_json import terms_of
from service.http.language import gettext, ngettext
from service.storage import DisputeRow, GameEvent

from .labels import termination_words

Cite = Callable[[int], str]  # a turn by its ply, as the record cites it
MAX_ENTRIES = 30  # of a course; the last ones count


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A step of the dispute after it was opened: when, by whom, what (`outcome`), and the rest in sentences."""

    time: str
    by: str
    outcome: str
    note: str


def course_entries(course: Course, language: Language, cite: Cite) -> tuple[SheetEntry, ...]:
    """All that followed the dispute, in order. `cite` cites the turns as they stood when it was opened."""
    return tuple(course_entry(event, course.row, language, cite) for event in course.events[1:][-MAX_ENTRIES:])


def outcome_texts(dispute: DisputeRow) -> dict[str, str]:
    """What a ruling can say, in words."""
    if dispute.about == "end":
        return {
            "stands": gettext("The end stands."),
            "corrected": gettext("The end is corrected."),
            "reopened": gettext("The game goes on."),
        }
    unrecorded = dispute.is_unrecorded
    return {
        "stands": gettext("The record stands without the turn.") if unrecorded else gettext("The turn stands."),
        "retracted": gettext("The turn is taken back."),
        "corrected": gettext("The turn or the board is corrected."),
        "ended": gettext("The game ends."),
    }


def course_entry(event: GameEvent, dispute: DisputeRow, language: Language, cite: Cite) -> SheetEntry:
    """A step of a dispute."""
    data = event.data
    outcome, note = "", ""
    if event.kind in ("ruling", "proposal"):
        outcome = outcome_texts(dispute).get(data["outcome"], data["outcome"])
        if data.get("withdrawn"):
            outcome = gettext("The dispute is withdrawn.")
        note = " ".join(_terms(data, dispute, language, cite))
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
        outcome, note = gettext("%(side)s disputes %(turn)s.", side=side, turn=turn), data["claim"]
        if dispute.about == "end":
            outcome = gettext("%(side)s disputes the end.", side=side)
    elif event.kind == "claim":
        outcome, note = gettext("Further claim."), data["claim"]
    return SheetEntry(time_text(event.time), data["by"], outcome, note)


def _terms(data: Mapping[str, Any], dispute: DisputeRow, language: Language, cite: Cite) -> list[str]:
    """What a ruling or a proposal says besides its outcome."""
    terms = terms_of(data)
    found = [_ended(terms["note"])] if terms["note"] else []
    if terms["to"] is not None:
        found.append(_last_that_stays(terms["to"], cite))
    if terms["move"]:
        number = cite(dispute.ply).partition(" ")[0]
        found.append(gettext("Played instead: %(move)s.", move=f"{number} {terms['move']}"))
    if terms["position"]:
        found.append(gettext("The board is %(position)s.", position=terms["position"]))
    if terms["keeps"]:
        found.append(gettext("Later turns are kept as far as they are legal."))
    if terms["end"]:
        winner = terms["end"]["winner"]
        name = gettext("nobody") if winner is None else language.sides[SIDES[winner]]
        found.append(
            gettext(
                "The game ends (%(how)s); winner: %(who)s.",
                how=termination_words(terms["end"]["termination"]),
                who=name,
            )
        )
    return [*found, *penalty_sentences(terms, language)]


def _last_that_stays(ply: int, cite: Cite) -> str:
    if ply == 0:
        return gettext("The game goes back to its start.")
    return gettext("The last turn that stays is %(turn)s.", turn=cite(ply))


def penalty_sentences(terms: Mapping[str, Any], language: Language) -> list[str]:
    """The penalties and the changes of clocks in the terms of a ruling, a sentence each."""
    found = []
    for penalty in terms["penalties"]:
        what = _penalty(penalty) + (f" ({penalty['note']})" if penalty["note"] else "")
        found.append(gettext("Penalty for %(side)s: %(what)s.", side=language.sides[SIDES[penalty["side"]]], what=what))
    for clock in terms["clocks"]:
        side = language.sides[SIDES[clock["side"]]]
        if clock["to"] is None:
            found.append(gettext("The clock of %(side)s gets %(time)s more.", side=side, time=_clock(clock["add"])))
        else:
            found.append(gettext("The clock of %(side)s is set to %(time)s.", side=side, time=_clock(clock["to"])))
    return found


def _ended(text: str) -> str:
    """What somebody wrote, with a full stop if it has none."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _penalty(penalty: Mapping[str, Any]) -> str:
    if penalty["kind"] == "seeds":
        return ngettext("%(num)d seed", "%(num)d seeds", penalty["seeds"])
    words = {"warning": gettext("a warning"), "turn": gettext("a lost turn"), "game": gettext("the game is lost")}
    return words.get(penalty["kind"], str(penalty["kind"]))


def _clock(seconds: int) -> str:
    """Seconds as ``1:05:00``."""
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def time_text(stamp: str) -> str:
    """A stored time for people: ``2026-11-22 13:05:10 UTC``."""
    return f"{datetime.fromisoformat(stamp):%Y-%m-%d %H:%M:%S} UTC"
