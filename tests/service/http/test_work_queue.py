from __future__ import annotations

import threading

import pytest

from service.errors import TooBusy
from service.http.work_queue import WorkQueue


def hold(queue: WorkQueue, started: threading.Event, release: threading.Event, done: list[int]) -> None:
    with queue.turn():
        started.set()
        release.wait(60)
    done.append(1)


def test_what_is_too_much_is_refused_at_once_and_can_come_again():
    queue, started, release, done = WorkQueue(1, 0, 10.0), threading.Event(), threading.Event(), list[int]()
    thread = threading.Thread(target=hold, args=(queue, started, release, done))
    thread.start()
    assert started.wait(60)
    with pytest.raises(TooBusy) as error, queue.turn():
        pass
    assert error.value.status == 503
    assert "Retry-After" in error.value.headers
    release.set()
    thread.join(60)
    with queue.turn():
        assert done == [1]


def test_a_call_waits_for_its_turn_but_not_forever():
    queue, started, release, done = WorkQueue(1, 1, 0.01), threading.Event(), threading.Event(), list[int]()
    thread = threading.Thread(target=hold, args=(queue, started, release, done))
    thread.start()
    assert started.wait(60)
    with pytest.raises(TooBusy), queue.turn():
        pass
    release.set()
    thread.join(60)
    with queue.turn():
        pass


def test_a_failure_gives_the_place_back():
    queue = WorkQueue(1, 0, 0.01)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), queue.turn():
            raise ZeroDivisionError
