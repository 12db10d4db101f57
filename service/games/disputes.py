"""Turns that are taken back, disputes about turns and ends, and an arbiter's rulings."""

from __future__ import annotations

import re
from typing import Any

from records import Move, Position
from records.notation.commands import OUTCOMES, REASONS
from service.errors import Conflict, Invalid, NotFound
from service.storage import DisputeRow, GameEvent, Limit, Store

from .corrections import CorrectedEnd, append_correction, append_reopening, changing_end, check_reason
from .repository import Games, irregular, played_by_rules
from .validation import check_note, check_write
from .write import Write

ABOUT = ("turn", "end")  # what a dispute may be about
OUTCOMES_ABOUT = {"turn": ("stands", "retracted", "corrected"), "end": ("stands", "corrected", "reopened")}
_ID = re.compile(r"([0-9a-z]{1,32})-([0-9]{1,9})", re.ASCII)


def take_back(
    games: Games, game_id: str, reason: str, write: Write, side: str | None = None, note: str = "", count: int = 1
) -> GameEvent:
    """Take the last `count` turns back in one transaction, and return the last of the events.

    `side` is who takes them back; None: the side that played the turn.

    :raises Conflict: the last turn is not `write.expected_ply`, or the next game of the match has begun.
    :raises GameEnded: the game was ended, and not by the rules.
    :raises Invalid: there are fewer turns, or the reason is not in `REASONS`.
    """
    note, write = check_note("note", note), check_write(write)
    if reason not in REASONS:
        raise Invalid(f"reason is {reason[:80]!r}: expected one of {', '.join(REASONS)}")
    with games.edit(game_id, write) as game:
        game.check_last_turn()
        return game.take_back(count, side, reason, note)[-1]


def open_dispute(
    games: Games, game_id: str, side: str, claim: str, write: Write, seen: str | None = None, about: str = "turn"
) -> DisputeRow:
    """Dispute the last turn, or with `about` ``end`` how the game ended. `seen` is the text of the position that lies
    on the board.

    :raises Conflict: the last turn is not `write.expected_ply`, or the game has an open dispute, or no end.
    :raises Invalid: there is no turn, or the claim is empty. :raises RecordsError: `seen` is no position of the game.
    """
    claim, write = check_note("claim", claim), check_write(write)
    if about not in ABOUT:
        raise Invalid(f"about is {about[:80]!r}: expected {' or '.join(ABOUT)}")
    if not claim:
        raise Invalid("claim is empty: say what the objection is")
    board = None if seen is None else Position.parse(seen)
    with games.edit(game_id, write) as game:
        row = game.row
        game.check_last_turn()
        if row.ply == 0 and about == "turn":
            raise Invalid("the game has no turn to dispute", current=row)
        if board is not None:
            game.check_seen(board)
        state = game.state()
        if state.end is None and about == "end":
            raise Conflict("the game goes on: it has no end to dispute", current=row)
        pending = next((dispute for dispute in state.disputes if dispute.state == "open"), None)
        if pending is not None:
            raise Conflict(f"dispute {pending.id} is still open: rule on it first", current=row)
        data: dict[str, Any] = {
            "ply": row.ply,
            "turn": state.end.seq if about == "end" and state.end is not None else state.turns[-1],
            "side": side,
            "claim": claim,
            "seen": None if board is None else str(board),
            "by": write.actor,
            **({"about": about} if about == "end" else {}),
        }
        game.append("dispute", data)
        return game.save_disputes()[-1]


