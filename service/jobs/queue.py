"""Jobs that analyze games in the background: started, listed, cancelled. `runner` works on them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from inkeek.records import RecordsError
from inkeek.records.analysis.annotation import GameAnnotation
from inkeek.records.json_codec import from_json
from inkeek.service.errors import Conflict, Damaged, NotFound, TooBusy, TooManyRequests
from inkeek.service.games.annotations import write_analysis
from inkeek.service.games.plies import Annotation
from inkeek.service.games.repository import Games, no_such_game
from inkeek.service.games.snapshot import rules_of
from inkeek.service.games.state import GameState
from inkeek.service.games.validation import is_within
from inkeek.service.games.write import Write
from inkeek.service.storage import GameRow, Limit, covers
from inkeek.service.storage.clock import Clock, stamp, utc_now
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.search import game_key
from inkeek.service.storage.store import Store
from inkeek.service.storage.tables.jobs import CANCELLED, DONE, QUEUED, GameAnalysisRow, JobRow
from inkeek.service.storage.transaction import Transaction

MAX_ACTIVE = 200  # jobs of all owners
KIN = 4  # a share of these is for an owner with all to whom they gave keys
RETRY = 30  # seconds after which who has too many may ask again
KEPT = timedelta(days=30)  # for which a job that is over is listed
MAX_LISTED = 100
NONE = "none"  # state of the analysis of a game that nobody wanted


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """The analysis of a game. `job` made it, or works on a newer one; None without either, or if it is hidden.
    `job_state` is `NONE` without one. `found` is None if there is nothing yet; `is_current`: of the turns that the game
    has."""

    job: str | None
    job_state: str
    found: GameAnnotation | None
    is_current: bool


class Jobs:
    """The queue, in the database. `most`: jobs of an owner that are not over."""

    def __init__(self, store: Store, games: Games, most: int, clock: Clock = utc_now) -> None:
        self._store = store
        self._games = games
        self._most = most
        self._clock = clock

    def start(self, owner: str, game_ids: Sequence[str], limits: dict[str, Any], within: Limit | None = None) -> JobRow:
        """Start the analysis of games, or return the owner's job that does just that, or anybody's that has done it.

        :raises NotFound: there is no such game within the limit `within`. :raises OptionError: its rules are not known.
        :raises TooManyRequests: the owner has too many jobs. :raises TooBusy: all together have.
        """
        game_ids = tuple(dict.fromkeys(game_ids))
        with self._store.reading() as transaction:
            rows = transaction.games.rows(game_ids)
        for game_id in game_ids:
            if game_id not in rows or not is_within(within, rows[game_id]):
                raise no_such_game(game_id)
            rules_of(rows[game_id]).verify_known()
        made_by = self._made_by(game_ids[0], limits, within) if len(game_ids) == 1 else None
        if made_by is not None:
            return made_by
        total = sum(row.ply + 1 for row in rows.values())
        now = self._clock()
        with self._store.writing() as transaction:
            active = transaction.jobs.active()
            sharers = transaction.keys.sharers(owner)
            for job in active:
                # Not another's: that one may wait behind much, and ends with its key.
                if job.owner in sharers and (job.games, job.limits) == (game_ids, limits):
                    return job
            kin = transaction.keys.kin(owner)
            own, shared = (sum(job.owner in keys for job in active) for keys in (sharers, kin))
            if own >= self._most or shared >= max(self._most, MAX_ACTIVE // KIN):
                raise TooManyRequests(
                    f"{own} analyses of your key run or wait, of at most {self._most} by the setting `max_jobs`, and "
                    f"{shared} with those of keys that one gave. Cancel one, or try again later.",
                    RETRY,
                )
            if len(active) >= MAX_ACTIVE:
                raise TooBusy(f"{len(active)} analyses run or wait. Try again later.")
            transaction.jobs.forget(stamp(now - KEPT))
            row = JobRow(random_id(), owner, QUEUED, game_ids, limits, 0, total, None, stamp(now), stamp(now))
            transaction.jobs.add(row)
        return row

    def _made_by(self, game_id: str, limits: dict[str, Any], within: Limit | None) -> JobRow | None:
        """The job that has analyzed a game as it is now, within these limits, if `within` covers its games."""
        with self._store.reading() as transaction:
            found = transaction.jobs.game_analysis(game_id)
            job = None if found is None else transaction.jobs.get(found.job_id)
            if found is None or job is None or job.limits != limits or not _covers(within, job, transaction):
                return None
        return job if found.played == played(self._games.load(game_id).state) else None

    def get(self, job_id: str, within: Limit | None = None) -> JobRow:
        """:raises NotFound: there is no such job of games that `within` covers."""
        with self._store.reading() as transaction:
            row = transaction.jobs.get(job_id)
            if row is None or not _covers(within, row, transaction):
                raise NotFound(f"There is no job {job_id!r}.")
        return row

    def list(self, owner: str | None, within: Limit | None = None) -> list[JobRow]:
        """The newest jobs of an owner, or of all; of games that `within` covers."""
        with self._store.reading() as transaction:
            found = transaction.jobs.of_owner(owner, MAX_LISTED)
            return [row for row in found if _covers(within, row, transaction)]

    def cancel(self, job_id: str) -> JobRow:
        """Cancel a job. Games that it has analyzed stay so.

        :raises NotFound: there is no such job. :raises Conflict: it is over.
        """
        with self._store.writing() as transaction:
            if not transaction.jobs.finish(job_id, None, CANCELLED, stamp(self._clock())):
                row = transaction.jobs.get(job_id)
                if row is None:
                    raise NotFound(f"There is no job {job_id!r}.")
                raise Conflict(f"Job {job_id} is {row.state}: only one that waits or runs can be cancelled.")
        return self.get(job_id)

    def game_analysis(self, game_id: str, within: Limit | None = None) -> GameAnalysis:
        """What is known of a game. A job is named if `within` covers all its games.

        :raises NotFound: there is no such game.
        """
        snapshot = self._games.load(game_id)
        with self._store.reading() as transaction:
            found = transaction.jobs.game_analysis(game_id)
            job = next((job for job in transaction.jobs.active() if game_id in job.games), None)
            if job is not None and found is not None and found.job_id == job.id:
                job = None  # its other games are not done yet, but this one is
            elif job is None and found is not None:
                job = transaction.jobs.get(found.job_id)
            hidden = job is None or not _covers(within, job, transaction)
        made_by = job.id if job else None if found is None else found.job_id
        shown = None if within is not None and hidden else made_by
        if found is None:
            return GameAnalysis(shown, job.state if job else NONE, None, is_current=False)
        state = job.state if job is not None and job.is_active else DONE
        is_current = found.played == played(snapshot.state)
        return GameAnalysis(shown, state, _annotation(found), is_current)

    def annotate(self, game_id: str, write: Write, *, is_arbiter: bool) -> tuple[GameRow, Sequence[Annotation]]:
        """Write what is known of a game into it as annotations, in place of those that an analysis wrote before.

        Returns the game and the annotations that were added or changed.
        :raises NotFound: there is no such game. :raises Conflict: it was not analyzed, or has other turns since.
        :raises Forbidden: another author's analysis stands there.
        """
        with self._store.reading() as transaction:
            found = transaction.jobs.game_analysis(game_id)

        def analysis(state: GameState) -> GameAnnotation:
            if found is None or found.played != played(state):
                why = "was not analyzed" if found is None else "has other turns than those that were analyzed"
                raise Conflict(f"Game {game_id} {why}. Analyze it first.", current=state.row)
            return _annotation(found)

        return write_analysis(self._games, game_id, analysis, write, is_arbiter=is_arbiter)

    def remove_annotations(self, game_id: str, write: Write, *, is_arbiter: bool) -> GameRow:
        """Remove the annotations that an analysis wrote into a game.

        :raises NotFound: there is no such game. :raises Forbidden: another author's analysis stands there.
        """
        return write_analysis(self._games, game_id, lambda state: None, write, is_arbiter=is_arbiter)[0]


def _covers(within: Limit | None, job: JobRow, transaction: Transaction) -> bool:
    if within is None:
        return True
    rows = transaction.games.rows(job.games)
    return all(game_id in rows and covers(within, rows[game_id]) for game_id in job.games)


def played(state: GameState) -> str:
    """A hash of what an analysis depends on: the rules, the start and the turns."""
    parts = [game_key(state.row.game, state.row.tags), json.dumps(state.row.options, sort_keys=True), *state.positions]
    moves = [str(ply.move) for ply in state.record.plies]
    return hashlib.sha256("\n".join(map(str, [*parts, *moves])).encode()).hexdigest()


def _annotation(row: GameAnalysisRow) -> GameAnnotation:
    """:raises Damaged: it cannot be read."""
    try:
        return from_json(row.data, GameAnnotation)
    except (RecordsError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise Damaged(f"the analysis of game {row.game_id} cannot be read: {error}") from error
