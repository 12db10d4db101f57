"""An arbiter corrects how a game ended, or has it go on. The match that it belongs to follows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from records import Game, RecordsError
from records.match import read_match
from service.errors import Conflict, ErrorText, Invalid
from service.storage import GameRow, Transaction

from .editor import NOTHING, GameEditor, later_games
from .endings import CorrectedEnd
from .plies import BY_RULES
from .repository import Games
from .state import game_state
from .validation import MAX_TEXT, check_no_new_error, check_note, check_write
from .write import Write


def correct_end(
    games: Games, game_id: str, end: CorrectedEnd, reason: str, write: Write, *, confirm: bool = False
) -> GameRow:
    """Correct how a game ended. The old end stays in the events.

    `confirm`: also if later games of its match have begun. Those that no longer follow lose their results.

    :raises Invalid: the end is impossible, or the same as before; the reason is empty.
    :raises Conflict: the game goes on, the rules ended it, or later games have begun and it is not confirmed.
    :raises Disputed: it waits for a ruling.
    """
    reason, write = check_reason("reason", reason), check_write(write)
    with changing_end(games, game_id, reason, write, confirm) as game:
        game.check_undisputed()
        append_correction(game, end, reason)
    return game.row


def reopen(games: Games, game_id: str, reason: str, write: Write, *, confirm: bool = False) -> GameRow:
    """Have a game go on that was ended by hand. `confirm` as for `correct_end`.

    :raises Invalid: the reason is empty. :raises Conflict: as `correct_end`.
    """
    reason, write = check_reason("reason", reason), check_write(write)
    with changing_end(games, game_id, reason, write, confirm) as game:
        game.check_undisputed()
        append_reopening(game, reason)
    return game.row


@contextmanager
def changing_end(games: Games, game_id: str, reason: str, write: Write, confirm: bool) -> Iterator[GameEditor]:
    """Open a game whose end may change, together with its match, which afterwards agrees with its games.

    :raises Conflict: later games of the match have begun, and it is not confirmed.
    """
    with locking_match(games, game_id) as transaction:
        with games.edit(game_id, write) as game:
            before = game.row
            yield game
        if (before.state, before.result, before.score) != (game.row.state, game.row.result, game.row.score):
            _update_match(transaction, games, before, reason, write, confirm)


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
        raise Invalid(ErrorText("%(field)s is empty: say why the end is changed", field=where))
    return reason


def append_correction(game: GameEditor, end: CorrectedEnd, reason: str, dispute: Mapping[str, int] = NOTHING) -> None:
    """Append another end, checked as an imported record is; because of the ruling on the dispute that `dispute` names.

    :raises Invalid: the end is impossible, or the same as now. :raises Conflict: there is no end to correct.
    """
    record = _ended_by_hand(game, "corrected")
    data = game.end_by_hand(end.termination, end.winner, end.score)
    row = game.row
    score = None if data["score"] is None else tuple(data["score"])
    if (data["termination"], data["result"], score) == (row.termination, row.result, row.score):
        how = f"{row.termination}, {row.result}"
        raise Invalid(ErrorText("the game has ended so already (%(how)s): nothing is corrected", how=how))
    game.add_end({**data, "reason": reason, **dispute}, "correction")
    check_no_new_error(record, game.state().record)


def append_reopening(game: GameEditor, reason: str, dispute: Mapping[str, int] = NOTHING) -> None:
    """Append that the game goes on; because of the ruling on the dispute that `dispute` names.

    :raises Conflict: it goes on already, or the rules ended it.
    """
    _ended_by_hand(game, "reopened")
    game.reopen(reason, dispute)


def _ended_by_hand(game: GameEditor, change: str) -> Game:
    """The record of a game that players or an arbiter ended.

    :raises Conflict: it goes on, or the rules ended it.
    """
    state = game.state()
    if state.end is None:
        raise Conflict(f"the game goes on: there is no end to be {change}", current=game.row)
    if state.end.source == BY_RULES:
        message = ErrorText(
            "the rules ended the game on the board, %(result)s: take its last turn back, or correct it",
            result=game.row.result,
        )
        raise Conflict(message, current=game.row)
    return state.record


def _update_match(
    transaction: Transaction, games: Games, row: GameRow, reason: str, write: Write, confirm: bool
) -> None:
    """Have the match follow a changed end: the later games from the first that no longer follows lose their results.

    :raises Conflict: the game itself no longer follows, or later games have begun and it is not confirmed.
    """
    if row.match_id is None:
        return
    later = later_games(transaction, row)
    rows = [game for game in transaction.games.of_match(row.match_id) if game.state == "live" or game.result != "*"]
    fitting, fault = _count_fitting(transaction, rows)
    ids = [game.id for game in rows]
    if row.id in ids[fitting:]:
        raise Conflict(f"match {row.match_id} forbids this: {fault}", current=row)
    follows = ids[:fitting]
    if later and not confirm:
        lost = [str(game.match_game) for game in later if game.id not in follows]
        effect = (
            f"the result of game {', '.join(lost)} would no longer count ({fault})" if lost else "they still follow"
        )
        raise Conflict(
            f"game {later[0].match_game} of match {row.match_id} ({later[0].id}) was begun from the old result: "
            f"{effect}. Confirm to change the end all the same.",
            current=row,
            later=[
                {
                    "id": game.id,
                    "number": game.match_game,
                    "state": game.state,
                    "result": game.result,
                    "follows": game.id in follows,
                }
                for game in later
            ],
        )
    because = f"the end of game {row.match_game} was changed: {reason}"[:MAX_TEXT]
    for game in later:
        if game.id not in follows:
            with games.edit(game.id, replace(write, expected_seq=None, expected_ply=None)) as other:
                other.add_end({**other.end_by_hand("abandoned", None), "reason": because}, "correction")


def _count_fitting(transaction: Transaction, rows: Sequence[GameRow]) -> tuple[int, str]:
    """How many of these games, from the first, make up a match; and what is wrong with the next one."""
    if not rows:
        return 0, ""
    read = 0

    def records() -> Iterator[Game]:
        nonlocal read
        for row in rows:
            read += 1
            yield game_state(transaction.games.events(row.id)).record

    try:
        read_match(records())
    except RecordsError as error:
        return read - 1, str(error)
    return len(rows), ""