def rule(
    games: Games,
    dispute_id: str,
    outcome: str,
    write: Write,
    note: str = "",
    move: Move | None = None,
    position: str | None = None,
    end: CorrectedEnd | None = None,
    *,
    confirm: bool = False,
) -> DisputeRow:
    """Rule on a dispute as its arbiter, `write.actor`.

    The turn or the end ``stands``. A turn is ``retracted`` with all turns after it; or it is ``corrected``: retracted,
    and `move` is played instead, with `position` as an irregular turn that leads there. An end is ``corrected`` to
    `end`, or the game is ``reopened``; then the note is the reason, and `confirm` is that of `corrections.correct_end`.

    :raises NotFound: no such dispute. :raises Conflict: it was ruled on, or its turn or end stands no longer.
    :raises GameEnded: the ruling changes turns of a game that was ended, and not by the rules.
    :raises Invalid: the outcome is not possible, or `move`, `position` and `end` do not fit it.
    :raises Illegal: the rules forbid the move.
    """
    note, write = check_note("note", note), check_write(write)
    if outcome not in OUTCOMES:
        raise Invalid(f"outcome is {outcome[:80]!r}: expected one of {', '.join(OUTCOMES)}")
    if position is not None and move is None:
        raise Invalid("position is given without a move: it goes with an irregular move, as ~d or ~?")
    game_id, seq = _parse_id(dispute_id)
    with changing_end(games, game_id, note, write, confirm) as game:
        state = game.state()
        dispute = next((dispute for dispute in state.disputes if dispute.seq == seq), None)
        if dispute is None:
            raise NotFound(f"there is no dispute {dispute_id!r}")
        if dispute.state != "open":
            raise Conflict(f"dispute {dispute_id} has a ruling already: {dispute.outcome}", current=game.row)
        about = dispute.about
        _check_ruling(about, outcome, move, end)
        stands = dispute.turn in (state.turns if about == "turn" else (state.end and state.end.seq,))
        if outcome != "stands" and not stands:
            raise Conflict(f"the {about} of dispute {dispute_id} was changed: it cannot be {outcome}", current=game.row)
        game.append("ruling", {"dispute": seq, "outcome": outcome, "by": write.actor, "note": note})
        if about == "turn" and outcome != "stands":
            game.take_back(game.row.ply - dispute.ply + 1, None, "objection", "")
        if move is not None and position is None:
            game.add_turn(played_by_rules(game, move), [])
        elif move is not None and position is not None:
            turn, after = irregular(game, move, position)
            game.add_turn(turn, [after])
        elif end is not None:
            append_correction(game, end, check_reason("note", note))
        elif outcome == "reopened":
            append_reopening(game, check_reason("note", note))
        return next(row for row in game.save_disputes() if row.seq == seq)


def _check_ruling(about: str, outcome: str, move: Move | None, end: CorrectedEnd | None) -> None:
    """:raises Invalid: no such outcome for what the dispute is about, or `move` or `end` does not fit it."""
    if outcome not in OUTCOMES_ABOUT[about]:
        expected = ", ".join(OUTCOMES_ABOUT[about])
        raise Invalid(f"outcome is {outcome!r}: the dispute is about the {about}: expected one of {expected}")
    if (move is not None) is not (about == "turn" and outcome == "corrected"):
        raise Invalid(f"outcome is {outcome!r}: give a move if a turn is 'corrected', and only then")
    if (end is not None) is not (about == "end" and outcome == "corrected"):
        raise Invalid(f"outcome is {outcome!r}: give a termination if an end is 'corrected', and only then")


def find_dispute(store: Store, dispute_id: str) -> DisputeRow:
    """The dispute with that id.

    :raises NotFound: there is none.
    """
    game_id, seq = _parse_id(dispute_id)
    with store.reading() as transaction:
        found = next((row for row in transaction.disputes.of_game(game_id) if row.seq == seq), None)
    if found is None:
        raise NotFound(f"there is no dispute {dispute_id!r}")
    return found


def disputes_of(games: Games, store: Store, game_id: str) -> tuple[DisputeRow, ...]:
    """The disputes of a game, in the order they were opened.

    :raises NotFound: there is no such game.
    """
    games.row(game_id)
    with store.reading() as transaction:
        return transaction.disputes.of_game(game_id)


def page(
    store: Store, limit: int, cursor: str | None, state: str | None, within: Limit | None = None
) -> tuple[list[DisputeRow], str | None]:
    """At most `limit` disputes of the games that `within` covers, newest first; and the cursor of the next page, if
    there is one.

    :raises Invalid: the cursor is not one of this list.
    """
    with store.reading() as transaction:
        return transaction.disputes.page(limit, cursor, state, within)


def _parse_id(dispute_id: str) -> tuple[str, int]:
    match = _ID.fullmatch(dispute_id)
    if match is None:
        raise NotFound(f"there is no dispute {dispute_id[:80]!r}")
    return match[1], int(match[2])
