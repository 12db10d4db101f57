from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inkeek.drivers.errors import DriverError, MessageError
from inkeek.drivers.events import (
    Connected,
    Disconnected,
    Gap,
    Lifted,
    Numbered,
    Refused,
    SelfTestReport,
    Snapshot,
    Status,
    Unrecognized,
)
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
