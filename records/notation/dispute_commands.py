"""Commands in comments that tell the course of a dispute: from the claim to the ruling, and the appeal against it."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from inkeek.records.errors import RecordsError
from inkeek.records.position import Side

from .arguments import (
    COUNT,
    COUNTED_POSITION,
    MOVE_TEXT,
    NAME,
    POSITION,
    SIDE,
    TEXT,
    TIME,
    one_of,
)
from .command_forms import KEYED, Command, command, forms_of
from .tags import RESULTS, TERMINATIONS

OUTCOMES = ("stands", "retracted", "corrected", "ended", "reopened")  # of a ruling
PENALTIES = ("warning", "time", "seeds", "turn", "game", "expulsion")  # kinds of penalties, the mildest first
ANSWERS = ("accepted", "refused")  # to a proposal


@command("dispute", stays=True)
class Dispute(Command):
    """What a side claims against the turn, or against turn number `ply`: an earlier one, or the next, which lies on
    the board and is not recorded; with ``about=end`` against how the game ended. `seen` is the position counted on the
    board, with ``?`` for an unknown number: ``4.?/4.?s 0-? n 1``.
    """

    side: Annotated[Side, KEYED, SIDE]
    claim: Annotated[str, KEYED, TEXT]
    about: Annotated[str, KEYED, one_of("end")] = ""
    ply: Annotated[int | None, KEYED, COUNT] = None
    seen: Annotated[str, KEYED, COUNTED_POSITION] = ""

    def check(self) -> None:
        if self.ply is not None and (self.ply < 1 or self.about):
            raise RecordsError(
                f"ply={self.ply} with about={self.about!r}: a dispute is about a turn, from 1, or the end"
            )


@command("claim", stays=True)
class ChangedClaim(Command):
    """A later claim or `seen` of the open dispute, in place of the first; at least one of the two."""

    claim: Annotated[str, TEXT] = ""
    by: Annotated[str, KEYED, NAME] = ""
    seen: Annotated[str, KEYED, COUNTED_POSITION] = ""

    def check(self) -> None:
        if not self.claim and not self.seen:
            raise RecordsError("a claim says nothing: it has a text, or the position that was seen, or both")


@command("propose", stays=True)
class Proposal(Command):
    """How a side would settle the open dispute, as an arbiter would rule; `after`: the last turn that would stay."""

    side: Annotated[Side, KEYED, SIDE]
    outcome: Annotated[str, KEYED, one_of(*OUTCOMES)]
    move: Annotated[str, KEYED, MOVE_TEXT] = ""
    position: Annotated[str, KEYED, POSITION] = ""
    after: Annotated[int | None, KEYED, COUNT] = None
    result: Annotated[str, KEYED, one_of(*RESULTS)] = ""
    termination: Annotated[str, KEYED, one_of(*TERMINATIONS)] = ""
    by: Annotated[str, KEYED, NAME] = ""
    note: Annotated[str, KEYED, TEXT] = ""


@command("respond", stays=True)
class Response(Command):
    """The other side's answer to the last proposal."""

    side: Annotated[Side, KEYED, SIDE]
    answer: Annotated[str, KEYED, one_of(*ANSWERS)]
    by: Annotated[str, KEYED, NAME] = ""


@command("ruling", stays=True)
class Ruling(Command):
    """The decision on the dispute. ``withdrawn=yes``: nobody ruled, the side that disputed withdrew."""

    outcome: Annotated[str, KEYED, one_of(*OUTCOMES)]
    by: Annotated[str, KEYED, NAME] = ""
    note: Annotated[str, KEYED, TEXT] = ""
    withdrawn: Annotated[str, KEYED, one_of("yes")] = ""


@command("penalty", stays=True)
class Penalty(Command):
    """Goes with the ruling or proposal before it, the number of seeds with ``kind=seeds``. It has no effect of its
    own: what it changes on the board, the ruling changes.
    """

    side: Annotated[Side, KEYED, SIDE]
    kind: Annotated[str, KEYED, one_of(*PENALTIES)]
    seeds: Annotated[int | None, KEYED, COUNT] = None
    note: Annotated[str, KEYED, TEXT] = ""

    def check(self) -> None:
        if (self.seeds is not None) is not (self.kind == "seeds"):
            raise RecordsError(f"a penalty of kind {self.kind!r} has seeds={self.seeds}: seeds go with kind=seeds")


@command("clock", usage="[%clock side=south|north to=h:mm:ss] or [%clock side=south|north add=h:mm:ss]", stays=True)
class ClockChange(Command):
    """Goes with the ruling or proposal before it: sets the side's clock to a time, or adds time; one of the two."""

    side: Annotated[Side, KEYED, SIDE]
    to: Annotated[int | Decimal | None, KEYED, TIME] = None
    add: Annotated[int | Decimal | None, KEYED, TIME] = None

    def check(self) -> None:
        if (self.to is None) is (self.add is None):
            raise RecordsError("a clock is either set to a time or gets more time")


@command("appeal", stays=True)
class Appeal(Command):
    """Against the last ruling, whose dispute is open again. ``corrects=yes``: nobody appealed, the arbiter corrects
    their own ruling.
    """

    reason: Annotated[str, KEYED, TEXT]
    side: Annotated[Side | None, KEYED, SIDE] = None
    by: Annotated[str, KEYED, NAME] = ""
    corrects: Annotated[str, KEYED, one_of("yes")] = ""


DISPUTE_FORMS = forms_of(__name__)
