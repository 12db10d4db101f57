"""A turn seed by seed as a table for paper: a row for each lap, shortened where a turn is too long for a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inkeek.records import Position, Side, TraceEvent
from inkeek.records.findings.sentences import place_text
from inkeek.records.language import Language
from inkeek.service.http.language import gettext, ngettext

MAX_LAPS = 16  # rows of a table; a turn can have thousands
FIRST_LAPS, NEAR_LAPS, LAST_LAPS = 5, 2, 3  # rows that remain of a longer turn: first, around the slip, last
MAX_CELLS = 48  # events in a row; a lap can go round the board many times
FIRST_CELLS, NEAR_CELLS, LAST_CELLS = 24, 4, 8


@dataclass(frozen=True, slots=True)
class SowingCell:
    """One thing that happened in a lap: a seed in `place`, which then held `count`; or, without a place, a `note`.
    `slip`: here the turn leaves the rules. `left_out` says how many before it are not shown."""

    place: str = ""
    count: int = 0
    note: str = ""
    slip: bool = False
    left_out: str = ""


@dataclass(frozen=True, slots=True)
class SowingRow:
    """A lap: its number (0 for what belongs to none), the pit that was lifted and how many seeds it held, and what
    followed. `slip`: the lift itself is wrong. `left_out` says how many laps before it are not shown."""

    lap: int
    pit: str
    seeds: int
    cells: tuple[SowingCell, ...]
    slip: bool = False
    left_out: str = ""

    @property
    def has_slip(self) -> bool:
        return self.slip or any(cell.slip for cell in self.cells)


def sowing_table(
    position: Position, events: Sequence[TraceEvent], wrong: int | None, language: Language
) -> tuple[SowingRow, ...]:
    """The events of a turn in `position` as rows; `wrong` is the index of the first that no legal turn has."""
    rows: list[SowingRow] = []
    cells: list[SowingCell] = []
    head = SowingRow(0, "", 0, ())

    def close() -> None:
        if head.lap or cells:
            rows.append(replace(head, cells=tuple(_shortened_cells(cells))))
        cells.clear()

    laps = 0
    for index, event in enumerate(events):
        if event.kind == "lift":
            close()
            laps += 1
            head = SowingRow(laps, position.letter(event.pit), event.count, (), index == wrong)
        else:
            cells.append(replace(_cell(position, event, language), slip=index == wrong))
    close()
    return tuple(_shortened_rows(rows))


def _cell(position: Position, event: TraceEvent, language: Language) -> SowingCell:
    pit = place_text(position, event.pit, language) if event.pit >= 0 else ""
    match event.kind:
        case "drop":
            return SowingCell(pit, event.count)
        case "store":
            return SowingCell(language.text("findings.store", owner=Side(event.other)), event.count)
        case "take":
            side = language.sides[event.other]
            if pit:
                note = gettext("%(side)s takes %(count)s from %(pit)s", side=side, count=event.count, pit=pit)
            else:
                note = gettext("%(side)s takes %(count)s from the hand", side=side, count=event.count)
        case "shift":
            place = place_text(position, event.other, language)
            note = gettext("a seed goes from %(pit)s to %(place)s", pit=pit, place=place)
        case "special":
            note = gettext("%(pit)s is marked", pit=pit)
        case "choose":
            note = gettext("goes on counter-clockwise") if event.other > 0 else gettext("goes on clockwise")
        case "lose":
            note = gettext("a seed is lost")
        case "add":
            note = gettext("a seed is added")
        case "pick":
            note = gettext("a seed of %(pit)s is picked up", pit=pit)
        case _:
            note = gettext("the turn ends")
    return SowingCell(note=note)


def _shortened_rows(rows: list[SowingRow]) -> list[SowingRow]:
    if len(rows) <= MAX_LAPS:
        return rows
    wrong = next((number for number, row in enumerate(rows) if row.has_slip), None)
    kept = _kept(len(rows), wrong, FIRST_LAPS, NEAR_LAPS, LAST_LAPS)
    return [
        replace(
            rows[index], left_out=ngettext("%(num)d lap is not shown", "%(num)d laps are not shown", gap) if gap else ""
        )
        for index, gap in kept
    ]


def _shortened_cells(cells: list[SowingCell]) -> list[SowingCell]:
    if len(cells) <= MAX_CELLS:
        return list(cells)
    wrong = next((number for number, cell in enumerate(cells) if cell.slip), None)
    kept = _kept(len(cells), wrong, FIRST_CELLS, NEAR_CELLS, LAST_CELLS)
    return [
        replace(
            cells[index],
            left_out=ngettext("%(num)d step is not shown", "%(num)d steps are not shown", gap) if gap else "",
        )
        for index, gap in kept
    ]


def _kept(size: int, wrong: int | None, first: int, near: int, last: int) -> list[tuple[int, int]]:
    """The indices that remain of `size`, each with how many before it are left out."""
    indices = {*range(first), *range(size - last, size)}
    if wrong is not None:
        indices.update(range(max(0, wrong - near), min(size, wrong + near + 1)))
    chosen = sorted(indices)
    return [(index, index - before - 1) for before, index in zip([-1, *chosen], chosen, strict=False)]
