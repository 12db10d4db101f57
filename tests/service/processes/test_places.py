"""Places: who gets how many, and what a plain model of it says."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, strategies as st

from inkeek.service.errors import TooBusy, TooManyStreams
from inkeek.service.processes.places import Places, Sender

A, B, C = (Sender(name, True) for name in "abc")
NOBODY, OTHER = Sender("192.0.2.1", False), Sender("192.0.2.2", False)
WITHIN = 20  # seconds


def take_all(places: Places, sender: Sender) -> list[Callable[[], None]]:
    """Take places until one is refused."""
    taken = []
    while True:
        try:
            taken.append(places.take(sender))
        except TooBusy:
            return taken


@pytest.mark.parametrize(("total", "most"), [(1, 1), (2, 1), (3, 2), (6, 5), (12, 9), (2000, 1500)])
def test_one_who_is_alone_gets_most_places_and_leaves_some_for_others(total: int, most: int) -> None:
    places = Places("Places", total)
    assert len(take_all(places, A)) == most
    assert bool(take_all(places, B)) == (total > 1)


def test_the_more_others_hold_the_less_a_sender_may_add() -> None:
    places = Places("Places", 2000)
    assert len(take_all(places, A)) == 1500
    assert len(take_all(places, B)) == 375
    counts = [len(take_all(places, Sender(name, True))) for name in "cde"]
    assert all(counts)
    assert counts == sorted(counts, reverse=True)


def test_who_gives_back_may_take_again_but_only_once_for_each_place() -> None:
    places = Places("Places", 12)
    taken = take_all(places, A)
    taken[0]()
    taken[0]()
    assert places.free == 4
    assert len(take_all(places, A)) == 1


def test_callers_without_a_key_have_half_of_the_places_together() -> None:
    places = Places("Places", 12)
    assert len(take_all(places, NOBODY)) == 6
    assert not take_all(places, OTHER)
    assert take_all(places, A)


def test_a_refusal_has_its_kind_and_names_the_sender_nothing_of_others() -> None:
    places = Places("Live streams", 1, refusal=TooManyStreams)
    places.take(A)
    with pytest.raises(TooManyStreams) as caught:
        places.take(B)
    assert "0 of 1" in str(caught.value)
    assert caught.value.headers["Retry-After"]


def test_who_waits_too_long_is_refused_and_holds_nothing() -> None:
    places = Places("Places", 1, 1)
    give_back = places.take(A)
    with pytest.raises(TooBusy):
        places.take(B, patience=0.001)
    assert places.free == 1
    give_back()
    with places.taken(B):
        pass


def test_a_failure_gives_the_place_back() -> None:
    places = Places("Places", 1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), places.taken(A):
            raise ZeroDivisionError
    assert places.free == 1


@given(st.integers(1, 9), st.lists(st.tuples(st.sampled_from([A, B, NOBODY, OTHER]), st.booleans()), max_size=40))
def test_as_a_plain_model_says(total: int, steps: list[tuple[Sender, bool]]) -> None:
    """Each step takes a place, or gives back the oldest of its sender."""
    places = Places("Places", total)
    held: dict[Sender, list[Callable[[], None]]] = {sender: [] for sender in (A, B, NOBODY, OTHER)}
    for sender, takes in steps:
        free = total - sum(map(len, held.values()))
        mine, without_key = len(held[sender]), len(held[NOBODY]) + len(held[OTHER])
        assert places.free == free
        if not takes:
            if held[sender]:
                held[sender].pop(0)()
            continue
        is_below_share = mine == 0 or (free > 1 and mine < 3 * free)
        may = free > 0 and is_below_share and (sender.has_key or without_key < (total + 1) // 2)
        try:
            held[sender].append(places.take(sender))
            assert may
        except TooBusy:
            assert not may


def test_many_threads_never_hold_more_than_there_are() -> None:
    places, lock, now, most = Places("Places", 3, 50), threading.Lock(), 0, 0

    def work(number: int) -> None:
        nonlocal now, most
        with places.taken(Sender(str(number % 5), True), WITHIN):
            with lock:
                now += 1
                most = max(most, now)
            with lock:
                now -= 1

    with ThreadPoolExecutor(16) as threads:
        list(threads.map(work, range(400)))
    assert most <= 3
    assert places.free == 53
