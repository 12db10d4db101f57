"""Who plays a game, what they tried and what they took back, as JSON objects."""

from __future__ import annotations

from typing import Annotated

from inkeek.records import Teams
from inkeek.records.notation.commands import REASONS

from .shape import Shape, SideName, one_of


class TrialJson(Shape):
    ply: Annotated[int, "the number of the turn that was tried"]
    move: str
    by: str


class TrialsJson(Shape):
    items: list[TrialJson]


class RetractionJson(Shape):
    ply: Annotated[int, "the number of the turn that was taken back"]
    move: str
    side: Annotated[SideName | None, "null: a ruling took it back"]
    reason: Annotated[str, one_of(REASONS)]
    note: str


class RetractionsJson(Shape):
    items: list[RetractionJson]


class TeamsJson(Shape):
    South: list[str]
    North: list[str]


def teams_json(teams: Teams) -> TeamsJson:
    return TeamsJson(South=list(teams.south), North=list(teams.north))


class FaultJson(Shape):
    reason: str
    ply: int
    name: str
    side: SideName | None
    message: str


class PeopleJson(Shape):
    teams: Annotated[TeamsJson, "for the next turn"]
    makers: Annotated[list[str | None], "who played each turn; null: unknown"]
    faults: list[FaultJson]
