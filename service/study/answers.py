"""What positions and games are worth, as JSON objects. The command line uses them too, without a database."""

from __future__ import annotations

from typing import Annotated, Any, Self

from inkeek.records.analysis.annotation import MARKS
from inkeek.service.http.shape import Count, Form, Shape, SideName, Time, one_of
from inkeek.service.jobs.queue import NONE
from inkeek.service.storage.tables.jobs import ACTIVE, CANCELLED, DONE, FAILED

GLYPHS = ("", *(glyph for _, glyph in MARKS))
REASONS = ("horizon", "repetition", "left-out")
Percent = Annotated[float, Form(minimum=0, maximum=100)]
LeftOut = Annotated[str, one_of(("rearrangement",))]


class LineJson(Shape):
    """A turn, what is best after it, and its value."""

    value: Annotated[float, "the final difference of seeds for the side to move; an integer if it is exact"]
    moves: Annotated[list[str], "empty if the game is over"]
    depends_on: Annotated[list[Annotated[str, one_of(REASONS)]], "why it is not exact"]


class _FoundJson(Shape):
    """Its seconds are rounded."""

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        return super().of(source, seconds=round(source.seconds, 3), **given)


class AnalysisJson(_FoundJson):
    lines: Annotated[list[LineJson], "the best first"]
    depth: Annotated[Count, "turns"]
    nodes: Annotated[Count, "positions searched"]
    seconds: Annotated[float, Form(minimum=0)]
    exact: Annotated[bool, "whether the value of the best line is exact"]
    left_out: Annotated[list[LeftOut], "legal moves that no search tries"]


class SolutionJson(_FoundJson):
    """What `inkeek solve` finds."""

    value: int | None
    move: str | None
    lower: int
    upper: int
    depth: int
    nodes: int
    seconds: float
    exact: bool
    collisions: float
    left_out: list[str]


class BestLineJson(Shape):
    value: float
    moves: list[str]


class JudgedTurnJson(Shape):
    ply: Annotated[int, Form(minimum=1)]
    move: str
    side: SideName
    before: Annotated[float, "value before the turn, in seeds for the side that moved"]
    after: Annotated[float, "value after it, for the same side"]
    best: BestLineJson
    loss: Annotated[float | None, Form(minimum=0), "in seeds; null: the turn is not judged"]
    glyph: Annotated[str, one_of(GLYPHS)]
    exact: bool
    depth: Count


class AccuracyJson(Shape):
    south: Percent | None
    north: Percent | None


class JudgedGameJson(Shape):
    """The annotation of a game. Values are for the side that moved, and that of the start is for South."""

    depth: Annotated[Count | None, "least depth of an estimate; null: all is exact"]
    nodes: Count
    start: Annotated[float | None, "value of the first position for South"]
    turns: list[JudgedTurnJson]
    turning_point: Annotated[int | None, Form(minimum=1), "its ply"]
    accuracy: Annotated[AccuracyJson, "in percent; null: too few turns were judged"]

    @classmethod
    def of(cls, source: Any = None, /, **given: Any) -> Self:
        """The annotation `source`; None if there is none yet."""
        if source is None:
            nobody = AccuracyJson(south=None, north=None)
            nothing = {"depth": None, "nodes": 0, "start": None, "turns": (), "turning_point": None}
            return super().of(None, accuracy=nobody, **nothing, **given)
        south, north = source.accuracy
        return super().of(source, accuracy=AccuracyJson(south=south, north=north), **given)


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
