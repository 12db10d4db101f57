"""Commands in comments that tell the course of a dispute: from the claim to the ruling, and the appeal against it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from records.errors import RecordsError
from records.position import Side

from .arguments import (
    OPTIONAL_COUNT,
    OPTIONAL_COUNTED,
    OPTIONAL_MOVE,
    OPTIONAL_POSITION,
    OPTIONAL_SIDE,
    OPTIONAL_TEXT,
    OPTIONAL_TIME,
    OPTIONAL_YES,
    SIDE,
    TEXT,
    one_of,
)
from .command_forms import Command, form, with_check
from .tags import RESULTS, TERMINATIONS

OUTCOMES = ("stands", "retracted", "corrected", "ended", "reopened")  # of a ruling
PENALTIES = ("warning", "time", "seeds", "turn", "game", "expulsion")  # kinds of penalties, the mildest first
ANSWERS = ("accepted", "refused")  # to a proposal


@dataclass(frozen=True, slots=True)
class Dispute(Command):
    """What a side claims against a move; or, with `about` ``end``, against how the game ended. `ply` is the number of
    the move if it is not the last one, `seen` the position that lay on the board when it was counted, with ``?`` where
    nobody counted."""

    side: Side
    claim: str
    about: str = ""
    ply: int | None = None
    seen: str = ""


@dataclass(frozen=True, slots=True)
class ChangedClaim(Command):
    """What was said later of the open dispute, in place of its claim; or what was counted on the board later."""

    claim: str = ""
    by: str = ""
    seen: str = ""


@dataclass(frozen=True, slots=True)
class Proposal(Command):
    """How a side would settle the open dispute: as an arbiter would rule (`OUTCOMES`), with the move that would be
    played, the position that would lie there, or the end of the game. `after`: the last turn that would stay."""

    side: Side
    outcome: str
    move: str = ""
    position: str = ""
    after: int | None = None
    result: str = ""
    termination: str = ""
    by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Response(Command):
    """The other side's answer to the last proposal (`ANSWERS`)."""

    side: Side
    answer: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Ruling(Command):
    """The decision on a dispute (`OUTCOMES`). `by` is empty if it is not known who decided. `withdrawn` is ``yes`` if
    nobody ruled: the side that disputed withdrew."""

    outcome: str
    by: str = ""
    note: str = ""
    withdrawn: str = ""


@dataclass(frozen=True, slots=True)
class Penalty(Command):
    """A penalty of a side (`PENALTIES`) that goes with the ruling or proposal before it. `seeds` only with ``seeds``.
    It is a note: what it changes on the board, the ruling changes."""

    side: Side
    kind: str
    seeds: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ClockChange(Command):
    """A change of a side's clock with the ruling or proposal before it: it is set `to` seconds, or gains `add`."""

    side: Side
    to: int | Decimal | None = None
    add: int | Decimal | None = None


@dataclass(frozen=True, slots=True)
class Appeal(Command):
    """Somebody, or a `side`, appeals against the last ruling: its dispute is open again. `corrects` is ``yes`` if
    nobody appeals: the arbiter corrects their own ruling."""

    reason: str
    side: Side | None = None
    by: str = ""
    corrects: str = ""


def _check_dispute(dispute: Dispute) -> None:
    if dispute.ply is not None and (dispute.ply < 1 or dispute.about):
        raise RecordsError(
            f"ply={dispute.ply} with about={dispute.about!r}: a dispute is about a turn, from 1, or the end"
        )


def _check_claim(claim: ChangedClaim) -> None:
    if not claim.claim and not claim.seen:
        raise RecordsError("a claim says nothing: it has a text, or the position that was seen, or both")


def _check_penalty(penalty: Penalty) -> None:
    if (penalty.seeds is not None) is not (penalty.kind == "seeds"):
        raise RecordsError(f"a penalty of kind {penalty.kind!r} has seeds={penalty.seeds}: seeds go with kind=seeds")


def _check_clock_change(change: ClockChange) -> None:
    if (change.to is None) is (change.add is None):
        raise RecordsError("a clock is either set to a time or gets more time")


_OUTCOMES = "|".join(OUTCOMES)

DISPUTE_FORMS = (
    with_check(
        form(
            "dispute",
            Dispute,
            '[%dispute side=south|north claim="text" about=end ply=<number> seen="<position>"]',
            *("side", "claim", "about", "ply", "seen"),
            side=SIDE,
            claim=TEXT,
            about=one_of(("end",), optional=True),
            ply=OPTIONAL_COUNT,
            seen=OPTIONAL_COUNTED,
        ),
        _check_dispute,
    ),
    with_check(
        form(
            "claim",
            ChangedClaim,
            '[%claim "text" by="name" seen="<position>"]',
            *("by", "seen"),
            claim=OPTIONAL_TEXT,
            by=OPTIONAL_TEXT,
            seen=OPTIONAL_COUNTED,
        ),
        _check_claim,
    ),
    form(
        "propose",
        Proposal,
        f'[%propose side=south|north outcome={_OUTCOMES} move=<move> position="<position>" after=<number> '
        f'result={"|".join(RESULTS)} termination={"|".join(TERMINATIONS)} by="name" note="text"]',
        *("side", "outcome", "move", "position", "after", "result", "termination", "by", "note"),
        side=SIDE,
        outcome=one_of(OUTCOMES),
        move=OPTIONAL_MOVE,
        position=OPTIONAL_POSITION,
        after=OPTIONAL_COUNT,
        result=one_of(RESULTS, optional=True),
        termination=one_of(TERMINATIONS, optional=True),
        by=OPTIONAL_TEXT,
        note=OPTIONAL_TEXT,
    ),
    form(
        "respond",
        Response,
        f'[%respond side=south|north answer={"|".join(ANSWERS)} by="name"]',
        "side",
        "answer",
        "by",
        side=SIDE,
        answer=one_of(ANSWERS),
        by=OPTIONAL_TEXT,
    ),
    form(
        "ruling",
        Ruling,
        f'[%ruling outcome={_OUTCOMES} by="name" note="text" withdrawn=yes]',
        *("outcome", "by", "note", "withdrawn"),
        outcome=one_of(OUTCOMES),
        by=OPTIONAL_TEXT,
        note=OPTIONAL_TEXT,
        withdrawn=OPTIONAL_YES,
    ),
    with_check(
        form(
            "penalty",
            Penalty,
            f'[%penalty side=south|north kind={"|".join(PENALTIES)} seeds=<number> note="text"]',
            *("side", "kind", "seeds", "note"),
            side=SIDE,
            kind=one_of(PENALTIES),
            seeds=OPTIONAL_COUNT,
            note=OPTIONAL_TEXT,
        ),
        _check_penalty,
    ),
    with_check(
        form(
            "clock",
            ClockChange,
            "[%clock side=south|north to=h:mm:ss] or [%clock side=south|north add=h:mm:ss]",
            *("side", "to", "add"),
            side=SIDE,
            to=OPTIONAL_TIME,
            add=OPTIONAL_TIME,
        ),
        _check_clock_change,
    ),
    form(
        "appeal",
        Appeal,
        '[%appeal reason="text" side=south|north by="name" corrects=yes]',
        *("reason", "side", "by", "corrects"),
        reason=TEXT,
        side=OPTIONAL_SIDE,
        by=OPTIONAL_TEXT,
        corrects=OPTIONAL_YES,
    ),
)
