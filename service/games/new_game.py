"""Games that are not stored yet; and what makes two games the same: the key of a game's content, by which an import
recognizes what is stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from inkeek.records.json_codec import to_json
from inkeek.records.notation.tags import ROSTER
from inkeek.service.errors import OutsideLimit, StorageError
from inkeek.service.storage import GENESIS, Content, GameEvent, GameRow, canonical_json, seal
from inkeek.service.storage.redaction import name_digest, renamed
from inkeek.service.storage.search import name_key

from .record_check import CASUAL_TAG, DERIVED_TAGS, OTHER_TAG, check_turns
from .snapshot import GameSnapshot
from .state import GameState, game_state
from .validation import check_within, may_arrange
from .write import Write

if TYPE_CHECKING:
    from inkeek.service.storage.game_rows import NewRows
    from inkeek.service.storage.store import Store


def beside(new: NewGame, game_id: str) -> NewGame:
    """The imported game under another id, since a game with another content has its own."""
    (first, *rest) = _data_of(new)
    return _made_again(new, game_id, [{**first, "tags": {**first["tags"], OTHER_TAG: new.row.id}}, *rest])


def without_removed(new: NewGame, names: Mapping[str, str]) -> NewGame:
    """The imported game with stand-ins for the names that were taken out of it here, by their digests."""

    def rename(name: str) -> str:
        return names.get(name_digest(new.row.id, name_key(name)), name)

    return _made_again(new, new.row.id, [renamed(data, rename) for data in _data_of(new)])


def _data_of(new: NewGame) -> list[dict[str, Any]]:
    return [msgspec.json.decode(data) for *_, data, _ in new.rows.events]


def _made_again(new: NewGame, game_id: str, data: Iterable[dict[str, Any]]) -> NewGame:
    _, time, actor = new.rows.events[0][:3]
    pairs = zip(new.rows.events, data, strict=True)
    contents = [(source, kind, one, canonical_json(one)) for (*_, source, kind, _, _), one in pairs]
    made = new_game(contents, Write(contents[0][0], actor), game_id, time, max_plies=new.row.ply, imported=True)
    return replace(made, events=(), warnings=new.warnings, left_out=new.left_out)


@dataclass(frozen=True)
class NewGame:
    """A game to be stored: its row, its events, all its rows; if it is imported, the key of its content, else empty.
    `warnings` are those of its record, and `left_out` the lines of it that are not stored."""

    row: GameRow
    events: Sequence[GameEvent]
    content: str
    rows: NewRows
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def snapshot(self) -> GameSnapshot:
        """The game as it is read when it is stored."""
        return GameSnapshot(self.row, tuple(self.events), None)


def new_game(
    contents: Sequence[Content],
    write: Write,
    game_id: str,
    now: str,
    *,
    max_plies: int,
    imported: bool,
) -> NewGame:
    """Make a game of the contents of its events, which all happen `now`.

    :raises Invalid: it has more than `max_plies` turns. :raises OutsideLimit: it is outside the writer's limit.
    """
    from inkeek.service.storage.game_rows import event_row, new_rows  # the process of a far board has no database

    events: list[GameEvent] = []
    prev_hash = GENESIS
    for seq, (source, kind, data, text) in enumerate(contents, 1):
        events.append(seal(game_id, seq, now, write.actor, source, kind, data, prev_hash, text))
        prev_hash = events[-1].hash
    rows = [event_row(event, text) for event, (*_, text) in zip(events, contents, strict=True)]
    state = game_state(events)
    check_turns(state.row.ply, max_plies)
    check_within(write.limit, state.row)
    if not may_arrange(write.limit) and (imported or state.row.match_game in (None, 1)):
        raise OutsideLimit(
            "The key is limited to %(limit)s: it writes the games there, and begins none. Ask the organizer.",
            limit=write.limit,
        )
    content = content_key(state) if imported else ""
    return NewGame(state.row, events, content, new_rows(state.row, state.positions, rows, content or None))


FORMAT = 1  # of the content; a migration must forget all keys when it changes
BATCH = 100  # games a transaction
UNREADABLE = ""  # the key of a game whose events cannot be read, which no content has
_CLAIMS = re.compile("[<>x=@]")
_ENTERING = re.compile(r"\[%entered [^\"\]]*(?:\"(?:[^\"\\]|\\.)*\")?\s*\]")


def content_key(state: GameState) -> str:
    """128 bits of a hash, in hexadecimal digits: the same for two games if the same was played and said.

    That is: rule set, options and start; all tags with a known value, in any order; each turn as its pit and the
    position after it, with annotations, comments and variations; how the game ended. How a record is written does not
    matter, nor who stored it when.
    """
    row, data = state.row, state.record_json
    plies = data["plies"]
    if any(ply["variations"] for ply in plies):  # written with or without claims
        plies = [to_json(ply) for ply in state.record.replay().plies]
    turns = [[_choice(ply["move"]), text, *_remarks(ply)] for ply, text in zip(plies, state.positions[1:], strict=True)]
    ended = [row.result, row.termination, row.score]
    content = [FORMAT, row.game, sorted(row.options.items()), row.start, _tags(row.tags), _words(data["comments"])]
    return blake2b(canonical_json([*content, turns, ended]), digest_size=16).hexdigest()


def update_contents(store: Store) -> None:
    """Compute the keys of all games that have changed since their key was computed."""
    after = 0
    while True:
        with store.reading() as transaction:
            numbered = transaction.games.without_content(after, BATCH)
            games = transaction.games.events_of([game_id for _, game_id in numbered])
        if not numbered:
            return
        after = numbered[-1][0]
        keys = []
        for _, game_id in numbered:
            events = games.get(game_id, [])
            try:
                key = content_key(game_state(events))
            except (StorageError, LookupError, TypeError, ValueError, AttributeError):  # the data can be anything
                key = UNREADABLE
            keys.append((game_id, events[-1].hash if events else "", key))
        with store.writing() as transaction:
            transaction.games.set_contents(keys)


def _tags(tags: Mapping[str, str]) -> list[tuple[str, str]]:
    """The tags that say something and do not follow from the rest."""
    unknown = ("", "?")
    return sorted(
        (name, value)
        for name, value in tags.items()
        if name not in (*DERIVED_TAGS, OTHER_TAG, CASUAL_TAG) and value not in unknown and value != ROSTER.get(name)
    )


@lru_cache(4096)
def _choice(move: str) -> str:
    """The pit that a move begins from, or what else it is; the position after it says the rest."""
    return _CLAIMS.split(move, 1)[0]


def _remarks(ply: Mapping[str, Any]) -> list[Any]:
    nags, words, variations = ply["nags"], _words(ply["comments"]), ply["variations"]
    return [nags, words, _variations(variations)] if nags or words or variations else []


def _words(comments: Iterable[str]) -> list[str]:
    """The comments as the notation writes them, without who entered the turn when."""
    return [text for text in (" ".join(_ENTERING.sub("", comment).split()) for comment in comments) if text]


def _variations(variations: Iterable[Mapping[str, Any]]) -> list[Any]:
    return [
        [
            _words(variation["comments"]),
            [[ply["move"], *_remarks(ply)] for ply in variation["plies"]],
        ]
        for variation in variations
    ]
