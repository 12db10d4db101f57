"""Errors as JSON objects (RFC 9457): what all have, and what each type has beside it."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import UNSET, UnsetType

from .games import CurrentJson
from .rules import StepJson
from .shape import Shape


class ProblemJson(Shape):
    """An error (RFC 9457)."""

    type: Annotated[str, "stable name of the type of problem"]
    title: str
    status: int
    detail: str
    instance: Annotated[str | UnsetType, "the path of the request"] = UNSET


class InputErrorJson(Shape):
    """A fault of a request, and where it is."""

    pointer: Annotated[
        str, "JSON pointer into the body (`/options/pits`; empty: all of it), or the name of a parameter or a header"
    ]
    detail: str


class InputProblemJson(ProblemJson, kw_only=True):
    """What was sent is wrong."""

    errors: list[InputErrorJson]
    current: Annotated[CurrentJson | UnsetType, "if that depends on the state of a game"] = UNSET


class PositionProblemJson(InputProblemJson, kw_only=True):
    faults: Annotated[list[str], "every reason; `errors` has them too"]


class IllegalMoveProblemJson(InputProblemJson, kw_only=True):
    reason: Annotated[str, "the rule that forbids it"]
    move: str
    position: Annotated[str, "before the move"]
    legal: list[str]
    trace: Annotated[list[StepJson], "the turn as far as it can be sown; else empty"]
    where: Annotated[str | UnsetType, "its place in a request with several moves"] = UNSET


class ConflictProblemJson(ProblemJson, kw_only=True):
    """The state does not allow the request."""

    current: Annotated[CurrentJson | UnsetType, "the game as it is, if the request is about one"] = UNSET
    later: Annotated[list[dict[str, Any]] | UnsetType, "later games of the match, and what becomes of them"] = UNSET
    game: Annotated[str | UnsetType, "id of the game of the match that is not over"] = UNSET


class DisputedProblemJson(ProblemJson, kw_only=True):
    current: CurrentJson
    dispute: Annotated[str, "id of the open dispute"]


class AheadProblemJson(ProblemJson, kw_only=True):
    last: Annotated[int, "number of the last event"]


class BoardBoundProblemJson(ProblemJson, kw_only=True):
    board: Annotated[str | UnsetType, "id of the board that the game has"] = UNSET


class HoleProblemJson(ProblemJson, kw_only=True):
    expected: Annotated[int, "number of the first event that is missing"]
