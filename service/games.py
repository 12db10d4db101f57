"""What can be done with games. Every change is events, written in one transaction with what follows from them.

Inside a request, `service.current.games()` gives the application's `Games`.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from records import Game, IllegalMove, Kind, Move, Outcome, Position, Rules, Turn
from records.notation.commands import By

from .checks import (
    MAX_COMMENTS,
    check_actor,
    check_comment,
    check_current,
    check_options,
    check_tags,
    current,
)
from .clock import Clock, stamp, utc_now
from .endings import ended_by_hand, ended_by_repetition
from .errors import Conflict, GameEnded, Invalid, NotFound
from .fold import STARTING_TAGS, changed_tags, ending, fold, start_tags
from .integrity import game_faults
from .loaded import Loaded, rules_of
from .storage import EVERYTHING, GENESIS, BoardRow, Event, GameFilter, GameRow, Store, Transaction, seal
from .views import illegal

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no 0 o 1 i l: ids are read aloud
ID_LENGTH = 10


def random_id() -> str:
    """A short random name for a game or a board."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


@dataclass(frozen=True)
class Played:
    """A turn that was stored: its event, what it did, the end it brought (else None), and the game after it."""

    event: Event
    turn: Turn
    outcome: Outcome | None
    row: GameRow


class Games:
    """The games in a store. `clock` and `new_id` are the only sources of time and chance."""

    def __init__(
        self, store: Store, *, max_plies: int, clock: Clock = utc_now, new_id: Callable[[], str] = random_id
    ) -> None:
        self._store = store
        self._max_plies = max_plies
        self._clock = clock
        self._new_id = new_id

    # Reading

    def page(
        self, limit: int, cursor: str | None = None, where: GameFilter = EVERYTHING
    ) -> tuple[list[GameRow], str | None]:
        """At most `limit` games that fit `where`, in the order that `storage.search` tells; and the cursor of the next
        page, if there is one.

        :raises Invalid: the cursor is none of such a list.
        """
        with self._store.reading() as transaction:
            return transaction.games.page(limit, cursor, where)

    def row(self, game_id: str) -> GameRow:
        """The game without its events.

        :raises NotFound: there is no such game.
        """
        with self._store.reading() as transaction:
            return _found(transaction, game_id)

    def load(self, game_id: str) -> Loaded:
        """The game with its events and board.

        :raises NotFound: there is no such game.
        """
        with self._store.reading() as transaction:
            row = _found(transaction, game_id)
            return Loaded(row, tuple(transaction.games.events(game_id)), transaction.boards.of_game(game_id))

    def news(self, game_id: str, after: int, limit: int) -> tuple[list[Event], BoardRow | None]:
        """The events with numbers above `after` (at most `limit`) and the board bound to the game."""
        with self._store.reading() as transaction:
            return transaction.games.events(game_id, after, limit), transaction.boards.of_game(game_id)

    def has(self, game_id: str, source: str) -> bool:
        """Whether this event of a board (``board:…``) is stored."""
        with self._store.reading() as transaction:
            return transaction.games.has(game_id, source)

    def integrity(self, game_id: str) -> list[str]:
        """What is wrong with the game's events or with what was derived from them; empty when nothing is."""
        with self._store.reading() as transaction:
            return game_faults(transaction, _found(transaction, game_id))

    # Changing

    def create(
        self,
        game: str,
        options: Mapping[str, Any],
        tags: Mapping[str, str],
        setup: str | None = None,
        *,
        actor: str = "",
        source: str,
    ) -> GameRow:
        """A new game under the rule set `game`, from its start or from the position `setup`.

        :raises Invalid: a tag that may not be given. :raises RecordsError: a wrong rule set, option or position.
        """
        check_tags(tags)
        check_options(options)
        check_actor(actor)
        if setup is not None:
            setup = str(Position.parse(setup))
        rules = Game(tags=start_tags(game, options, setup, tags)).rules()
        changed, start = dict(rules.changed), rules.start()
        if rules.outcome(start) is not None:
            raise Invalid(f"setup is {setup!r}: the game is over before it begins")
        data: dict[str, Any] = {
            "game": game,
            "options": changed,
            "setup": setup,
            "tags": dict(tags),
            "comments": [],
            "position": str(start),
        }
        return self.add([("created", data, source)], actor)

    def add(self, contents: Sequence[tuple[str, dict[str, Any], str]], actor: str) -> GameRow:
        """Store a new game from the (kind, data, source) of its events, all or none."""
        now = stamp(self._clock())
        with self._store.writing() as transaction:
            game_id = self._new_id()
            events: list[Event] = []
            for kind, data, source in contents:
                prev = events[-1].hash if events else GENESIS
                events.append(seal(game_id, len(events) + 1, now, actor, source, kind, data, prev))
            folded = fold(events)
            row = folded.row
            if row.ply > self._max_plies:
                raise Invalid(f"the game has {row.ply} turns: more than {self._max_plies} are not stored")
            transaction.games.add(row, folded.positions)
            transaction.games.append_all(events)
            return row

    def play(
        self,
        game_id: str,
        move: Move,
        *,
        expected_ply: int | None = None,
        expected_seq: int | None = None,
        actor: str = "",
        source: str,
        comments: Sequence[str] = (),
    ) -> Played:
        """Check a turn against the rules and store it, with the end of the game when it brings one.

        `expected_ply` is the number this turn is to have, `expected_seq` the last event the caller knows.

        :raises NotFound: no such game. :raises GameEnded: it is over.
        :raises Conflict: it has gone on, or this event of a board (`source` ``board:…``) is stored already.
        :raises Stale: `expected_seq` is not the last event. :raises Illegal: the rules forbid it.
        """
        check_actor(actor)
        if len(comments) > MAX_COMMENTS:
            raise Invalid(f"comments: {len(comments)} of them; at most {MAX_COMMENTS} stand at a turn")
        said = [text for text in (" ".join(comment.split()) for comment in comments) if text]
        for comment in said:
            check_comment(comment)
        with self._store.writing() as transaction:
            row = _found(transaction, game_id, lock=True)
            check_current(row, expected_seq)
            if expected_ply is not None and expected_ply != row.ply + 1:
                raise Conflict(f"ply is {expected_ply}: the next turn is {row.ply + 1}", **current(row))
            if row.state == "ended":
                raise GameEnded(
                    f"the game has ended ({row.termination or row.result}): {move} cannot be played",
                    **current(row),
                )
            if row.ply >= self._max_plies:
                raise Invalid(f"the game has {row.ply} turns: more than {self._max_plies} are not stored")
            rules = rules_of(row)
            turn = _played(rules, Position.parse(row.position), move, _previous(transaction, row, move))
            name = " ".join(actor.split())
            if name and not source.startswith("board:"):
                said.append(str(By(name)))
            data = {
                "ply": row.ply + 1,
                "turn": {"move": str(turn.move), "nags": [], "comments": said, "variations": []},
                "position": str(turn.position),
            }
            row, event = self._append(transaction, row, "turn", data, actor, source)
            row = replace(row, position=str(turn.position), ply=row.ply + 1)
            outcome = rules.outcome(turn.position)
            if outcome is not None:
                row, _ = self._append(transaction, row, "ended", ending(outcome), "", "rules")
                row = _ended(row, ending(outcome))
            transaction.games.put(row)
            return Played(event, turn, outcome, row)

    def end(
        self,
        game_id: str,
        termination: str,
        winner: str | None = None,
        *,
        by: str = "",
        expected_seq: int | None = None,
        source: str,
    ) -> GameRow:
        """End a game by hand.

        :raises Invalid: a termination that is not known here, or a winner that does not fit it.
        """
        check_actor(by)
        data = ended_by_hand(termination, winner, by)
        with self._store.writing() as transaction:
            row = _found(transaction, game_id, lock=True)
            check_current(row, expected_seq)
            if row.state == "ended":
                raise GameEnded(f"the game has ended already ({row.termination or row.result})", **current(row))
            if termination == "repetition":
                record = fold(transaction.games.events(game_id)).record
                data = ended_by_repetition(record, Position.parse(row.position), by)
            row, _ = self._append(transaction, row, "ended", data, by, source)
            row = _ended(row, data)
            transaction.games.put(row)
            return row

    def retag(
        self,
        game_id: str,
        changes: Mapping[str, str | None],
        *,
        expected_seq: int | None = None,
        actor: str = "",
        source: str,
    ) -> GameRow:
        """Change tags; None takes one away.

        :raises Invalid: a tag that follows from the game, or that is no tag.
        :raises RecordsError: the game cannot be what a tag says.
        """
        check_tags({name: value or "" for name, value in changes.items()})
        check_actor(actor)
        for name in STARTING_TAGS:
            if name in changes:
                raise Invalid(f"tags.{name} says how the game began: it stands since the game was created")
        with self._store.writing() as transaction:
            row = _found(transaction, game_id, lock=True)
            check_current(row, expected_seq)
            tags = changed_tags(row.tags, changes)
            check_tags(tags)
            if tags == row.tags:
                return row
            row, _ = self._append(transaction, row, "tags", {"tags": dict(changes)}, actor, source)
            row = replace(row, tags=tags)
            fold(transaction.games.events(game_id)).record.rules()
            transaction.games.put(row)
            return row

    def _append(
        self, transaction: Transaction, row: GameRow, kind: str, data: dict[str, Any], actor: str, source: str
    ) -> tuple[GameRow, Event]:
        event = seal(row.id, row.seq + 1, stamp(self._clock()), actor, source, kind, data, row.hash)
        transaction.games.append(event)
        return replace(row, seq=event.seq, hash=event.hash, updated=event.time), event


def _previous(transaction: Transaction, row: GameRow, move: Move) -> Move | None:
    """The move before `move`, where the rules ask for it: a player rearranges only once."""
    if move.kind is not Kind.REARRANGE or row.ply == 0:
        return None
    turns = [event for event in transaction.games.events(row.id) if event.kind == "turn"]
    return Move.parse(turns[-1].data["turn"]["move"])


def _played(rules: Rules, position: Position, move: Move, previous: Move | None) -> Turn:
    try:
        return rules.play(position, move, previous)
    except IllegalMove as error:
        raise illegal(rules, error) from error


def _found(transaction: Transaction, game_id: str, *, lock: bool = False) -> GameRow:
    row = transaction.games.get(game_id, lock=lock)
    if row is None:
        raise NotFound(f"there is no game {game_id!r}")
    return row


def _ended(row: GameRow, data: Mapping[str, Any]) -> GameRow:
    score = data["score"]
    return replace(
        row,
        state="ended",
        result=data["result"],
        score=None if score is None else (score[0], score[1]),
        termination=data["termination"],
        winner=data["winner"],
    )
