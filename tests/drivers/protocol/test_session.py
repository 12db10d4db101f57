from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inkeek.drivers.errors import DriverError, MessageError
from inkeek.drivers.events import (
    Connected,
    Disconnected,
    Gap,
    Lifted,
    Numbered,
    SelfTestReport,
)
from inkeek.drivers.protocol.limits import LOSSES_WITHIN, MAX_LOSSES
from inkeek.drivers.protocol.session import ProtocolSession
from tests.drivers.board_side import BOOT, LATER_BOOT, hello, lift, line, sent
from tests.drivers.protocol.sessions import kinds, opened, ready


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


class Ring:
    """The memory of a board."""

    def __init__(self, last: int) -> None:
        self.held = list(range(1, last + 1))
        self.last = last

    def answer(self, request: str) -> list[bytes]:
        kind, *fields = request.split(",")
        if kind == "HELLO":
            return [hello(last=self.last)]
        if kind == "ACK":
            self.held = [seq for seq in self.held if seq > int(fields[1])]
        if kind == "SNAP?":
            return [line("SNAP", BOOT, self.last, 5, "0.0.0.0", "ffff")]
        if kind in ("REPLAY", "NAK"):
            start = int(fields[1]) if fields else 0
            return [lift(seq) for seq in self.held if seq >= start]
        return []


@given(st.integers(1, 12), st.lists(st.sampled_from(["keep", "lose", "double", "spoil"]), max_size=60), st.data())
def test_over_a_bad_line_every_event_comes_once_and_in_order(last: int, fates: list[str], data: st.DataObject) -> None:
    session, ring = ProtocolSession("host", "1"), Ring(last)
    session.port_opened(0.0)
    got: list[int] = []
    now, fate = 0.0, iter(fates)
    for _ in range(400):
        requests = sent(session.bytes_to_send())
        answers = [answer for request in requests for answer in ring.answer(request)]
        if not answers and ring.held:
            answers = [lift(seq) for seq in ring.held]  # unacknowledged for a second: all again
        now += 1.0
        for answer in answers:
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
