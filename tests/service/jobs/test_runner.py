"""The queue and the runner of jobs: progress, fairness, cancelling, workers and runners that die."""

import functools
import itertools
import os
import pickle
import sys
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from inkeek.records import Game, ruleset
from inkeek.records.analysis import Limits
from inkeek.service.errors import Conflict, NotFound, ServiceError, StorageError, TooManyRequests
from inkeek.service.games.corrections import take_back
from inkeek.service.games.write import Write
from inkeek.service.jobs.executors import open_executor, search_positions
from inkeek.service.jobs.queue import NONE, Jobs
from inkeek.service.jobs.runner import LEASE, MAX_FAILURES, Runner
from inkeek.service.storage import KeyRow
from inkeek.service.storage.clock import stamp, utc_now
from tests.service.waiting import alive, until

LIMITS = {"seconds": 10.0, "depth": 2, "nodes": 1000}


class Inline(Executor):
    """Runs calls at once, and notes for which game they were. `error` is what becomes of those that `fails` names, by
    the pickled record of their game."""

    def __init__(
        self, fails: Callable[[bytes], bool] = lambda game: False, error: type[Exception] = ServiceError
    ) -> None:
        self.positions: list[str] = []
        self.tasks = self.failures = 0
        self._fails = fails
        self._error = error

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self._fails(arguments[0]):
            self.failures += 1
            future.set_exception(self._error("out of order"))
            return future
        self.tasks += 1
        result = function(*arguments)
        if function is search_positions:
            positions = pickle.loads(arguments[0]).replay().positions
            self.positions += [str(positions[number]) for number in arguments[1][: result[1]]]
        future.set_result(result)
        return future


@pytest.fixture(autouse=True)
def _one_search_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inkeek.service.jobs.runner.SLICE", 0.0)


