from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inkeek.drivers.errors import DriverError, MessageError
from inkeek.drivers.events import (
    Button,
    Complaint,
    Connected,
    Disconnected,
    Gap,
    Lifted,
    Numbered,
    OfferShown,
    SelfTestReport,
)
from inkeek.drivers.protocol.lights import Lights
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


def test_lights_are_sent_at_once_and_after_each_greeting() -> None:
    session = opened()
    session.set_lights(Lights(rows=("on", "off")))
    assert session.bytes_to_send() == b""
    session.receive(hello(), 0.1)
    session.receive(b"", 0.1)  # the caller goes on with the board
    assert sent(session.bytes_to_send())[-2:] == ["LED,clear", "LED,row,s,on"]
    session.set_lights(Lights())
    session.set_lights(Lights(rows=("off", "on")))
    assert sent(session.bytes_to_send()) == ["LED,clear", "LED,row,n,on"]
    session.receive(hello(), 0.2)
    assert sent(session.bytes_to_send()) == ["LED,clear", "LED,row,n,on"]
    assert session.receive(line("ERR", "damaged", ""), 0.3) == [Complaint("damaged", "")]
    assert sent(session.bytes_to_send()) == ["LED,clear", "LED,row,n,on"]


def ready_1_1(last: int = 0) -> ProtocolSession:
    """A session with a board of version 1.1 that has lights."""
    session = opened()
    session.receive(hello(last=last, version="1.1", capabilities="buttons+leds"), 0.0)
    session.set_lights(Lights({1: "error"}, ("on", "off"), True))
    return session


def test_a_board_of_version_1_1_gets_its_lights_in_one_line_until_it_confirms_them() -> None:
    session = ready_1_1()
    assert sent(session.bytes_to_send())[-1] == f"LED,all,1,{BOOT},0,0e00,10,1"
    session.tick(0.1)
    assert sent(session.bytes_to_send()) == ["PING"]
    session.tick(0.2)
    assert session.bytes_to_send() == b""
    status = line("STAT", BOOT, 1, 5000, 200, "-", 0, 0)
    session.receive(status, 0.3)
    assert sent(session.bytes_to_send()) == [f"LED,all,1,{BOOT},0,0e00,10,1"]
    session.receive(line("LIT", BOOT, 9) + status, 0.4)  # another set
    assert sent(session.bytes_to_send()) == [f"LED,all,1,{BOOT},0,0e00,10,1"]
    session.receive(line("LIT", BOOT, 1) + status, 0.5)
    session.tick(1.9)
    assert sent(session.bytes_to_send()) == ["SNAP?"]


def test_an_offer_counts_only_for_what_is_pressed_after_the_board_has_shown_it() -> None:
    """A press that was lost on the way comes again after the confirmation of lights that it has not seen."""
    session = ready_1_1()
    session.set_lights(Lights({1: "blink"}, ("on", "off"), True, question="q"))
    session.bytes_to_send()
    assert session.receive(line("LIT", BOOT, 2), 0.1) == []
    assert sent(session.bytes_to_send()) == ["PING"]
    status = line("STAT", BOOT, 1, 5000, 200, "-", 1, 1)
    assert OfferShown("q") not in session.receive(status, 0.2)
    button = line("EVT", BOOT, 1, 5, "BTN", "s", "commit", "1.2.3.4")
    assert [type(event) for event in session.receive(button, 0.3)] == [Button, OfferShown]
    assert OfferShown("q") not in session.receive(status, 0.4)
    session.set_lights(Lights({2: "blink"}, ("on", "off"), True, question="r"))
    session.bytes_to_send()
    session.receive(line("LIT", BOOT, 3), 0.5)
    session.set_lights(Lights(rows=("on", "off")))  # the offer is gone before it counts
    assert OfferShown("r") not in session.receive(line("STAT", BOOT, 1, 5000, 200, "-", 0, 0), 0.6)


