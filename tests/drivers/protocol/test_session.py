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
    Refused,
    SelfTestReport,
    Snapshot,
    Status,
    Unrecognized,
)
from inkeek.drivers.protocol.lights import Lights
from inkeek.drivers.protocol.limits import LOSSES_WITHIN, MAX_LOSSES
from inkeek.drivers.protocol.session import ProtocolSession, SessionState
from tests.drivers.board_side import BOOT, LATER_BOOT, hello, lift, line, sent
from tests.drivers.protocol.sessions import kinds, numbers, opened, ready

CONNECTED = Connected("B-1", "0.1", (1, 0), BOOT, 2, False, frozenset({"leds"}))


def test_a_board_is_greeted() -> None:
    session = opened()
    assert session.receive(hello(), 0.1) == [CONNECTED]
    assert sent(session.bytes_to_send()) == [f"REPLAY,{BOOT},1", "SNAP?"]
    assert session.state is SessionState.READY


def test_the_greeting_is_repeated_every_second() -> None:
    session = opened()
    assert session.tick(0.9) == []
    assert session.bytes_to_send() == b""
    session.tick(1.0)
    assert sent(session.bytes_to_send()) == ["HELLO,1.1,host,1"]
    session.receive(hello(), 1.5)
    session.bytes_to_send()
    session.tick(3.0)
    assert "HELLO,1.1,host,1" not in sent(session.bytes_to_send())


def test_delivery_resumes_after_the_last_acknowledged_event() -> None:
    session = opened(resume=(BOOT, 7))
    assert session.receive(hello(last=9), 0.1) == [CONNECTED]
    assert sent(session.bytes_to_send()) == [f"REPLAY,{BOOT},8", "SNAP?"]
    assert numbers(session.receive(lift(7) + lift(8) + lift(9), 0.2)) == [8, 9]
    assert session.duplicates == 1


def test_a_restarted_board_is_a_gap() -> None:
    session = opened(resume=(BOOT, 7))
    connected, gap = session.receive(hello(LATER_BOOT, 2), 0.1)
    assert isinstance(connected, Connected)
    assert isinstance(gap, Gap)
    assert (gap.boot, gap.seq) == (LATER_BOOT, 0)
    assert [name for name in (LATER_BOOT, BOOT, "7") if name not in gap.reason] == []
    assert sent(session.bytes_to_send()) == [f"REPLAY,{LATER_BOOT},1", "SNAP?"]
    assert numbers(session.receive(lift(1, LATER_BOOT), 0.2)) == [1]


def test_a_restart_while_connected_is_a_gap() -> None:
    session = ready()
    session.receive(lift(1), 0.1)
    lost, connected, gap = session.receive(hello(LATER_BOOT), 0.2)
    assert isinstance(lost, Disconnected)
    assert isinstance(connected, Connected)
    assert isinstance(gap, Gap)
    assert sent(session.bytes_to_send()) == [f"REPLAY,{LATER_BOOT},1", "SNAP?"]


def test_a_restart_whose_hello_was_lost_is_noticed() -> None:
    session = ready()
    assert session.receive(lift(1, LATER_BOOT), 2.0) == []
    assert sent(session.bytes_to_send()) == ["HELLO,1.1,host,1"]
    events = session.receive(hello(LATER_BOOT, 1), 2.1)
    assert [type(event) for event in events] == [Disconnected, Connected, Gap]
    assert numbers(session.receive(lift(1, LATER_BOOT), 2.2)) == [1]


def test_a_board_that_restarts_its_numbers_is_a_gap() -> None:
    session = opened(resume=(BOOT, 7))
    assert session.receive(hello(last=3), 0.1) == []  # perhaps an old line: it is asked again
    assert sent(session.bytes_to_send()) == ["SNAP?"]  # after the greeting, which was just sent
    session.tick(1.0)
    assert sent(session.bytes_to_send()) == ["HELLO,1.1,host,1"]
    connected, gap = session.receive(hello(last=3), 1.1)
    assert isinstance(connected, Connected)
    assert isinstance(gap, Gap)
    assert (connected.boot, gap.boot, gap.seq) == (f"{BOOT}.2", f"{BOOT}.2", 0)
    assert [event.boot for event in session.receive(lift(1) + lift(2), 1.2) if isinstance(event, Lifted)] == [
        f"{BOOT}.2",
        f"{BOOT}.2",
    ]


