"""Matches: series of games. A match has the id of its first game; everything about it follows from its games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from inkeek.records.matches import Match, read_match
from inkeek.records.notation.tags import COPIED
from inkeek.service.errors import Conflict, ErrorText, Invalid, NotFound
from inkeek.service.games.events.results import check_keeps_place
from inkeek.service.games.record_check import CASUAL_TAG, tags_from
from inkeek.service.games.repository import Games
from inkeek.service.games.state import game_state
from inkeek.service.games.validation import check_place, is_within
from inkeek.service.games.write import Write
from inkeek.service.storage import EVERYTHING, GameFilter, GameRow, Limit
from inkeek.service.storage.store import Store
from inkeek.service.storage.transaction import Transaction

from .games import MatchGames, match_games


@dataclass(frozen=True)
class Series:
    """A match and its games, in the order they began. A game that was broken off without a result counts nowhere.

    `still`: the ids of the games that stand still, because one before them goes on again. `lost`: by id, why a game
    does not count since one before it ended otherwise.
    """

    id: str
    match: Match
    rows: tuple[GameRow, ...]
    still: frozenset[str] = frozenset()
    lost: Mapping[str, str] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """Whether a next game can begin."""
        return not self.match.begun and self.match.outcome is None


class Matches:
    """The matches in a store."""

    def __init__(self, store: Store, games: Games) -> None:
        self._store = store
        self._games = games

    def page(
        self, limit: int, cursor: str | None = None, where: GameFilter = EVERYTHING
    ) -> tuple[list[GameRow], str | None]:
        """The first games of at most `limit` matches, if they match `where`, and the cursor of the next page.

        :raises Invalid: the cursor is not from such a list.
        """
        with self._store.reading() as transaction:
            return transaction.games.page(limit, cursor, replace(where, first_of_match=True))

    def load(self, match_id: str, within: Limit | None = None) -> Series:
        """The match as it stands. Its rows are those of the games that `within` covers.

        :raises NotFound: there is no such match.
        """
        with self._store.reading() as transaction:
            series = _series(transaction, match_id)
        rows = tuple(row for row in series.rows if is_within(within, row))
        if not rows:
            raise no_such_match(match_id)
        return replace(series, rows=rows)

    def games_with(self, row: GameRow) -> MatchGames:
        """How the games of its match stand to each other."""
        if row.match_id in (None, row.id):
            return MatchGames((row,))
        with self._store.reading() as transaction:
            return match_games(transaction, transaction.games.of_match(row.match_id or ""))

    def begin(
        self,
        game: str,
        title: str,
        options: Mapping[str, Any],
        tags: Mapping[str, str],
        write: Write,
        setup: str | None = None,
    ) -> Series:
        """Begin a match with its first game. `title` is its `Match` tag: the kind, an agreed number, a name.

        :raises Invalid: a tag that may not be given. :raises RecordsError: there is no such match.
        """
        for name in ("Match", "MatchGame"):
            if name in tags:
                raise Invalid(
                    "tags.%(name)s follows from the match and cannot be given", field=f"tags.{name}", name=name
                )
        with self._store.together() as transaction:
            new_tags = {**tags, "Match": title, "MatchGame": "1"}
            with tags_from(Match="title"):
                row = self._games.create(game, options, new_tags, write, setup, match=("", 1))
            return _series(transaction, row.id)

    def go_on(self, match_id: str, closed: str, tags: Mapping[str, str], write: Write) -> GameRow:
        """Begin the next game, with the set-up that follows from the games before it.

        `closed` are the pits that the sides close in a round; `tags` are the game's own, as those of a race.

        :raises NotFound: no such match. :raises Conflict: its last game is not over, or the match is.
        :raises RecordsError: `closed` or `tags` do not fit the match. :raises OutsideLimit: the game would be outside
            the writer's limit, or by its tags count elsewhere than the one before.
        """
        with self._store.together() as transaction:
            transaction.games.get(match_id, lock=True)
            series = _series(transaction, match_id)
            match, last = series.match, series.rows[-1]
            if match.outcome is not None:
                raise Conflict(
                    "match %(match_id)s is over after %(played)s games: %(reason)s",
                    match_id=match_id,
                    played=len(match.played),
                    reason=match.outcome.reason,
                )
            if match.begun:
                begun = next(row for row in series.rows if row.state == "live" and row.id not in series.lost)
                message = ErrorText(
                    "game %(match_game)s of match %(match_id)s is not over",
                    match_game=begun.match_game,
                    match_id=match_id,
                )
                raise Conflict(message, **({"game": begun.id} if is_within(write.limit, begun) else {}))
            derived = match.next_tags(closed)
            for name in derived:
                if name in tags:
                    raise Invalid(
                        "tags.%(name)s follows from the match and cannot be given", field=f"tags.{name}", name=name
                    )
            for name in ("Game", "Options", "Version", "Rules"):
                derived.pop(name, None)
            setup = derived.pop("Setup", None)
            copied = {name: last.tags[name] for name in (*COPIED, CASUAL_TAG) if name in last.tags}
            check_place(write.limit, last.tags, {**last.tags, **tags})
            check_keeps_place(transaction, last, tags)
            row = self._games.create(
                match.rules.info,
                dict(match.rules.changed),
                {**copied, **tags, **derived},
                write,
                setup,
                match=(match_id, len(match.played) + 1),
            )
            _series(transaction, match_id)  # which the new game fits
            return row


def no_such_match(match_id: str) -> NotFound:
    """The error for a match that is not there, or not within the limit of who asks for it."""
    return NotFound("there is no match %(match)r", match=match_id)


def _series(transaction: Transaction, match_id: str) -> Series:
    rows = transaction.games.of_match(match_id)
    if not rows:
        raise no_such_match(match_id)
    found = match_games(transaction, rows)
    match = read_match(game_state(transaction.games.events(row.id)).record for row in found.count or rows[:1])
    still = frozenset(row.id for row in found.still)
    return Series(match_id, match if found.count else replace(match, begun=False), tuple(rows), still, found.lost)
