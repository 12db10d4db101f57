import pytest

from inkeek.records import Move, Position, ruleset
from inkeek.records.language import load_language
from inkeek.records.rules.trace import TraceEvent
from inkeek.service import create_app
from inkeek.service.disputes.sheet import MAX_CELLS, MAX_LAPS, SowingRow, sowing_table

RULES = ruleset("enkeshui", pits=8, setup="fours-right")
APP = create_app({"TESTING": True})


def table(
    events, wrong: int | None = None, position: Position | None = None, lang: str = "en"
) -> tuple[SowingRow, ...]:
    with APP.test_request_context(f"/?lang={lang}"):
        return sowing_table(position or RULES.start(), events, wrong, load_language(lang))


def laps(number: int) -> list[TraceEvent]:
    """So many laps of two seeds."""
    return [event for _ in range(number) for event in (TraceEvent("lift", 2, 1, 0), TraceEvent("drop", 3, 5, 0))]


def test_each_lap_is_a_row_with_what_every_pit_holds_afterwards():
    trace = RULES.trace(RULES.start(), Move.parse("c"))
    rows = table(trace.events)
    assert [row.lap for row in rows] == list(range(1, len(rows) + 1))
    assert (rows[0].pit, rows[0].seeds) == ("c", 4)
    assert [(cell.place, cell.count) for cell in rows[0].cells] == [("d", 5), ("e", 5), ("f", 5), ("g", 5)]
    assert not any(row.has_slip for row in rows)
    drops = [cell for row in rows for cell in row.cells if cell.place]
    assert len(drops) == sum(event.kind == "drop" for event in trace.events)
    assert rows[-1].cells[-1].note


def test_the_slip_is_marked_where_it_is():
    events = laps(3)
    assert [row.has_slip for row in table(events, 3)] == [False, True, False]
    assert table(events, 3)[1].cells[0].slip
    assert table(events, 2)[1].slip
    assert not any(row.has_slip for row in table(events, None))


@pytest.mark.parametrize("number", [MAX_LAPS, MAX_LAPS + 1, 500, 10_000])
@pytest.mark.parametrize("part", [None, 0.0, 0.5, 0.9999])
def test_a_long_turn_is_shortened_around_its_slip(number, part):
    wrong = None if part is None else 2 * int(number * part)
    rows = table(laps(number), wrong)
    assert len(rows) <= MAX_LAPS
    hidden = [row.lap - before - 1 for before, row in zip([0, *(row.lap for row in rows)], rows, strict=False)]
    assert [bool(row.left_out) for row in rows] == [gap > 0 for gap in hidden]
    assert all(str(gap) in row.left_out for gap, row in zip(hidden, rows, strict=True) if gap)
    assert (rows[0].lap, rows[-1].lap) == (1, number)
    if wrong is not None:
        assert [row.lap for row in rows if row.has_slip] == [wrong // 2 + 1]


@pytest.mark.parametrize("wrong", [None, 1, 300, 500])
def test_a_long_lap_is_shortened_around_its_slip(wrong):
    events = [TraceEvent("lift", 2, 500, 0)] + [TraceEvent("drop", 3, number, 0) for number in range(1, 501)]
    (row,) = table(events, wrong)
    assert len(row.cells) <= MAX_CELLS
    assert (row.cells[0].count, row.cells[-1].count) == (1, 500)
    assert sum(cell.slip for cell in row.cells) == (wrong is not None)


EVENTS = [
    TraceEvent("lose", 3, 0, 0),
    TraceEvent("lift", 2, 4, 0),
    TraceEvent("add", -1, 0, 0),
    TraceEvent("pick", 5, 1, 0),
    TraceEvent("store", -1, 7, 1),
    TraceEvent("choose", 4, 0, 1),
    TraceEvent("choose", 4, 0, -1),
    TraceEvent("special", 4, 4, 0),
    TraceEvent("take", 9, 3, 0, "opposite"),
    TraceEvent("take", -1, 3, 1, "four"),
    TraceEvent("end", 4, 0, 0, "empty"),
    TraceEvent("shift", 3, 1, 17),
    TraceEvent("shift", 16, 1, 3),
]


@pytest.mark.parametrize("lang", ["en", "sw"])
def test_every_kind_of_event_has_words(lang):
    rows = table(EVENTS, lang=lang)
    assert [row.lap for row in rows] == [0, 1]
    cells = [cell for row in rows for cell in row.cells]
    assert len(cells) == len(EVENTS) - 1
    assert all(cell.note or cell.place for cell in cells)
    assert len({cell.note or cell.place for cell in cells}) == len(cells)
    assert not any("%" in cell.note for cell in cells)