def test_early_events_are_dropped_and_requested() -> None:
    session = ready()
    assert numbers(session.receive(lift(1) + lift(3) + lift(4), 0.1)) == [1]
    # the greeting's REPLAY was just sent: at most one in half a second
    assert sent(session.bytes_to_send()) == []
    assert session.receive(lift(4), 0.6) == []
    assert sent(session.bytes_to_send()) == [f"REPLAY,{BOOT},2"]
    assert numbers(session.receive(lift(2) + lift(3) + lift(4), 0.7)) == [2, 3, 4]


def test_overflow_is_a_gap_and_asks_for_a_snapshot() -> None:
    session = ready()
    session.receive(line("SNAP", BOOT, 0, 5, "0.0.0.0", "ffff") + lift(1), 0.1)
    session.bytes_to_send()
    (gap,) = session.receive(line("ERR", "overflow", 5), 0.2)
    assert isinstance(gap, Gap)
    assert (gap.boot, gap.seq) == (BOOT, 4)
    assert "2 to 4" in gap.reason
    assert sent(session.bytes_to_send()) == ["SNAP?"]
    assert numbers(session.receive(lift(5), 0.3)) == [5]
    assert session.receive(line("ERR", "overflow", 5), 0.4) == []


@pytest.mark.parametrize("text", ["", "x", "-3", "²", "99999999999", "4294967296"])
def test_an_overflow_without_a_number_changes_nothing(text: str) -> None:
    session = ready()
    bad = b"" if text == "²" else line("ERR", "overflow", text)
    assert session.receive(bad, 0.1) == []
    assert numbers(session.receive(lift(1), 0.2)) == [1]


def test_events_are_acknowledged_when_asked_and_again_if_the_line_was_lost() -> None:
    session = ready()
    first, second = session.receive(lift(1) + lift(2), 0.1)
    assert session.bytes_to_send() == b""
    assert isinstance(first, Numbered)
    assert isinstance(second, Numbered)
    session.acknowledge(second)
    session.acknowledge(first)  # no step back
    assert sent(session.bytes_to_send()) == [f"ACK,{BOOT},2"]
    session.receive(lift(1) + lift(2), 2.0)
    assert sent(session.bytes_to_send()) == [f"ACK,{BOOT},2"]
    session.receive(lift(2), 2.1)
    assert session.bytes_to_send() == b""


def test_a_duplicate_that_is_not_durable_yet_is_not_acknowledged() -> None:
    session = ready()
    session.receive(lift(1), 0.1)
    session.receive(lift(1), 1.1)
    assert session.bytes_to_send() == b""


def test_an_event_that_was_not_delivered_cannot_be_acknowledged() -> None:
    session = ready()
    with pytest.raises(DriverError, match=f"event 1 .*{BOOT}"):
        session.acknowledge(Lifted(BOOT, 1, 0, 0))
    session.acknowledge(Lifted(LATER_BOOT, 1, 0, 0))
    assert session.bytes_to_send() == b""


def test_after_a_reconnection_nothing_comes_twice() -> None:
    session = ready()
    (first,) = session.receive(lift(1), 0.1)
    assert session.port_closed("cable") == [Disconnected("cable")]
    assert isinstance(first, Numbered)
    session.acknowledge(first)
    session.port_opened(5.0)
    assert session.receive(hello(last=2), 5.1) == [CONNECTED]
    assert sent(session.bytes_to_send()) == ["HELLO,1.1,host,1", f"REPLAY,{BOOT},2", "SNAP?"]
    assert numbers(session.receive(lift(1) + lift(2), 5.2)) == [2]
    assert sent(session.bytes_to_send()) == [f"ACK,{BOOT},1"]


def test_a_silent_board_is_pinged_and_given_up() -> None:
    session = ready()
    session.receive(line("SNAP", BOOT, 0, 5, "0.0.0.0", "ffff"), 0.0)
    session.tick(1.9)
    assert session.bytes_to_send() == b""
    session.tick(2.0)
    assert sent(session.bytes_to_send()) == ["PING"]
    session.tick(3.0)
    assert session.bytes_to_send() == b""
    assert session.receive(line("STAT", BOOT, 5, 5012, 231, "open3", 2, 1), 4.0) == [Status(5.012, 23.1, ("open3",), 2)]
    session.tick(6.0)
    assert sent(session.bytes_to_send()) == ["PING"]
    assert session.tick(9.9) == []
    assert kinds(session.tick(10.0)) == [Disconnected]
    assert session.state is SessionState.CLOSED
    assert session.tick(11.0) == []


