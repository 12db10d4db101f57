"""What all kinds of events share.

Data is written by making an instance, and its JSON has the fields in their order: a hash depends on it. Data is read
tolerantly: unknown fields of other versions are passed over, and what some events lack has a default.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, ClassVar, TypeVar

import msgspec
from msgspec import Meta, UnsetType

from records import Side
from records.notation.command_forms import Command
from records.notation.tags import RESULTS, TERMINATIONS

SIDES = {str(side): side for side in Side}
T = TypeVar("T")
D = TypeVar("D")


def one_of(values: Iterable[str]) -> Meta:
    """That a text is one of these, as the schema says; reading does not check it."""
    return Meta(extra_json_schema={"enum": list(values)})


SideName = Annotated[str, one_of(SIDES)]
Result = Annotated[str, one_of(RESULTS)]
Termination = Annotated[str, one_of(TERMINATIONS)]
Score = Annotated[list[int] | None, Meta(description="seeds of South and North; null: they do not matter")]
Cause = Annotated[int | UnsetType, Meta(description="a ruling on this dispute ordered it")]


class EventData(msgspec.Struct):
    """The data of an event."""

    kind: ClassVar[str]
    remarks: ClassVar[bool] = True  # whether it may say something of plies besides its own

    def commands(self) -> Sequence[Command]:
        """What the record says of it, at the last turn that stands just then.

        When that turn is taken back, the commands move to the turn before it.
        """
        return ()


def given(value: T | UnsetType, otherwise: D) -> T | D:
    """A field that may be missing, or something else then."""
    return otherwise if isinstance(value, UnsetType) else value
