"""The foreign board at the other end of this project's own connections."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from inkeek.drivers.base import Guidance, Resume
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Button, Connected, Event, Lifted, Numbered, PitChanged, Snapshot
from inkeek.drivers.ports.connection import PortConnection
from inkeek.records import NORTH, SOUTH
from tests.foreign_board import Bench, ForeignBoard
from tests.foreign_board.line import Environment
from tests.foreign_board.wire import write

E = TypeVar("E", bound=Event)


@pytest.fixture
def bench() -> Bench:
    return Bench(TransportError)


@pytest.fixture
def board(bench: Bench) -> ForeignBoard:
    return ForeignBoard(row=4, clock=bench.clock)


def connect(environment: Environment, resume: Resume | None = None) -> PortConnection:
    return StandardBoard().connect(environment, resume)


def poll_until(connection: PortConnection, is_enough: Callable[[list[Event]], bool]) -> list[Event]:
    """Poll and acknowledge what comes, until it is enough."""
    events: list[Event] = []
    for _ in range(400):
        if is_enough(events):
            return events
        new = connection.poll(0.2)
        for event in new:
            if isinstance(event, Numbered):
                connection.acknowledge(event)
        events += new
    raise AssertionError(f"not enough: {events}")


def of(kind: type[E], events: list[Event]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def buttons(number: int) -> Callable[[list[Event]], bool]:
    return lambda events: len(of(Button, events)) >= number


def greeted(events: list[Event]) -> bool:
    return bool(of(Snapshot, events))


def test_a_session(bench: Bench, board: ForeignBoard) -> None:
    board.set_counts([3] * 8)
    board.confidence[2] = 7
    board.emit("LIFT", 1)
    connection = connect(bench.plug("a", board))
    events = poll_until(connection, greeted)
    (connected,) = of(Connected, events)
    assert (connected.serial, connected.row, connected.boot) == ("FB-1", 4, board.boot)
    (snapshot,) = of(Snapshot, events)
    assert snapshot.counts == (3.0,) * 8
    assert snapshot.confidence == (15, 15, 7, *[15] * 5)
    board.put(5, 2.5)
    board.press("n", counts=[1, 2, 3, 4, 5, 6, 7, 0.25])
    events += poll_until(connection, buttons(1))
    assert [(event.seq, event.pit) for event in of(Lifted, events)] == [(1, 1)]
    assert [(event.seq, event.seeds) for event in of(PitChanged, events)] == [(2, 2.5)]
    assert [(event.side, event.counts[-1]) for event in of(Button, events)] == [(NORTH, 0.25)]
    connection.show(Guidance(SOUTH, errors=frozenset({3})))
    connection.poll(1.0)
    assert (board.lights.rows, board.lights.pits) == ({"s": "on"}, {3: "error"})
    assert board.held == []


def test_a_board_of_version_1_1_shows_which_press_was_answered(bench: Bench) -> None:
    board = ForeignBoard(row=4, version="1.1", clock=bench.clock)
    connection = connect(bench.plug("a", board))
    connection.show(Guidance(SOUTH, last=frozenset({3})))
    poll_until(connection, lambda events: board.lights.rows == {"s": "on"})
    assert board.lights.pits == {3: "on"}
    board.long_press("s")
    assert (board.lights.rows, board.lights.pits) == ({"s": "blink"}, {})
    events = poll_until(connection, buttons(2))
    assert [event.action for event in of(Button, events)] == ["commit", "accept"]
    poll_until(connection, lambda events: board.lights.rows == {"s": "on"})
    older = ForeignBoard(row=4, version="1.1")  # and a host of version 1.0
    older.receive(write("HELLO", "1.0", "host", "1"))
    older.long_press("s")
    assert [fields[:3] for _, _, fields in older.events] == [["BTN", "s", "commit"]]