@pytest.fixture(autouse=True)
def _priority_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can raise the priority of this process again."""
    monkeypatch.setattr("inkeek.service.jobs.executors.give_way", lambda: None)


@pytest.fixture
def executor() -> Inline:
    return Inline()


@pytest.fixture
def jobs(services: Any) -> Jobs:
    add_keys(services)
    return Jobs(services.store, services.games, 5)


def make_runner(services: Any, executor: Executor, slots: int = 1, clock: Any = utc_now) -> Runner:
    return Runner(services.store, services.games, lambda: executor, slots, clock)


def add_keys(services: Any) -> None:
    """Add the keys of those who start jobs here."""
    now = stamp(utc_now())
    with services.store.writing() as transaction:
        for owner in ("me", "you", "first", "second"):
            transaction.keys.add(KeyRow(owner, "token", owner, ("read",), f"hash {owner}", now, None, None, None))


def new_game(services: Any, game: str = "oware", turns: int = 3) -> str:
    game_id = services.games.create(game, {}, {}, Write("api")).id
    for _ in range(turns):
        position = services.games.load(game_id).position
        services.games.play(game_id, ruleset(game).turns(position)[0].move, Write("api"))
    return str(game_id)


def work(runner: Runner, jobs: Jobs, job_id: str, until: str = "done", seconds: float = 60.0) -> None:
    """Step until the job has that state."""
    deadline = time.monotonic() + seconds
    while jobs.get(job_id).state != until:
        assert time.monotonic() < deadline, jobs.get(job_id)
        runner.look_soon()
        runner.step()


def test_a_game_that_two_jobs_analyze_before_either_is_stored_is_stored_once(services, jobs, executor, monkeypatch):
    monkeypatch.setattr("inkeek.service.jobs.runner.LOOK_EVERY", 1000.0)
    shared = new_game(services, turns=0)
    own = [jobs.start(who, [shared, new_game(services, turns=0)], LIMITS) for who in ("me", "you")]
    runner = make_runner(services, executor)
    for _ in range(4):  # each game is searched and judged
        runner.step()
    assert executor.positions[0] == executor.positions[1]
    assert not jobs.game_analysis(shared).found
    for job in own:
        work(runner, jobs, job.id)
    assert jobs.game_analysis(shared).found


@pytest.mark.parametrize("begun", [False, True])
def test_a_job_ends_with_its_key(services, jobs, executor, begun):
    first, second = new_game(services), new_game(services)
    job, other = jobs.start("me", [first], LIMITS), jobs.start("you", [second], LIMITS)
    runner = make_runner(services, executor)
    if begun:
        runner.step()
        assert jobs.get(job.id).state == "running"
    services.keys.revoke("me")
    work(runner, jobs, job.id, "cancelled")
    assert jobs.get(job.id).error
    work(runner, jobs, other.id)
    assert jobs.game_analysis(first).found is None


def test_a_job_analyzes_a_game(services, jobs, executor):
    game_id = new_game(services)
    assert jobs.game_analysis(game_id).job_state == NONE
    job = jobs.start("me", [game_id], LIMITS)
    assert (job.state, job.total, jobs.game_analysis(game_id).job_state) == ("queued", 4, "queued")
    work(make_runner(services, executor), jobs, job.id)
    found = jobs.game_analysis(game_id)
    assert (found.job_state, found.job, found.is_current) == ("done", job.id, True)
    assert [turn.ply for turn in found.found.turns] == [1, 2, 3]
    assert (jobs.get(job.id).done, jobs.get(job.id).total) == (4, 4)


def test_the_same_analysis_is_the_same_job(services, jobs, executor):
    game_id = new_game(services)
    job = jobs.start("me", [game_id], LIMITS)
    assert jobs.start("me", [game_id], LIMITS).id == job.id
    work(make_runner(services, executor), jobs, job.id)
    assert [jobs.start(who, [game_id], LIMITS).id for who in ("me", "you")] == [job.id, job.id]
    assert jobs.start("me", [game_id], {**LIMITS, "depth": 3}).id != job.id


def test_nobody_waits_for_the_job_of_another_key(services, jobs, executor):
    game_id = new_game(services)
    jobs.start("me", [new_game(services) for _ in range(3)], LIMITS)
    theirs = jobs.start("me", [game_id], LIMITS)
    mine = jobs.start("you", [game_id], LIMITS)
    assert mine.id != theirs.id
    services.keys.revoke("me")
    work(make_runner(services, executor), jobs, mine.id)


def test_a_job_is_started_without_its_games_being_read(services, jobs, monkeypatch):
    games = [new_game(services), new_game(services)]
    monkeypatch.setattr(services.games, "load", None)
    assert jobs.start("me", games, LIMITS).total == 8


@pytest.mark.parametrize("turns", [1, -1])
def test_a_job_counts_the_turns_that_its_games_have(services, jobs, executor, turns):
    """Also if turns were played or taken back since it was started."""
    game_id = new_game(services)
    job = jobs.start("me", [game_id, new_game(services)], LIMITS)
    if turns > 0:
        services.games.play(game_id, services.games.load(game_id).legal(1)[0], Write("api"))
    else:
        take_back(services.games, game_id, "agreement", Write("api"))
    runner, shown = make_runner(services, executor), []
    while jobs.get(job.id).is_active:
        runner.look_soon()
        runner.step()
        shown.append(jobs.get(job.id))
    assert all(row.done <= row.total for row in shown)
    assert (shown[-1].done, shown[-1].total) == (8 + turns, 8 + turns)


def test_an_analysis_of_other_turns_is_not_current(services, jobs, executor):
    game_id = new_game(services)
    job = jobs.start("me", [game_id], LIMITS)
    work(make_runner(services, executor), jobs, job.id)
    position = services.games.load(game_id).position
    services.games.play(game_id, ruleset("oware").turns(position)[0].move, Write("api"))
    assert not jobs.game_analysis(game_id).is_current
    assert jobs.start("me", [game_id], LIMITS).id != job.id


def test_quick_searches_of_a_game_are_sent_together(services, jobs, executor, monkeypatch):
    monkeypatch.setattr("inkeek.service.jobs.runner.SLICE", 1.0)
    job = jobs.start("me", [new_game(services, turns=8)], {**LIMITS, "nodes": 1})
    work(make_runner(services, executor), jobs, job.id)
    assert len(executor.positions) == 9
    assert executor.tasks == 3  # the first search says how long they take, the last task judges


def test_owners_take_turns(services, jobs, executor):
    many = [new_game(services, "kalah") for _ in range(3)]
    few = new_game(services, "bof")
    jobs.start("first", many, LIMITS)
    second = jobs.start("second", [few], LIMITS)
    runner = make_runner(services, executor)
    work(runner, jobs, second.id)
    assert len(executor.positions) <= 2 * jobs.get(second.id).total + 1
    assert jobs.get(second.id).total == 4


def test_a_cancelled_job_stops(services, jobs, executor):
    job = jobs.start("me", [new_game(services), new_game(services)], LIMITS)
    runner = make_runner(services, executor)
    runner.step()
    assert jobs.cancel(job.id).state == "cancelled"
    runner.look_soon()
    assert not runner.step()
    assert len(executor.positions) < job.total
    with pytest.raises(Conflict):
        jobs.cancel(job.id)
    with pytest.raises(NotFound):
        jobs.cancel("nothing")


def test_jobs_are_bounded_per_owner(services, jobs):
    for _ in range(5):
        jobs.start("me", [new_game(services, turns=0)], LIMITS)
    with pytest.raises(TooManyRequests):
        jobs.start("me", [new_game(services, turns=0)], LIMITS)
    jobs.start("you", [new_game(services, turns=0)], LIMITS)


def test_a_runner_goes_on_where_another_was_killed(services, jobs, executor):
    games = [new_game(services), new_game(services)]
    job = jobs.start("me", games, LIMITS)
    killed = make_runner(services, executor)
    while not jobs.game_analysis(games[0]).found:
        killed.look_soon()
        killed.step()
    later = make_runner(services, executor, clock=lambda: utc_now() + 2 * LEASE)
    too_early = make_runner(services, executor)
    assert not too_early.step()
    before = len(executor.positions)
    work(later, jobs, job.id)
    assert len(executor.positions) - before == 4  # the second game alone
    assert all(jobs.game_analysis(game_id).is_current for game_id in games)
    assert jobs.get(job.id).done == jobs.get(job.id).total


def test_a_runner_that_stops_leaves_its_jobs_to_the_next_at_once(services, jobs, executor):
    job = jobs.start("me", [new_game(services)], LIMITS)
    first = make_runner(services, executor)
    first.step()
    first.close()
    work(make_runner(services, executor), jobs, job.id)


@pytest.mark.parametrize(
    ("failures", "error"), [(MAX_FAILURES, ServiceError), (MAX_FAILURES + 1, CancelledError)], ids=["died", "cancelled"]
)
def test_what_dead_workers_had_is_searched_again(services, jobs, failures, error):
    job = jobs.start("me", [new_game(services)], LIMITS)
    left = iter([True] * failures)
    work(make_runner(services, Inline(lambda game: next(left, False), error), slots=2), jobs, job.id)
    assert jobs.get(job.id).done == 4


def test_failures_do_not_add_up_over_a_long_job(services, jobs):
    job = jobs.start("me", [new_game(services, turns=3 * MAX_FAILURES)], LIMITS)
    fails = itertools.cycle([True, False])
    work(make_runner(services, Inline(lambda game: next(fails))), jobs, job.id)


def test_a_job_whose_searches_fail_again_and_again_fails_and_no_other(services, jobs):
    good, bad = new_game(services, turns=9), new_game(services, "kalah")
    executor = Inline(pickle.dumps(services.games.load(bad).state.record).__eq__)
    mine, other = jobs.start("me", [good], LIMITS), jobs.start("you", [bad], LIMITS)
    runner = make_runner(services, executor, slots=2)
    work(runner, jobs, mine.id)
    work(runner, jobs, other.id, "failed")
    assert "out of order" in jobs.get(other.id).error
    assert executor.failures <= MAX_FAILURES + 2  # one more was sent already


def kill_once(path: str, *arguments: Any) -> Any:
    """A search whose worker dies the first time."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return search_positions(*arguments)
    os.kill(os.getpid(), 9)
    return None


