"""What goes on leans on a right: a live stream, a download, a job. It ends when the right does."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from inkeek.service.storage import GamePlace, Limit, covers_place
from inkeek.service.storage.search import reading
from inkeek.service.storage.tables.jobs import JobRow
from inkeek.service.storage.transaction import Transaction


class Right(NamedTuple):
    """The right to follow something: the `hash` of the secret that was sent, the `limit` of its key where one counts,
    and the games and the board that are followed, which the limit must cover."""

    hash: str
    limit: Limit | None = None
    games: tuple[str, ...] = ()
    board: str | None = None


def ended_rights(transaction: Transaction, rights: Collection[Right], now: str) -> set[Right]:
    """Those of the rights that have ended: the secret or the key is not valid any more, the key has another limit, or
    the limit no longer covers what is followed."""
    valid = transaction.keys.valid_secrets({right.hash for right in rights}, now)
    limited = [right for right in rights if right.limit is not None]
    of_boards = transaction.boards.games_of({right.board for right in limited if right.board is not None})
    ids = {game_id for right in limited for game_id in right.games} | set(of_boards.values())
    places = transaction.games.places(ids)

    def is_over(right: Right) -> bool:
        if right.hash not in valid:
            return True
        if right.limit is None:
            return False
        followed = [*right.games, *([] if right.board is None else [of_boards.get(right.board, "")])]
        limit = valid[right.hash].limit
        if limit is None or right.limit not in (limit, reading(limit)):
            return True
        return not _covers(right.limit, followed, places)

    return {right for right in rights if is_over(right)}


def ended_jobs(transaction: Transaction, jobs: Collection[JobRow], now: str) -> list[JobRow]:
    """Those of the jobs whose owner's key is not valid any more, or has a limit that no longer covers their games."""
    valid = transaction.keys.valid_ids({job.owner for job in jobs}, now)
    limits = {owner: key.limit for owner, key in valid.items() if key.limit is not None}
    places = transaction.games.places({game_id for job in jobs if job.owner in limits for game_id in job.games})

    def is_over(job: JobRow) -> bool:
        limit = limits.get(job.owner)
        return job.owner not in valid or (limit is not None and not _covers(limit, job.games, places))

    return [job for job in jobs if is_over(job)]


def _covers(limit: Limit, game_ids: Collection[str], places: dict[str, GamePlace]) -> bool:
    return all(game_id in places and covers_place(limit, places[game_id]) for game_id in game_ids)
