"""Tests that every driver must pass (`docs/drivers.md`). A driver's author imports them into a test file:

    from inkeek.drivers.conformance.driver_kit import *

    @pytest.fixture
    def harness():
        return MyHarness()  # a `harness.BoardHarness`

They are plain functions with assertions; this module imports no pytest. ``import *`` gives the tests alone.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import TypeVar
from unittest import SkipTest

from inkeek.drivers.base import Connection, Guidance, Resume, SupportsCalibration, SupportsCounters
from inkeek.drivers.errors import DriverError
from inkeek.drivers.events import (
    Button,
    Calibrated,
    Connected,
    Disconnected,
    Event,
    Fault,
    Gap,
    Lifted,
    Numbered,
    PitChanged,
    Snapshot,
)
from inkeek.drivers.protocol.limits import MAX_ROW, PERIOD_MS
from inkeek.drivers.recording.json_form import event_json, read_event
from inkeek.records import NORTH, SOUTH

from .harness import BoardHarness

E = TypeVar("E", bound=Event)

POLLS = 150  # at most, of `POLL` seconds each, until something expected has happened
POLL = 0.2
GUIDANCE = (
    Guidance(None),
    Guidance(SOUTH, last=frozenset({0, 1})),
    Guidance(NORTH, errors=frozenset({1}), refused=True),
    Guidance(SOUTH, trial=True),
    Guidance(NORTH, pending=True),
    Guidance(None, disputed=True),
    Guidance(None, over=True),
)


def test_the_driver_has_a_name_and_a_title(harness: BoardHarness) -> None:
    driver = harness.driver
    assert re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,39}", driver.name), (
        f"name {driver.name!r}: expected a short lower-case word"
    )
    assert driver.title.strip(), "title: expected a few words for people"
    type(driver)()  # takes no arguments and opens nothing


def test_a_wrong_url_is_refused(harness: BoardHarness) -> None:
    try:
        harness.driver.open(harness.wrong_url)
    except DriverError:
        return
    raise AssertionError(f"open({harness.wrong_url!r}): expected a DriverError")


def test_a_board_introduces_itself_first(harness: BoardHarness) -> None:
    with _connect(harness) as (_, events):
        board = events[0]
        assert isinstance(board, Connected), f"the first event is {board}: expected Connected"
        assert 1 <= board.row <= MAX_ROW, f"{board.row} pits a row: expected 1 to {MAX_ROW}"
        assert board.serial, "expected a serial number, or a word in place of one"
        for snapshot in _select_kind(Snapshot, events):
            _check_counts(snapshot.counts, board)
            assert len(snapshot.confidence) == board.sensors, f"{snapshot}: expected a confidence for each sensor"


def test_events_are_numbered_without_holes(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, events):
        for seeds in (1, 2, 3):
            harness.change(0, seeds)
            events += _poll(connection, lambda new: bool(_select_kind(Numbered, new)))
        boot, last = "", 0
        ms: int | None = None
        board = _board(events)
        for event in events:
            match event:
                case Gap():
                    boot, last, ms = event.boot, event.seq, None
                case Numbered():
                    if boot != event.boot:
                        boot, last, ms = event.boot, 0, None
                    assert event.seq == last + 1, f"{event}: expected number {last + 1}"
                    if ms is not None:  # the test takes seconds
                        assert (event.ms - ms) % PERIOD_MS < PERIOD_MS // 2, (
                            f"{event}: its milliseconds are before {ms}"
                        )
                    last, ms = event.seq, event.ms
                case Snapshot():
                    assert event.boot == board.boot, f"{event}: expected boot {board.boot}"
            if isinstance(event, PitChanged | Lifted | Fault | Calibrated):
                assert event.pit < board.sensors, f"{event}: expected a pit below {board.sensors}"


def test_a_change_is_reported_with_its_pit_and_count(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, _):
        for seeds in (7, 0, 5):
            harness.change(1, seeds)
            events = _poll(connection, lambda new: any(event.pit == 1 for event in _select_kind(PitChanged, new)))
            (last,) = [event for event in _select_kind(PitChanged, events) if event.pit == 1][-1:]
            assert math.isclose(last.seeds, seeds, abs_tol=0.49), f"{last}: expected {seeds} seeds"


def test_a_press_is_reported_with_all_counts(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, events):
        board = _board(events)
        for side in (SOUTH, NORTH):
            harness.press(side, "commit")
            (button,) = _select_kind(Button, _poll(connection, lambda new: bool(_select_kind(Button, new))))
            assert (button.side, button.action) == (side, "commit"), f"{button}: expected commit by {side}"
            _check_counts(button.counts, board)


def test_only_delivered_events_can_be_acknowledged(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, _):
        harness.change(0, 6)
        event = _select_kind(Numbered, _poll(connection, lambda new: bool(_select_kind(Numbered, new))))[-1]
        connection.acknowledge(event)
        connection.acknowledge(event)  # again: nothing happens
        connection.acknowledge(Lifted("another", 9, 0, 0))  # of an earlier boot: nothing happens
        try:
            connection.acknowledge(Lifted(event.boot, event.seq + 100, 0, 0))
        except DriverError:
            return
        raise AssertionError("acknowledge() of an event that was not delivered: expected a DriverError")


def test_a_connection_goes_on_after_the_last_acknowledged_event(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, _):
        harness.change(0, 6)
        event = _select_kind(Numbered, _poll(connection, lambda new: bool(_select_kind(Numbered, new))))[-1]
        connection.acknowledge(event)
        connection.poll(POLL)
        connection.close()
        with _connect(harness, (event.boot, event.seq)) as (again, events):
            harness.change(0, 3)
            events += _poll(again, lambda new: bool(_select_kind(Numbered, new)))
            gaps, first = _select_kind(Gap, events), _select_kind(Numbered, events)[0]
            expected = (gaps[-1].boot, gaps[-1].seq + 1) if gaps else (event.boot, event.seq + 1)
            assert (first.boot, first.seq) == expected, f"{first} after {event}: expected {expected}, or a Gap"


def test_a_lost_port_is_reported_and_opened_again(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, _):
        harness.unplug()
        (lost,) = _select_kind(Disconnected, _poll(connection, lambda new: bool(_select_kind(Disconnected, new))))
        assert lost.reason, "expected a reason"
        assert not list(connection.poll(POLL)), "expected no event while the port is away"
        harness.plug()
        events = _poll(connection, lambda new: bool(_select_kind(Connected, new)))
        assert isinstance(events[0], Connected), f"{events[0]}: expected Connected first"


def test_polling_without_events_returns(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, _):
        for _ in range(POLLS):
            if not connection.poll(0.0):
                return
        raise AssertionError(f"events came without end in {POLLS} polls")


def test_a_closed_connection_stays_closed(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, _):
        connection.close()
        connection.close()
        try:
            connection.poll(0.0)
        except DriverError:
            return
        raise AssertionError("poll() after close(): expected a DriverError")


def test_what_players_should_see_can_be_shown_at_any_time(harness: BoardHarness) -> None:
    with closing(harness.connect()) as connection:
        for guidance in GUIDANCE * 2:  # also before the board has answered
            connection.show(guidance)
            connection.poll(POLL)


def test_events_can_be_stored(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, events):
        with suppress(SkipTest):
            harness.change(0, 2)
            events += _poll(connection, lambda new: bool(_select_kind(Numbered, new)))
        with suppress(SkipTest):
            harness.press(NORTH, "commit")
            events += _poll(connection, lambda new: bool(_select_kind(Button, new)))
        for event in events:
            assert read_event(event_json(event)) == event, f"{event}: expected the same event from its JSON"


def test_calibration_is_answered_for_each_sensor_or_refused(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, events):
        if not isinstance(connection, SupportsCalibration):
            raise SkipTest("this connection cannot calibrate")
        board = _board(events)
        try:
            connection.calibrate(None)
        except DriverError:
            assert "cal" not in board.capabilities, "calibrate(None) was refused by a board with the capability cal"
            return
        sensors: set[int] = set()
        for _ in range(POLLS):
            sensors |= {event.pit for event in _select_kind(Calibrated, list(connection.poll(POLL)))}
            if len(sensors) == board.sensors:
                return
        raise AssertionError(f"Calibrated for {sorted(sensors)}: expected each of {board.sensors} sensors")


def test_transmission_errors_are_counted(harness: BoardHarness) -> None:
    with _connect(harness) as (connection, _):
        if not isinstance(connection, SupportsCounters):
            raise SkipTest("this connection counts nothing")
        counters = connection.counters
        assert {"damaged", "misfits", "duplicates"} <= counters.keys(), (
            f"{counters}: expected damaged, misfits, duplicates"
        )
        assert all(isinstance(count, int) and count >= 0 for count in counters.values()), (
            f"{counters}: expected numbers"
        )


@contextmanager
def _connect(harness: BoardHarness, resume: Resume | None = None) -> Iterator[tuple[Connection, list[Event]]]:
    """Connect, poll until the board has answered, and close the connection in the end."""
    with closing(harness.connect(resume)) as connection:
        yield connection, _poll(connection, lambda new: bool(_select_kind(Connected, new)))


def _poll(connection: Connection, is_enough: Callable[[list[Event]], bool]) -> list[Event]:
    """Poll until enough has come."""
    events: list[Event] = []
    for _ in range(POLLS):
        events += connection.poll(POLL)
        if is_enough(events):
            return events
    raise AssertionError(f"not the expected events within {POLLS * POLL:g} seconds: {events}")


def _select_kind(kind: type[E], events: list[Event]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def _board(events: list[Event]) -> Connected:
    return _select_kind(Connected, events)[-1]


def _check_counts(counts: tuple[float, ...], board: Connected) -> None:
    assert len(counts) == board.sensors, f"{len(counts)} counts: expected {board.sensors}, one for each sensor"
    assert all(isinstance(count, float) and math.isfinite(count) for count in counts), f"{counts}: expected numbers"


__all__ = [name for name in globals() if name.startswith("test_")]
