"""The conformance kit, run on the drivers of this project, and on drivers that are wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from unittest import SkipTest

import pytest

from inkeek.drivers.base import Connection, Resume
from inkeek.drivers.boards.counts import CountsBoard
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.conformance import driver_kit
from inkeek.drivers.conformance.driver_kit import *  # noqa: F403
from inkeek.drivers.conformance.harness import BoardHarness, PortHarness
from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Event, Numbered
from inkeek.records import Side
from tests.foreign_board import Bench, ForeignBoard


class StandardHarness(BoardHarness):
    """The foreign board on a bench."""

    def __init__(self) -> None:
        self.driver = StandardBoard()
        self.bench = Bench(TransportError)
        self.board = ForeignBoard(4, clock=self.bench.clock)
        self.board.set_counts([4] * 8)
        self.environment = self.bench.plug("a", self.board)

    def connect(self, resume: Resume | None = None) -> Connection:
        return StandardBoard().connect(self.environment, resume)

    def change(self, pit: int, seeds: int) -> None:
        self.board.put(pit, seeds)

    def press(self, side: Side, action: str) -> None:
        self.board.press(side.letter, action)

    def unplug(self) -> None:
        self.bench.pull("a")

    def plug(self) -> None:
        self.bench.plug("a", self.board)


class LinesHarness(PortHarness):
    """A board that sends its counts as text."""

    driver = CountsBoard()

    def __init__(self) -> None:
        super().__init__()
        self._counts = [4] * 8

    def opened(self) -> None:
        self._send_counts()

    def change(self, pit: int, seeds: int) -> None:
        self._counts[pit] = seeds
        self._send_counts()

    def press(self, side: Side, action: str) -> None:
        self.send(f"{action} {side.letter}\n".encode())

    def _send_counts(self) -> None:
        self.send(" ".join(map(str, self._counts)).encode() + b"\n")


HARNESSES: dict[str, Callable[[], BoardHarness]] = {
    "standard": StandardHarness,
    "counts": LinesHarness,
}


@pytest.fixture(params=HARNESSES)
def harness(request: pytest.FixtureRequest) -> BoardHarness:
    return HARNESSES[request.param]()


class Wrong:
    """A connection that changes what another one does."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)


class Silent(Wrong):
    def poll(self, timeout: float) -> Sequence[Event]:
        self._connection.poll(timeout)
        return []


class Skipping(Wrong):
    """Loses every second event."""

    def poll(self, timeout: float) -> Sequence[Event]:
        events = self._connection.poll(timeout)
        return [event for event in events if not isinstance(event, Numbered) or event.seq % 2]


class Careless(Wrong):
    """Acknowledges anything."""

    def acknowledge(self, event: Numbered) -> None: ...


class Immortal(Wrong):
    """Does not close."""

    def close(self) -> None: ...


@pytest.mark.parametrize(
    ("wrong", "test"),
    [
        (Silent, "test_a_board_introduces_itself_first"),
        (Skipping, "test_events_are_numbered_without_holes"),
        (Careless, "test_only_delivered_events_can_be_acknowledged"),
        (Immortal, "test_a_closed_connection_stays_closed"),
    ],
)
def test_a_wrong_driver_fails(wrong: type[Wrong], test: str) -> None:
    harness = StandardHarness()
    connect = harness.connect
    harness.connect = lambda resume=None: wrong(connect(resume))  # type: ignore[method-assign, assignment, return-value]
    with pytest.raises(AssertionError):
        getattr(driver_kit, test)(harness)


def test_what_a_harness_cannot_do_skips_the_test() -> None:
    class Bare(BoardHarness):
        driver = StandardBoard()

        def connect(self, resume: Resume | None = None) -> Connection:
            return StandardHarness().connect(resume)

    for name in ("test_a_press_is_reported_with_all_counts", "test_a_lost_port_is_reported_and_opened_again"):
        with pytest.raises(SkipTest):
            getattr(driver_kit, name)(Bare())
