"""What a ruling, or the proposal of one, says: as a value, checked, and as the data of an event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from inkeek.records import Move
from inkeek.records.notation.commands import OUTCOMES, PENALTIES
from inkeek.service.errors import Invalid
from inkeek.service.games.endings import CorrectedEnd
from inkeek.service.games.event_data import SIDES
from inkeek.service.games.validation import check_note

from .event_data import ClockData, EndTermsData, PenaltyData

AGREED = "South and North"  # who rules if both sides agree
OUTCOMES_ABOUT = {
    "turn": ("stands", "retracted", "corrected", "ended"),
    "end": ("stands", "corrected", "reopened"),
}
MAX_PENALTIES = 10  # in a ruling; and changes of clocks
MAX_SEEDS = 999  # of a penalty
MAX_SECONDS = 359_999  # of a clock: 99:59:59


@dataclass(frozen=True, slots=True)
class PenaltyTerm:
    """A penalty of a side; `seeds` if its kind is ``seeds``."""

    side: str
    kind: str
    seeds: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ClockTerm:
    """A side's clock is set to `to` seconds, or gets `add` seconds more."""

    side: str
    to: int | None = None
    add: int | None = None

    @property
    def seconds(self) -> int:
        """Those that it is set to, or gets."""
        return (self.to if self.add is None else self.add) or 0


@dataclass(frozen=True, slots=True)
class Terms:
    """What is ruled.

    `move` and `position` replace a disputed turn: a move by the rules, or with `position` one against them; None with a
    position: the one that the record has. `keeps`: later turns are played again as far as they are legal. `to`: the
    last turn that stays when the disputed one is retracted; None: the one before it. `end`: how the game ends.
    """

    outcome: str
    note: str = ""
    move: Move | None = None
    position: str | None = None
    end: CorrectedEnd | None = None
    to: int | None = None
    keeps: bool = False
    penalties: tuple[PenaltyTerm, ...] = ()
    clocks: tuple[ClockTerm, ...] = ()


def check_terms(terms: Terms) -> Terms:
    """Normalize texts, and check what does not depend on the game.

    :raises Invalid: an unknown outcome or penalty, an impossible time or number.
    """
    if terms.outcome not in OUTCOMES:
        raise Invalid(
            "outcome is %(outcome)r: expected one of %(outcomes)s",
            outcome=terms.outcome[:80],
            outcomes=", ".join(OUTCOMES),
        )
    for name, what in (("penalties", terms.penalties), ("clocks", terms.clocks)):
        if len(what) > MAX_PENALTIES:
            raise Invalid(
                "%(name)s: %(what)s of them; a ruling has at most %(max_penalties)s",
                name=name,
                what=len(what),
                max_penalties=MAX_PENALTIES,
            )
    for clock in terms.clocks:
        seconds = clock.add if clock.to is None else clock.to
        if (clock.to is None) is (clock.add is None) or seconds is None or not 0 <= seconds <= MAX_SECONDS:
            raise Invalid(
                "clocks: give either to or add for %(side)s, 0 to %(most)s seconds", side=clock.side, most=MAX_SECONDS
            )
        _check_side("clocks", clock.side)
    penalties = tuple(_check_penalty(penalty, terms) for penalty in terms.penalties)
    return replace(terms, note=check_note("note", terms.note), penalties=penalties)


