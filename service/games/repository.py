"""What can be done with games. Every change is events, stored in one transaction with all that follows from them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from inkeek.records import Game, IllegalMove, Move, Outcome, Position, Turn
from inkeek.records.matches import PLAYERS
from inkeek.records.notation.commands import By
from inkeek.records.notation.tags import described
from inkeek.records.rules.ruleset import RuleSet
from inkeek.service.errors import GameEnded, Illegal, Invalid, NotFound, about
from inkeek.service.storage import EVERYTHING, BoardRow, Content, GameEvent, GameFilter, GameRow
from inkeek.service.storage.clock import Clock, stamp, utc_now
from inkeek.service.storage.ids import random_id
from inkeek.service.storage.redaction import name_digest, quotes, redacted, renamed, with_names
from inkeek.service.storage.search import name_key

from .editor import EVENTS_A_PLY, GameEditor, check_next_turn
from .endings import Score
from .event_data import EndedData, MatchData, TagsData
from .event_kinds import content_of
from .events.results import check_keeps_place
from .integrity import game_faults
from .new_game import NewGame, beside, content_key, new_game, without_removed
from .record_check import MAX_COMMENTS, check_start, check_tags, tags_from
from .rulesets import Rulesets
from .snapshot import GameSnapshot
from .state import STARTING_TAGS, created_data, game_state, start_tags
from .validation import (
    check_actor,
    check_comment,
    check_current,
    check_options,
    check_place,
    check_tag_changes,
    check_within,
    gap,
    irregular,
)
from .write import Write

if TYPE_CHECKING:
    from inkeek.service.settings import Settings
    from inkeek.service.storage.store import Store
    from inkeek.service.storage.tables.games import Version
    from inkeek.service.storage.transaction import Transaction

MAX_SIZE = 10_000  # kept in all, in events
EVENTS_PER_GAME = 3  # events that take as much memory as a game without any


class GameCache:
    """Snapshots of games by id, each with the version that was read before it.

    A version holds the hash of the last event, so an equal version means an equal game.
    """

    def __init__(self, max_size: int = MAX_SIZE) -> None:
        self._max_size = max_size
        self._games: OrderedDict[str, tuple[Version, GameSnapshot]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def find(self, game_id: str, version: Version) -> GameSnapshot | None:
        """The snapshot of that version."""
        with self._lock:
            version_kept, snapshot = self._games.get(game_id, (None, None))
            if version_kept != version:
                return None
            self._games.move_to_end(game_id)
            return snapshot

    def keep(self, version: Version, snapshot: GameSnapshot) -> None:
        """Keep a snapshot. Those that were used longest ago are dropped when they are too large together."""
        with self._lock:
            _, before = self._games.pop(snapshot.id, (None, None))
            self._size -= _size(before) if before else 0
            if _size(snapshot) > self._max_size:
                return
            self._games[snapshot.id] = version, snapshot
            self._size += _size(snapshot)
            while self._size > self._max_size:
                _, (_, dropped) = self._games.popitem(last=False)
                self._size -= _size(dropped)


def _size(snapshot: GameSnapshot) -> int:
    """How much memory a snapshot takes, in events."""
    return len(snapshot.events) + EVENTS_PER_GAME


MAX_PASSED_OVER = 50  # annotations that may come between reading a game and writing to it
MATCH_TAGS = frozenset({*PLAYERS, "Match", "MatchGame"})  # the same in all games of a match


@dataclass(frozen=True)
class Played:
    """A stored turn: its event, what it did, the end of the game if it brought one, and the game's row after it."""

    event: GameEvent
    turn: Turn
    outcome: Outcome | None
    row: GameRow