def test_lights_say_which_button_they_answer() -> None:
    session = ready_1_1()
    session.receive(line("LIT", BOOT, 1), 0.1)
    session.bytes_to_send()
    (button,) = session.receive(line("EVT", BOOT, 1, 5, "BTN", "s", "commit", "1.2.3.4"), 0.2)
    assert session.bytes_to_send() == b""
    assert isinstance(button, Button)
    session.acknowledge(button)
    session.set_lights(Lights(rows=("off", "on")))
    assert sent(session.bytes_to_send()) == [f"ACK,{BOOT},1", f"LED,all,3,{BOOT},1,0000,01,0"]


def test_a_button_that_changes_no_light_is_answered_too() -> None:
    session = ready_1_1()
    session.bytes_to_send()
    for number, action in ((1, "trial"), (2, "of a later version")):
        (button,) = session.receive(line("EVT", BOOT, number, 5, "BTN", "s", action, "1.2.3.4"), 0.2)
        assert isinstance(button, Numbered)
        session.acknowledge(button)
        assert sent(session.bytes_to_send())[-1] == f"LED,all,{1 + number},{BOOT},{number},0e00,10,1"


def test_lights_answer_a_button_that_was_lost() -> None:
    session = ready_1_1()
    session.bytes_to_send()
    session.receive(line("ERR", "overflow", 9), 0.2)
    assert f"LED,all,2,{BOOT},8,0e00,10,1" in sent(session.bytes_to_send())


def test_lights_that_the_board_refuses_are_not_repeated() -> None:
    session = ready_1_1()
    session.bytes_to_send()
    session.receive(line("ERR", "range", "LED all 2") + line("STAT", BOOT, 1, 5000, 200, "-", 0, 0), 0.2)
    session.tick(1.0)
    assert sent(session.bytes_to_send()) == ["SNAP?"]


def test_a_board_without_lights_gets_none() -> None:
    session = opened()
    session.receive(hello(capabilities="-"), 0.1)
    session.bytes_to_send()
    session.set_lights(Lights())
    assert session.bytes_to_send() == b""


def test_lights_wait_until_the_events_the_board_held_are_acknowledged() -> None:
    """Otherwise the error light of an earlier refusal would answer a button pressed while the cable was out."""
    session = ready()
    session.set_lights(Lights(rows=("on", "off")))
    assert sent(session.bytes_to_send()) == ["LED,clear", "LED,row,s,on"]
    session.port_closed("pulled")
    session.port_opened(1.0)
    session.bytes_to_send()
    session.receive(hello(last=2), 1.1)
    assert sent(session.bytes_to_send()) == [f"REPLAY,{BOOT},1", "SNAP?"]
    first, second = (session.receive(lift(seq), 1.2)[0] for seq in (1, 2))
    assert isinstance(first, Numbered)
    assert isinstance(second, Numbered)
    session.acknowledge(first)
    assert sent(session.bytes_to_send()) == [f"ACK,{BOOT},1"]
    session.set_lights(Lights(rows=("off", "on")))
    session.acknowledge(second)
    assert sent(session.bytes_to_send()) == [f"ACK,{BOOT},2", "LED,clear", "LED,row,n,on"]


def test_a_restarted_board_gets_the_lights_at_once() -> None:
    session = ready(last=7)
    session.set_lights(Lights(rows=("on", "off")))
    session.bytes_to_send()
    session.receive(hello(LATER_BOOT), 1.0)
    session.receive(b"", 1.0)  # the caller goes on with the board
    assert "LED,row,s,on" in sent(session.bytes_to_send())


def test_a_board_that_restarts_now_and_then_is_used() -> None:
    session = ready()
    pause = LOSSES_WITHIN / MAX_LOSSES
    for number in range(100):
        events = session.receive(hello(f"{number:08x}"), number * pause)
        assert kinds(events) == [Disconnected, Connected, Gap]
