"""The course of a dispute on its sheet: claims, proposals, rulings and appeals in sentences."""

from __future__ import annotations

from collections.abc import Mapping
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

MAX_ENTRIES = 30  # of a course; the last ones count


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A step of the dispute after it was opened: when, by whom, what (`outcome`), and the rest in sentences."""

    time: str
    by: str
    outcome: str
    note: str


def course_entries(course: Course, language: Language) -> tuple[SheetEntry, ...]:
    """All that followed the dispute, in order."""
    return tuple(course_entry(event, course.row, language) for event in course.events[1:][-MAX_ENTRIES:])


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


def course_entry(event: GameEvent, dispute: DisputeRow, language: Language) -> SheetEntry:
    """A step of a dispute."""
    data = event.data
    outcome, note = "", ""
    if event.kind in ("ruling", "proposal"):
        outcome = outcome_texts(dispute).get(data["outcome"], data["outcome"])
        note = " ".join(_terms(data, language))
    if event.kind == "proposal":
        outcome = gettext("%(side)s proposes: %(what)s", side=language.sides[SIDES[data["side"]]], what=outcome)
    elif event.kind == "response":
        side = language.sides[SIDES[data["side"]]]
        outcome = (
            gettext("%(side)s accepts.", side=side) if data["accepts"] else gettext("%(side)s refuses.", side=side)
        )
    elif event.kind == "appeal":
        outcome, note = gettext("Appeal."), data["reason"]
        if data["side"]:
            outcome = gettext("%(side)s appeals.", side=language.sides[SIDES[data["side"]]])
    elif event.kind == "dispute":
        what = gettext("%(side)s disputes the end.") if dispute.about == "end" else gettext("%(side)s disputes a turn.")
        outcome, note = what % {"side": language.sides[SIDES[data["side"]]]}, data["claim"]
    elif event.kind == "claim":
        outcome, note = gettext("Further claim."), data["claim"]
    return SheetEntry(time_text(event.time), data["by"], outcome, note)


def _terms(data: Mapping[str, Any], language: Language) -> list[str]:
    """What a ruling or a proposal says besides its outcome."""
    terms = terms_of(data)
    found = [_ended(terms["note"])] if terms["note"] else []
    if terms["to"] is not None:
        found.append(gettext("The last turn that stays is %(number)s.", number=terms["to"]))
    if terms["move"]:
        found.append(gettext("Played instead: %(move)s.", move=terms["move"]))
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
