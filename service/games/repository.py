"""What can be done with games. Every change is events, written in one transaction with what follows from them.

Inside a request, `service.http.services.games()` gives the application's `Games`.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from records import Game, IllegalMove, Kind, Move, Outcome, Ply, Position, Turn
from records.match import PLAYERS
from records.notation.commands import After, By
from records.replay import play_ply
from service.errors import GameEnded, Illegal, Invalid, NotFound, ServiceError
from service.storage import EVERYTHING, GENESIS, BoardRow, GameEvent, GameFilter, GameRow, Store, Transaction, seal
from service.storage.clock import Clock, stamp, utc_now

from .cache import GameCache
from .editor import GameEditor
from .endings import ended_by_hand, ended_by_repetition
from .integrity import game_faults
from .snapshot import GameSnapshot
from .state import STARTING_TAGS, changed_tags, fold, start_tags
from .validation import (
    MAX_COMMENTS,
    check_actor,
    check_comment,
    check_current,
    check_options,
    check_side,
    check_tags,
)
from .write import Write

log = logging.getLogger(__name__)

ALPHABET = "23456789abcdefghjkmnpqrstuvwxyz"  # no 0 o 1 i l: ids are read aloud
ID_LENGTH = 10
MATCH_TAGS = frozenset({*PLAYERS, "Match", "MatchGame"})  # they stand when a game belongs to a match


def random_id() -> str:
    """A short random name for a game or a board."""
    return "".join(secrets.choice(ALPHABET) for _ in range(ID_LENGTH))


@dataclass(frozen=True)
class Played:
    """A turn that was stored: its event, what it did, the end it brought (else None), and the game after it."""

    event: GameEvent
    turn: Turn
    outcome: Outcome | None
    row: GameRow


@dataclass(frozen=True)
class NewGame:
    """A game that is to be stored: its row, the texts of its positions, its events."""

    row: GameRow
    positions: tuple[str, ...]
    events: tuple[GameEvent, ...]


class Games:
    """The games in a store. `clock` and `new_id` are the only sources of time and chance."""

    def __init__(
        self, store: Store, *, max_plies: int, clock: Clock = utc_now, new_id: Callable[[], str] = random_id
    ) -> None:
        self._store = store
        self._max_plies = max_plies
        self._clock = clock
        self._new_id = new_id
        self._known = GameCache()

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

    def load(self, game_id: str) -> GameSnapshot:
        """The game with its events and board.

        :raises NotFound: there is no such game.
        """
        glance = self._store.version(game_id)
        known = None if glance is None else self._known.find(game_id, glance)
        if glance is None or known is not None:
            return known or _missing(game_id)
        with self._store.reading() as transaction:
            row = _found(transaction, game_id)
            board = transaction.boards.of_game(game_id)
            loaded = GameSnapshot(row, tuple(transaction.games.events(game_id)), board)
        self._known.keep(glance, loaded)
        return loaded

    def news(self, game_id: str, after: int, limit: int) -> tuple[list[GameEvent], BoardRow | None]:
        """The events with numbers above `after` (at most `limit`) and the board bound to the game."""
        with self._store.reading() as transaction:
            return transaction.games.events(game_id, after, limit), transaction.boards.of_game(game_id)

    def has(self, game_id: str, source: str) -> bool:
        """Whether this event of a board (``board:…``) is stored."""
        with self._store.reading() as transaction:
            return transaction.games.has_event(game_id, source)

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
        write: Write,
        setup: str | None = None,
        match: tuple[str, int] | None = None,
    ) -> GameRow:
        """A new game under the rule set `game`, from its start or from the position `setup`. `match` is the id of its
        match, empty for a new one, and its number there.

        :raises Invalid: a tag that may not be given. :raises RecordsError: a wrong rule set, option or position.
        """
        check_tags(tags)
        check_options(options)
        check_actor(write.actor)
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
        game_id = self._new_id()
        if match is not None:
            data["match"] = {"id": match[0] or game_id, "number": match[1]}
        new = self.prepare([("created", data, write.source)], write.actor, game_id)
        self.add_all([new])
        return new.row

    def add(self, contents: Sequence[tuple[str, dict[str, Any], str]], actor: str) -> GameRow:
        """Store a new game from the (kind, data, source) of its events, all or none."""
        new = self.prepare(contents, actor)
        self.add_all([new])
        return new.row

    def prepare(
        self, contents: Sequence[tuple[str, dict[str, Any], str]], actor: str, game_id: str | None = None
    ) -> NewGame:
        """The new game that the (kind, data, source) of its events make, not stored yet.

        :raises Invalid: it has more turns than are stored.
        """
        now = stamp(self._clock())
        game_id = game_id or self._new_id()
        events: list[GameEvent] = []
        for kind, data, source in contents:
            prev = events[-1].hash if events else GENESIS
            events.append(seal(game_id, len(events) + 1, now, actor, source, kind, data, prev))
        folded = fold(events)
        if folded.row.ply > self._max_plies:
            raise Invalid(f"the game has {folded.row.ply} turns: more than {self._max_plies} are not stored")
        return NewGame(folded.row, folded.positions, tuple(events))

    def add_all(self, new: Sequence[NewGame]) -> None:
        """Store new games, all or none: one transaction is much faster than one for each."""
        with self._store.writing() as transaction:
            transaction.games.add_all([(one.row, one.positions) for one in new])
            transaction.games.append_all([event for one in new for event in one.events])

    def analyse(self) -> None:
        """After many changes: `Store.analyse`. When it cannot be, lists are slower and nothing else is."""
        try:
            self._store.analyse()
        except ServiceError as error:
            log.warning("the database was not analysed: %s", error)

    def play(self, game_id: str, move: Move | Turn, write: Write, comments: Sequence[str] = ()) -> Played:
        """Check a turn against the rules and store it, with the end of the game when it brings one.

        A `Turn` that the game's rules gave for its position is not sown again.

        :raises NotFound: no such game. :raises GameEnded: it is over.
        :raises Conflict: it has gone on, or this event of a board (`source` ``board:…``) is stored already.
        :raises Stale: `expected_seq` is not the last event. :raises Illegal: the rules forbid it.
        """
        said = _said(comments, write)
        with self.edit(game_id, write) as game:
            turn = move if isinstance(move, Turn) else None
            move = move.move if isinstance(move, Turn) else move
            game.check_goes_on(move)
            if turn is None or turn.before != game.position:
                turn = played_by_rules(game, move)
            event, outcome = game.add_turn(turn, said)
        return Played(event, turn, outcome, game.row)

    def play_irregular(
        self,
        game_id: str,
        move: Move,
        position: str,
        write: Write,
        comments: Sequence[str] = (),
    ) -> Played:
        """Store a turn that was against the rules and stood: ``~d``, or ``~?``, and the position it led to.

        :raises Invalid: the move is no irregular turn of the side to move. :raises RecordsError: the position is none
            of the game. Else as `play`.
        """
        said = _said(comments, write)
        with self.edit(game_id, write) as game:
            game.check_goes_on(move)
            turn, after = irregular(game, move, position)
            event, outcome = game.add_turn(turn, [after, *said])
        return Played(event, turn, outcome, game.row)

    def end(self, game_id: str, termination: str, winner: str | None, write: Write) -> GameRow:
        """End a game by hand.

        :raises Invalid: a termination that is not known here, or a winner that does not fit it.
        """
        check_actor(write.actor)
        data = ended_by_hand(termination, winner, write.actor)
        with self.edit(game_id, write) as game:
            row = game.row
            if row.state == "ended":
                raise GameEnded(f"the game has ended already ({row.termination or row.result})", current=row)
            if termination == "repetition":
                data = ended_by_repetition(game.state().record, game.position, write.actor)
            game.add_end(data)
        return game.row

    def retag(self, game_id: str, changes: Mapping[str, str | None], write: Write) -> GameRow:
        """Change tags; None takes one away.

        :raises Invalid: a tag that follows from the game, or that is no tag.
        :raises RecordsError: the game cannot be what a tag says.
        """
        check_tags({name: value or "" for name, value in changes.items()})
        check_actor(write.actor)
        for name in STARTING_TAGS:
            if name in changes:
                raise Invalid(f"tags.{name} says how the game began: it stands since the game was created")
        with self.edit(game_id, write) as game:
            if game.row.match_id is not None and MATCH_TAGS.intersection(changes):
                raise Invalid(f"tags.{min(MATCH_TAGS.intersection(changes))} is the same in all games of a match")
            tags = changed_tags(game.row.tags, changes)
            check_tags(tags)
            if tags != game.row.tags:
                game.append("tags", {"tags": dict(changes)}, {"tags": tags})
                game.state().record.rules()
        return game.row

    @contextmanager
    def edit(self, game_id: str, write: Write) -> Iterator[GameEditor]:
        """Open a game for writing. What the block appends is stored when it ends; nothing is when it raises.

        :raises NotFound: no such game. :raises Stale: `write.expected_seq` is not its last event.
        """
        with self._store.writing() as transaction:
            row = _found(transaction, game_id, lock=True)
            check_current(row, write.expected_seq)
            game = GameEditor(transaction, row, write, self._clock, self._max_plies)
            yield game
            game.save()


def _said(comments: Sequence[str], write: Write) -> list[str]:
    """The comments of a turn as they are stored, with who made it.

    :raises Invalid: one cannot stand in a record, or tells what has a way of its own to be told.
    """
    check_actor(write.actor)
    if len(comments) > MAX_COMMENTS:
        raise Invalid(f"comments: {len(comments)} of them; at most {MAX_COMMENTS} stand at a turn")
    said = [text for text in (" ".join(comment.split()) for comment in comments) if text]
    for comment in said:
        check_comment(comment)
    name = " ".join(write.actor.split())
    if name and not write.source.startswith("board:"):
        said.append(str(By(name)))
    return said


def played_by_rules(game: GameEditor, move: Move) -> Turn:
    """What the move does in the game as it stands.

    :raises Illegal: the rules forbid it.
    """
    try:
        return game.rules.play(game.position, move, game.previous(move))
    except IllegalMove as error:
        raise Illegal(error, game.rules) from error


def irregular(game: GameEditor, move: Move, position: str) -> tuple[Turn, str]:
    """A turn against the rules that leads to `position`, and the comment that tells so.

    :raises Invalid: the move is no irregular one of the side to move. :raises RecordsError: no position of the game.
    """
    if move.kind is not Kind.IRREGULAR:
        raise Invalid(f"move is '{move}': an irregular turn is ~ and the pit it was played from, or ~?")
    check_side(move, game.position)
    after = str(After(str(Position.parse(position))))
    return play_ply(game.rules, game.position, Ply(move, comments=(after,))), after


def _found(transaction: Transaction, game_id: str, *, lock: bool = False) -> GameRow:
    row = transaction.games.get(game_id, lock=lock)
    return row or _missing(game_id)


def _missing(game_id: str) -> NoReturn:
    raise NotFound(f"there is no game {game_id!r}")
