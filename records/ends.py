"""How a game ended as its comments tell it: the end that an arbiter changed, the correction, the reopening."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter

from .errors import ErrorText, RecordsError
from .notation.commands import Correction, End, Reopening, commands_in
from .notation.comments import replace_commands
from .notation.tags import TagError
from .record import Record

_MARKS = ("[%end", "[%correction", "[%reopen")
_COMMENTS = attrgetter("comments")


class EndError(RecordsError):
    """A game goes on with the turn `ply` though its comments say that it had ended."""

    def __init__(self, ply: int, message: str) -> None:
        self.ply = ply
        super().__init__(message)


def verify_ends(record: Record) -> None:
    """Check the commands ``end``, ``correction`` and ``reopen`` of the main line.

    :raises EndError: the game had ended, and goes on without having been reopened.
    :raises TagError: a tag differs from the last end.
    """
    if not tells_ends(record):
        return
    ended: End | Correction | None = None
    for number, comments in enumerate((record.comments, *map(_COMMENTS, record.plies))):
        if ended is not None and number:
            text = ErrorText("the game had ended: %(end)s: expected [%%reopen] before it goes on", end=str(ended))
            raise EndError(number, text)
        for command in commands_in(comments, End, Correction, Reopening):
            ended = command if isinstance(command, End | Correction) else None
    if ended is None:
        return
    for name, value in (("Result", ended.result), ("Termination", ended.termination), ("Score", ended.score)):
        if value and record.tags.get(name) != value:
            found = ErrorText("there is no %(tag)s tag", tag=name)
            if name in record.tags:
                found = ErrorText("%(tag)s is %(value)s", tag=name, value=record.tags[name])
            text = ErrorText(
                "%(found)s, but the last end is %(end)s: expected %(tag)s %(value)s",
                found=found,
                end=str(ended),
                tag=name,
                value=value,
            )
            raise TagError(name, text)


def tells_ends(record: Record) -> bool:
    """Whether comments of the main line may hold such a command."""
    return _has_mark(record.comments) or any(_has_mark(ply.comments) for ply in record.plies if ply.comments)


def ends_as_words(comment: str) -> str:
    """The comment with these commands as words: ``[end 1-0]``."""

    def mend(part: str) -> str:
        return part.replace("[%", "[", 1) if part.startswith(_MARKS) else part

    return replace_commands(comment, mend, str)


def _has_mark(comments: Iterable[str]) -> bool:
    return any(mark in comment for comment in comments if "[%" in comment for mark in _MARKS)
