"""The errors of this package: all are ``ValueError``s under one root, and each quotes the input it rejects.

`IllegalMove` stands in `inkeek.records.moves`, beside what it carries. `ERROR_CODES` lists what is wrong with a record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Self, TypeAlias

# Numbers are checked where they come in: none is NaN or infinite, and none needs more than 64 bits.

MAX_WHOLE = 2**63 - 1  # of a signed number of 64 bits, as kernel and databases have
MAX_SECONDS = 1e9  # more than systems take as a time to wait


def is_number(value: object, least: float, most: float) -> bool:
    """Whether it is a number in these bounds. NaN compares with nothing, so it is none; nor is a bool."""
    return isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most


def is_whole(value: object, least: int, most: int = MAX_WHOLE) -> bool:
    """Whether it is a whole number in these bounds."""
    return isinstance(value, int) and is_number(value, least, most)


ErrorKind: TypeAlias = Literal["syntax", "tag", "turn", "result", "people"]
Severity: TypeAlias = Literal["error", "warning"]


class ErrorText(str):
    """A message that pages can show in their language: the English `template` with `values` at its ``%(names)s``.

    A value that is an error or such a text too is shown in that language as well. A template without values stands for
    itself.
    """

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        made = super().__new__(cls, template % values if values else template)
        made.template, made.values = template, values
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, object]]:
        """Pickle what the text was made from: `str` would pickle the text."""
        return (self.template,), dict(self.values)


def joined_texts(texts: Sequence[object], separator: str = " ") -> ErrorText:
    """Several texts, or values of texts, as one, each still in the language of the page."""
    template = separator.replace("%", "%%").join(f"%(text{at})s" for at in range(len(texts)))
    return ErrorText(template, **{f"text{at}": text for at, text in enumerate(texts)})


def either(one: str, other: str) -> ErrorText:
    """Two texts that are alternatives, as one."""
    return ErrorText("%(one)s or %(other)s", one=one, other=other)


def position_text(error: PositionError) -> ErrorText:
    """What is wrong with a position, as a text that keeps what it was made from."""
    faults = joined_texts(error.faults, "; ")
    return ErrorText("not a position: %(text)s: %(faults)s", text=repr(error.text), faults=faults)


def message_of(error: Exception) -> str:
    """What an error says, as the text that it was raised with: `str` forgets what an `ErrorText` was made from."""
    return error.args[0] if error.args and isinstance(error.args[0], str) else str(error)


class CopyableError(Exception):
    """Base of errors whose `__init__` takes other arguments than their message: they are pickled and copied without it.

    `Exception` alone would call `__init__` with the message, and a process pool waits for ever for an error that cannot
    be unpickled.
    """

    def __reduce__(self) -> tuple[object, ...]:
        return _new_error, (type(self), self.args), vars(self)


def _new_error(kind: type[BaseException], args: tuple[object, ...]) -> BaseException:
    return kind.__new__(kind, *args)


def expect(value: object, kind: type, such_as: str) -> None:
    """Check an argument of a public function, which people give the text of one, or None.

    :raises TypeError: it is not of this kind; says what is, `such_as`.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.80} is no {kind.__name__}: expected one, such as {such_as}")


class RecordsError(CopyableError, ValueError):
    """The root of what `records` raises.

    `field` says what is wrong in what was given, as a path: ``game``, ``options.pits``, ``add[0].ply``. It is empty
    where the caller alone knows which of its texts was read.
    """

    field = ""


