"""The queue and the runner of jobs: progress, fairness, cancelling, workers and runners that die."""

from __future__ import annotations

import functools
import os
import pickle
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from datetime import timedelta
from multiprocessing import get_context
from typing import Any

import pytest

from records import Game, ruleset
from records.analysis import Limits
from service.errors import Conflict, NotFound, StorageError, TooManyRequests
from service.games.disputes.disputes import take_back
from service.games.write import Write
from service.jobs.executors import open_executor, search_positions
from service.jobs.queue import NONE, Jobs
from service.jobs.runner import LEASE, MAX_BREAKS, Runner
from service.storage import KeyRow
from service.storage.clock import stamp, utc_now

LIMITS = {"seconds": 10.0, "depth": 2, "nodes": 1000}


class Inline(Executor):
    """Runs calls at once, and notes for which game they were."""

    def __init__(self, breaks: int = 0) -> None:
        self.positions: list[str] = []
        self.tasks = 0
        self.breaks = breaks

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        if self.breaks:
            self.breaks -= 1
            future.set_exception(BrokenExecutor("killed"))
            return future
        self.tasks += 1
        result = function(*arguments)
        if function is search_positions:
            positions = pickle.loads(arguments[0]).replay().positions
            self.positions += [str(positions[number]) for number in arguments[1][: result[1]]]
        future.set_result(result)
        return future


class Mortal(Inline):
    """Keeps calls until `work`. A worker dies if `deadly` holds for the game of one of them."""

    def __init__(self, deadly: Callable[[bytes], bool]) -> None:
        super().__init__()
        self._deadly = deadly
        self.deaths = 0
        self.waiting: list[tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]] = []

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        self.waiting.append((future, function, arguments))
        return future

    def work(self) -> None:
        """Answer the calls that were kept, or let all of them fail."""
        waiting, self.waiting = self.waiting, []
        dies = any(self._deadly(arguments[0]) for _, _, arguments in waiting)
        self.deaths += dies
        for future, function, arguments in waiting:
            if dies:
                future.set_exception(BrokenExecutor("killed"))
            else:
                future.set_result(function(*arguments))


class Failing(Inline):
    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(ValueError("out of order"))
        return future


@pytest.fixture(autouse=True)
def _one_search_a_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.jobs.runner.SLICE", 0.0)


@pytest.fixture(autouse=True)
def _priority_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody can raise the priority of this process again."""
    monkeypatch.setattr("service.jobs.executors.give_way", lambda: None)


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
    monkeypatch.setattr("service.jobs.runner.LOOK_EVERY", 1000.0)
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
    monkeypatch.setattr("service.jobs.runner.SLICE", 1.0)
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


@pytest.mark.parametrize("breaks", [1, MAX_BREAKS])
def test_what_dead_workers_had_is_searched_again(services, jobs, breaks):
    job = jobs.start("me", [new_game(services)], LIMITS)
    work(make_runner(services, Inline(breaks)), jobs, job.id)
    assert jobs.get(job.id).done == 4


def test_a_job_whose_workers_die_again_and_again_fails(services, jobs):
    job = jobs.start("me", [new_game(services)], LIMITS)
    work(make_runner(services, Inline(100)), jobs, job.id, "failed")
    assert jobs.get(job.id).error


def test_a_job_is_not_blamed_for_workers_that_die_of_another(services, jobs):
    good, bad = new_game(services, turns=9), new_game(services, "kalah")
    deadly = pickle.dumps(services.games.load(bad).state.record)
    executor = Mortal(deadly.__eq__)
    mine, other = jobs.start("me", [good], LIMITS), jobs.start("you", [bad], LIMITS)
    runner = make_runner(services, executor, slots=2)
    while jobs.get(mine.id).is_active or jobs.get(other.id).is_active:
        runner.look_soon()
        runner.step()
        executor.work()
    assert (jobs.get(mine.id).state, jobs.get(other.id).state) == ("done", "failed")
    assert executor.deaths <= 1 + MAX_BREAKS + 1  # once with both at work, then with one alone


def test_what_was_cancelled_before_a_worker_died_of_it_keeps_nobody_from_searching_two_at_once(services, jobs):
    games = [new_game(services, turns=9), new_game(services, "kalah", turns=9)]
    cancelled, stays = (jobs.start(*one, LIMITS) for one in (("me", games[:1]), ("you", games[1:])))
    executor = Mortal(lambda game: False)
    runner = make_runner(services, executor, slots=2)
    runner.step()
    jobs.cancel(cancelled.id)
    runner.look_soon()
    runner.step()
    record = pickle.dumps(services.games.load(games[1]).state.record)
    lost = next(future for future, _, arguments in executor.waiting if arguments[0] == record)
    lost.set_exception(BrokenExecutor("killed"))
    executor.waiting.clear()
    most = 0
    while jobs.get(stays.id).is_active:
        runner.look_soon()
        runner.step()
        most = max(most, len(executor.waiting))
        executor.work()
    assert most == 2


def test_deaths_do_not_add_up_over_a_long_job(services, jobs):
    job = jobs.start("me", [new_game(services, turns=3 * MAX_BREAKS)], LIMITS)
    deaths = iter([True, False] * 100)
    executor = Mortal(lambda game: next(deaths))
    runner = make_runner(services, executor)
    while jobs.get(job.id).is_active:
        runner.look_soon()
        runner.step()
        executor.work()
    assert jobs.get(job.id).state == "done"


def test_a_search_that_fails_fails_its_job(services, jobs):
    job = jobs.start("me", [new_game(services)], LIMITS)
    work(make_runner(services, Failing()), jobs, job.id, "failed")
    assert "out of order" in jobs.get(job.id).error


def kill_once(path: str, *arguments: Any) -> Any:
    """A search whose worker dies the first time."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return search_positions(*arguments)
    os.kill(os.getpid(), 9)
    return None


def test_a_killed_worker_loses_no_job(services, jobs, tmp_path, monkeypatch):
    monkeypatch.setattr("service.jobs.runner.search_positions", functools.partial(kill_once, str(tmp_path / "killed")))
    games = [new_game(services), new_game(services)]
    job = jobs.start("me", games, LIMITS)
    runner = Runner(services.store, services.games, lambda: ProcessPoolExecutor(1, get_context("spawn")), 2, utc_now)
    try:
        work(runner, jobs, job.id, seconds=120)
    finally:
        runner.close()
    assert (tmp_path / "killed").exists()
    assert all(jobs.game_analysis(game_id).is_current for game_id in games)


@pytest.mark.skipif(sys.platform != "linux", reason="priorities differ")
def test_a_worker_gives_way_to_all_others():
    game = pickle.dumps(Game({"Game": "oware", "Result": "*"}))
    with open_executor(1, "") as executor:
        executor.submit(search_positions, game, [0], Limits(nodes=1)).result(60)
        assert executor.submit(os.sched_getscheduler, 0).result(60) == os.SCHED_IDLE


def test_games_are_stored_at_most_once_between_two_looks(services, jobs, executor, monkeypatch):
    monkeypatch.setattr("service.jobs.runner.LOOK_EVERY", 1000.0)
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
