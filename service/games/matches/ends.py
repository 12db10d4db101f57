"""Later games of a match lose their results when a game before them ended so that they no longer follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from service.games.editor import GameEditor
from service.games.event_data import CorrectionData
from service.games.record_check import MAX_TEXT
from service.games.write import Write
from service.storage import GameRow, Transaction

from .games import judge_later

Edit = Callable[[str, Write], AbstractContextManager[GameEditor]]


def drop_results(edit: Edit, lost: Sequence[GameRow], row: GameRow, reason: str, write: Write) -> None:
    """End these games without a result, because of how `row` ends now. An arbiter can have one go on again."""
    because = f"the end of game {row.match_game} was changed: {reason}"[:MAX_TEXT]
    for game in lost:
        with edit(game.id, replace(write, expected_seq=None, expected_ply=None)) as other:
            other.add_end(CorrectionData(**other.end_by_hand("abandoned", None), reason=because))


def end_waiting(edit: Edit, transaction: Transaction, row: GameRow, write: Write) -> None:
    """Judge the games that stood still until `row` ended again, which was confirmed when it was reopened."""
    if row.match_id is not None:
        drop_results(edit, judge_later(transaction, row).lost, row, "it was played to its end again", write)