class OptionError(RecordsError):
    """An unknown rule set, option or language, or options that contradict each other; lists what is allowed."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class PositionError(RecordsError):
    """A position that is not valid, or not of this game; `faults` holds every reason, as `ErrorText`s if possible."""

    def __init__(self, text: str, faults: Sequence[str]) -> None:
        self.text = text
        self.faults = tuple(faults)
        super().__init__(f"not a position: {text!r}: " + "; ".join(faults))


class EvidenceError(RecordsError):
    """Evidence of a turn that contradicts the rules or itself. `faults` holds every reason, each with the field of
    `inkeek.records.findings.Evidence` that it is about."""

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        self.faults = tuple(faults)
        super().__init__("; ".join(fault for _, fault in faults))


class SourceError(RecordsError):
    """A text where a path, an open file or lines are needed."""


class MoveSyntaxError(RecordsError):
    """Text that is not a move in any position."""


class ErrorCode(NamedTuple):
    """What a code means. A `warning` is an error only for a strict reader."""

    kind: ErrorKind
    says: str
    severity: Severity = "error"


ERROR_CODES = {
    "not-utf-8": ErrorCode("syntax", "a line is not UTF-8"),
    "too-long": ErrorCode("syntax", "a line or the record is too long, or it has too many plies"),
    "bad-tag": ErrorCode("syntax", "a line among the tags cannot be read, or gives a tag again"),
    "not-a-move": ErrorCode("syntax", "a word stands where a move should stand"),
    "bad-movetext": ErrorCode("syntax", "anything else in the movetext cannot be read"),
    "bad-command": ErrorCode("syntax", "a command in a comment is wrong"),
    "not-stored": ErrorCode(
        "syntax", "a service refuses it: it has too many or too long tags, comments or names, or is over at its start"
    ),
    "bad-json": ErrorCode("syntax", "a line of JSON is not a record"),
    "wrong-tag": ErrorCode("tag", "a tag contradicts the rules or another tag, or a required one is missing"),
    # The reasons of `IllegalMove`.
    "not-your-pit": ErrorCode("turn", "the pit is the other side's"),
    "no-such-pit": ErrorCode("turn", "the row is shorter"),
    "empty-pit": ErrorCode("turn", "the pit is empty"),
    "special-pit": ErrorCode("turn", "the pit is a bull or uur"),
    "closed-pit": ErrorCode("turn", "the pit is closed"),
    "first-move": ErrorCode("turn", "the first turn must start from the far right-hand pit"),
    "must-feed": ErrorCode("turn", "the opponent has no seeds, and the turn gives none (Oware)"),
    "game-over": ErrorCode("turn", "the game has ended, though there are seeds to sow"),
    "endless-sowing": ErrorCode("turn", "the turn never ends"),
    "no-such-choice": ErrorCode("turn", "more choices of direction than the turn offers"),
    "must-move": ErrorCode("turn", "a pass despite a legal turn, or in a game without passes"),
    "rearrangement": ErrorCode("turn", "the rules do not allow this rearrangement"),
    "false-claim": ErrorCode("turn", "the turn does not do what is written"),
    "unchecked": ErrorCode("turn", "a turn that cannot be checked, since nobody knows the position", "warning"),
    "unknown-rules": ErrorCode("turn", "no irregular turn, though the rules of the game are not known"),
    "irregular": ErrorCode("turn", "an irregular turn outside a record, or without a right position after it"),
    "too-much-sowing": ErrorCode("turn", "to check the record takes too many laps of sowing"),
    "wrong-result": ErrorCode("result", "`Result`, `Score` or `Termination` contradict the game or each other"),
    "goes-on": ErrorCode("result", "the game goes on after an `end`"),
    "missing-result": ErrorCode("result", "`Result` is missing or `*`, but follows from the game", "warning"),
    "unknown-game": ErrorCode("tag", "the rules of the game are not known, so no turn is checked", "warning"),
    "missing-race": ErrorCode("tag", "the options ask for a race, but there is no `Race`", "warning"),
    "other-version": ErrorCode("tag", "`Version` is not one that the reader knows", "warning"),
    "unusual-date": ErrorCode("tag", "`Date` is not a day", "warning"),
    "unusual-consent": ErrorCode(
        "tag", "programs do not understand the words of `Consent`: they hide names, or the game", "warning"
    ),
    "hidden-character": ErrorCode("syntax", "a tag or comment has a character that cannot be seen", "warning"),
    "people": ErrorCode("people", "commands about people contradict each other", "warning"),
}


# What checking one record may cost, so that no record takes long, whatever is in it.

# Games need five laps a ply; the longest turn that is known to end takes about a thousand (docs/endless.md).
LAPS_A_RECORD = 5_000  # laps of sowing to check a record
LAPS_A_PLY = 100  # more laps for each ply
# The cost in laps of describing an error, and of listing a legal turn.
AN_ERROR = 2_000
A_LISTED_TURN = 150


class BudgetSpent(RecordsError):
    """Checking a record took too many laps of sowing."""

    def __init__(self) -> None:
        super().__init__(
            ErrorText(
                "its moves take more than %(laps)s laps of sowing, and %(more)s for each ply: the record is checked no "
                "further. Correct the errors above, or leave out variations",
                laps=LAPS_A_RECORD,
                more=LAPS_A_PLY,
            )
        )


class Budget:
    """The laps of sowing that are left for a record. `plies`: how many it has, with those of its variations."""

    def __init__(self, plies: int) -> None:
        self._left = LAPS_A_RECORD + LAPS_A_PLY * plies
        self._kernel: Any = None
        self._seen = 0

    def limit(self, kernel: Any) -> None:
        """Let the kernel sow what is left, until its next position; what it sows until then is spent."""
        kernel.limit(max(self.left, 0))
        self._kernel, self._seen = kernel, kernel.laps_sown()

    def spend(self, laps: int) -> None:
        self._left -= laps

    @property
    def left(self) -> int:
        if self._kernel is not None:
            sown = self._kernel.laps_sown()
            self._left -= sown - self._seen
            self._seen = sown
        return self._left

    def verify(self) -> None:
        """:raises BudgetSpent: nothing is left."""
        if self.left <= 0:
            raise BudgetSpent