class Games:
    """The games in a store. `clock` and `new_id` are the only sources of time and chance."""

    def __init__(
        self,
        store: Store,
        *,
        max_plies: int,
        clock: Clock = utc_now,
        new_id: Callable[[], str] = random_id,
        rules_folder: Path | None = None,
    ) -> None:
        self.store = store
        self.rulesets = Rulesets(store, rules_folder, clock)
        self.max_plies = max_plies
        self.max_events = EVENTS_A_PLY * max_plies
        self._clock = clock
        self._new_id = new_id
        self._cache = GameCache()

    @classmethod
    def of(cls, store: Store, settings: Settings) -> Self:
        """Those of a store, with what the settings say of games."""
        return cls(store, max_plies=settings.max_plies, rules_folder=settings.rules_folder)

    # Reading

    def page(
        self, limit: int, cursor: str | None = None, where: GameFilter = EVERYTHING
    ) -> tuple[list[GameRow], str | None]:
        """At most `limit` games that match `where`, ordered as in `storage.game_list`, and the cursor of the next page.

        :raises Invalid: the cursor is not from such a list.
        """
        self._update_ledger_for(where)
        with self.store.reading() as transaction:
            return transaction.games.page(limit, cursor, where)

    def _update_ledger_for(self, where: GameFilter) -> None:
        """Bring up to date what a list reads that no write stores itself."""
        if where.updated_since is not None:
            self.store.update_ledger()

    def row(self, game_id: str) -> GameRow:
        """The game without its events.

        :raises NotFound: there is no such game.
        """
        with self.store.reading() as transaction:
            return _get(transaction, game_id)

    def load(self, game_id: str) -> GameSnapshot:
        """The game with its events and its board.

        :raises NotFound: there is no such game.
        """
        version = self.store.version(game_id)
        if version is None:
            raise no_such_game(game_id)
        snapshot = self._cache.find(game_id, version)
        if snapshot is None:
            with self.store.reading() as transaction:
                row = _get(transaction, game_id)
                events = tuple(redacted(transaction.games.events(game_id)))
                snapshot = GameSnapshot(row, events, transaction.boards.of_game(game_id))
            self._cache.keep(version, snapshot)
        return snapshot

    def news(self, game_id: str, after: int, limit: int) -> tuple[Sequence[GameEvent], BoardRow | None]:
        """At most `limit` events with numbers above `after`, and the board bound to the game."""
        with self.store.reading() as transaction:
            return transaction.games.shown_events(game_id, after, limit), transaction.boards.of_game(game_id)

    def has(self, game_id: str, source: str) -> bool:
        """Whether the event of a board with this source (``board:…``) is stored."""
        with self.store.reading() as transaction:
            return transaction.games.has_event(game_id, source)

    def has_run(self, game_id: str, prefix: str) -> bool:
        """Whether an event of a board whose source begins with `prefix` (``board:…:``) is stored."""
        with self.store.reading() as transaction:
            return transaction.games.has_run(game_id, prefix)

    def integrity(self, game_id: str) -> list[str]:
        """List the faults of the game's events and of what was derived from them."""
        with self.store.reading() as transaction:
            return game_faults(transaction, _get(transaction, game_id))

    # New games

    def create(
        self,
        game: str | RuleSet,
        options: Mapping[str, Any],
        tags: Mapping[str, str],
        write: Write,
        setup: str | None = None,
        match: tuple[str, int] | None = None,
    ) -> GameRow:
        """Create a game under the rule set `game`, from its start or from the position `setup`. See `draft`."""
        new = self.draft(game, options, tags, write, setup, match)
        self.add_all([new])
        return new.row

    def draft(
        self,
        game: str | RuleSet,
        options: Mapping[str, Any],
        tags: Mapping[str, str],
        write: Write,
        setup: str | None = None,
        match: tuple[str, int] | None = None,
        end: EndedData | None = None,
    ) -> NewGame:
        """Make a new game without storing it. `game` is a rule set or the id of one; a local one goes into its tags.

        `match` is the id of its match, empty for a new match, and the game's number in it. `end`: it ends at once.

        :raises Invalid: a tag that may not be given. :raises RecordsError: a wrong rule set, option or position.
        """
        check_tags(tags)
        check_options(options)
        check_actor(write.actor)
        if setup is not None:
            with about("setup"):
                setup = str(Position.parse(setup))
        info = self.rulesets.local(game) if isinstance(game, str) else game
        own = {} if info is None else described(info)
        id, tags = own.pop("Game", str(game)), {**tags, **own}
        with tags_from(Game="game", Options="options", Setup="setup"):
            rules = Game(tags=start_tags(id, options, setup, tags)).rules()
        start = rules.start()
        check_start(rules)
        data = created_data(rules, setup, tags, str(start))
        game_id = self._new_id()
        if match is not None:
            data.match = MatchData(match[0] or game_id, match[1])
        contents = [content_of(one, write.source) for one in (data, end) if one is not None]
        return self.prepare(contents, write, game_id)

    def prepare(
        self,
        contents: Sequence[Content],
        write: Write,
        game_id: str | None = None,
        *,
        imported: bool = False,
    ) -> NewGame:
        """Make a new game of the contents of its events, without storing it.

        :raises Invalid: it has too many turns. :raises OutsideLimit: it is outside the writer's limit.
        """
        now, game_id = stamp(self._clock()), game_id or self._new_id()
        return new_game(contents, write, game_id, now, max_plies=self.max_plies, imported=imported)

    def add_all(self, new: Sequence[NewGame]) -> None:
        """Store new games in one transaction, all or none."""
        with self.store.writing() as transaction:
            transaction.games.add_all([game.rows for game in new])

    def add_unless_present(self, new: Sequence[NewGame]) -> tuple[dict[str, str], dict[str, str]]:
        """Store imported games in one transaction, all or none, each content once.

        Return for each content the id of the game that has it, and the ids of new games, each with that of the game
        whose id it should have had (empty: its id was free).
        """
        with self.store.writing() as transaction:
            transaction.games.lock_contents()
            ids = transaction.games.with_contents([game.content for game in new])
            added: list[NewGame] = []
            others: dict[str, str] = {}
            taken = set(transaction.games.rows([game.row.id for game in new]))
            for game in new:
                own, content = game.row.id, game.content
                stored = ids.get(content)
                if stored is None and own in taken:
                    game = _without_removed(transaction, game)
                    stored = _stored(transaction, game)
                if stored is not None:
                    ids[content] = stored
                    continue
                made = beside(game, self._new_id()) if own in taken else game
                others[made.row.id] = own if own in taken else ""
                taken.add(own)
                ids[content] = ids[made.content] = made.row.id
                added.append(made)
            transaction.games.add_all([game.rows for game in added])
            for game in added:
                if game.row.dispute is not None:
                    state = game_state(transaction.games.events(game.row.id))
                    transaction.disputes.replace(game.row.id, state.disputes)
        return ids, others

    def present(self, new: Sequence[NewGame]) -> dict[str, str]:
        """The ids of stored games by the contents of imported ones, as far as they are stored."""
        with self.store.reading() as transaction:
            ids = transaction.games.with_contents([game.content for game in new])
            for game in new:
                if game.content not in ids:
                    stored = _stored(transaction, _without_removed(transaction, game))
                    ids |= {} if stored is None else {game.content: stored}
            return ids

    def listed(
        self, where: GameFilter, limit: int, cursor: str | None = None
    ) -> tuple[list[tuple[str, str, int]], str | None]:
        """As `GameTable.listed`.

        :raises Invalid: the cursor is not from such a list.
        """
        self._update_ledger_for(where)
        with self.store.reading() as transaction:
            return transaction.games.listed(where, limit, cursor)

    def snapshots(self, game_ids: Sequence[str]) -> list[GameSnapshot]:
        """Stored games without their boards, read at one moment, in this order."""
        with self.store.reading() as transaction:
            rows = transaction.games.rows(game_ids)
            events = transaction.games.events_of(game_ids)
        return [GameSnapshot(rows[game_id], tuple(redacted(events[game_id])), None) for game_id in game_ids]

    # Changes

    def play(self, game_id: str, move: Move | Turn, write: Write, comments: Sequence[str] = ()) -> Played:
        """Check a turn against the rules and store it, with the end of the game if it brings one.

        A `Turn` that the game's rules gave for its position is not sown again.

        :raises NotFound: no such game. :raises GameEnded: it has ended. :raises Disputed: it waits for a ruling.
        :raises Conflict: the next turn is not `write.expected_ply`, or this event of a board is stored already.
        :raises Stale: `write.expected_seq` is not the last event. :raises Illegal: the rules forbid the move.
        """
        comments = _turn_comments(comments, write)
        turn = move if isinstance(move, Turn) else None
        move = move.move if isinstance(move, Turn) else move
        with self.edit(game_id, write) as game:
            game.check_goes_on(move)
            if turn is None or turn.before != game.position:
                turn = played_by_rules(game, move)
            event, outcome = game.add_turn(turn, comments)
        return Played(event, turn, outcome, game.row)

    def play_irregular(
        self, game_id: str, move: Move, position: str, write: Write, comments: Sequence[str] = ()
    ) -> Played:
        """Store a turn that broke the rules and was let stand: ``~d`` or ``~?``, and the position it led to.

        :raises Invalid: the move is not an irregular turn of the side to move. :raises RecordsError: the position is
            not one of the game. Else as `play`.
        """
        comments = _turn_comments(comments, write)
        with self.edit(game_id, write) as game:
            game.check_goes_on(move)
            turn, after = irregular(game.rules, game.position, move, position)
            event, outcome = game.add_turn(turn, [after, *comments])
        return Played(event, turn, outcome, game.row)

    def add_gap(
        self, game_id: str, unseen: int | None, position: str | None, write: Write, comments: Sequence[str] = ()
    ) -> Played:
        """Store that nobody saw the next turns: how many, and the position they led to, each if it is known; the
        position with ``?`` for what is not.

        :raises Invalid: a board reports the turns, and the position has ``?``. :raises RecordsError: neither is known,
            or the position is not one of the game. Else as `play`.
        """
        comments = _turn_comments(comments, write)
        with self.edit(game_id, write) as game:
            check_next_turn(game.row, write.expected_ply)  # the position belongs to it
            turn, after = gap(game.rules, game.position, unseen, position)
            game.check_goes_on(turn.move)
            if not turn.position.is_known and game.transaction.boards.of_game(game_id) is not None:
                raise Invalid("A board with sensors reports this game. Say what lies in every pit and store.")
            event, outcome = game.add_turn(turn, [*after, *comments])
        return Played(event, turn, outcome, game.row)

    def end(
        self,
        game_id: str,
        termination: str,
        winner: str | None,
        write: Write,
        *,
        score: Score | None = None,
        result: str | None = None,
    ) -> GameRow:
        """End a game by hand. `score` and `result` as in `manual_end`.

        :raises Invalid: an unknown termination, or a winner or score that does not fit it.
        :raises GameEnded: it has ended. :raises Disputed: it waits for a ruling.
        """
        check_actor(write.actor)
        with self.edit(game_id, write) as game:
            row = game.row
            if row.state == "ended":
                raise GameEnded(
                    "the game has already ended (%(termination)s)",
                    termination=row.termination or row.result,
                    current=row,
                )
            game.check_undisputed()
            game.add_end(EndedData(**game.end_by_hand(termination, winner, score, result)))
        return game.row

    def retag(
        self,
        game_id: str,
        changes: Mapping[str, str | None],
        write: Write,
        *,
        in_match: bool = False,
        of_event: bool = False,
    ) -> GameRow:
        """Change tags; None takes a tag away. `in_match`: names of players change in all games of its match.
        `of_event`: the event changes who plays its game.

        :raises Invalid: a tag that follows from the game, or a name that cannot be a tag's.
        :raises Conflict: as `check_keeps_place`. :raises RecordsError: the tags contradict the game.
        """
        check_actor(write.actor)
        for name in STARTING_TAGS:
            if name in changes:
                raise Invalid(
                    "tags.%(name)s cannot be changed: it decided how the game began", field=f"tags.{name}", name=name
                )
        with self.store.together(joins=True) as transaction:
            row = _get(transaction, game_id)
            if not of_event:
                check_keeps_place(transaction, row, changes)
            same = MATCH_TAGS.intersection(changes) if row.match_id is not None else ()
            if same and not (in_match and same <= {*PLAYERS}):
                name = min(same)
                raise Invalid(
                    "tags.%(name)s cannot be changed: it is the same in all games of a match",
                    field=f"tags.{name}",
                    name=name,
                )
            changed = self._retag(game_id, changes, write)
            names = {name: changes[name] for name in same}
            for other in transaction.games.of_match(row.match_id or "") if names else ():
                if other.id != game_id:
                    self._retag(other.id, names, replace(write, expected_seq=None))
        return changed

    def _retag(self, game_id: str, changes: Mapping[str, str | None], write: Write) -> GameRow:
        with self.edit(game_id, write) as game:
            tags = check_tag_changes(game.row.tags, changes)
            if tags != game.row.tags:
                game.append(TagsData(dict(changes)), {"tags": tags})
                game.state().record.rules()
        return game.row

    def take_out(self, game_id: str, keys: Collection[str], name: str, write: Write) -> list[str] | None:
        """Replace a person's names, of which these are the keys, by `name` in a game, wherever they name somebody.
        Return the texts that still have them in their words, which somebody must decide about; None if nothing did.
        """
        digests = {name_digest(game_id, key): name for key in keys}
        with self.edit(game_id, write) as game:
            events = game.state().events
            shown = with_names(events, digests)
            if shown == tuple(events):
                return None
            tags = renamed(game.row.tags, lambda one: name if name_key(one) in keys else one)
            changes = {tag: value for tag, value in tags.items() if value != game.row.tags[tag]}
            game.append(TagsData(changes, digests), {"tags": tags})
            game.save_disputes()
        return quotes(shown, keys)

    def together(self) -> AbstractContextManager[Transaction]:
        """A transaction that changes of several games are part of."""
        return self.store.together()

    @contextmanager
    def edit(self, game_id: str, write: Write) -> Iterator[GameEditor]:
        """Open a game for writing. What the block appends is stored when it ends; nothing is when it raises.

        :raises NotFound: no such game. :raises Stale: `write.expected_seq` is not its last event.
        :raises OutsideLimit: the game is outside the writer's limit afterwards, or counts elsewhere than before.
        """
        with self.store.writing(joins=True) as transaction, self._edit(transaction, game_id, write) as game:
            yield game

    def is_current(self, row: GameRow, seq: int) -> bool:
        """Whether the game had no events after number `seq` but annotations, up to those that `row` has."""
        if seq == row.seq:
            return True
        with self.store.reading() as transaction:
            return _is_only_annotated(transaction, row, seq)

    @contextmanager
    def _edit(self, transaction: Transaction, game_id: str, write: Write) -> Iterator[GameEditor]:
        row = _get(transaction, game_id, lock=True)
        if not (write.ignores_annotations and _is_only_annotated(transaction, row, write.expected_seq)):
            check_current(row, write.expected_seq)
        game = GameEditor(transaction, row, write, self._clock, self.max_plies)
        yield game
        if write.limit is not None:
            check_within(write.limit, game.row)
            check_place(write.limit, row.tags, game.row.tags)
        game.save()