def test_noise_does_not_keep_a_board_alive() -> None:
    session = ready()
    session.tick(2.0)
    session.receive(b"$noise" * 10, 5.0)
    assert kinds(session.tick(6.0)) == [Disconnected]


@pytest.mark.parametrize("pinged", [True, False])
def test_a_pause_of_the_host_is_no_silence_of_the_board(pinged: bool) -> None:
    """After the pause it asks again, and only then waits for the answer."""
    session = ready()
    session.receive(line("SNAP", BOOT, 0, 5, "0.0.0.0", "ffff"), 0.0)
    if pinged:
        session.tick(2.0)
    session.bytes_to_send()
    assert session.tick(14.0) == []
    assert sent(session.bytes_to_send()) == ["PING"]
    assert session.tick(17.9) == []
    assert kinds(session.tick(18.0)) == [Disconnected]


def test_damage_is_counted_and_reported_at_most_twice_a_second() -> None:
    session = ready()
    session.receive(b"$damaged\r\n", 1.0)
    session.receive(b"$damaged\r\n", 1.4)
    assert sent(session.bytes_to_send()) == ["NAK"]
    session.receive(b"$damaged\r\n", 1.5)
    assert sent(session.bytes_to_send()) == ["NAK"]
    assert session.damaged == 3


def test_another_major_version_is_refused_once() -> None:
    session = opened()
    (refused,) = session.receive(hello(version="2.0"), 0.1)
    assert isinstance(refused, Refused)
    assert [name for name in ("'B-1'", "2.0", "1.x") if name not in refused.reason] == []
    assert session.receive(hello(version="2.0") + lift(1), 0.2) == []
    session.tick(9.0)
    assert session.bytes_to_send() == b""
    assert session.receive(hello(version="1.7"), 10.0)[0] == Connected(
        "B-1", "0.1", (1, 7), BOOT, 2, False, frozenset({"leds"})
    )


def test_a_board_that_refuses_this_version_is_refused() -> None:
    session = opened()
    (refused,) = session.receive(line("ERR", "version", "2.0"), 0.1)
    assert isinstance(refused, Refused)
    assert [name for name in ("1.1", "2.0") if name not in refused.reason] == []


def test_the_snapshot_is_requested_until_it_comes() -> None:
    session = ready()
    session.tick(1.0)
    assert sent(session.bytes_to_send()) == ["SNAP?"]
    events = session.receive(line("SNAP", BOOT, 0, 5, "400.398.0.1", "ff7f"), 1.1)
    assert events == [Snapshot(BOOT, 0, (4.0, 3.98, 0.0, 0.01), (15, 15, 7, 15))]
    session.tick(2.5)
    assert session.bytes_to_send() == b""


def test_a_snapshot_shows_missing_events() -> None:
    session = ready()
    session.receive(line("SNAP", BOOT, 2, 5, "0.0.0.0", "ffff"), 1.0)
    assert sent(session.bytes_to_send()) == [f"REPLAY,{BOOT},1"]


def test_a_snapshot_of_another_size_does_not_fit() -> None:
    session = ready()
    assert session.receive(line("SNAP", BOOT, 0, 5, "0.0.0", "fff"), 0.1) == []
    assert session.misfits == 1


@pytest.mark.parametrize(
    ("kind", "fields"), [("PIT", ["4", "100"]), ("LIFT", ["4"]), ("BTN", ["s", "commit", "0.0.0"])]
)
def test_events_that_do_not_fit_the_board_are_kept_and_the_next_comes(kind: str, fields: list[str]) -> None:
    session = ready()
    strange, following = session.receive(line("EVT", BOOT, 1, 5, kind, *fields) + lift(2), 0.1)
    assert isinstance(strange, Unrecognized)
    assert (strange.kind, strange.fields) == (kind, tuple(fields))
    assert isinstance(following, Lifted)
    assert session.misfits == 1


def test_lines_before_the_greeting_are_ignored() -> None:
    session = opened()
    assert session.receive(lift(1) + line("ERR", "range", "x"), 0.1) == []
    session.receive(hello(last=1), 0.2)
    assert numbers(session.receive(lift(1), 0.3)) == [1]


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


def test_an_unrequested_snapshot_is_ignored() -> None:
    session = ready()
    snap = line("SNAP", BOOT, 0, 100, "100.200.300.400", "ffff")
    assert kinds(session.receive(snap, 1.0)) == [Snapshot]
    assert session.receive(snap * 50, 1.0) == []


