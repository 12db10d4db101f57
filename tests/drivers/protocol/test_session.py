from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inkeek.drivers.errors import DriverError, MessageError
from inkeek.drivers.events import (
    Connected,
    Disconnected,
    Event,
    Gap,
    Lifted,
    Numbered,
    SelfTestReport,
)
from inkeek.drivers.protocol.limits import LOSSES_WITHIN, MAX_LOSSES
from inkeek.drivers.protocol.session import ProtocolSession
from tests.drivers.board_side import BOOT, LATER_BOOT, hello, line, sent
from tests.foreign_board import ForeignBoard


def opened(resume: tuple[str, int] | None = None) -> ProtocolSession:
    session = ProtocolSession("host", "1", resume)
    session.port_opened(0.0)
    assert sent(session.bytes_to_send()) == ["HELLO,1.1,host,1"]
    return session


def ready(resume: tuple[str, int] | None = None, boot: str = BOOT, last: int = 0) -> ProtocolSession:
    session = opened(resume)
    session.receive(hello(boot, last), 0.0)
    session.bytes_to_send()
    return session


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def test_an_event_that_was_not_delivered_cannot_be_acknowledged() -> None:
    session = ready()
    with pytest.raises(DriverError, match=f"event 1 .*{BOOT}"):
        session.acknowledge(Lifted(BOOT, 1, 0, 0))
    session.acknowledge(Lifted(LATER_BOOT, 1, 0, 0))
    assert session.bytes_to_send() == b""


def test_the_self_test_is_started_stopped_and_heard() -> None:
    session = opened()
    with pytest.raises(DriverError, match="no board"):
        session.run_self_test()
    session.receive(hello(), 0.1)
    with pytest.raises(DriverError, match="'B-1'"):
        session.run_self_test()
    session.receive(hello(version="1.1", capabilities="test"), 0.1)
    session.bytes_to_send()
    session.run_self_test()
    assert sent(session.bytes_to_send()) == ["TEST"]
    session.run_self_test(stop=True)
    assert sent(session.bytes_to_send()) == ["TEST,stop"]
    assert session.receive(line("TEST", "lamp 3", "ok", "fine"), 0.2) == [SelfTestReport("lamp 3", "ok", "fine")]


def test_a_closed_session_refuses_bytes() -> None:
    with pytest.raises(DriverError):
        ProtocolSession("host", "1").receive(b"x", 0.0)


def test_a_name_that_cannot_be_sent() -> None:
    with pytest.raises(MessageError, match="in,keek"):
        ProtocolSession("in,keek", "1")


@given(st.integers(1, 12), st.lists(st.sampled_from(["keep", "lose", "double", "spoil"]), max_size=60), st.data())
def test_over_a_bad_line_every_event_comes_once_and_in_order(last: int, fates: list[str], data: st.DataObject) -> None:
    session, got, now, fate = ProtocolSession("host", "1"), list[int](), 0.0, iter(fates)
    board = ForeignBoard(2, boot=BOOT, clock=lambda: now)
    for _ in range(last):
        board.emit("LIFT", 0)
    board.take()
    session.port_opened(0.0)
    for _ in range(400):
        board.receive(session.bytes_to_send())
        board.tick()
        now += 1.0
        for answer in board.take().splitlines(keepends=True):
            match next(fate, "keep"):
                case "lose":
                    continue
                case "double":
                    answer += answer
                case "spoil":
                    answer = answer.replace(b",", b";", 1)
            for event in session.receive(answer, now):
                assert not isinstance(event, Gap | Disconnected)
                if isinstance(event, Numbered):
                    got.append(event.seq)
                    if data.draw(st.booleans()):
                        session.acknowledge(event)
        session.tick(now)
        if len(got) == last:
            break
    assert got == list(range(1, last + 1))


def test_a_board_that_restarts_now_and_then_is_used() -> None:
    session = ready()
    pause = LOSSES_WITHIN / MAX_LOSSES
    for number in range(100):
        events = session.receive(hello(f"{number:08x}"), number * pause)
        assert kinds(events) == [Disconnected, Connected, Gap]
