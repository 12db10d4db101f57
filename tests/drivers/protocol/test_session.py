from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.errors import DriverError, MessageError
from drivers.events import (
    Button,
    Complaint,
    Connected,
    Disconnected,
    Event,
    Fault,
    Gap,
    Lifted,
    Numbered,
    PitChanged,
    Refused,
    Snapshot,
    Status,
    Unrecognized,
)
from drivers.protocol.limits import LOSSES_WITHIN, MAX_LOSSES
from drivers.protocol.messages import LightsOut, RowLight
from drivers.protocol.session import Session, State
from records import NORTH
from tests.drivers.board_side import BOOT, LATER_BOOT, hello, lift, line, said

CONNECTED = Connected("B-1", "0.1", (1, 0), BOOT, 2, False, frozenset({"leds"}))


def opened(resume: tuple[str, int] | None = None) -> Session:
    session = Session("host", "1", resume)
    session.opened(0.0)
    assert said(session.take()) == ["HELLO,1.0,host,1"]
    return session


def ready(resume: tuple[str, int] | None = None, boot: str = BOOT, last: int = 0) -> Session:
    session = opened(resume)
    session.receive(hello(boot, last), 0.0)
    session.take()
    return session


def numbers(events: list[Event]) -> list[int]:
    return [event.seq for event in events if isinstance(event, Numbered)]


def test_greeting() -> None:
    session = opened()
    assert session.receive(hello(), 0.1) == [CONNECTED]
    assert said(session.take()) == [f"REPLAY,{BOOT},1", "SNAP?"]
    assert session.state is State.READY


def test_greets_every_second_until_answered() -> None:
    session = opened()
    assert session.tick(0.9) == []
    assert session.take() == b""
    session.tick(1.0)
    assert said(session.take()) == ["HELLO,1.0,host,1"]
    session.receive(hello(), 1.5)
    session.take()
    session.tick(3.0)
    assert "HELLO,1.0,host,1" not in said(session.take())


def test_resumes_after_the_last_safe_event() -> None:
    session = opened(resume=(BOOT, 7))
    assert session.receive(hello(last=9), 0.1) == [CONNECTED]
    assert said(session.take()) == [f"REPLAY,{BOOT},8", "SNAP?"]
    assert numbers(session.receive(lift(7) + lift(8) + lift(9), 0.2)) == [8, 9]
    assert session.duplicates == 1


def test_a_restarted_board_is_a_gap() -> None:
    session = opened(resume=(BOOT, 7))
    connected, gap = session.receive(hello(LATER_BOOT, 2), 0.1)
    assert isinstance(connected, Connected)
    assert gap == Gap(
        f"the board started again (boot {LATER_BOOT}): what came after event 7 of boot {BOOT} is lost", LATER_BOOT, 0
    )
    assert said(session.take()) == [f"REPLAY,{LATER_BOOT},1", "SNAP?"]
    assert numbers(session.receive(lift(1, LATER_BOOT), 0.2)) == [1]


def test_a_restart_while_connected() -> None:
    session = ready()
    session.receive(lift(1), 0.1)
    lost, connected, gap = session.receive(hello(LATER_BOOT), 0.2)
    assert lost == Disconnected("the board started again")
    assert isinstance(connected, Connected)
    assert isinstance(gap, Gap)
    assert said(session.take()) == [f"REPLAY,{LATER_BOOT},1", "SNAP?"]


def test_a_restart_whose_hello_was_lost_is_found_out() -> None:
    session = ready()
    assert session.receive(lift(1, LATER_BOOT), 2.0) == []
    assert said(session.take()) == ["HELLO,1.0,host,1"]
    events = session.receive(hello(LATER_BOOT, 1), 2.1)
    assert [type(event) for event in events] == [Disconnected, Connected, Gap]
    assert numbers(session.receive(lift(1, LATER_BOOT), 2.2)) == [1]


def test_a_board_that_counts_anew_under_the_same_boot_is_a_gap() -> None:
    session = opened(resume=(BOOT, 7))
    _, gap = session.receive(hello(last=3), 0.1)
    assert gap == Gap("the board says its last event was 3, but it has sent 7", BOOT, 3)
    assert numbers(session.receive(lift(4), 0.2)) == [4]


def test_duplicates_are_dropped() -> None:
    session = ready()
    assert numbers(session.receive(lift(1) + lift(1) + lift(2) + lift(1), 0.1)) == [1, 2]
    assert session.duplicates == 2


