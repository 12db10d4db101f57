"""Jobs that analyze games in the background: started, listed, cancelled. `runner` works on them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from records.analysis.annotation import GameAnnotation
from records.json_codec import from_json
from service.errors import Conflict, NotFound, TooBusy
from service.games.analysis_notes import write_analysis
from service.games.plies import Annotation
from service.games.repository import Games
from service.games.state import GameState
from service.games.validation import check_write
from service.games.write import Write
from service.storage import GameRow, JobRow, Store
from service.storage.clock import Clock, stamp, utc_now
from service.storage.ids import random_id

MAX_ACTIVE = 200  # jobs of all owners
KEPT = timedelta(days=30)  # for which a job that is over is listed
MAX_LISTED = 100
NONE = "none"  # state of the analysis of a game that nobody wanted


@dataclass(frozen=True, slots=True)
class StoredAnalysis:
    """The analysis of a game. `job` made it, or works on a newer one, None without either; `state` is that of the job,
    or `NONE`. `found` is None if there is nothing yet; `is_current`: of the turns that the game has."""

    job: str | None
    state: str
    found: GameAnnotation | None
    is_current: bool


class Jobs:
    """The queue, in the database. `most`: jobs of an owner that are not over."""

    def __init__(self, store: Store, games: Games, most: int, clock: Clock = utc_now) -> None:
        self._store = store
        self._games = games
        self._most = most
        self._clock = clock

    def start(self, owner: str, game_ids: Sequence[str], limits: dict[str, Any]) -> JobRow:
        """Start the analysis of games, or return the job that already does it or has done it.

        :raises NotFound: there is no such game. :raises TooBusy: the owner, or all together, have too many jobs.
        """
        game_ids = tuple(dict.fromkeys(game_ids))
        snapshots = [self._games.load(game_id) for game_id in game_ids]
        total = sum(snapshot.row.ply + 1 for snapshot in snapshots)
        now = self._clock()
        with self._store.writing() as transaction:
            active = transaction.jobs.active()
            same = [job for job in active if (job.games, job.limits) == (game_ids, limits)]
            if same:
                return same[0]
            if len(snapshots) == 1:
                found = transaction.jobs.analysis(game_ids[0])
                made_by = None if found is None else transaction.jobs.get(found.job_id)
                if found and made_by and made_by.limits == limits and found.played == played(snapshots[0].state):
                    return made_by
            if sum(job.owner == owner for job in active) >= self._most or len(active) >= MAX_ACTIVE:
                raise TooBusy(f"{len(active)} analyses run or wait, at most {self._most} of one key. Try again later.")
            transaction.jobs.forget(stamp(now - KEPT))
            row = JobRow(random_id(), owner, "queued", game_ids, limits, 0, total, None, stamp(now), stamp(now))
            transaction.jobs.add(row)
        return row

    def get(self, job_id: str) -> JobRow:
        """:raises NotFound: there is no such job."""
        with self._store.reading() as transaction:
            row = transaction.jobs.get(job_id)
        if row is None:
            raise NotFound(f"There is no job {job_id!r}.")
        return row

    def list(self, owner: str | None) -> list[JobRow]:
        """The newest jobs of an owner, or of all."""
        with self._store.reading() as transaction:
            return transaction.jobs.of_owner(owner, MAX_LISTED)

    def cancel(self, job_id: str) -> JobRow:
        """Cancel a job. Games that it has analyzed stay so.

        :raises NotFound: there is no such job. :raises Conflict: it is over.
        """
        with self._store.writing() as transaction:
            if not transaction.jobs.finish(job_id, None, "cancelled", stamp(self._clock())):
                row = transaction.jobs.get(job_id)
                if row is None:
                    raise NotFound(f"There is no job {job_id!r}.")
                raise Conflict(f"Job {job_id} is {row.state}: only one that waits or runs can be cancelled.")
        return self.get(job_id)

    def analysis(self, game_id: str) -> StoredAnalysis:
        """What is known of a game.

        :raises NotFound: there is no such game.
        """
        snapshot = self._games.load(game_id)
        with self._store.reading() as transaction:
            found = transaction.jobs.analysis(game_id)
            job = next((job for job in transaction.jobs.active() if game_id in job.games), None)
            if job is not None and found is not None and found.job_id == job.id:
                job = None  # its other games are not done yet, but this one is
            elif job is None and found is not None:
                job = transaction.jobs.get(found.job_id)
        if found is None:
            state = job.state if job else NONE
            return StoredAnalysis(job.id if job else None, state, None, is_current=False)
        state = job.state if job is not None and job.is_active else "done"
        is_current = found.played == played(snapshot.state)
        return StoredAnalysis(
            job.id if job else found.job_id, state, from_json(json.loads(found.data), GameAnnotation), is_current
        )

    def annotate(self, game_id: str, write: Write, *, is_arbiter: bool) -> tuple[GameRow, Sequence[Annotation]]:
        """Write what is known of a game into it as annotations, in place of those that an analysis wrote before.

        Returns the game and the annotations that were added or changed.
        :raises NotFound: there is no such game. :raises Conflict: it was not analyzed, or has other turns since.
        :raises Forbidden: another author's analysis stands there.
        """
        with self._store.reading() as transaction:
            found = transaction.jobs.analysis(game_id)
        with self._games.edit(game_id, check_write(write)) as game:
            if found is None or found.played != played(game.state()):
                why = "was not analyzed" if found is None else "has other turns than those that were analyzed"
                raise Conflict(f"Game {game_id} {why}. Analyze it first.", current=game.row)
            analysis = from_json(json.loads(found.data), GameAnnotation)
            annotations = write_analysis(game, analysis, is_arbiter=is_arbiter)
            return game.row, annotations

    def remove_annotations(self, game_id: str, write: Write, *, is_arbiter: bool) -> GameRow:
        """Remove the annotations that an analysis wrote into a game.

        :raises NotFound: there is no such game. :raises Forbidden: another author's analysis stands there.
        """
        with self._games.edit(game_id, check_write(write)) as game:
            write_analysis(game, None, is_arbiter=is_arbiter)
            return game.row


def played(state: GameState) -> str:
    """A hash of what an analysis depends on: the rules, the start and the turns."""
    parts = [state.row.game, json.dumps(state.row.options, sort_keys=True), *state.positions]
    moves = [str(ply.move) for ply in state.record.plies]
    return hashlib.sha256("\n".join(map(str, [*parts, *moves])).encode()).hexdigest()
