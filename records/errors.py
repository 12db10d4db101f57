"""The errors of this package: all are ``ValueError``s under one root, and each quotes the input it rejects.

`IllegalMove` stands in `records.moves`, beside what it carries.
"""

from __future__ import annotations


class RecordsError(ValueError):
    """The root of what `records` raises."""


class OptionError(RecordsError):
    """An unknown rule set, option or language, or options that contradict each other; lists what is allowed."""


class PositionError(RecordsError):
    """A position that is not valid, or not of this game; `faults` holds every reason."""

    def __init__(self, text: str, faults: list[str]) -> None:
        self.text = text
        self.faults = tuple(faults)
        super().__init__(f"not a position: {text!r}: " + "; ".join(faults))

    def __reduce__(self) -> tuple[type[PositionError], tuple[object, ...]]:
        """Pickle what the error was made from: `Exception` would pickle its message."""
        return PositionError, (self.text, list(self.faults))


class MoveSyntaxError(RecordsError):
    """Text that is not a move in any position."""
