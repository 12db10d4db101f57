"""An arbiter corrects how a game ended, or has it go on. The match that it belongs to follows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from msgspec import UNSET, UnsetType

from inkeek.records import Game
from inkeek.records.notation.commands import SIDES_REASONS
from inkeek.service.disputes.checks import check_unsettled
from inkeek.service.errors import Conflict, ErrorText, Invalid
from inkeek.service.storage import GameEvent, GameRow, Limit

from .editor import GameEditor
from .endings import CorrectedEnd
from .event_data import CorrectionData
from .matches.games import LaterGames, check_follows, end_of, judge_later
from .plies import BY_RULES
from .record_check import check_note
from .repository import Games
from .state import score_of
from .validation import check_no_new_error, check_write, is_within
from .write import Write

if TYPE_CHECKING:
    from inkeek.service.storage.transaction import Transaction


def correct_end(
    games: Games, game_id: str, end: CorrectedEnd, reason: str, write: Write, *, confirm: bool = False
) -> GameRow:
    """Correct how a game ended. The old end stays in the events.

    `confirm`: also if later games of its match have begun. Those that no longer follow count no more; while the game
    goes on again they stand still.

    :raises Invalid: the end is impossible, or the same as before; the reason is empty.
    :raises Conflict: the game goes on, the rules ended it, a ruling settled its end, or later games have begun and it
        is not confirmed.
    :raises Disputed: it waits for a ruling.
    """
    reason, write = check_reason("reason", reason), check_write(write)
    with changing_end(games, game_id, write, confirm) as game:
        game.check_undisputed()
        check_unsettled(game.state(), "end", 0)
        append_correction(game, end, reason)
    return game.row


def reopen(games: Games, game_id: str, reason: str, write: Write, *, confirm: bool = False) -> GameRow:
    """Have a game go on that was ended by hand. `confirm` as for `correct_end`.

    :raises Invalid: the reason is empty. :raises Conflict: as `correct_end`.
    """
    reason, write = check_reason("reason", reason), check_write(write)
    with changing_end(games, game_id, write, confirm) as game:
        game.check_undisputed()
        check_unsettled(game.state(), "end", 0)
        append_reopening(game, reason)
    return game.row


@contextmanager
def changing_end(games: Games, game_id: str, write: Write, confirm: bool) -> Iterator[GameEditor]:
    """Open a game whose end may change, together with its match, which afterwards agrees with its games.

    :raises Conflict: later games of the match have begun, and it is not confirmed.
    """
    with locking_match(games, game_id) as transaction:
        with games.edit(game_id, write) as game:
            before = game.row
            game.judges_match = False  # which waits for the confirmation
            yield game
        if end_of(before) != end_of(game.row):
            _check_match(transaction, game.row, before, write, confirm)


@contextmanager
def locking_match(games: Games, game_id: str) -> Iterator[Transaction]:
    """A transaction in which nobody else begins the next game of the game's match."""
    with games.together() as transaction:
        found = transaction.games.get(game_id)
        if found is not None and found.match_id is not None:
            transaction.games.get(found.match_id, lock=True)  # before the game: as whoever begins the next one
        yield transaction


def check_reason(where: str, text: str) -> str:
    """Normalize the reason for what an arbiter changes.

    :raises Invalid: it is empty, or cannot stand in a record.
    """
    reason = check_note(where, text)
    if not reason:
        raise Invalid("%(field)s is empty: say why the end is changed", field=where)
    return reason


def append_correction(game: GameEditor, end: CorrectedEnd, reason: str, dispute: int | UnsetType = UNSET) -> None:
    """Append another end, checked as an imported record is; because of the ruling on `dispute`.

    :raises Invalid: the end is impossible, or the same as now. :raises Conflict: there is no end to correct.
    """
    record = _ended_by_hand(game)
    data = game.end_by_hand(end.termination, end.winner, end.score)
    row = game.row
    if (data["termination"], data["result"], score_of(data)) == (row.termination, row.result, row.score):
        how = f"{row.termination}, {row.result}"
        raise Invalid("the game has ended so already (%(how)s): nothing is corrected", how=how)
    game.add_end(CorrectionData(**data, reason=reason, dispute=dispute))
    check_no_new_error(record, game.state().record)


def append_reopening(game: GameEditor, reason: str, dispute: int | UnsetType = UNSET) -> None:
    """Append that the game goes on; because of the ruling on `dispute`.

    :raises Conflict: it goes on already, or the rules ended it.
    """
    _ended_by_hand(game)
    game.reopen(reason, dispute)


def _ended_by_hand(game: GameEditor) -> Game:
    """The record of a game that players or an arbiter ended.

    :raises Conflict: it goes on, or the rules ended it.
    """
    state = game.state()
    if state.end is None:
        raise Conflict("the game goes on: it has no end to change", current=game.row)
    if state.end.source == BY_RULES:
        raise Conflict(
            "the rules ended the game on the board, %(result)s: take its last turn back, or correct it",
            result=game.row.result,
            current=game.row,
        )
    return state.record


def _check_match(transaction: Transaction, row: GameRow, before: GameRow, write: Write, confirm: bool) -> None:
    """:raises Conflict: the game itself no longer follows, or later games have begun and it is not confirmed."""
    if row.match_id is None:
        return
    later = judge_later(transaction, row)
    check_follows(later, before)
    same = (row.state, row.result, row.score) == (before.state, before.result, before.score)
    if later.all and not confirm and not (same and later.all == later.follow):
        raise Conflict(
            "game %(match_game)s of match %(match_id)s was begun from the old result: %(effect)s. "
            "Confirm to change the end all the same.",
            match_game=later.all[0].match_game,
            match_id=row.match_id,
            effect=_effect(later),
            current=before,
            later=later_json(later, write.limit),
        )


def later_json(later: LaterGames, limit: Limit | None) -> list[dict[str, Any]]:
    """What becomes of later games of a match, of those that the limit covers."""
    return [
        {
            "id": game.id,
            "number": game.match_game,
            "state": game.state,
            "result": game.result,
            "follows": None if game in later.still else game in later.follow,
        }
        for game in later.all
        if is_within(limit, game)
    ]


def _effect(later: LaterGames) -> ErrorText:
    if later.lost:
        lost = ", ".join(str(game.match_game) for game in later.lost)
        return ErrorText(
            "the result of game %(games)s would no longer count (%(fault)s)", games=lost, fault=later.fault
        )
    if later.still:
        return ErrorText("it would stand still until this one has ended again")
    return ErrorText("they still follow")


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
        raise Invalid(
            "reason is %(given)r: expected one of %(reasons)s", field="reason", given=reason[:80], reasons=expected
        )
    with locking_match(games, game_id), games.edit(game_id, write) as game:
        game.check_last_turn()
        game.check_undisputed()
        return game.take_back(count, side, reason, note)[-1]
