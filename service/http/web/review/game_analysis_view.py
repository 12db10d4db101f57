"""What the pages show of the stored analysis of a game: values, losses, best lines, accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from inkeek.records import SOUTH
from inkeek.records.analysis.annotation import GameAnnotation, JudgedTurn, turns_before_gap
from inkeek.records.drawing.svg import Markup
from inkeek.records.notation.movetext import GLYPHS
from inkeek.service.games.review.analysis_notes import is_written
from inkeek.service.games.snapshot import GameSnapshot
from inkeek.service.http.language import gettext
from inkeek.service.http.web import labels
from inkeek.service.jobs.queue import GameAnalysis
from inkeek.service.storage import JobRow
from inkeek.service.storage.tables.jobs import FAILED

from .move_list import ListedTurn, list_turns
from .value_graph import value_graph

MAX_LINE = 10  # turns of a best line that are shown


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A turn and what it was worth. Values are for South, as text; `loss` is empty for a turn that is not judged.

    `best` is the line that was better, empty where the turn itself was the best one; it begins at `position_before`.
    """

    ply: int
    number: str
    move: str
    value: str
    loss: str
    glyph: labels.Glyph | None
    exact: bool
    best: tuple[str, ...]
    position_before: str
    is_turning_point: bool


@dataclass(frozen=True, slots=True)
class GameAnalysisView:
    """The analysis of a game. `job` is the one at work on it, None without one; `failed` says why the last one failed.

    `rows`: the turns that still stand in the game as they were analyzed; `is_current`: all of them. `may_be_written`:
    the record lacks something of it; `is_written`: the record has something that an analysis wrote. `gap` is the first
    place where nobody saw what was played, at which an analysis stops.
    """

    job: JobRow | None
    failed: str
    is_current: bool
    rows: tuple[JudgedRow, ...]
    graph: Markup | None
    accuracy: tuple[str, str]
    all_exact: bool
    depth: int | None
    turning_point: JudgedRow | None
    may_be_written: bool
    is_written: bool
    gap: str

    @property
    def mistakes(self) -> list[JudgedRow]:
        return [row for row in self.rows if row.glyph]


def game_analysis_view(
    snapshot: GameSnapshot, stored: GameAnalysis, job: JobRow | None, shown: int
) -> GameAnalysisView:
    """What is known of a game. `job`: the last one about it, if it is known; the graph marks the turn `shown`."""
    found = stored.found
    rows = () if found is None else tuple(_rows(snapshot, found))
    return GameAnalysisView(
        job=job if job is not None and job.is_active else None,
        failed=(job.error or "") if job is not None and job.state == FAILED else "",
        is_current=stored.is_current,
        rows=rows,
        graph=None if found is None or not rows else _graph(found, rows, shown),
        accuracy=("", "") if found is None else (_percent(found.accuracy[0]), _percent(found.accuracy[1])),
        all_exact=found is not None and found.depth is None,
        depth=None if found is None else found.depth,
        turning_point=next((row for row in rows if row.is_turning_point), None),
        may_be_written=found is not None and stored.is_current and not is_written(snapshot.state, found),
        is_written=any(one.from_analysis for one in snapshot.state.annotations),
        gap=_first_gap(snapshot),
    )


def _first_gap(snapshot: GameSnapshot) -> str:
    judged = turns_before_gap(snapshot.record)
    return snapshot.cited_from(judged + 1)[0] if judged < len(snapshot.record.plies) else ""


def seeds_text(value: float) -> str:
    """A value as it is written: ``+3``, ``−1.5``, ``0``."""
    text = f"{abs(value):.1f}".removesuffix(".0")
    return text if text == "0" else f"{'+' if value > 0 else '−'}{text}"


def _rows(snapshot: GameSnapshot, found: GameAnnotation) -> list[JudgedRow]:
    listed = [
        turn for row in list_turns(snapshot.record.plies, snapshot.record.replay().turns) for turn in row.turns if turn
    ]
    listed.sort(key=lambda turn: turn.ply)
    rows = []
    for turn, judged in zip(listed, found.turns, strict=False):
        if str(turn.turn.move) != judged.move:
            break  # the game went on otherwise from here
        rows.append(_row(turn, judged, found.turning_point))
    return rows


def _row(turn: ListedTurn, judged: JudgedTurn, turning_point: int | None) -> JudgedRow:
    best = tuple(map(str, judged.best.moves[:MAX_LINE])) if judged.loss else ()
    return JudgedRow(
        ply=turn.ply,
        number=turn.number,
        move=turn.text,
        value=seeds_text(_for_south(judged)),
        loss="" if judged.loss is None else seeds_text(-judged.loss),
        glyph=labels.glyph(GLYPHS[judged.glyph]) if judged.glyph else None,
        exact=judged.exact,
        best=best,
        position_before=str(turn.turn.before),
        is_turning_point=judged.ply == turning_point,
    )


def _for_south(judged: JudgedTurn) -> float:
    return judged.after if judged.side is SOUTH else -judged.after


def _graph(found: GameAnnotation, rows: Sequence[JudgedRow], shown: int) -> Markup:
    values = [found.start, *(_for_south(judged) for judged in found.turns[: len(rows)])]
    return value_graph(
        values,
        [row.ply for row in rows if row.glyph],
        shown,
        gettext("Value by turn, in seeds: South above the line, North below it"),
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:g} %"
