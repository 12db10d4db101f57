"""The form of a ruling or a proposal: the body that it makes, and the fields with which it opens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from inkeek.records import Side
from inkeek.service.errors import Invalid
from inkeek.service.http.api.bodies import number_or_text
from inkeek.service.http.web.forms import NOBODY, end_fields

from .terms import Terms
from .words import RESTART, clock_text

_CLOCK = re.compile(r"(\+?)(?:([0-9]{1,2}):)?([0-9]{1,3}):([0-5][0-9])")
PENALTY = {"kind": "penalty", "side": "penalty_side", "seeds": "penalty_seeds"}  # fields of the form


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
    penalty = {name: form.get(field, "").strip() for name, field in PENALTY.items()}
    if penalty["kind"] or penalty["seeds"]:
        seeds_given = number_or_text(penalty["seeds"]) if penalty["seeds"] else None
        body["penalties"] = [{**penalty, "seeds": seeds_given}]
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
    for penalty in terms.penalties[:1]:
        fields |= {"penalty": penalty.kind, "penalty_side": penalty.side}
        fields |= {} if penalty.seeds is None else {"penalty_seeds": str(penalty.seeds)}
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
