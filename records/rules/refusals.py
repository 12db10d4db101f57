"""Why a move is refused, as messages in no language yet."""

from __future__ import annotations

from collections.abc import Mapping

from inkeek.records.language import Message, Term
from inkeek.records.moves import Move
from inkeek.records.position import CLOSED, ORDINARY, OWNED, SOUTH, Position, Side, pit_letter


def refused(name: str, **fields: object) -> Message:
    """The message ``refusals.<name>``; the part of `name` before a dot is the reason of the error."""
    return Message(f"refusals.{name}", fields)


def is_endless(message: Message | None) -> bool:
    return message is not None and message.key.startswith("refusals.endless-sowing.")


def wrong_pit(position: Position, move: Move, terms: Mapping[str, str]) -> Message | None:
    """Why no sowing can start from the move's pit; None if the pit is the mover's, ordinary and not empty.

    `terms` are the words of the rule set.
    """
    row, mover = position.row, position.to_move
    if move.index >= row:
        last = pit_letter(row - 1 if move.side is SOUTH else 2 * row - 1, row)
        return refused("no-such-pit", pit=move.pit, last=last)
    if move.side is not mover:
        return refused("not-your-pit", pit=move.pit, owner=mover.other, mover=mover)
    pit = move.pit_index(row)
    count, mark = position.pits[pit], position.marks[pit]
    if mark == CLOSED:
        return refused("closed-pit", pit=move.pit)
    if mark != ORDINARY:
        owner, special = Side(OWNED.index(mark)), Term(terms["special"])
        return refused("special-pit", pit=move.pit, special=special, owner=owner, count=count)
    return refused("empty-pit", pit=move.pit) if count == 0 else None


def false_claim(move: Move, done: Move) -> Message | None:
    """What a move claims that its turn, in canonical form `done`, does not do."""
    if move.captured is not None and move.captured != (done.captured or (0, 0)):
        claimed, captured = (
            ",".join(map(str, pair if pair[1] else pair[:1])) for pair in (move.captured, done.captured or (0, 0))
        )
        return refused("false-claim.captured", done=done, claimed=claimed, captured=captured)
    if move.special is not None and sorted(move.special) != sorted(done.special or ""):
        special = list(done.special) if done.special else Message("words.none", {})
        return refused("false-claim.special", done=done, claimed=list(move.special), special=special)
    return None
