"""The form of a ruling or a proposal: the terms that it sends, and the fields with which it opens."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inkeek.records import Move, Side
from inkeek.service.errors import Invalid
from inkeek.service.http.web import forms

from .terms import ClockTerm, PenaltyTerm, Terms
from .words import RESTART, clock_text

_CLOCK = re.compile(r"(\+?)(?:([0-9]{1,2}):)?([0-9]{1,3}):([0-5][0-9])")


def read_terms(form: Mapping[str, str]) -> Terms:
    """The terms in the form.

    :raises Invalid: a field that cannot be. :raises RecordsError: it is no move.
    """
    outcome = form.get("outcome", "")
    last_ply = 0 if outcome == RESTART else None  # that stays
    if outcome == RESTART:
        outcome = "retracted"
    elif outcome == "retracted" and form.get("to", "").strip():
        last_ply = forms.read_number(form, "to")
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
        _penalties(form),
        tuple(clock for side in Side if (clock := _clock(form, str(side))) is not None),
    )


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
        fields |= {"termination": end.termination, "winner": end.winner or forms.NOBODY}
        fields |= {f"score_{side}": str(seeds) for side, seeds in zip(Side, end.score or (), strict=False)}
    for penalty in terms.penalties[:1]:
        fields |= {"penalty": penalty.kind, "penalty_side": penalty.side}
        fields |= {} if penalty.seeds is None else {"penalty_seeds": str(penalty.seeds)}
    for clock in terms.clocks:
        fields[f"clock_{clock.side}"] = ("+" if clock.to is None else "") + clock_text(clock.seconds)
    return {name: value for name, value in fields.items() if value}


def read_side(text: str) -> str:
    """:raises Invalid: it is no side."""
    if text not in ("South", "North"):
        raise Invalid("The side is %(text)r. Choose South or North.", text=text[:40])
    return text


def _penalties(form: Mapping[str, str]) -> tuple[PenaltyTerm, ...]:
    """:raises Invalid: seeds without a penalty of seeds, or an impossible field."""
    kind, side, seeds = (form.get(name, "").strip() for name in ("penalty", "penalty_side", "penalty_seeds"))
    if seeds and kind != "seeds":
        raise Invalid(
            "The number of seeds is %(seeds)r, but the penalty is not seeds. Choose seeds as the penalty, or leave "
            "the number empty.",
            seeds=seeds[:40],
        )
    if not kind:
        return ()
    return (PenaltyTerm(read_side(side), kind, forms.read_number(form, "penalty_seeds") if seeds else None),)


def _clock(form: Mapping[str, str], side: str) -> ClockTerm | None:
    """:raises Invalid: it is no time."""
    text = form.get(f"clock_{side}", "").strip()
    if not text:
        return None
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise Invalid("The clock is %(text)r. Expected a time, as 5:00, or more time, as +1:00.", text=text[:40])
    seconds = int(match[2] or 0) * 3600 + int(match[3]) * 60 + int(match[4])
    return ClockTerm(side, None, seconds) if match[1] else ClockTerm(side, seconds, None)
