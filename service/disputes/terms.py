"""What a ruling, or the proposal of one, says: as it is stored in events, checked, and answered. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from inkeek.records import Move, RecordsError
from inkeek.records.errors import message_of
from inkeek.records.notation.commands import OUTCOMES, PENALTIES, ClockChange, Command, Penalty
from inkeek.records.structs import convert
from inkeek.service.errors import Invalid, about
from inkeek.service.games.event_data import SIDES, Result, Score, SideName, Termination, one_of
from inkeek.service.games.record_check import check_note

AGREED = "South and North"  # who rules if both sides agree
OUTCOMES_ABOUT = {
    "turn": ("stands", "retracted", "corrected", "ended"),
    "end": ("stands", "corrected", "reopened"),
}
MAX_PENALTIES = 10  # in a ruling; and changes of clocks
MAX_SEEDS = 999  # of a penalty
MAX_SECONDS = 359_999  # of a clock: 99:59:59


class EndTermsData(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a ruling ends the game."""

    termination: Termination
    winner: SideName | None
    score: Score
    result: Result | None = None


class PenaltyData(msgspec.Struct, frozen=True, omit_defaults=True):
    """A penalty."""

    side: SideName
    kind: Annotated[str, one_of(PENALTIES)]
    seeds: int | None = None
    note: str = ""

    def command(self) -> Penalty:
        """:raises RecordsError: its fields do not fit each other."""
        return Penalty(SIDES[self.side], self.kind, self.seeds, self.note)


class ClockData(msgspec.Struct, frozen=True, omit_defaults=True):
    """A clock is set to, or gets, so many seconds."""

    side: SideName
    to: int | None = None
    add: int | None = None

    @property
    def seconds(self) -> int:
        """Those that it is set to, or gets."""
        return (self.to if self.add is None else self.add) or 0

    def command(self) -> ClockChange:
        """:raises RecordsError: it is neither set nor gets more time, or both."""
        return ClockChange(SIDES[self.side], self.to, self.add)


class Terms(msgspec.Struct, omit_defaults=True):
    """What is ruled.

    `move` and `position` replace a disputed turn: a move by the rules, or with `position` one against them; None with a
    position: the one that the record has. `keeps`: later turns are played again as far as they are legal. `to`: the
    last turn that stays when the disputed one is retracted; None: the one before it. `end`: how the game ends.
    """

    outcome: Annotated[str, one_of(OUTCOMES)]
    note: str = ""
    move: Annotated[str | None, Meta(description="that was meant")] = None
    position: Annotated[str | None, Meta(description="after the turn, which broke the rules")] = None
    end: EndTermsData | None = None
    to: Annotated[int | None, Meta(description="the last turn that stays, if not the one before the disputed one")] = (
        None
    )
    keeps: Annotated[bool, Meta(description="later turns are played again as far as they can be")] = False
    penalties: tuple[PenaltyData, ...] = ()
    clocks: tuple[ClockData, ...] = ()

    def amends(self) -> Sequence[Command]:
        """The penalties and clocks, which go with a ruling or a proposal in the record."""
        return [*(one.command() for one in self.penalties), *(one.command() for one in self.clocks)]

    def checked(self) -> Terms:
        """The terms with normalized texts, after a check of what does not depend on the game.

        :raises Invalid: a text cannot stand in a record, or the fields of a penalty or a clock do not fit each other.
        :raises RecordsError: the move is none.
        """
        penalties = tuple(
            replace(one, note=check_note(f"penalties[{at}].note", one.note)) for at, one in enumerate(self.penalties)
        )
        with about("move"):
            move = None if self.move is None else str(Move.parse(self.move))
        terms = replace(self, note=check_note("note", self.note), move=move, penalties=penalties)
        given: dict[str, Sequence[PenaltyData | ClockData]] = {
            "penalties[%s].seeds": penalties,
            "clocks[%s]": self.clocks,
        }
        for place, several in given.items():
            for number, one in enumerate(several):
                try:
                    one.command()
                except RecordsError as error:
                    raise Invalid(message_of(error), field=place % number) from None
        if self.end is None and any(one.kind == "game" for one in penalties):
            raise Invalid(
                "penalties: the game is lost only if the ruling ends it: give outcome 'ended' and a termination",
                field="penalties",
            )
        return terms

    def verify(self, about: str) -> None:
        """Check that the terms fit what the dispute is about.

        :raises Invalid: no such outcome, or a move, position, end or turn that does not fit it.
        """
        outcome = self.outcome
        if outcome not in OUTCOMES_ABOUT[about]:
            expected = ", ".join(OUTCOMES_ABOUT[about])
            raise Invalid(
                "outcome is %(outcome)r: the dispute is about the %(about)s: expected one of %(expected)s",
                field="outcome",
                outcome=outcome,
                about=about,
                expected=expected,
            )
        corrects = about == "turn" and outcome == "corrected"
        if corrects and self.move is None and self.position is None:
            raise Invalid("A corrected turn needs the move that was meant, or the position after it.", field="move")
        for name, is_given, fits in (
            ("move", self.move is not None, "corrected"),
            ("position", self.position is not None, "corrected"),
            ("keeps", self.keeps, "corrected"),
            ("to", self.to is not None, "retracted"),
        ):
            if is_given and (outcome != fits or about != "turn"):
                raise Invalid(
                    "outcome is %(outcome)r: %(name)s fits only %(fits)r, and only a dispute about a turn",
                    field="outcome",
                    outcome=outcome,
                    name=name,
                    fits=fits,
                )
        ends = outcome == "ended" or (about == "end" and outcome == "corrected")
        if ends and self.end is None:
            raise Invalid(
                "The outcome is %(outcome)r. Choose how the game ends (termination).",
                outcome=outcome,
                field="termination",
            )
        if self.end is not None and not ends:
            raise Invalid(
                "The outcome %(outcome)r does not end the game. Leave out the termination.",
                outcome=outcome,
                field="termination",
            )


def terms_from(data: Mapping[str, Any]) -> Terms:
    """The terms in the data of an event, without the result of an end, which follows from the game."""
    terms = convert(data, Terms)
    return terms if terms.end is None else replace(terms, end=replace(terms.end, result=None))
