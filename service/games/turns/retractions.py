"""Turns that are taken back."""

from __future__ import annotations

from inkeek.records.notation.commands import SIDES_REASONS
from inkeek.service.errors import Invalid
from inkeek.service.games.corrections import locking_match
from inkeek.service.games.repository import Games
from inkeek.service.games.validation import check_note, check_write
from inkeek.service.games.write import Write
from inkeek.service.storage import GameEvent


def take_back(
    games: Games, game_id: str, reason: str, write: Write, side: str | None = None, note: str = "", count: int = 1
) -> GameEvent:
    """Take the last `count` turns back in one transaction, and return the last of the events.

    `side` is who takes them back; None: the side that played the turn, or its opponents if these objected.

    :raises Conflict: the last turn is not `write.expected_ply`, or the next game of the match has begun.
    :raises GameEnded: the game was ended, and not by the rules. :raises Disputed: it waits for a ruling.
    :raises Invalid: there are fewer turns, or the reason is not in `SIDES_REASONS`.
    """
    note, write = check_note("note", note), check_write(write)
    if reason not in SIDES_REASONS:
        expected = ", ".join(SIDES_REASONS)
        raise Invalid("reason is %(given)r: expected one of %(reasons)s", given=reason[:80], reasons=expected)
    with locking_match(games, game_id), games.edit(game_id, write) as game:
        game.check_last_turn()
        game.check_undisputed()
        return game.take_back(count, side, reason, note)[-1]
