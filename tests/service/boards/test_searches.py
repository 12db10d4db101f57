"""Whose search comes first, and who gets none."""

import threading

import pytest

from inkeek.drivers.detection.detector import detect
from inkeek.drivers.detection.verdicts import NoFit
from inkeek.records import SOUTH, ruleset
from inkeek.service.boards import searches
from inkeek.service.boards.searches import NoSearch, Searches
from inkeek.service.errors import TookTooLong
from tests.service.waiting import until


class Ended(Exception):
    """The board is released."""


class Child:
    """Answers when the test says so. Each search costs what its question says."""

    def __init__(self):
        self.asked = []
        self.may_answer = threading.Event()
        self.fails = False

    def calculate(self, function, name, cost, *, seconds, nice, look):
        self.asked.append(name)
        while not self.may_answer.wait(0.001):
            look()
        if self.fails:
            raise TookTooLong("no answer")
        return (None, 0.5), cost


class Bench:
    def __init__(self):
        self.now = 0.0
        self.child = Child()
        self.searches = Searches(lambda: self.now)
        self.refusals = {}
        self.threads = []

    def search(self, board, cost=1.0, stop=lambda: None):
        return self.searches.search(board, stop, board, cost)

    def start(self, board, stop=lambda: None):
        """Search in a thread; return once it waits or runs."""
        before = len(self.child.asked) + len(self.searches._waiting)

        def run():
            try:
                self.search(board, stop=stop)
            except (NoSearch, Ended) as error:
                self.refusals[board] = error

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()
        until(lambda: len(self.child.asked) + len(self.searches._waiting) > before)

    def finish(self):
        self.child.may_answer.set()
        for thread in self.threads:
            thread.join(10)
            assert not thread.is_alive()


@pytest.fixture
def bench(monkeypatch):
    bench = Bench()
    monkeypatch.setattr(searches, "calculate", bench.child.calculate)
    monkeypatch.setattr(searches, "AT_ONCE", 1)
    yield bench
    bench.finish()


def test_the_board_whose_searches_cost_least_is_next(bench):
    bench.child.may_answer.set()
    for board, cost in (("dear", 3.0), ("cheap", 0.5)):
        bench.search(board, cost)
    bench.child.may_answer.clear()
    for board in ("first", "dear", "cheap", "new"):
        bench.start(board)
    bench.finish()
    assert bench.child.asked[2:] == ["first", "new", "cheap", "dear"]


def test_a_few_boards_search_at_once(bench, monkeypatch):
    monkeypatch.setattr(searches, "AT_ONCE", 2)
    for board in ("first", "second", "third"):
        bench.start(board)
    until(lambda: len(bench.child.asked) == 2)
    assert bench.searches._waiting.keys() == {"third"}
    bench.finish()
    assert bench.child.asked == ["first", "second", "third"]


def test_a_board_that_has_used_up_its_share_gets_no_search_until_later(bench):
    bench.child.may_answer.set()
    bench.search("hog", searches.BURST + 1)
    with pytest.raises(NoSearch):
        bench.search("hog")
    bench.search("other")
    bench.now += 2 / searches.RATE
    bench.search("hog")
    assert bench.child.asked == ["hog", "other", "hog"]


def test_a_search_that_fails_counts_and_is_no_answer(bench):
    bench.child.may_answer.set()
    bench.child.fails = True
    with pytest.raises(NoSearch):
        bench.search("unlucky")


def test_nobody_waits_longer_than_people_would(bench):
    bench.start("first")
    bench.start("second")
    bench.now += searches.PATIENCE
    until(lambda: "second" in bench.refusals)
    assert isinstance(bench.refusals["second"], NoSearch)


def test_a_release_ends_a_search_and_a_wait_for_one_at_once(bench):
    released = threading.Event()

    def stop():
        if released.is_set():
            raise Ended

    bench.start("searching", stop)
    bench.start("waiting", stop)
    released.set()
    until(lambda: bench.refusals.keys() == {"searching", "waiting"})
    assert all(isinstance(error, Ended) for error in bench.refusals.values())
    bench.child.may_answer.set()
    bench.search("another")


def test_the_other_process_finds_what_this_process_would_find():
    rules = ruleset("kalah", pits=4)
    position, counts = rules.start(), [9.0, 0.0, 1.0, 5.0, 7.0, 2.0, 0.0, 8.0]
    own = Searches()
    found = detect(
        rules, position, counts, pressed_by=SOUTH, explain=lambda *question: own.search("board", int, *question)
    )
    assert isinstance(found, NoFit)
    assert found == detect(rules, position, counts, pressed_by=SOUTH)
