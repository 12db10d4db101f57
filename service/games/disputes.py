"""Turns that are taken back, disputes about them, and an arbiter's rulings."""

from __future__ import annotations

import re
from typing import Any

from records import Move, Position
from records.notation.commands import OUTCOMES, REASONS
from service.errors import Conflict, Invalid, NotFound
from service.http.serializers import dispute_id
from service.storage import DisputeRow, GameEvent, Store

from .repository import Games, irregular, played_by_rules
from .validation import check_name, check_note, current

_ID = re.compile(r"([0-9a-z]{1,32})-([0-9]{1,9})", re.ASCII)


def take_back(
    games: Games,
    game_id: str,
    reason: str,
    side: str | None = None,
    note: str = "",
    *,
    ply: int | None = None,
    expected_seq: int | None = None,
    actor: str = "",
    source: str,
) -> GameEvent:
    """Take the last turn back; `ply` makes sure which that is, `side` is who takes it back (None: who played it).

    :raises Conflict: the last turn is not `ply`. :raises GameEnded: the game was ended, and not by the rules.
    :raises Invalid: there is no turn, or the reason is none of `REASONS`.
    """
    note, actor = check_note("note", note), actor and check_name("by", actor)
    if reason not in REASONS:
        raise Invalid(f"reason is {reason[:80]!r}: expected one of {', '.join(REASONS)}")
    with games.opened(game_id, expected_seq) as game:
        if ply is not None and ply != game.row.ply:
            raise Conflict(f"ply is {ply}: the last turn is {game.row.ply}", **current(game.row))
        return game.take_back(side, reason, note, actor, source)


def open_dispute(
    games: Games,
    game_id: str,
    side: str,
    claim: str,
    seen: str | None = None,
    *,
    ply: int | None = None,
    expected_seq: int | None = None,
    actor: str = "",
    source: str,
) -> DisputeRow:
    """Object to the last turn; `ply` makes sure which that is. `seen`: the position that lies on the board.

    :raises Conflict: the last turn is not `ply`, or the game has an open dispute.
    :raises Invalid: there is no turn, or a claim that cannot be. :raises RecordsError: `seen` is none of the game.
    """
    claim, actor = check_note("claim", claim), actor and check_name("by", actor)
    if not claim:
        raise Invalid("claim is empty: expected what is objected to")
    lies = None if seen is None else Position.parse(seen)
    with games.opened(game_id, expected_seq) as game:
        row = game.row
        if ply is not None and ply != row.ply:
            raise Conflict(f"ply is {ply}: the last turn is {row.ply}", **current(row))
        if row.ply == 0:
            raise Invalid("there is no turn that could be objected to", **current(row))
        if lies is not None:
            game.rules.verify_position(lies)
        folded = game.folded()
        waiting = next((dispute for dispute in folded.disputes if dispute.state == "open"), None)
        if waiting is not None:
            raise Conflict(f"dispute {dispute_id(waiting)} is open: it is ruled on first", **current(row))
        data: dict[str, Any] = {
            "ply": row.ply,
            "turn": folded.turns[-1],
            "side": side,
            "claim": claim,
            "seen": None if lies is None else str(lies),
            "by": actor,
        }
        game.append("dispute", data, actor, source)
        return game.save_disputes()[-1]


def rule(
    games: Games,
    named: str,
    outcome: str,
    note: str = "",
    move: Move | None = None,
    position: str | None = None,
    *,
    expected_seq: int | None = None,
    arbiter: str = "",
    source: str,
) -> DisputeRow:
    """Rule on the dispute with that id: the turn ``stands``, is ``retracted``, with all that were played after it, or
    ``corrected``: in its place stands `move`, by the rules; or, with `position`, an irregular turn that leads there.

    :raises NotFound: no such dispute. :raises Conflict: it was ruled on, or its turn does not stand any more.
    :raises GameEnded: the game was ended, and not by the rules, and the ruling changes turns.
    :raises Invalid: the outcome is none of `OUTCOMES`, or `move` and `position` do not fit it.
    :raises Illegal: the rules forbid the move.
    """
    note, arbiter = check_note("note", note), arbiter and check_name("by", arbiter)
    if outcome not in OUTCOMES:
        raise Invalid(f"outcome is {outcome[:80]!r}: expected one of {', '.join(OUTCOMES)}")
    if (outcome == "corrected") is (move is None):
        raise Invalid(f"outcome is {outcome!r}: a move is given with 'corrected', and only then")
    if position is not None and move is None:
        raise Invalid("position is given: it goes with an irregular move, ~ and the pit it was played from, or ~?")
    game_id, seq = _place(named)
    with games.opened(game_id, expected_seq) as game:
        folded = game.folded()
        dispute = next((dispute for dispute in folded.disputes if dispute.seq == seq), None)
        if dispute is None:
            raise NotFound(f"there is no dispute {named!r}")
        if dispute.state != "open":
            raise Conflict(f"dispute {named} was ruled on: {dispute.outcome}", **current(game.row))
        if outcome != "stands" and dispute.turn not in folded.turns:
            raise Conflict(
                f"the turn that dispute {named} is about was taken back: it cannot be {outcome}", **current(game.row)
            )
        data = {"dispute": seq, "outcome": outcome, "by": arbiter, "note": note}
        game.append("ruling", data, arbiter, source)
        if outcome != "stands":
            while game.row.ply >= dispute.ply:
                game.take_back(None, "objection", "", arbiter, source)
        if move is not None and position is None:
            game.add_turn(played_by_rules(game, move), [], arbiter, source)
        elif move is not None and position is not None:
            turn, after = irregular(game, move, position)
            game.add_turn(turn, [after], arbiter, source)
        return next(row for row in game.save_disputes() if row.seq == seq)


def find_dispute(store: Store, named: str) -> DisputeRow:
    """The dispute with that id.

    :raises NotFound: there is none.
    """
    game_id, seq = _place(named)
    with store.reading() as transaction:
        found = next((row for row in transaction.disputes.of_game(game_id) if row.seq == seq), None)
    if found is None:
        raise NotFound(f"there is no dispute {named!r}")
    return found


def disputes_of(games: Games, store: Store, game_id: str) -> tuple[DisputeRow, ...]:
    """The disputes of a game, in the order they were opened.

    :raises NotFound: there is no such game.
    """
    games.row(game_id)
    with store.reading() as transaction:
        return transaction.disputes.of_game(game_id)


def page(store: Store, limit: int, cursor: str | None, state: str | None) -> tuple[list[DisputeRow], str | None]:
    """At most `limit` disputes of all games, newest first; and the cursor of the next page, if there is one.

    :raises Invalid: the cursor is none of such a list.
    """
    with store.reading() as transaction:
        return transaction.disputes.page(limit, cursor, state)


def _place(named: str) -> tuple[str, int]:
    match = _ID.fullmatch(named)
    if match is None:
        raise NotFound(f"there is no dispute {named[:80]!r}")
    return match[1], int(match[2])
