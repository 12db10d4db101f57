"""What passes the gate, and what becomes of the rest."""

import math
from dataclasses import replace

import pytest

from inkeek.drivers import events
from inkeek.drivers.gate import MAX_REFUSALS, MAX_SENTENCE, MAX_WORD, Gate, misfit
from inkeek.records import SOUTH

BOARD = events.Connected("B-1", "1", (1, 1), "0000000a", 8, False, frozenset({"buttons"}))
FOURS = (4.0,) * 16
BOOT = ("0000000a", 1, 0)

FIT = [
    BOARD,
    events.Disconnected("cable"),
    events.Refused("old"),
    events.Gap("lost", "0000000a", 1),
    events.Snapshot("0000000a", 0, FOURS, (15,) * 16),
    events.Status(5.0, 21.0, ("open3",), 0),
    events.Complaint("range", "LED"),
    events.SelfTestReport("lamp 3", "ok", ""),
    events.PitChanged(*BOOT, 15, 4.0),
    events.Lifted(*BOOT, 15),
    events.Button(*BOOT, SOUTH, "commit", FOURS),
    events.Fault(*BOOT, 0, "open"),
    events.Calibrated(*BOOT, 0, False, "moving"),
    events.Unrecognized(*BOOT, "TILT", ("left",)),
]
MISFITS = [
    events.PitChanged(*BOOT, 16, 4.0),
    events.PitChanged(*BOOT, 0, -1.0),
    events.PitChanged(*BOOT, 0, math.nan),
    events.PitChanged(*BOOT, 0, 1e6),
    events.PitChanged("0000000a", 0, 0, 0, 4.0),
    events.Lifted(*BOOT, 33),
    events.Fault(*BOOT, 33, "open"),
    events.Fault(*BOOT, 0, "burning"),
    events.Calibrated(*BOOT, 33, True),
    events.Button(*BOOT, SOUTH, "commit", ()),
    events.Button(*BOOT, SOUTH, "commit", (4.0,) * 256),
    events.Button(*BOOT, SOUTH, "commit", (-4.0,) * 16),
    events.Button(*BOOT, SOUTH, "dance", FOURS),
    events.Unrecognized(*BOOT, "X", ("x" * 2000,) * 240),
    events.Unrecognized(*BOOT, "X", ("",) * 257),
]
UNNUMBERED_MISFITS = [
    events.Snapshot("0000000a", 0, (), ()),
    events.Snapshot("0000000a", 0, (4.0,) * 18, (15,) * 18),
    events.Snapshot("0000000a", 0, FOURS, (15,) * 15),
    events.Snapshot("0000000a", 0, FOURS, (16,) * 16),
    events.Snapshot("0000000a", 0, (math.inf,) * 16, (15,) * 16),
    events.Status(math.nan, 20.0, (), 0),
    events.Status(5.0, 20.0, ("x",) * 256, 0),
]


@pytest.mark.parametrize("event", FIT, ids=lambda event: type(event).__name__)
def test_what_fits_passes_unchanged(event):
    gate = Gate(BOARD)
    assert (gate.admit([event]), gate.count, gate.take_refusals()) == ([event], 0, [])


@pytest.mark.parametrize("event", MISFITS, ids=repr)
def test_a_numbered_event_that_does_not_fit_is_refused_but_can_be_acknowledged(event):
    gate = Gate(BOARD)
    (passed,) = gate.admit([event])
    assert isinstance(passed, events.Unrecognized)
    assert (passed.boot, passed.seq, passed.fields) == (event.boot, event.seq, ())
    (refusal,) = gate.take_refusals()
    assert (gate.count, refusal.kind) == (1, type(event).__name__)
    assert gate.admit(gate.admit([event])) == [passed]


@pytest.mark.parametrize("event", UNNUMBERED_MISFITS, ids=repr)
def test_another_event_that_does_not_fit_is_dropped(event):
    gate = Gate(BOARD)
    assert gate.admit([event, events.Lifted(*BOOT, 0)]) == [events.Lifted(*BOOT, 0)]
    assert (gate.count, len(gate.take_refusals())) == (1, 1)


def test_events_are_checked_against_the_board_that_was_connected_last():
    gate = Gate()
    lift = events.Lifted(*BOOT, 11)
    assert gate.admit([lift, BOARD, lift]) == [lift, BOARD, lift]
    small = replace(BOARD, row=4)
    assert [type(event) for event in gate.admit([small, lift])] == [events.Connected, events.Unrecognized]
    assert misfit(events.Lifted(*BOOT, 33), None) is None  # some board has so many


def test_nothing_passes_of_a_board_that_no_board_can_be():
    gate = Gate(BOARD)
    passed = gate.admit([replace(BOARD, row=400), events.Lifted(*BOOT, 0), events.Snapshot("0000000a", 0, (), ())])
    assert [type(event) for event in passed] == [events.Disconnected, events.Refused]
    assert gate.admit([replace(BOARD, row=0)])[0].reason.count("0")
    assert gate.admit([events.Disconnected("cable"), BOARD, events.Lifted(*BOOT, 0)])[2] == events.Lifted(*BOOT, 0)


def test_texts_are_cut_off_and_refusals_bounded():
    gate = Gate(BOARD)
    long = "x" * 10_000_000
    (board,) = gate.admit([replace(BOARD, serial=long, firmware=long, capabilities=frozenset({long, "leds"}))])
    assert [len(text) for text in (board.serial, board.firmware)] == [MAX_WORD, MAX_WORD]
    assert sorted(map(len, board.capabilities)) == [4, MAX_WORD]
    for event in (events.Disconnected(long), events.Refused(long), events.Gap(long, "0000000a", 1)):
        assert len(gate.admit([event])[0].reason) == MAX_SENTENCE
    assert len(gate.admit([events.Complaint("range", long)])[0].text) == MAX_SENTENCE
    gate.admit([events.Fault(*BOOT, 33, "open")] * 1000)
    assert (gate.count, len(gate.take_refusals()), gate.take_refusals()) == (1000, MAX_REFUSALS, [])
