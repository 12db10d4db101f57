"""The games of a match as they stand to each other: which count, which stand still, which no longer follow.

A game that was reopened, or whose last turns were taken back, is played to its end again before anybody can say whether
the games after it still follow. Until then they stand still, and keep what they have. An arbiter stops a later game
rather than throwing it away: most ends that are corrected leave the next set-up and its beginner as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from records import Game, RecordsError
from records.matches.match import read_match
from service.errors import Conflict
from service.games.state import game_state
from service.storage import GameRow, Transaction

WITHOUT_RESULT: Mapping[str, Any] = {
    "state": "ended",
    "result": "*",
    "score": None,
    "termination": "abandoned",
    "winner": None,
}


@dataclass(frozen=True, slots=True)
class LaterGames:
    """What becomes of the games of a match that were begun after one of them, in order.

    `follow`: they fit all games before them. `lost`: the first does not fit, because of `fault`. `still`: they stand
    still until a game before them has ended. `itself`: the game no longer fits those before it.
    """

    follow: tuple[GameRow, ...] = ()
    lost: tuple[GameRow, ...] = ()
    still: tuple[GameRow, ...] = ()
    fault: str = ""
    itself: bool = False

    @property
    def all(self) -> tuple[GameRow, ...]:
        return (*self.follow, *self.lost, *self.still)


def with_result(rows: Iterable[GameRow]) -> list[GameRow]:
    """The games of a match but for those that ended without a result, which count nowhere."""
    return [row for row in rows if row.state == "live" or row.result != "*"]


def games_that_count(rows: Iterable[GameRow]) -> list[GameRow]:
    """The games of a match that count as it stands: up to the first that goes on. Those after it stand still."""
    found = []
    for row in with_result(rows):
        found.append(row)
        if row.state == "live":
            break
    return found


def end_of(row: GameRow) -> tuple[object, ...]:
    """What the next game of a match may follow from."""
    return row.state, row.result, row.score, row.position if row.state == "ended" else ""


def standing_still(rows: Iterable[GameRow]) -> frozenset[str]:
    """The ids of the games of a match that stand still, because one before them goes on again."""
    games = with_result(rows)
    return frozenset(row.id for row in games[len(games_that_count(games)) :])


def later_games(transaction: Transaction, row: GameRow) -> list[GameRow]:
    """The games of its match that were begun after this one, but for those without result."""
    if row.match_id is None:
        return []
    games = transaction.games.of_match(row.match_id)
    at = next(index for index, game in enumerate(games) if game.id == row.id)
    return with_result(games[at + 1 :])


def judge_later(transaction: Transaction, row: GameRow, record: Game | None = None) -> LaterGames:
    """What becomes of the games after this one, of which `row` may say what is not stored yet, and `record` then has
    it."""
    if row.match_id is None:
        return LaterGames()
    games = [row if game.id == row.id else game for game in transaction.games.of_match(row.match_id)]
    rows, begun = with_result(games), len(with_result(games[: games.index(row) + 1]))
    count = len(games_that_count(rows))
    fitting, fault = _count_fitting(transaction, rows[:count], row.id, record)
    if fitting < count:
        return LaterGames(tuple(rows[begun:fitting]), tuple(rows[max(begun, fitting) :]), (), fault, fitting < begun)
    return LaterGames(tuple(rows[begun:count]), (), tuple(rows[max(begun, count) :]))


def check_follows(later: LaterGames, row: GameRow) -> None:
    """Check that the game of `row`, as it is stored, still fits the games before it.

    :raises Conflict: it does not.
    """
    if later.itself:
        raise Conflict(
            "match %(match_id)s forbids this: %(fault)s", match_id=row.match_id, fault=later.fault, current=row
        )


def _count_fitting(
    transaction: Transaction, rows: Sequence[GameRow], changed: str, record: Game | None
) -> tuple[int, str]:
    """How many of these games, from the first, make up a match; and what is wrong with the next one."""
    if not rows:
        return 0, ""
    read = 0

    def records() -> Iterator[Game]:
        nonlocal read
        for row in rows:
            read += 1
            simulated = record is not None and row.id == changed
            yield record if simulated and record else game_state(transaction.games.events(row.id)).record

    try:
        read_match(records())
    except RecordsError as error:
        return read - 1, str(error)
    return len(rows), ""