def test_what_comes_early_is_dropped_and_asked_for() -> None:
    session = ready()
    assert numbers(session.receive(lift(1) + lift(3) + lift(4), 0.1)) == [1]
    # the greeting's REPLAY was just sent: at most one in half a second
    assert said(session.take()) == []
    assert session.receive(lift(4), 0.6) == []
    assert said(session.take()) == [f"REPLAY,{BOOT},2"]
    assert numbers(session.receive(lift(2) + lift(3) + lift(4), 0.7)) == [2, 3, 4]


def test_overflow_is_a_gap_and_asks_for_a_snapshot() -> None:
    session = ready()
    session.receive(line("SNAP", BOOT, 0, 5, "0.0.0.0", "ffff") + lift(1), 0.1)
    session.take()
    assert session.receive(line("ERR", "overflow", 5), 0.2) == [
        Gap(f"the board no longer holds events 2 to 4 of boot {BOOT}", BOOT, 4)
    ]
    assert said(session.take()) == ["SNAP?"]
    assert numbers(session.receive(lift(5), 0.3)) == [5]
    assert session.receive(line("ERR", "overflow", 5), 0.4) == []


@pytest.mark.parametrize("text", ["", "x", "-3", "²", "99999999999"])
def test_an_overflow_without_a_number_changes_nothing(text: str) -> None:
    session = ready()
    bad = b"" if text == "²" else line("ERR", "overflow", text)
    assert session.receive(bad, 0.1) == []
    assert numbers(session.receive(lift(1), 0.2)) == [1]


def test_acknowledges_only_when_told_and_again_when_it_was_lost() -> None:
    session = ready()
    first, second = session.receive(lift(1) + lift(2), 0.1)
    assert session.take() == b""
    assert isinstance(first, Numbered)
    assert isinstance(second, Numbered)
    session.acknowledge(second)
    session.acknowledge(first)  # no step back
    assert said(session.take()) == [f"ACK,{BOOT},2"]
    session.receive(lift(1) + lift(2), 2.0)
    assert said(session.take()) == [f"ACK,{BOOT},2"]
    session.receive(lift(2), 2.1)
    assert session.take() == b""


def test_a_duplicate_that_is_not_safe_yet_is_not_acknowledged() -> None:
    session = ready()
    session.receive(lift(1), 0.1)
    session.receive(lift(1), 1.1)
    assert session.take() == b""


def test_what_was_not_delivered_cannot_be_acknowledged() -> None:
    session = ready()
    with pytest.raises(DriverError, match="event 1 of boot 1a2b3c4d was not delivered"):
        session.acknowledge(Lifted(BOOT, 1, 0, 0))
    session.acknowledge(Lifted(LATER_BOOT, 1, 0, 0))
    assert session.take() == b""


def test_after_a_reconnection_nothing_comes_twice() -> None:
    session = ready()
    (first,) = session.receive(lift(1), 0.1)
    assert session.closed("cable") == [Disconnected("cable")]
    assert isinstance(first, Numbered)
    session.acknowledge(first)
    session.opened(5.0)
    assert session.receive(hello(last=2), 5.1) == [CONNECTED]
    assert said(session.take()) == ["HELLO,1.0,host,1", f"REPLAY,{BOOT},2", "SNAP?"]
    assert numbers(session.receive(lift(1) + lift(2), 5.2)) == [2]
    assert said(session.take()) == [f"ACK,{BOOT},1"]


def test_pings_when_still_and_gives_up_after_six_seconds() -> None:
    session = ready()
    session.receive(line("SNAP", BOOT, 0, 5, "0.0.0.0", "ffff"), 0.0)
    session.tick(1.9)
    assert session.take() == b""
    session.tick(2.0)
    assert said(session.take()) == ["PING"]
    session.tick(3.0)
    assert session.take() == b""
    assert session.receive(line("STAT", BOOT, 5, 5012, 231, "open3", 2, 1), 4.0) == [Status(5.012, 23.1, ("open3",), 2)]
    assert session.tick(9.9) == []
    assert session.tick(10.0) == [Disconnected("nothing was heard for 6 seconds")]
    assert session.state is State.CLOSED
    assert session.tick(11.0) == []


def test_noise_is_no_sign_of_life() -> None:
    session = ready()
    session.receive(b"$noise" * 10, 5.0)
    assert session.tick(6.0) == [Disconnected("nothing was heard for 6 seconds")]


