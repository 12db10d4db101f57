"""Commands in comments that tell the course of a dispute: from the claim to the ruling, and the appeal against it."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from records.errors import RecordsError
from records.position import Side

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
    """What a side claims against a move; or, with `about` ``end``, against how the game ended. `ply` is the number of
    the move if it is not the last one, `seen` the position that lay on the board when it was counted, with ``?`` where
    nobody counted."""

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
    """What was said later of the open dispute, in place of its claim; or what was counted on the board later."""

    claim: Annotated[str, TEXT] = ""
    by: Annotated[str, KEYED, NAME] = ""
    seen: Annotated[str, KEYED, COUNTED_POSITION] = ""

    def check(self) -> None:
        if not self.claim and not self.seen:
            raise RecordsError("a claim says nothing: it has a text, or the position that was seen, or both")


@command("propose", stays=True)
class Proposal(Command):
    """How a side would settle the open dispute: as an arbiter would rule (`OUTCOMES`), with the move that would be
    played, the position that would lie there, or the end of the game. `after`: the last turn that would stay."""

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
    """The other side's answer to the last proposal (`ANSWERS`)."""

    side: Annotated[Side, KEYED, SIDE]
    answer: Annotated[str, KEYED, one_of(*ANSWERS)]
    by: Annotated[str, KEYED, NAME] = ""


@command("ruling", stays=True)
class Ruling(Command):
    """The decision on a dispute (`OUTCOMES`). `by` is empty if it is not known who decided. `withdrawn` is ``yes`` if
    nobody ruled: the side that disputed withdrew."""

    outcome: Annotated[str, KEYED, one_of(*OUTCOMES)]
    by: Annotated[str, KEYED, NAME] = ""
    note: Annotated[str, KEYED, TEXT] = ""
    withdrawn: Annotated[str, KEYED, one_of("yes")] = ""


@command("penalty", stays=True)
class Penalty(Command):
    """A penalty of a side (`PENALTIES`) that goes with the ruling or proposal before it. `seeds` only with ``seeds``.
    It is a note: what it changes on the board, the ruling changes."""

    side: Annotated[Side, KEYED, SIDE]
    kind: Annotated[str, KEYED, one_of(*PENALTIES)]
    seeds: Annotated[int | None, KEYED, COUNT] = None
    note: Annotated[str, KEYED, TEXT] = ""

    def check(self) -> None:
        if (self.seeds is not None) is not (self.kind == "seeds"):
            raise RecordsError(f"a penalty of kind {self.kind!r} has seeds={self.seeds}: seeds go with kind=seeds")


@command("clock", usage="[%clock side=south|north to=h:mm:ss] or [%clock side=south|north add=h:mm:ss]", stays=True)
class ClockChange(Command):
    """A change of a side's clock with the ruling or proposal before it: it is set `to` seconds, or gains `add`."""

    side: Annotated[Side, KEYED, SIDE]
    to: Annotated[int | Decimal | None, KEYED, TIME] = None
    add: Annotated[int | Decimal | None, KEYED, TIME] = None

    def check(self) -> None:
        if (self.to is None) is (self.add is None):
            raise RecordsError("a clock is either set to a time or gets more time")


@command("appeal", stays=True)
class Appeal(Command):
    """Somebody, or a `side`, appeals against the last ruling: its dispute is open again. `corrects` is ``yes`` if
    nobody appeals: the arbiter corrects their own ruling."""

    reason: Annotated[str, KEYED, TEXT]
    side: Annotated[Side | None, KEYED, SIDE] = None
    by: Annotated[str, KEYED, NAME] = ""
    corrects: Annotated[str, KEYED, one_of("yes")] = ""


DISPUTE_FORMS = forms_of(__name__)
