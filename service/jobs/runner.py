"""Works on jobs: sends the searches of their games to an executor, owner by owner in turn, and stores what they find.

A task is some positions of a game, as many as take about `SLICE`; when all are found, one more judges its turns. So a
job is cancelled, and another owner's is served, within that time or that of a search, and few messages keep this
process busy. A game that was analyzed is stored within `STORE_EVERY`, with the others of that time, in a transaction
that is short: who records waits for it. What is not stored is lost with this process, and done again.
"""

from __future__ import annotations

import logging
import math
import pickle
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from inkeek.records.analysis import Limits
from inkeek.records.analysis.annotation import turns_before_gap
from inkeek.service.errors import Damaged, StorageError
from inkeek.service.games.repository import Games
from inkeek.service.games.rights import ended_jobs
from inkeek.service.storage.clock import Clock, stamp, utc_now
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.jobs import CANCELLED, DONE, FAILED, QUEUED, GameAnalysisRow, JobRow
from inkeek.service.storage.transaction import Transaction

from .executors import SLICE, judge_game, search_positions
from .queue import played

LEASE = timedelta(seconds=10)  # after which another process may take a job
LOOK_EVERY = 0.5  # seconds between two looks for new and cancelled jobs
STORE_EVERY = 2.0  # seconds between two times that progress and games are stored: each makes the disk busy
TICK = 0.1  # seconds for which the runner waits for a search
MAX_FAILURES = 3  # searches of a job in a row that may fail, as when their worker dies
RIGHT_ENDED = "its key was revoked, has expired, or its limit no longer covers the games"
log = logging.getLogger(__name__)


@dataclass(eq=False)
class _Game:
    """A game in work: its pickled record, as workers get it, the numbers of the positions that wait for a search, what
    the others found, and how many found nothing yet."""

    id: str
    record: bytes
    played: str
    waiting: deque[int]
    missing: int
    found: list[bytes] = field(default_factory=list)


@dataclass(eq=False)
class _Job:
    """A job in work. `ahead`: its games that are not begun; `done`: positions that were searched; `pace`: seconds that
    one of the last took. `failures`: searches that failed since it found something."""

    row: JobRow
    limits: Limits
    ahead: deque[str]
    done: int = 0
    pace: float = math.inf
    games: list[_Game] = field(default_factory=list)
    failures: int = 0


@dataclass(frozen=True, eq=False)
class _Task:
    """Positions of a game that a worker searches one after another, by their numbers; none: it judges the game."""

    job: _Job
    game: _Game
    numbers: tuple[int, ...]

    def give_back(self, done: int = 0) -> None:
        """Let all its positions but the first `done` wait for a search."""
        self.game.waiting.extendleft(reversed(self.numbers[done:]))