def test_answers_about_secrets_of_an_earlier_version_are_passed_over() -> None:
    session = opened()
    session.receive(hello(version="1.1", capabilities="leds+key"), 0.1)
    old = line("KEPT", "0123abcd", "ok") + line("PROOF", BOOT, "0123abcd", "0f" * 16, "c3" * 32)
    assert session.receive(old, 0.2) == []
    assert (session.misfits, session.damaged) == (0, 0)


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


def test_a_board_that_keeps_restarting_is_ignored_for_a_while() -> None:
    session = ready()
    events = [event for number in range(500) for event in session.receive(hello(f"{number:08x}"), 1 + number / 100)]
    assert kinds(events) == [Disconnected, Connected, Gap] * MAX_LOSSES + [Disconnected, Refused]
    assert [name for name in (f"{MAX_LOSSES}", f"{LOSSES_WITHIN:g}") if name not in str(events[-1])] == []
    session.bytes_to_send()
    assert session.receive(lift(1, "000001f3"), 7.0) == []
    assert session.tick(LOSSES_WITHIN) == []
    assert session.bytes_to_send() == b""  # not even a greeting
    session.tick(1 + LOSSES_WITHIN)
    assert sent(session.bytes_to_send()) == ["HELLO,1.1,host,1"]
    assert kinds(session.receive(hello("000001f3"), 1.1 + LOSSES_WITHIN)) == [Connected, Gap]


def test_a_board_that_restarts_now_and_then_is_used() -> None:
    session = ready()
    pause = LOSSES_WITHIN / MAX_LOSSES
    for number in range(100):
        events = session.receive(hello(f"{number:08x}"), number * pause)
        assert kinds(events) == [Disconnected, Connected, Gap]


def test_a_board_that_keeps_overflowing_is_ignored_for_a_while() -> None:
    session = ready()
    floods = (line("ERR", "overflow", 10 * number) for number in range(1, 500))
    events = [event for flood in floods for event in session.receive(flood, 1.0)]
    assert kinds(events) == [Gap] * MAX_LOSSES + [Disconnected, Refused]


def test_a_board_that_was_ignored_for_a_while_is_used_again() -> None:
    session = ready()
    floods = [line("ERR", "overflow", 10 * number) for number in range(1, MAX_LOSSES + 3)]
    for second in range(MAX_LOSSES + 1):
        session.receive(floods[second], 10.0 + second)
    again = 10.0 + LOSSES_WITHIN
    session.tick(again)
    assert kinds(session.receive(hello(last=100), again)) == [Connected]
    assert kinds(session.receive(floods[-1], again)) == [Gap]  # the answer to the first request


def test_a_board_that_keeps_changing_its_version_is_ignored_for_a_while() -> None:
    session = ready()
    versions = (hello(version="9.0" if number % 2 else "1.0") for number in range(1, 500))
    events = [event for greeting in versions for event in session.receive(greeting, 1.0)]
    assert kinds(events).count(Connected) == MAX_LOSSES
    assert len(events) < 4 * MAX_LOSSES + 4


def test_complaints_are_passed_on_once_a_second() -> None:
    session = ready()
    assert session.receive(line("ERR", "range", "LED"), 1.0) == [Complaint("range", "LED")]
    assert session.receive(line("ERR", "range", "CAL") * 100, 1.9) == []
    assert session.receive(line("ERR", "range", "CAL"), 2.0) == [Complaint("range", "CAL")]


def test_a_board_that_changes_its_size_is_another_run() -> None:
    """Its events are checked against the size that the caller knows."""
    session = ready()
    session.receive(lift(1), 0.5)
    events = session.receive(hello(last=1, row=8), 1.0)
    assert kinds(events) == [Disconnected, Connected, Gap]
    assert isinstance(events[1], Connected)
    assert (events[1].row, events[1].boot) == (8, f"{BOOT}.2")
    many = [event for number in range(500) for event in session.receive(hello(last=1, row=2 + number % 2), 2.0)]
    assert kinds(many).count(Connected) < MAX_LOSSES
    assert kinds(many)[-1] is Refused


def test_a_board_that_changes_what_it_says_of_itself_is_connected_again() -> None:
    session = ready()
    (again,) = session.receive(hello(capabilities="leds+buttons"), 1.0)
    assert isinstance(again, Connected)
    assert (again.boot, again.capabilities) == (BOOT, {"leds", "buttons"})
    assert session.receive(hello(capabilities="buttons+leds"), 1.1) == []
    many = [event for number in range(500) for event in session.receive(hello(capabilities=f"x{number}"), 2.0)]
    assert kinds(many).count(Connected) < MAX_LOSSES
    assert kinds(many)[-1] is Refused
