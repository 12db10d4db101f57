"""Jobs, and the analyses of games that they make, as JSON objects."""

from __future__ import annotations

from typing import Annotated

from inkeek.service.jobs.queue import NONE
from inkeek.service.storage.tables.jobs import ACTIVE, CANCELLED, DONE, FAILED

from .analysis import JudgedGameJson
from .shape import Count, Shape, Time, one_of

JOB_STATES = (*ACTIVE, DONE, FAILED, CANCELLED)


class LimitsJson(Shape):
    seconds: float | None
    depth: int | None
    nodes: int | None


class JobJson(Shape):
    id: str
    state: Annotated[str, one_of(JOB_STATES)]
    done: Annotated[Count, "positions searched"]
    total: Count
    games: list[str]
    limits: LimitsJson
    owner: Annotated[str, "id of the key"]
    created: Time
    updated: Time
    error: str | None


class JobsJson(Shape):
    items: list[JobJson]


class GameAnalysisJson(JudgedGameJson):
    """What is known of a stored game."""

    state: Annotated[str, one_of((NONE, *JOB_STATES))]
    job: str | None
    current: Annotated[bool, "false: it is not of the turns that the game has now"]
