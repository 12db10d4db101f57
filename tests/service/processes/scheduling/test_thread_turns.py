"""Who computes next: senders in turn, few threads at once, and others while one waits."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st

from service.processes.scheduling.fair_queue import FairQueue, RoundRobin, Sender
from service.processes.scheduling.thread_turns import ThreadTurns, use_turns, waiting
from tests.service.waiting import until

WITHIN = 20  # seconds
A, B = Sender("192.0.2.1", False), Sender("192.0.2.2", False)


@given(st.lists(st.one_of(st.sampled_from("abc"), st.none()), max_size=40))
def test_senders_are_served_in_turn(steps: list[str | None]) -> None:
    """Against a plain model: the sender who was served longest ago, or came first, is next. None takes an item."""
    items, model, order = RoundRobin[int](), list[tuple[str, int]](), list[str]()
    for number, sender in enumerate(steps):
        if sender is not None:
            items.add(sender, number)
            model.append((sender, number))
            if sender not in order:
                order.append(sender)
        elif model:
            following = order.pop(0)
            expected = next(item for item in model if item[0] == following)
            model.remove(expected)
            if any(name == following for name, _ in model):
                order.append(following)
            assert items.pop() == expected[1]
        assert bool(items) == bool(model)


def test_however_many_addresses_ask_who_has_a_key_has_every_other_turn() -> None:
    items = FairQueue[int]()
    for number in range(40):
        items.add(Sender(f"192.0.2.{number}", False), number)
    for number in range(100, 103):
        items.add(Sender("player", True), number)
    assert [items.pop() for _ in range(8)] == [100, 0, 101, 1, 102, 2, 3, 4]


def test_no_more_run_at_once_than_may_and_a_newcomer_is_next() -> None:
    started: list[str] = []
    turns = ThreadTurns(2, 9, started.append)
    for item in ("a1", "a2", "a3", "a4"):
        turns.add(A, item)
    turns.add(B, "b1")
    assert started == ["a1", "a2"]
    for _ in range(3):
        turns.finish()
    assert started == ["a1", "a2", "a3", "b1", "a4"]


def test_a_thread_that_waits_lets_another_compute_and_gets_its_turn_back_first() -> None:
    started: list[str] = []
    turns = ThreadTurns(1, 2, started.append)
    lent, may_return, is_back = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        use_turns(turns)
        with waiting():
            lent.set()
            assert may_return.wait(WITHIN)
        is_back.set()

    turns.add(A, "a1")
    thread = threading.Thread(target=work)
    thread.start()
    assert lent.wait(WITHIN)
    for item in ("b1", "b2"):
        turns.add(B, item)
    assert started == ["a1", "b1"]
    may_return.set()
    until(lambda: bool(turns._returning))
    turns.finish()  # b1
    assert is_back.wait(WITHIN)
    assert started == ["a1", "b1"]
    thread.join(WITHIN)
    turns.finish()  # a1
    assert started == ["a1", "b1", "b2"]


def test_no_turn_is_kept_for_what_finds_no_thread() -> None:
    """With both threads waiting, an item that got a turn without a thread would keep them from going on."""
    started: list[str] = []
    turns = ThreadTurns(1, 1, started.append)
    turns.add(A, "a1")
    with turns.lend():
        turns.add(A, "a2")
        assert started == ["a1"]
    turns.finish()
    assert started == ["a1", "a2"]


def test_one_more_runs_if_none_has_started_for_long_and_its_place_goes_when_one_is_done() -> None:
    started: list[str] = []
    turns = ThreadTurns(1, 2, started.append)
    for item in ("a1", "a2", "a3", "a4"):
        turns.add(A, item)
    assert turns.relieve()
    assert started == ["a1"]  # it has started since the last call, which there was none of
    assert turns.relieve()
    assert started == ["a1", "a2"]
    turns.relieve()
    turns.relieve()
    assert started == ["a1", "a2"]  # there are two threads
    turns.finish()
    assert started == ["a1", "a2"]
    turns.finish()
    assert started == ["a1", "a2", "a3"]
    turns.finish()
    turns.finish()
    assert not turns.relieve()


def test_any_other_thread_may_wait_too() -> None:
    with waiting():
        pass
