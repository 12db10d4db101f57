import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from inkeek.drivers.base import Guidance, Resume
from inkeek.drivers.errors import DriverError, SpoolError
from inkeek.drivers.events import Button, Disconnected, Event, Fault, Gap, PitChanged, Refused, Status, Unrecognized
from inkeek.drivers.recording.json_form import read_event
from inkeek.records import SOUTH
from inkeek.service.boards.remote.lights import BoardLights, ServiceLights
from inkeek.service.boards.remote.recorder import REOPEN_AFTER, STATUS_EVERY, Recorder
from inkeek.service.boards.remote.spool import Spool
from tests.service.boards_double import FakeConnection, connected

BOOT = "0000000a"


class Board(FakeConnection):
    """Keeps a log of what the recorder does with it."""

    def __init__(self, log: list[object]) -> None:
        super().__init__()
        self.log = log

    def acknowledge(self, event) -> None:
        self.log.append(("ack", event.seq))

    def show(self, guidance) -> None:
        self.log.append(guidance)


class Bench:
    """A recorder that the test moves step by step."""

    def __init__(self, path: Path, limit: int = 100) -> None:
        self.now = 0.0
        self.spool = Spool(path, limit)
        self.spool.begin(0, None)
        self.lights = BoardLights(0, lambda: self.now)
        self.messages: list[str] = []
        self.log: list[object] = []
        self.opened: list[Resume | None] = []
        self.trouble: Exception | None = None
        self.woken = 0
        self.recorder = Recorder(
            self.spool, self.lights, self._open, self._wake, self.messages.append, lambda: self.now
        )

    def _open(self, resume: Resume | None) -> Board:
        self.opened.append(resume)
        if self.trouble is not None:
            raise self.trouble
        self.board = Board(self.log)
        return self.board

    def _wake(self) -> None:
        self.woken += 1

    def hear(self, *events: Event) -> str | None:
        if self.recorder._connection is None:
            assert self.recorder._step() is None
        self.board.say(*events)
        return self.recorder._step()

    def held(self) -> list[Event]:
        return [read_event(event) for event in self.spool.batch(1000)[1]]


def pit(seq: int) -> PitChanged:
    return PitChanged(BOOT, seq, 0, 3, 4.0)


def button(seq: int) -> Button:
    return Button(BOOT, seq, 0, SOUTH, "commit", (4.0,) * 18)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    bench = Bench(tmp_path / "x.spool")
    yield bench
    bench.spool.close()


def test_what_is_heard_is_on_the_disk_before_it_is_acknowledged(bench: Bench) -> None:
    append = bench.spool.append
    bench.spool.append = lambda events: (append(events), bench.log.append("kept"))[0]  # type: ignore[method-assign]
    bench.hear(connected(BOOT), pit(1), pit(2))
    assert bench.log == ["kept", ("ack", 2)]
    assert bench.held() == [connected(BOOT), pit(1), pit(2)]
    assert bench.woken == 1


def test_a_button_blinks_before_it_is_acknowledged(bench: Bench) -> None:
    """Else a board that is shown its old lights after the acknowledgement takes them for the answer."""
    bench.lights.update(ServiceLights(1, 0, 0, Guidance(SOUTH)))
    bench.hear(pit(1), button(2), pit(3))
    pending = Guidance(SOUTH, pending=True)
    assert bench.log == [Guidance(SOUTH), pending, ("ack", 3)]
    assert (bench.lights.awaited, bench.spool.button) == (2, 2)


def test_lights_that_come_are_shown(bench: Bench) -> None:
    bench.hear(button(1))
    bench.lights.update(ServiceLights(1, 1, 1, Guidance(SOUTH)))
    bench.hear()
    assert bench.log[-1] == Guidance(SOUTH)


def test_a_full_spool_acknowledges_nothing_and_goes_on_from_there_when_there_is_room(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "x.spool", limit=4)
    bench.hear(pit(1), pit(2), pit(3))
    trouble = bench.hear(pit(4), pit(5))
    assert trouble is not None
    assert bench.spool.path.name in trouble
    bench.recorder._notify(trouble)
    bench.recorder._close()
    assert bench.board.closed
    assert bench.log == [("ack", 3)]
    assert bench.recorder._step() == trouble  # and the board is left alone
    assert len(bench.opened) == 1
    bench.spool.forget(1)
    bench.hear(pit(4), pit(5))
    assert bench.opened == [None, (BOOT, 3)]
    assert bench.log == [("ack", 3), ("ack", 5)]
    bench.spool.close()


