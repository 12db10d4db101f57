"""The games of a match as they stand to each other: which count, which stand still, which no longer follow.

All of it follows from the games each time it is asked for, and is written into none of them. A game that was reopened,
or whose last turns were taken back, is played to its end again before anybody can say whether the games after it still
follow: until then they stand still. A game that no longer follows, because one before it ended otherwise since, does
not count, and counts again where that is undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from inkeek.records import Game, RecordsError
from inkeek.records.matches import read_match
from inkeek.service.errors import Conflict
from inkeek.service.games.state import game_state
from inkeek.service.storage import GameRow

if TYPE_CHECKING:
    from inkeek.service.storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class MatchGames:
    """The games of a match but for those that ended without a result, which count nowhere, each in the order they were
    begun.

    `count`: they make up the match; the last of them may go on. `still`: they stand still until that has ended. `lost`:
    by id, why a game does not count.
    """

    count: tuple[GameRow, ...] = ()
    still: tuple[GameRow, ...] = ()
    lost: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LaterGames:
    """What becomes of the games of a match that were begun after one of them, in order.

    `follow`: they fit all games before them. `lost`: they do not, because of `fault`, and count no more. `still`: they
    stand still until a game before them has ended. `itself`: the game no longer fits those before it.
    """

    follow: tuple[GameRow, ...] = ()
    lost: tuple[GameRow, ...] = ()
    still: tuple[GameRow, ...] = ()
    fault: str = ""
    itself: bool = False

    @property
    def all(self) -> tuple[GameRow, ...]:
        return (*self.follow, *self.lost, *self.still)


def match_games(
    transaction: Transaction, rows: Sequence[GameRow], changed: Mapping[str, Game] | None = None
) -> MatchGames:
    """How the games of a match, in the order they were begun, stand to each other; `changed`: one of them has
    just changed; the records of those that are not stored so."""
    rows = list(rows)
    if changed is None and _is_in_order(rows):
        return MatchGames(*up_to_live(rows))  # each was checked when it was begun
    count: list[GameRow] = []
    records: list[Game] = []
    still: list[GameRow] = []
    lost: dict[str, str] = {}
    for row in _with_result(rows):
        if count and count[-1].state == "live":
            still.append(row)
            continue
        record = (changed or {}).get(row.id) or game_state(transaction.games.events(row.id)).record
        try:
            read_match([*records, record])
        except RecordsError as error:
            lost[row.id] = str(error)
            continue
        count.append(row)
        records.append(record)
    return MatchGames(tuple(count), tuple(still), lost)


def up_to_live(rows: Iterable[GameRow]) -> tuple[tuple[GameRow, ...], tuple[GameRow, ...]]:
    """The games of a match, all of which follow, up to the first that goes on, and those after it."""
    games = _with_result(rows)
    going = next((at for at, row in enumerate(games) if row.state == "live"), len(games)) + 1
    return tuple(games[:going]), tuple(games[going:])


def games_that_count(transaction: Transaction, rows: Sequence[GameRow]) -> list[GameRow]:
    """These games but for those that their matches have lost."""
    matches: dict[str, list[GameRow]] = {}
    for row in rows:
        matches.setdefault(row.match_id or row.id, []).append(row)
    changed = [id for id, games in matches.items() if not _is_in_order(games)]
    lost = {game for id in changed for game in match_games(transaction, transaction.games.of_match(id)).lost}
    return [row for row in rows if row.id not in lost]


def _with_result(rows: Iterable[GameRow]) -> list[GameRow]:
    return [row for row in rows if row.state == "live" or row.result != "*"]


def _is_in_order(rows: Iterable[GameRow]) -> bool:
    """Whether no game changed after the next one was begun, nor lost its result since."""
    return all(row.updated < following.created for row, following in pairwise(rows))


def end_of(row: GameRow) -> tuple[object, ...]:
    """What the next game of a match may follow from."""
    return row.state, row.result, row.score, row.position if row.state == "ended" else ""


def check_goes_on(transaction: Transaction, row: GameRow) -> None:
    """Check that a game may go on in its match.

    :raises Conflict: it stands still, or does not count.
    """
    if row.match_id in (None, row.id):
        return
    found = match_games(transaction, transaction.games.of_match(row.match_id or ""))
    if row.id in {game.id for game in found.still}:
        raise Conflict(
            "game %(before)s of match %(match)s goes on again: this game stands still until it has ended",
            before=found.count[-1].match_game,
            match=row.match_id,
            current=row,
        )
    if row.id in found.lost:
        raise Conflict(
            "this game does not count since a game before it in match %(match)s ended otherwise (%(fault)s): begin the "
            "next game of the match",
            match=row.match_id,
            fault=found.lost[row.id],
            current=row,
        )


def later_games(transaction: Transaction, row: GameRow) -> list[GameRow]:
    """The games of its match that were begun after this one and count, or stand still."""
    if row.match_id is None:
        return []
    rows = transaction.games.of_match(row.match_id)
    begun = {game.id for game in rows[next(at for at, game in enumerate(rows) if game.id == row.id) + 1 :]}
    found = match_games(transaction, rows)
    return [game for game in (*found.count, *found.still) if game.id in begun]


def judge_later(transaction: Transaction, row: GameRow, record: Game | None = None) -> LaterGames:
    """What becomes of the games after this one, of which `row` may say what is not stored yet, and `record` then has
    it."""
    if row.match_id is None:
        return LaterGames()
    rows = [row if game.id == row.id else game for game in transaction.games.of_match(row.match_id)]
    begun = {game.id for game in rows[rows.index(row) + 1 :]}
    found = match_games(transaction, rows, {} if record is None else {row.id: record})
    lost = tuple(game for game in rows if game.id in found.lost and game.id in begun)
    return LaterGames(
        tuple(game for game in found.count if game.id in begun),
        lost,
        found.still,
        found.lost.get(row.id, found.lost[lost[0].id] if lost else ""),
        row.id in found.lost,
    )


def check_follows(later: LaterGames, row: GameRow) -> None:
    """Check that the game of `row`, as it is stored, still fits the games before it.

    :raises Conflict: it does not.
    """
    if later.itself:
        raise Conflict(
            "match %(match_id)s forbids this: %(fault)s", match_id=row.match_id, fault=later.fault, current=row
        )