def _check_penalty(penalty: PenaltyTerm, terms: Terms) -> PenaltyTerm:
    kind, seeds = penalty.kind, penalty.seeds
    _check_side("penalties", penalty.side)
    if kind not in PENALTIES:
        raise Invalid(
            "penalties: %(kind)r is no penalty: expected one of %(penalties)s",
            kind=kind[:80],
            penalties=", ".join(PENALTIES),
        )
    if kind == "seeds" and seeds is None:
        raise Invalid("The number of seeds is missing. A penalty of seeds has 0 to %(most)s.", most=MAX_SEEDS)
    if seeds is not None and not 0 <= seeds <= MAX_SEEDS:
        raise Invalid("A penalty has %(seeds)s seeds. Expected 0 to %(most)s.", seeds=seeds, most=MAX_SEEDS)
    if kind != "seeds" and seeds is not None:
        raise Invalid("The penalty %(kind)r has %(seeds)s seeds. Only 'seeds' has a number.", kind=kind, seeds=seeds)
    if kind == "game" and terms.end is None:
        raise Invalid("penalties: the game is lost only if the ruling ends it: give outcome 'ended' and a termination")
    return replace(penalty, note=check_note("penalties: note", penalty.note))


def _check_side(where: str, side: str) -> None:
    if side not in SIDES:
        raise Invalid("%(where)s: %(side)r is no side: expected South or North", where=where, side=side[:80])


def verify_terms(about: str, terms: Terms) -> None:
    """Check that terms fit what the dispute is about.

    :raises Invalid: no such outcome, or a move, position, end or turn that does not fit it.
    """
    outcome = terms.outcome
    if outcome not in OUTCOMES_ABOUT[about]:
        expected = ", ".join(OUTCOMES_ABOUT[about])
        raise Invalid(
            "outcome is %(outcome)r: the dispute is about the %(about)s: expected one of %(expected)s",
            outcome=outcome,
            about=about,
            expected=expected,
        )
    corrects = about == "turn" and outcome == "corrected"
    given = terms.move is not None or terms.position is not None
    if corrects and not given:
        raise Invalid("A corrected turn needs the move that was meant, or the position after it.")
    if given and not corrects:
        raise Invalid("outcome is %(outcome)r: a move or a position fits only 'corrected'", outcome=outcome)
    if terms.keeps and not corrects:
        raise Invalid(
            "outcome is %(outcome)r: later turns are played again only if a turn is 'corrected'", outcome=outcome
        )
    ends = outcome == "ended" or (about == "end" and outcome == "corrected")
    if ends and terms.end is None:
        raise Invalid("The outcome is %(outcome)r. Choose how the game ends (termination).", outcome=outcome)
    if terms.end is not None and not ends:
        raise Invalid("The outcome %(outcome)r does not end the game. Leave out the termination.", outcome=outcome)
    if terms.to is not None and outcome != "retracted":
        raise Invalid(
            "outcome is %(outcome)r: the last turn that stays is given only if turns are 'retracted'", outcome=outcome
        )


def terms_fields(terms: Terms) -> dict[str, Any]:
    """Terms as fields of the data of an event: what is not given is left out."""
    end = terms.end
    given = _drop_empty(
        move=None if terms.move is None else str(terms.move),
        position=terms.position,
        end=end and EndTermsData(end.termination, end.winner, end.score and list(end.score)),
        to=terms.to,
        keeps=terms.keeps or None,
        penalties=[
            PenaltyData(one.side, one.kind, **_drop_empty(seeds=one.seeds, note=one.note)) for one in terms.penalties
        ],
        clocks=[ClockData(one.side, **_drop_empty(to=one.to, add=one.add)) for one in terms.clocks],
    )
    return {"outcome": terms.outcome, "note": terms.note, **given}


def _drop_empty(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", [])}


def terms_from(data: Mapping[str, Any]) -> Terms:
    """The terms in the data of an event. `terms_fields` undoes it."""
    end, move = data.get("end"), data.get("move")
    score = None if end is None or end["score"] is None else (end["score"][0], end["score"][1])
    return Terms(
        data["outcome"],
        data["note"],
        None if move is None else Move.parse(move),
        data.get("position"),
        None if end is None else CorrectedEnd(end["termination"], end["winner"], score),
        data.get("to"),
        data.get("keeps", False),
        tuple(PenaltyTerm(**one) for one in data.get("penalties", ())),
        tuple(ClockTerm(**one) for one in data.get("clocks", ())),
    )