def test_a_disk_that_fails_acknowledges_nothing(bench: Bench) -> None:
    def fail(events: object) -> None:
        raise SpoolError("the spool x fails: disk I/O error")

    bench.spool.append = fail  # type: ignore[method-assign]
    trouble = bench.hear(button(1))
    assert trouble is not None
    assert trouble.startswith("the spool x fails: disk I/O error.")
    assert bench.log == []


@pytest.mark.parametrize(
    ("trouble", "quoted"),
    [(DriverError("cannot open /dev/x"), "cannot open /dev/x"), (ZeroDivisionError("oh"), "ZeroDivisionError: oh")],
)
def test_a_port_that_cannot_be_opened_is_tried_again_and_reported_once(
    bench: Bench, trouble: Exception, quoted: str
) -> None:
    class Stop(threading.Event):
        waits = 0

        def wait(self, timeout: float | None = None) -> bool:
            assert timeout == REOPEN_AFTER
            self.waits += 1
            if self.waits == 3:
                self.set()
            return self.is_set()

    bench.trouble = trouble
    bench.recorder.run(Stop())
    assert len(bench.messages) == 1
    assert quoted in bench.messages[0]
    assert len(bench.opened) == 3
    assert bench.held() == [Disconnected("inkeek board attach was stopped")]


def test_a_still_boards_health_is_kept_now_and_then_and_its_faults_at_once(bench: Bench) -> None:
    well, ill = Status(5.0, 20.0, (), 0), Status(5.0, 20.0, ("supply",), 0)
    for status in (well, well, ill, ill):
        bench.hear(status)
    bench.now += STATUS_EVERY
    bench.hear(ill)
    assert bench.held() == [well, ill, ill]


def test_people_are_notified_of_what_the_board_does(bench: Bench) -> None:
    bench.hear(connected(BOOT), Disconnected("pulled"), Disconnected("pulled"))
    bench.hear(Refused("version 2"), Gap("the board started again", BOOT, 0))
    quoted = ("T-0001", "pulled", "version 2", "the board started again")
    assert len(bench.messages) == len(quoted)
    assert all(quote in message for quote, message in zip(quoted, bench.messages, strict=True))


def test_another_board_keeps_its_events_and_the_service_is_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "spool")
    bench.hear(connected(serial="T-0001"), pit(1))
    assert bench.spool.bound == "T-0001"
    problem = bench.hear(pit(2), connected(serial="T-0002"), Gap("x", BOOT, 0), pit(1), button(2))
    assert problem is not None
    assert [name for name in ("T-0001", "T-0002") if name not in problem] == []
    assert [type(event).__name__ for event in bench.held()] == ["Connected", "PitChanged", "PitChanged", "Connected"]
    assert bench.log == [("ack", 1), ("ack", 2)]
    bench.recorder._close()
    bench.hear(connected(serial="T-0002"), pit(1))  # the service was told
    assert len(bench.held()) == 4
    bench.recorder._close()
    bench.hear(connected(serial="T-0001"), pit(3))
    assert len(bench.held()) == 6
    assert bench.log[-1] == ("ack", 3)


def test_a_board_that_the_service_has_bound_meanwhile_is_used(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "spool")
    bench.hear(connected(serial="T-0001"), pit(1))
    bench.spool.bind_serial("T-0002")
    bench.hear(pit(2))  # not heard any more: the board is opened again
    assert bench.board.closed
    bench.hear(connected(serial="T-0002"), pit(7))
    assert bench.log[-1] == ("ack", 7)
    bench.spool.close()
    assert Spool(tmp_path / "spool").bound == "T-0002"


def test_an_event_that_does_not_fit_is_refused_before_it_is_kept(bench: Bench) -> None:
    bench.hear(connected(BOOT), Fault(BOOT, 1, 0, 33, "open"), PitChanged(BOOT, 2, 0, 3, 4.0))
    assert bench.held()[1:] == [Unrecognized(BOOT, 1, 0, "Fault", ()), PitChanged(BOOT, 2, 0, 3, 4.0)]
    assert any("33" in message for message in bench.messages)
    assert bench.log[-1] == ("ack", 2)
