"""Jobs, and the analyses of games that they made."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any, NamedTuple

from sqlalchemy import (
    ForeignKeyConstraint,
    Index,
    PrimaryKeyConstraint,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.rows import Hash, Id, Time

from .declared import declare_table, is_json, one_of

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"
ACTIVE = (QUEUED, RUNNING)


class JobRow(NamedTuple):
    """A job: the analysis of `games`, each position within `limits`. `owner` is the id of a key; `done` and `total`
    count positions."""

    id: Id
    owner: Id
    state: Annotated[str, 16]
    games: tuple[str, ...]
    limits: dict[str, Any]
    done: int
    total: int
    error: str | None
    created: Time
    updated: Time
    runner: Id | None = None
    lease: Time | None = None

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE


class GameAnalysisRow(NamedTuple):
    """The analysis of a game: `data` is that of a `GameAnnotation`, as JSON has it."""

    game_id: Id
    job_id: Id
    played: Hash
    data: dict[str, Any]


# `lease`: until when the process `runner` has the job; later another one may take it.
jobs = declare_table(
    "jobs",
    JobRow,
    PrimaryKeyConstraint("id"),
    Index(None, "state", "created"),
    Index(None, "owner", "created"),
    one_of("state", *ACTIVE, DONE, FAILED, CANCELLED),
    *is_json("games", "limits"),
)

# `played`: a hash of what was analyzed: rules, start and turns.
analyses = declare_table(
    "analyses",
    GameAnalysisRow,
    PrimaryKeyConstraint("game_id"),
    ForeignKeyConstraint(["game_id"], ["games.id"]),
    *is_json("data"),
)

_PROGRESS = (
    update(jobs)
    .where(jobs.c.id == bindparam("job_id"), jobs.c.state == RUNNING, jobs.c.runner == bindparam("of"))
    .values(done=bindparam("searched"), updated=bindparam("now"), lease=bindparam("until"))
)


class JobTable(SessionReader):
    def get(self, job_id: str) -> JobRow | None:
        return next(iter(self._find(jobs.c.id == job_id)), None)

    def active(self) -> list[JobRow]:
        """The jobs that are not over, the oldest first."""
        return self._find(jobs.c.state.in_(ACTIVE))

    def count(self) -> dict[str, int]:
        """How many jobs that are not over there are, by state."""
        query = select(jobs.c.state, func.count().label("jobs")).where(jobs.c.state.in_(ACTIVE)).group_by(jobs.c.state)
        return dict.fromkeys(ACTIVE, 0) | {row.state: row.jobs for row in self._session.execute(query)}

    def of_owner(self, owner: str | None, limit: int) -> list[JobRow]:
        """The newest jobs of an owner, or of all, the newest first."""
        query = select(jobs).order_by(jobs.c.created.desc(), jobs.c.id).limit(limit)
        rows = self._session.execute(query if owner is None else query.where(jobs.c.owner == owner))
        return [JobRow._make(row) for row in rows]

    def add(self, row: JobRow) -> None:
        self._insert(jobs, [row])

    def claim(self, runner: str, now: str, until: str) -> list[JobRow]:
        """Take all jobs that nobody runs, and keep those that this runner has. Returns them, the oldest first."""
        free = or_(jobs.c.state == QUEUED, (jobs.c.state == RUNNING) & (jobs.c.lease < now))
        taken = {"state": RUNNING, "runner": runner, "lease": until}
        self._session.execute(update(jobs).where(free).values(**taken, updated=now))
        mine = (jobs.c.state == RUNNING) & (jobs.c.runner == runner)
        self._session.execute(update(jobs).where(mine).values(lease=until))
        return self._find(mine)

    def release(self, runner: str) -> None:
        """Let others take the jobs of this runner."""
        self._session.execute(update(jobs).where(jobs.c.runner == runner).values(lease=""))

    def progress(self, job_id: str, runner: str, done: int, now: str, until: str) -> None:
        """Store how far a job is, and keep it for its runner until then."""
        values = {"job_id": job_id, "of": runner, "searched": done, "now": now, "until": until}
        self._session.execute(_PROGRESS, values)

    def finish(self, job_id: str, runner: str | None, state: str, now: str, **values: Any) -> bool:
        """End a job that is not over, by its runner or, if that is None, by anybody. Returns whether it was active."""
        return self._update(job_id, ACTIVE, runner, state=state, updated=now, **values)

    def forget(self, before: str) -> None:
        """Delete jobs that were over before that time. What they found stays."""
        self._session.execute(delete(jobs).where(jobs.c.updated < before, jobs.c.state.not_in(ACTIVE)))

    def game_analysis(self, game_id: str) -> GameAnalysisRow | None:
        row = self._session.execute(select(analyses).where(analyses.c.game_id == game_id)).first()
        return None if row is None else GameAnalysisRow._make(row)

    def analyzed(self, job_id: str, game_ids: Collection[str]) -> set[str]:
        """The games, of these, that a job has analyzed."""
        query = select(analyses.c.game_id).where(analyses.c.job_id == job_id)
        return {row[0] for row in self._session.execute(query)} & set(game_ids)

    def put_analyses(self, rows: Sequence[GameAnalysisRow]) -> None:
        """Store what was found in place of what was known of the same games."""
        known = analyses.c.game_id.in_([row.game_id for row in rows])
        self._session.execute(delete(analyses).where(known))
        self._insert(analyses, rows)

    def _find(self, where: Any) -> list[JobRow]:
        query = select(jobs).where(where).order_by(jobs.c.created, jobs.c.id)
        return [JobRow._make(row) for row in self._session.execute(query)]

    def _update(self, job_id: str, states: Sequence[str], runner: str | None, **values: Any) -> bool:
        query = update(jobs).where(jobs.c.id == job_id, jobs.c.state.in_(states))
        if runner is not None:
            query = query.where(jobs.c.runner == runner)
        return bool(self._session.execute(query.values(**values)).rowcount)