def test_damage_is_counted_and_told_at_most_twice_a_second() -> None:
    session = ready()
    session.receive(b"$damaged\r\n", 1.0)
    session.receive(b"$damaged\r\n", 1.4)
    assert said(session.take()) == ["NAK"]
    session.receive(b"$damaged\r\n", 1.5)
    assert said(session.take()) == ["NAK"]
    assert session.damaged == 3


def test_another_major_version_is_refused_once() -> None:
    session = opened()
    refused = Refused("board 'B-1' speaks version 2.0 of the protocol: known is 1.x")
    assert session.receive(hello(version="2.0"), 0.1) == [refused]
    assert session.receive(hello(version="2.0") + lift(1), 0.2) == []
    session.tick(9.0)
    assert session.take() == b""
    assert session.receive(hello(version="1.7"), 10.0)[0] == Connected(
        "B-1", "0.1", (1, 7), BOOT, 2, False, frozenset({"leds"})
    )


def test_a_board_that_refuses_this_version() -> None:
    session = opened()
    assert session.receive(line("ERR", "version", "2.0"), 0.1) == [
        Refused("the board refuses version 1.0 of the protocol: 2.0")
    ]


def test_the_snapshot_is_asked_for_until_it_comes() -> None:
    session = ready()
    session.tick(1.0)
    assert said(session.take()) == ["SNAP?"]
    events = session.receive(line("SNAP", BOOT, 0, 5, "400.398.0.1", "ff7f"), 1.1)
    assert events == [Snapshot(BOOT, 0, (4.0, 3.98, 0.0, 0.01), (15, 15, 7, 15))]
    session.tick(2.5)
    assert session.take() == b""


def test_a_snapshot_tells_of_events_that_are_missing() -> None:
    session = ready()
    session.receive(line("SNAP", BOOT, 2, 5, "0.0.0.0", "ffff"), 1.0)
    assert said(session.take()) == [f"REPLAY,{BOOT},1"]


def test_a_snapshot_of_another_size_does_not_fit() -> None:
    session = ready()
    assert session.receive(line("SNAP", BOOT, 0, 5, "0.0.0", "fff"), 0.1) == []
    assert session.misfits == 1


def test_events_in_the_words_of_the_program() -> None:
    session = ready()
    events = session.receive(
        line("EVT", BOOT, 1, 11, "PIT", 3, 412)
        + line("EVT", BOOT, 2, 12, "BTN", "n", "commit", "400.0.12.9999")
        + line("EVT", BOOT, 3, 13, "FAULT", 1, "stuck")
        + line("EVT", BOOT, 4, 14, "TILT", "left"),
        0.1,
    )
    assert events == [
        PitChanged(BOOT, 1, 11, 3, 4.12),
        Button(BOOT, 2, 12, NORTH, "commit", (4.0, 0.0, 0.12, 99.99)),
        Fault(BOOT, 3, 13, 1, "stuck"),
        Unrecognized(BOOT, 4, 14, "TILT", ("left",)),
    ]


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


def test_lines_that_do_not_fit_their_type_are_counted() -> None:
    session = ready()
    assert session.receive(line("STAT", "x"), 0.1) == []
    assert session.misfits == 1


def test_nothing_is_believed_before_the_greeting() -> None:
    session = opened()
    assert session.receive(lift(1) + line("ERR", "range", "x"), 0.1) == []
    session.receive(hello(last=1), 0.2)
    assert numbers(session.receive(lift(1), 0.3)) == [1]


def test_lights_are_sent_at_once_and_after_every_greeting() -> None:
    session = opened()
    session.show([LightsOut(), RowLight("s", "on")])
    assert session.take() == b""
    session.receive(hello(), 0.1)
    assert said(session.take())[-2:] == ["LED,clear", "LED,row,s,on"]
    session.show([LightsOut()])
    session.show([LightsOut(), RowLight("n", "on")])
    assert said(session.take()) == ["LED,clear", "LED,row,n,on"]
    session.receive(hello(), 0.2)
    assert said(session.take()) == ["LED,clear", "LED,row,n,on"]
    assert session.receive(line("ERR", "damaged", ""), 0.3) == [Complaint("damaged", "")]
    assert said(session.take()) == ["LED,clear", "LED,row,n,on"]


def test_a_board_without_lights_is_not_bothered() -> None:
    session = opened()
    session.receive(hello(capabilities="-"), 0.1)
    session.take()
    session.show([LightsOut()])
    assert session.take() == b""


def test_a_closed_session_takes_no_bytes() -> None:
    with pytest.raises(DriverError, match="closed"):
        Session("host", "1").receive(b"x", 0.0)