def test_a_killed_worker_loses_no_job(services, jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "inkeek.service.jobs.runner.search_positions", functools.partial(kill_once, str(tmp_path / "killed"))
    )
    games = [new_game(services), new_game(services)]
    job = jobs.start("me", games, LIMITS)
    runner = Runner(services.store, services.games, lambda: open_executor(1, ""), 2, utc_now)
    try:
        work(runner, jobs, job.id, seconds=120)
    finally:
        runner.close()
    assert (tmp_path / "killed").exists()
    assert all(jobs.game_analysis(game_id).is_current for game_id in games)


def search_and_tell(*arguments: Any) -> tuple[int, int]:
    search_positions(*arguments)
    return os.getpid(), os.sched_getscheduler(0)


@pytest.mark.skipif(sys.platform != "linux", reason="priorities differ")
def test_a_worker_gives_way_to_all_others():
    game = pickle.dumps(Game({"Game": "oware", "Result": "*"}))
    with open_executor(1, "") as executor:
        pid, policy = executor.submit(search_and_tell, game, [0], Limits(nodes=1)).result(60)
    assert policy == os.SCHED_IDLE
    assert not alive(pid)


def stay(path: Path) -> None:
    path.touch()
    time.sleep(60)


def test_the_end_of_the_executor_ends_its_processes(tmp_path):
    executor = open_executor(1, "")
    futures = [executor.submit(stay, tmp_path / "begun") for _ in range(2)]
    until((tmp_path / "begun").exists)
    executor.shutdown()
    assert all(future.cancelled() for future in futures)


