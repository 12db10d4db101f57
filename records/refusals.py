"""Why a move is refused, as messages in no language yet."""

from __future__ import annotations

from .language import Message
from .moves import Move


def refused(name: str, **fields: object) -> Message:
    """The message ``refusals.<name>``; the part of `name` before a dot is the reason of the error."""
    return Message(f"refusals.{name}", fields)


def is_endless(message: Message | None) -> bool:
    return message is not None and message.key.startswith("refusals.endless-sowing.")


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