class Runner:
    """Runs jobs until it is closed. `open_executor` makes the executor when there is work, and again when it broke;
    `slots` tasks are sent to it at once."""

    def __init__(
        self,
        store: Store,
        games: Games,
        open_executor: Callable[[], Executor],
        slots: int,
        clock: Clock = utc_now,
    ) -> None:
        self._store = store
        self._games = games
        self._open_executor = open_executor
        self._slots = slots
        self._clock = clock
        self._id = random_id()
        self._executor: Executor | None = None
        self._jobs: dict[str, _Job] = {}
        self._tasks: dict[Future[Any], _Task] = {}
        self._analyzed: dict[str, GameAnalysisRow] = {}  # not stored yet, by game: two jobs may have it
        self._served: deque[str] = deque()  # owners, the one served last at the end
        self._looked: float | None = None
        self._stored: float | None = None

    def step(self) -> bool:
        """Look for jobs, send searches, and wait a moment for what they find. Returns whether there is work."""
        now = time.monotonic()
        if self._looked is None or now - self._looked >= LOOK_EVERY:
            self._looked = now
            self._look()
        while len(self._tasks) < self._slots and (task := self._next()) is not None:
            self._send(task)
        if self._tasks:
            for future in wait(self._tasks, TICK, FIRST_COMPLETED).done:
                self._receive(future)
        return bool(self._jobs)

    def close(self) -> None:
        """Stop. Whoever comes next may go on at once with the jobs."""
        for future in self._tasks:
            future.cancel()
        self._close_executor()
        try:
            with self._writing() as transaction:
                transaction.jobs.release(self._id)
        except StorageError as error:  # their leases end by themselves
            log.warning("the jobs stay taken for up to %g s: the database does not answer: %s", LEASE.seconds, error)

    def look_soon(self) -> None:
        """Look for new and cancelled jobs, and store how far the others are, in the next step."""
        self._looked = self._stored = None

    def _look(self) -> None:
        """Cancel the jobs whose right has ended, take new ones, let go those that were cancelled, and store what was
        found and how far the others are."""
        with self._store.reading() as transaction:
            rows = {row.id: row for row in transaction.jobs.active()}
            over = ended_jobs(transaction, rows.values(), stamp(self._clock()))
        if over:
            with self._writing() as transaction:
                for row in over:
                    transaction.jobs.finish(row.id, None, CANCELLED, stamp(self._clock()), error=RIGHT_ENDED)
                    del rows[row.id]
        if not rows and not self._jobs:
            self._close_executor()
            return
        now, monotonic = self._clock(), time.monotonic()
        is_free = any(row.state == QUEUED or (row.lease or "") < stamp(now) for row in rows.values())
        if is_free or self._stored is None or monotonic - self._stored >= STORE_EVERY:
            self._stored = monotonic
            with self._writing() as transaction:
                for job in self._jobs.values():
                    done = min(job.done, job.row.total)
                    transaction.jobs.progress(job.row.id, self._id, done, stamp(now), stamp(now + LEASE))
                if is_free:
                    rows = {row.id: row for row in transaction.jobs.claim(self._id, stamp(now), stamp(now + LEASE))}
        mine = {job_id: row for job_id, row in rows.items() if row.runner == self._id}
        for job_id in self._jobs.keys() - mine.keys():
            self._drop(self._jobs[job_id])
        for job_id, row in mine.items():
            if job_id not in self._jobs:
                self._begin(row)

    def _begin(self, row: JobRow) -> None:
        with self._store.reading() as transaction:
            over = transaction.jobs.analyzed(row.id, row.games)
        done = sum(self._games.row(game_id).ply + 1 for game_id in over)
        ahead = deque(game_id for game_id in row.games if game_id not in over)
        job = self._jobs[row.id] = _Job(row, Limits(**row.limits), ahead, done)
        if not ahead:
            self._finish(job, DONE)

    def _next(self) -> _Task | None:
        """The next search: of the oldest job of the owner whose turn it is."""
        owners = dict.fromkeys(job.row.owner for job in self._jobs.values())
        self._served = deque([*(o for o in owners if o not in self._served), *(o for o in self._served if o in owners)])
        for owner in tuple(self._served):
            for job in [job for job in self._jobs.values() if job.row.owner == owner]:
                task = self._next_of(job)
                if task is not None:
                    self._served.remove(owner)
                    self._served.append(owner)
                    return task
        return None

    def _next_of(self, job: _Job) -> _Task | None:
        for game in job.games:
            if game.waiting:
                return _take(job, game)
            if not game.missing and not any(task.game is game for task in self._tasks.values()):
                return _Task(job, game, ())
        while job.ahead and job.row.id in self._jobs:
            game_id = job.ahead.popleft()
            try:
                state = self._games.load(game_id).state
                count = turns_before_gap(state.record) + 1
                game = _Game(game_id, pickle.dumps(state.record), played(state), deque(range(count)), count)
            except Exception as error:
                if isinstance(error, StorageError) and not isinstance(error, Damaged):
                    job.ahead.appendleft(game_id)
                    raise
                self._fail(job, f"game {game_id}: {error}")
                return None
            job.games.append(game)
            return _take(job, game)
        return None

    def _send(self, task: _Task) -> None:
        if self._executor is None:
            self._executor = self._open_executor()
        future: Future[Any]
        if task.numbers:
            future = self._executor.submit(search_positions, task.game.record, task.numbers, task.job.limits)
        else:
            future = self._executor.submit(judge_game, task.game.record, task.game.found)
        self._tasks[future] = task

    def _receive(self, future: Future[Any]) -> None:
        task = self._tasks.pop(future, None)
        if task is None or self._jobs.get(task.job.row.id) is not task.job:  # it may have been begun again since
            return
        job, game = task.job, task.game
        try:
            result = future.result()
        except CancelledError:
            self._search_again(task)
            return
        except Exception as error:  # of one search, which must not stop the others' jobs
            job.failures += 1
            log.error("job %s: a search of game %s failed", job.row.id, game.id, exc_info=error)
            if job.failures > MAX_FAILURES:
                self._fail(job, f"game {game.id}: {error}")
            else:
                task.give_back()
            return
        job.failures = 0
        if not task.numbers:
            self._analyzed[game.id] = GameAnalysisRow(game.id, job.row.id, game.played, result)
            job.games.remove(game)
            if not job.games and not job.ahead:
                self._finish(job, DONE)
            return
        found, count, seconds = result
        game.found.append(found)
        game.missing -= count
        task.give_back(count)
        job.done += count
        job.pace = seconds / count

    def _search_again(self, lost: _Task) -> None:
        """Search again what the workers had: their scheduler is gone."""
        log.error("the scheduler of the workers is gone; %d searches are done again", 1 + len(self._tasks))
        for task in (lost, *self._tasks.values()):
            task.give_back()
        self._tasks.clear()
        self._close_executor()

    def _fail(self, job: _Job, why: str) -> None:
        log.error("job %s failed: %s", job.row.id, why)
        self._finish(job, FAILED, error=why[:1000])

    def _finish(self, job: _Job, state: str, **values: Any) -> None:
        self._drop(job)
        total = job.done if state == DONE else job.row.total  # games may have other turns now than at the start
        counts = {"done": min(job.done, total), "total": total}
        with self._writing() as transaction:
            transaction.jobs.finish(job.row.id, self._id, state, stamp(self._clock()), **counts, **values)

    @contextmanager
    def _writing(self) -> Iterator[Transaction]:
        with self._store.writing() as transaction:
            transaction.jobs.put_analyses([*self._analyzed.values()])
            yield transaction
        self._analyzed.clear()

    def _drop(self, job: _Job) -> None:
        """Do no more for a job. What runs for it is ignored when it is over."""
        self._jobs.pop(job.row.id, None)
        for future, task in list(self._tasks.items()):
            if task.job is job:
                future.cancel()

    def _close_executor(self) -> None:
        """Let the executor go, when nothing that was sent to it is wanted."""
        if self._executor is not None:
            self._executor.shutdown(wait=False)
            self._executor = None


def _take(job: _Job, game: _Game) -> _Task:
    """The next searches of a game, as many as take about `SLICE`. The first of a job says how long they take."""
    count = min(len(game.waiting), max(1, int(SLICE / job.pace))) if job.pace else len(game.waiting)
    return _Task(job, game, tuple(game.waiting.popleft() for _ in range(count)))
