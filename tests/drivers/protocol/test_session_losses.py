"""Boards that lose events or complain all the time."""

from __future__ import annotations

from inkeek.drivers.events import (
    Complaint,
    Connected,
    Disconnected,
    Gap,
    Refused,
)
from inkeek.drivers.protocol.limits import LOSSES_WITHIN, MAX_LOSSES
from tests.drivers.board_side import BOOT, hello, lift, line, sent
from tests.drivers.protocol.sessions import kinds, ready


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