def test_games_are_stored_at_most_once_between_two_looks(services, jobs, executor, monkeypatch):
    monkeypatch.setattr("inkeek.service.jobs.runner.LOOK_EVERY", 1000.0)
    games = [new_game(services, turns=0) for _ in range(4)]
    jobs.start("me", games, LIMITS)
    runner = make_runner(services, executor)
    for _ in range(4):  # each game is searched and judged
        runner.step()
    assert len(executor.positions) == 2
    assert not any(jobs.game_analysis(game_id).found for game_id in games)
    runner.look_soon()
    for _ in range(2):
        runner.step()
    assert [bool(jobs.game_analysis(game_id).found) for game_id in games] == [True, True, False, False]
    runner.close()
    assert jobs.game_analysis(games[2]).found


def test_old_jobs_are_forgotten_and_what_they_found_stays(services, executor):
    now = utc_now()
    add_keys(services)
    jobs = Jobs(services.store, services.games, 5, lambda: now)
    game_id = new_game(services)
    old = jobs.start("me", [game_id], LIMITS)
    work(make_runner(services, executor), jobs, old.id)
    now += timedelta(days=60)
    jobs.start("me", [new_game(services)], LIMITS)
    with pytest.raises(NotFound):
        jobs.get(old.id)
    assert jobs.game_analysis(game_id).job_state == "done"


@pytest.mark.parametrize("name", ["reading", "writing"])
def test_a_database_that_is_away_for_a_moment_loses_no_job(services, jobs, executor, monkeypatch, name):
    game_id, use = new_game(services), getattr(services.store, name)
    for after in range(8):
        with monkeypatch.context() as away:
            job_id = jobs.start("me", [game_id], {**LIMITS, "nodes": 1000 + after}).id
            runner, moments = make_runner(services, executor), iter([True] * after + [False])

            def may_fail(*arguments, moments=moments, **named):
                if not next(moments, True):
                    raise StorageError("the database is away")
                return use(*arguments, **named)

            away.setattr(services.store, name, may_fail)
            while True:
                try:
                    runner.look_soon()
                    work(runner, jobs, job_id)
                    break
                except StorageError:
                    continue
