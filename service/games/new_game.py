"""Games that are not stored yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec

from inkeek.service import storage
from inkeek.service.errors import OutsideLimit
from inkeek.service.storage import Content, GameEvent, GameRow, canonical_json, seal_all

from .content import content_key
from .record_check import OTHER_TAG, check_turns
from .snapshot import GameSnapshot
from .state import game_state
from .validation import check_within, may_arrange
from .write import Write

if TYPE_CHECKING:
    from inkeek.service.storage import NewRows


def beside(new: NewGame, game_id: str) -> NewGame:
    """The imported game under another id, since a game with another content has its own."""
    _, time, actor = new.rows.events[0][:3]
    contents = [
        (source, kind, msgspec.json.decode(data), data.encode()) for *_, source, kind, data, _ in new.rows.events
    ]
    source, kind, created, _ = contents[0]
    created = {**created, "tags": {**created["tags"], OTHER_TAG: new.row.id}}
    contents[0] = (source, kind, created, canonical_json(created))
    made = new_game(contents, Write(source, actor), game_id, time, max_plies=new.row.ply, imported=True)
    return replace(made, events=(), warnings=new.warnings)


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
    events = seal_all(game_id, now, write.actor, contents)
    rows = [storage.event_row(event, text) for event, (*_, text) in zip(events, contents, strict=True)]
    state = game_state(events)
    check_turns(state.row.ply, max_plies)
    check_within(write.limit, state.row)
    if not may_arrange(write.limit) and (imported or state.row.match_game in (None, 1)):
        raise OutsideLimit(
            "The key is limited to %(limit)s: it writes the games there, and begins none. Ask the organizer.",
            limit=write.limit,
        )
    content = content_key(state) if imported else ""
    return NewGame(state.row, events, content, storage.new_rows(state.row, state.positions, rows, content or None))
