"""The errors of this package. All are ``ValueError``s under one root, and every one quotes what it objects to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .language import Message
    from .moves import Move
    from .position import Position


class RecordsError(ValueError):
    """The root of what `records` raises."""


class OptionError(RecordsError):
    """A rule set, an option or a combination of options that does not exist; says what is allowed."""


class PositionError(RecordsError):
    """A position that cannot be: `faults` tells every reason at once."""

    def __init__(self, text: str, faults: list[str]) -> None:
        self.text = text
        self.faults = tuple(faults)
        super().__init__(f"not a position: {text!r}: " + "; ".join(faults))


class MoveSyntaxError(RecordsError):
    """Text that is no move in the notation, whatever the position."""


class IllegalMove(RecordsError):
    """A well-formed move that the rules forbid here.

    `reason` is a stable name (``not-your-pit``, ``no-such-pit``, ``empty-pit``, ``special-pit``, ``closed-pit``,
    ``first-move``, ``must-feed``, ``endless-sowing``, ``no-such-choice``, ``must-move``, ``rearrangement``,
    ``false-claim``, ``game-over``, ``irregular``), `message` says it in English and `why` in any language, `position`
    is the unchanged position, `legal` the legal moves there.
    """

    def __init__(
        self, reason: str, message: str, move: Move, position: Position, legal: tuple[Move, ...], why: Message
    ) -> None:
        self.reason = reason
        self.move = move
        self.position = position
        self.legal = legal
        self.message = message
        self.why = why
        super().__init__(f"{move}: {message} (in {position})")
