"""The conformance kit, run on the drivers of this project, and on drivers that are wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from unittest import SkipTest

import pytest

from inkeek.drivers.base import Connection, Resume
from inkeek.drivers.boards.counts import CountsBoard
from inkeek.drivers.boards.recorded import RecordedBoard
from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.boards.typed import TypedBoard
from inkeek.drivers.conformance import driver_kit
from inkeek.drivers.conformance.driver_kit import *  # noqa: F403
from inkeek.drivers.conformance.harness import BoardHarness, PortHarness
from inkeek.drivers.errors import TransportError
from inkeek.drivers.events import Event, Numbered
from inkeek.drivers.recording.file import Header, RecordingWriter
from inkeek.drivers.recording.recorder import record
from inkeek.records import Side
from tests.foreign_board import Bench, ForeignBoard

pytestmark = pytest.mark.usefixtures("installed")


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
    """A board that sends its counts as text, or a person who types them."""

    def __init__(self, driver: CountsBoard | TypedBoard) -> None:
        super().__init__()
        self.driver = driver
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


class RecordedHarness(BoardHarness):
    """A recorded session with the foreign board. It does what it did then."""

    wrong_url = "recorded:/no/such/file"

    def __init__(self, folder: Path) -> None:
        self._now = 100.0
        self.driver = RecordedBoard()
        self._file = folder / "session.jsonl"
        live = StandardHarness()
        header = Header("inkeek", "a", "2026-11-22T00:00:00.000000Z", "inkeek 0")

        class Recordable(StandardBoard):
            def environment(self, url: str) -> object:  # type: ignore[override]
                return live.environment

        with_file = record(Recordable(), "a", None, lambda: RecordingWriter(self._file, header))
        for seeds in (1, 2, 3):
            live.change(0, seeds)
            for _ in range(5):
                for event in with_file.poll(0.2):
                    if isinstance(event, Numbered):
                        with_file.acknowledge(event)
        with_file.close()

    def connect(self, resume: Resume | None = None) -> Connection:
        return RecordedBoard(self._clock, self._wait).open(f"recorded:{self._file}", resume)

    def _clock(self) -> float:
        return self._now

    def _wait(self, seconds: float) -> None:
        self._now += max(seconds, 0.001)


HARNESSES: dict[str, Callable[[Path], BoardHarness]] = {
    "standard": lambda folder: StandardHarness(),
    "counts": lambda folder: LinesHarness(CountsBoard()),
    "typed": lambda folder: LinesHarness(TypedBoard()),
    "recorded": RecordedHarness,
}


@pytest.fixture(params=HARNESSES)
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> BoardHarness:
    return HARNESSES[request.param](tmp_path)


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
