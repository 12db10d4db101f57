"""Which board gets a search, for how long, and what ends one."""

import os
import signal
import threading
import time

import pytest

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.verdicts import NoFit
from inkeek.records import SOUTH, ruleset
from inkeek.service.boards import searches
from inkeek.service.boards.searches import NoSearch, Searches
from tests.service.waiting import until


class Ended(Exception):
    """The board is released."""


def do(what, begun=None):
    """In a process: cost so many seconds, stay, die or fail."""
    if begun is not None:
        begun.touch()
    if what == "stay":
        time.sleep(30)
    if what == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    return (None, 0.5), float(what)


class Bench:
    def __init__(self):
        self.now = 0.0
        self.searches = Searches(lambda: self.now, do)
        self.ends = {}
        self.threads = []

    def search(self, board, *what, stop=lambda: None):
        assert self.searches.search(board, stop, *(what or ("1",))) == (None, 0.5)

    def start(self, board, stop, *what):
        """Search in a thread; return once somebody looks whether it is wanted."""
        looked = threading.Event()

        def look():
            looked.set()
            stop()

        def run():
            try:
                self.search(board, *what, stop=look)
            except (NoSearch, Ended) as error:
                self.ends[board] = error

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()
        until(looked.is_set)


@pytest.fixture
def bench(monkeypatch):
    monkeypatch.setattr(searches, "LONGEST", 2.0)
    bench = Bench()
    yield bench
    for thread in bench.threads:
        thread.join(10)
        assert not thread.is_alive()
    bench.searches.close()


def test_a_board_that_has_used_up_its_share_gets_no_search_until_later(bench):
    bench.search("hog", str(searches.BURST + 1))
    with pytest.raises(NoSearch) as refused:
        bench.search("hog")
    assert refused.value.reason == searches.SHARE_USED
    bench.search("other")
    bench.now += 2 / searches.RATE
    bench.search("hog")


@pytest.mark.parametrize("what", ["die", "fail", "stay"])
def test_a_search_that_fails_or_takes_too_long_is_no_answer_and_the_next_one_is(bench, what):
    with pytest.raises(NoSearch) as refused:
        bench.search("unlucky", what)
    assert refused.value.reason == searches.FAILED
    bench.search("lucky")


def test_nobody_waits_longer_than_people_would_and_a_release_ends_a_search_and_a_wait_at_once(bench, tmp_path):
    released = threading.Event()

    def stop():
        if released.is_set():
            raise Ended

    bench.search("first")  # the processes run
    for number in range(searches.PROCESSES):
        bench.start(f"searching {number}", stop, "stay", tmp_path / str(number))
    until(lambda: len(list(tmp_path.iterdir())) == searches.PROCESSES)
    bench.start("patient", stop, "stay")
    bench.now += searches.PATIENCE
    until(lambda: "patient" in bench.ends)
    assert bench.ends["patient"].reason == searches.NO_TIME
    bench.start("waiting", stop, "1")
    released.set()
    until(lambda: len(bench.ends) == searches.PROCESSES + 2)
    assert all(isinstance(error, Ended) for name, error in bench.ends.items() if name != "patient")
    bench.search("another")


def test_the_other_process_finds_what_this_process_would_find():
    rules = ruleset("kalah", pits=4)
    position, counts = rules.start(), [9.0, 0.0, 1.0, 5.0, 7.0, 2.0, 0.0, 8.0]
    own = Searches()
    found = detect(
        rules, position, counts, pressed_by=SOUTH, explain=lambda *question: own.search("board", int, *question)
    )
    own.close()
    assert isinstance(found, NoFit)
    assert found == detect(rules, position, counts, pressed_by=SOUTH)