def test_a_name_that_cannot_be_said() -> None:
    with pytest.raises(MessageError, match="in,keek"):
        Session("in,keek", "1")


class Ring:
    """A board reduced to its memory, behind a line that loses, doubles and spoils what it carries."""

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
    session, ring = Session("host", "1"), Ring(last)
    session.opened(0.0)
    got: list[int] = []
    now, fate = 0.0, iter(fates)
    for _ in range(400):
        requests = said(session.take())
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


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def test_a_board_that_starts_again_and_again_is_not_listened_to_for_a_while() -> None:
    session = ready()
    events = [event for number in range(500) for event in session.receive(hello(f"{number:08x}"), 1 + number / 100)]
    assert kinds(events) == [Disconnected, Connected, Gap] * MAX_LOSSES + [Disconnected, Refused]
    reason = str(events[-1])
    assert f"{MAX_LOSSES} times within 60 seconds" in reason
    assert "listened to again" in reason
    session.take()
    assert session.receive(lift(1, "000001f3"), 7.0) == []
    assert session.tick(LOSSES_WITHIN) == []
    assert session.take() == b""  # it is not even greeted
    session.tick(1 + LOSSES_WITHIN)
    assert said(session.take()) == ["HELLO,1.0,host,1"]
    assert kinds(session.receive(hello("000001f3"), 1.1 + LOSSES_WITHIN)) == [Connected, Gap]


def test_a_board_that_starts_again_now_and_then_is_listened_to() -> None:
    session = ready()
    pause = LOSSES_WITHIN / MAX_LOSSES
    for number in range(100):
        events = session.receive(hello(f"{number:08x}"), number * pause)
        assert kinds(events) == [Disconnected, Connected, Gap]


def test_a_board_that_overflows_again_and_again_is_not_listened_to_for_a_while() -> None:
    session = ready()
    floods = (line("ERR", "overflow", 10 * number) for number in range(1, 500))
    events = [event for flood in floods for event in session.receive(flood, 1.0)]
    assert kinds(events) == [Gap] * MAX_LOSSES + [Disconnected, Refused]


def test_a_board_that_changes_its_version_again_and_again_is_not_listened_to_for_a_while() -> None:
    session = ready()
    versions = (hello(version="9.0" if number % 2 else "1.0") for number in range(1, 500))
    events = [event for greeting in versions for event in session.receive(greeting, 1.0)]
    assert kinds(events).count(Connected) == MAX_LOSSES
    assert len(events) < 4 * MAX_LOSSES + 4


def test_a_board_that_complains_all_the_time_is_heard_once_a_second() -> None:
    session = ready()
    assert session.receive(line("ERR", "range", "LED"), 1.0) == [Complaint("range", "LED")]
    assert session.receive(line("ERR", "range", "CAL") * 100, 1.9) == []
    assert session.receive(line("ERR", "range", "CAL"), 2.0) == [Complaint("range", "CAL")]


def test_a_snapshot_that_nobody_asked_for_is_nothing() -> None:
    session = ready()
    snap = line("SNAP", BOOT, 0, 100, "100.200.300.400", "ffff")
    assert kinds(session.receive(snap, 1.0)) == [Snapshot]
    assert session.receive(snap * 50, 1.0) == []


def test_lights_wait_until_what_the_board_had_to_tell_is_dealt_with() -> None:
    """Else the error light of an earlier refusal would answer a button that was pressed while the cable was out."""
    session = ready()
    session.show([LightsOut(), RowLight("s", "on")])
    assert said(session.take()) == ["LED,clear", "LED,row,s,on"]
    session.closed("pulled")
    session.opened(1.0)
    session.take()
    session.receive(hello(last=2), 1.1)
    assert said(session.take()) == [f"REPLAY,{BOOT},1", "SNAP?"]
    first, second = (session.receive(lift(seq), 1.2)[0] for seq in (1, 2))
    assert isinstance(first, Numbered)
    assert isinstance(second, Numbered)
    session.acknowledge(first)
    assert said(session.take()) == [f"ACK,{BOOT},1"]
    session.show([LightsOut(), RowLight("n", "on")])
    session.acknowledge(second)
    assert said(session.take()) == [f"ACK,{BOOT},2", "LED,clear", "LED,row,n,on"]


def test_a_board_that_has_started_again_is_shown_the_lights_at_once() -> None:
    session = ready(last=7)
    session.show([LightsOut(), RowLight("s", "on")])
    session.take()
    session.receive(hello(LATER_BOOT), 1.0)
    assert "LED,row,s,on" in said(session.take())
