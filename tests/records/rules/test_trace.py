"""Traces add up to their turns; the worked turns of the 1931 source, pit by pit."""

import pytest
from hypothesis import given, settings

from inkeek.records import PASS, IllegalMove, Move, Position, ruleset
from inkeek.records.kernel.loader import MODES
from inkeek.records.rules.trace import MAX_EVENTS
from tests.records import positions
from tests.records.boards import enkeshui, lay


def applied(trace):
    """Apply the events of a trace to its first position; return pits, marks and stores."""
    pits, marks, stores = list(trace.before.pits), list(trace.before.marks), list(trace.before.stores)
    hand = 0
    for event in trace.events:
        if event.kind == "lift":
            assert pits[event.pit] == event.count
            assert hand == 0
            hand, pits[event.pit] = event.count, 0
        elif event.kind == "drop":
            hand, pits[event.pit] = hand - 1, pits[event.pit] + 1
            assert pits[event.pit] == event.count
        elif event.kind == "store":
            hand, stores[event.other] = hand - 1, stores[event.other] + 1
            assert stores[event.other] == event.count
        elif event.kind == "take":
            stores[event.other] += event.count
            if event.pit == -1:
                hand -= event.count
            else:
                assert pits[event.pit] == event.count
                pits[event.pit] = 0
        elif event.kind == "shift":
            pits[event.pit] -= event.count
            pits[event.other] += event.count
        elif event.kind == "special":
            assert pits[event.pit] == event.count
            marks[event.pit] = 1 + event.other
    return tuple(pits), tuple(marks), tuple(stores), hand


@settings(max_examples=200)
@given(positions.games())
def test_the_events_of_a_turn_add_up_to_it(game):
    rules, position = game
    for move in rules.legal_moves(position, limit=20):
        trace = rules.trace(position, move)
        assert trace.turn == rules.play(position, move)
        after = trace.turn.position
        assert applied(trace) == (after.pits, after.marks, after.stores, 0)
        if move == PASS:
            assert trace.events == ()
            continue
        lifted = {event.pit for event in trace.events if event.kind in ("lift", "take") and event.pit >= 0}
        assert {pit for pit in range(2 * rules.row) if trace.turn.emptied >> pit & 1} == lifted
        assert trace.turn.last_pit == [event.pit for event in trace.events if event.kind in ("lift", "drop")][-1]
        kinds = [event.kind for event in trace.events]
        assert kinds.count("lift") == trace.turn.laps
        assert kinds.index("end") == len(kinds) - 1
        assert trace.events[-1].reason
        chosen = [event.other for event in trace.events if event.kind == "choose"]
        assert [-1 if sign == "<" else 1 for sign in move.choices] == chosen[: len(move.choices)]


def laps(trace):
    """For every lap the pit it starts from, the seeds lifted and the pits they fall in, as letters."""
    events = []
    for event in trace.events:
        if event.kind == "lift":
            events.append((trace.before.letter(event.pit), event.count, ""))
        elif event.kind == "drop":
            events[-1] = (*events[-1][:2], events[-1][2] + trace.before.letter(event.pit))
    return events


@pytest.mark.parametrize("mode", MODES)
def test_the_worked_turn_of_lejla_gobale(mode):
    # The source names the pits A … L in the order of sowing, clockwise, from the first player's right-hand pit.
    names = dict(zip("fedcbaFEDCBA", "ABCDEFGHIJKL", strict=True))
    rules = ruleset("layli-goobalay", pits=6, kernel=mode)
    trace = rules.trace(rules.start(), Move("f"))
    as_told = [(names[start], count, "".join(names[pit] for pit in pits)) for start, count, pits in laps(trace)]
    assert as_told == [
        ("A", 4, "BCDE"),
        ("E", 5, "FGHIJ"),
        ("J", 5, "KLABC"),
        ("C", 6, "DEFGHI"),
        ("I", 6, "JKLABC"),
    ]
    taken = [(names[trace.before.letter(event.pit)], event.count) for event in trace.events if event.kind == "take"]
    assert taken == [("C", 1), ("J", 1)]
    assert trace.events[-1].reason == "captured"
    assert trace.turn.captured == (2, 0)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("direction", ["ccw", "cw"])
def test_the_worked_turn_of_bof(mode, direction):
    # Ten pits A … J in the order of sowing, A … E the mover's; the turn starts from E, the mover's last.
    order = "abcdeABCDE" if direction == "ccw" else "edcbaEDCBA"
    names = dict(zip(order, "ABCDEFGHIJ", strict=True))
    rules = ruleset("bof", direction=direction, kernel=mode)
    trace = rules.trace(rules.start(), Move(order[4]))
    as_told = [(names[start], count, "".join(names[pit] for pit in pits)) for start, count, pits in laps(trace)]
    assert as_told == [("E", 4, "FGHI"), ("J", 4, "ABCD")]
    taken = [(names[trace.before.letter(event.pit)], event.count) for event in trace.events if event.kind == "take"]
    assert taken == [("F", 5)]
    assert trace.events[-1].reason == "took-beyond"
    assert trace.turn.captured == (5, 0)


def test_a_trace_of_an_endless_turn_goes_as_far_as_its_first_time_round():
    rules, position = lay("bof", "a12 b10 c12 dx ex Ax Bx Cx Dx E6", side="n", direction="cw")
    trace = rules.trace(position, Move("E"))
    assert (trace.turn, trace.cycle) == (None, 16)
    assert trace.events[-1].kind != "end"
    *_, hand = applied(trace)
    assert hand == 0


@pytest.mark.parametrize("mode", MODES)
def test_a_trace_is_bounded(mode):
    position = Position.parse("5.3.4.8.2.3/4.3.6.5.2.3 0-0 s 1")
    rules = ruleset("layli-goobalay", pits=6, kernel=mode)
    trace = rules.trace(position, Move("a"))
    assert len(trace.events) == MAX_EVENTS
    assert trace.cycle == 241358


def test_a_move_that_is_illegal_for_another_reason_has_no_trace():
    rules, position = enkeshui("a1 A1")
    with pytest.raises(IllegalMove):
        rules.trace(position, Move("b"))
