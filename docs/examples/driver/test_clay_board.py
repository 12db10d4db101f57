"""The driver's own tests: a session needs no port. The tests of the conformance kit run on a board in memory."""

from __future__ import annotations

import pytest
from clay_board import ClayBoard, ClaySession

from inkeek.drivers.conformance.driver_kit import *  # noqa: F403
from inkeek.drivers.conformance.harness import PortHarness
from inkeek.drivers.events import Button, Connected, Disconnected, Event, Gap, PitChanged, Snapshot
from inkeek.records import NORTH, SOUTH, Side


def frame(*counts: int, button: int = 0) -> bytes:
    data = bytes([0xC1, (len(counts) - 2) // 2, *counts, button])
    return data + bytes([sum(data) % 256])


def session() -> ClaySession:
    session = ClaySession(iter(["0000000a", "0000000b"]).__next__, None)
    session.port_opened(0.0)
    return session


class ClayHarness(PortHarness):
    """A clay board for the conformance kit: it sends its counts when they change and once a second."""

    def __init__(self) -> None:
        super().__init__()
        self.driver = ClayBoard()
        self.counts = [4, 4, 4, 4, 0, 0]
        self.sent_at = 0.0

    def tick(self) -> None:
        if self.now - self.sent_at >= 1.0:
            self.send_frame()

    def change(self, pit: int, seeds: int) -> None:
        self.counts[pit] = seeds
        self.send_frame()

    def press(self, side: Side, action: str) -> None:
        self.send_frame(1 + side)

    def send_frame(self, button: int = 0) -> None:
        self.sent_at = self.now
        self.send(frame(*self.counts, button=button))


@pytest.fixture
def harness() -> ClayHarness:
    return ClayHarness()


def kinds(events: list[Event]) -> list[type]:
    return [type(event) for event in events]


def test_counts_and_buttons_become_events() -> None:
    board = session()
    assert kinds(board.receive(frame(4, 4, 4, 4, 0, 0), 0.1)) == [Connected, Snapshot]
    events = board.receive(frame(0, 5, 5, 5, 1, 0, button=1), 0.2)
    assert kinds(events) == [*[PitChanged] * 5, Button]
    assert isinstance(events[-1], Button)
    assert (events[-1].side, events[-1].counts) == (SOUTH, (0, 5, 5, 5, 1, 0))
    (pressed,) = board.receive(frame(0, 5, 5, 5, 1, 0, button=2), 0.3)
    assert isinstance(pressed, Button)
    assert pressed.side is NORTH


@pytest.mark.parametrize("size", [1, 2, 5])
def test_frames_may_come_in_pieces_or_damaged(size: int) -> None:
    board = session()
    good = frame(4, 4, 4, 4, 0, 0)
    data = b"\x00" + good[2:] + good[:-1] + b"\x00" + b"\xc1\xff" + good
    events = []
    for at in range(0, len(data), size):
        events += board.receive(data[at : at + size], 0.1)
    assert kinds(events) == [Connected, Snapshot]
    assert board.counters["damaged"] == 2


def test_a_silent_board_is_given_up_and_reports_a_gap() -> None:
    board = session()
    board.receive(frame(4, 4, 0, 0), 0.0)
    assert board.tick(4.9) == []
    assert kinds(board.tick(5.0)) == [Disconnected]
    assert board.gave_up
    board.port_opened(6.0)
    assert kinds(board.receive(frame(4, 4, 0, 0), 6.1)) == [Connected, Gap, Snapshot]