def _turn_comments(comments: Sequence[str], write: Write) -> list[str]:
    """The comments of a turn as they are stored, the last one naming who made it.

    :raises Invalid: one cannot stand in a record, or there is another request for what it says.
    """
    check_actor(write.actor)
    if len(comments) > MAX_COMMENTS:
        raise Invalid(
            "comments: %(comments)s of them; a turn has at most %(max_comments)s",
            field="comments",
            comments=len(comments),
            max_comments=MAX_COMMENTS,
        )
    stored = [text for text in (" ".join(comment.split()) for comment in comments) if text]
    for comment in stored:
        check_comment(comment)
    name = " ".join(write.actor.split())
    if name and not write.source.startswith("board:"):
        stored.append(str(By(name)))
    return stored


def played_by_rules(game: GameEditor, move: Move) -> Turn:
    """What the move does in the game as it stands.

    :raises Illegal: the rules forbid it.
    """
    try:
        return game.rules.play(game.position, move, game.previous(move))
    except IllegalMove as error:
        raise Illegal(error, game.rules) from error


def _is_only_annotated(transaction: Transaction, row: GameRow, seq: int | None) -> bool:
    if seq is None or not 0 < row.seq - seq <= MAX_PASSED_OVER:
        return False
    return all(event.kind == "annotations" for event in transaction.games.events(row.id, seq))


def _get(transaction: Transaction, game_id: str, *, lock: bool = False) -> GameRow:
    row = transaction.games.get(game_id, lock=lock)
    if row is None:
        raise no_such_game(game_id)
    return row


def no_such_game(game_id: str) -> NotFound:
    """The error for a game that is not there, or not within the limit of who asks for it."""
    return NotFound("there is no game %(game)r", game=game_id)


def _without_removed(transaction: Transaction, new: NewGame) -> NewGame:
    names = transaction.games.names_out(new.row.id)
    return without_removed(new, names) if names else new


def _stored(transaction: Transaction, new: NewGame) -> str | None:
    """The id of the stored game that an imported one is, or that was so before; None: it is new."""
    found = transaction.games.with_contents([new.content]).get(new.content)
    is_own = found is None and is_earlier(transaction, new.row.id, new.row.ply, new.content)
    return new.row.id if is_own else found


def is_earlier(transaction: Transaction, game_id: str, ply: int, content: str) -> bool:
    """Whether the stored game with this id was, before, what has this content and so many turns."""
    events = redacted(transaction.games.events(game_id))
    states = (game_state(events[:seq]) for seq in range(len(events) - 1, 0, -1))
    return any(state.row.ply == ply and content_key(state) == content for state in states)
