"""Commands in comments as values: ``[%clk 0:05:10]`` is ``Clock(310)``. `parse_command` and `str` undo each other.

The table `FORMS` at the end says what each command looks like; `docs/notation.md` describes the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from records.errors import RecordsError
from records.moves import Move
from records.position import Side

from .arguments import (
    COUNT,
    INSTANT,
    MOVE,
    OPTIONAL_TEXT,
    POSITION,
    SEEDS_PATTERN,
    SIDE,
    TEXT,
    TIME,
    Argument,
    ArgumentType,
    certain_arguments,
    check_seeds,
    check_word,
    format_number,
    one_of,
    read_count,
    read_seeds,
    split_arguments,
)
from .comments import RawCommand, find_commands, replace_commands, split_comment, unclosed_commands
from .tags import RESULTS, TERMINATIONS, parse_score

REASONS = ("trial", "team", "objection", "illegal", "standing", "agreement")  # why a move was taken back
OUTCOMES = ("stands", "retracted", "corrected", "reopened")  # of a ruling
WON = ("1-0", "0-1", "1/2-1/2")  # results that an evaluation can be certain of
MAX_QUOTED = 200  # characters of a command, and of what is wrong with it, in an error


class CommandError(RecordsError):
    """A command with a known name and a wrong argument; quotes it and says what it looks like."""


@dataclass(frozen=True, slots=True)
class Command:
    """What all commands share: they are checked, and written as in `FORMS`."""

    def __post_init__(self) -> None:
        """:raises RecordsError: a value that cannot be written."""
        for argument in FORMS[_NAMES[type(self)]].arguments:
            argument.type.check(getattr(self, argument.name) if argument.name else self)

    def __str__(self) -> str:
        """The command as it is written."""
        name = _NAMES[type(self)]
        words = []
        for argument in FORMS[name].arguments:
            value = getattr(self, argument.name) if argument.name else self
            if value != "" or not argument.type.optional:
                words.append(f"{argument.name}=" * argument.keyed + argument.type.write(value))
        return str(RawCommand(name, " ".join(words)))


@dataclass(frozen=True, slots=True)
class Clock(Command):
    """What the mover's clock showed after the turn, in seconds; a `Decimal` if fractions were written."""

    seconds: int | Decimal


@dataclass(frozen=True, slots=True)
class Elapsed(Command):
    """The time that the turn took, in seconds; a `Decimal` if fractions were written."""

    seconds: int | Decimal


@dataclass(frozen=True, slots=True)
class Moment(Command):
    """When the turn was played: a time with its offset from UTC, in whole minutes."""

    at: datetime


@dataclass(frozen=True, slots=True)
class Evaluation(Command):
    """The value of the position after the turn: South's seeds minus North's at the end, or the `result` if it is
    certain. `depth` is how many turns were searched, None if unknown."""

    seeds: int | Decimal | None = None
    result: str | None = None
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class By(Command):
    """Who made the move."""

    name: str


@dataclass(frozen=True, slots=True)
class Join(Command):
    """Somebody joined a side's team."""

    side: Side
    name: str


@dataclass(frozen=True, slots=True)
class Leave(Command):
    """Somebody left a side's team."""

    side: Side
    name: str


@dataclass(frozen=True, slots=True)
class Trial(Command):
    """A move that was tried and taken back. `by` is empty if it is not known who tried it."""

    move: Move
    by: str = ""


@dataclass(frozen=True, slots=True)
class Retraction(Command):
    """A move that was taken back, by which side and why (`REASONS`)."""

    move: Move
    side: Side
    reason: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Dispute(Command):
    """What a side claims against a move; or, with `about` ``end``, against how the game ended."""

    side: Side
    claim: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Ruling(Command):
    """The decision on a dispute (`OUTCOMES`). `by` is empty if it is not known who decided."""

    outcome: str
    by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class End(Command):
    """How the game had ended before an arbiter changed that: the result, the termination, the score if it was given
    (``26-22``), and who ended it."""

    result: str
    termination: str
    score: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Correction(Command):
    """How an arbiter says that the game ended, and why it was not as it stood."""

    result: str
    termination: str
    score: str = ""
    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reopening(Command):
    """An arbiter had a game go on that had ended."""

    by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BoardEvent(Command):
    """The board's event that the turn was detected from: the board's serial number and the event's number."""

    serial: str
    seq: int


@dataclass(frozen=True, slots=True)
class After(Command):
    """The text of the position that an irregular turn leads to."""

    position: str


def parse_command(command: RawCommand | str) -> Command | RawCommand:
    """The value of a command; the command itself if its name is not known.

    :raises CommandError: the name is known and an argument is wrong; or the text is not a command.
    """
    if isinstance(command, str):
        comment = split_comment(command)
        if len(comment.commands) != 1 or comment.text:
            raise CommandError(f"{command[:80]!r} is not a command: expected [%name …]")
        (command,) = comment.commands
    form = FORMS.get(command.name)
    return command if form is None else _parse(form, command)


def commands_in(comments: Iterable[str], *kinds: type[Command]) -> Iterator[Command]:
    """The commands in comments that are known and right, in order; only those of these kinds, if any are given."""
    names = {_NAMES[kind] for kind in kinds} or FORMS.keys()
    for comment in comments:
        for name, arguments in find_commands(comment) if "[%" in comment else ():
            if name in names:
                try:
                    yield _parse(FORMS[name], RawCommand(name, arguments.strip()))
                except CommandError:
                    continue


def are_certain(comments: Iterable[str]) -> bool:
    """Whether the commands in comments are right for certain. False: `wrong_commands` decides."""
    return _CERTAIN_COMMENTS.fullmatch("\0".join(comments)) is not None


def wrong_commands(comment: str) -> Iterator[tuple[str, str, str]]:
    """The commands in a comment that are known and wrong: the name, the text (of an unclosed one, its beginning), and
    what is wrong."""
    found = find_commands(comment)
    for name, arguments in found:
        if name in FORMS:
            raw = RawCommand(name, arguments.strip())
            try:
                _parse(FORMS[name], raw)
            except CommandError as error:
                yield name, str(raw), str(error)
    if comment.count("[%") > len(found):
        for name, rest in unclosed_commands(split_comment(comment).text):
            if name in FORMS:
                quoted = f"[%{name}{rest}"
                yield (
                    name,
                    f"[%{name}",
                    f"{quoted!r} is not closed: a quote or ']' is missing: expected {FORMS[name].usage}",
                )


def as_words(comment: str) -> str:
    """The comment with its wrong commands as words: ``[clk soon]``. The right ones stay."""

    def mended(part: str) -> str:
        return part.replace("[%", "[") if any(wrong_commands(part)) else part

    return mended(replace_commands(comment, mended, mended)) if any(wrong_commands(comment)) else comment


def after_position(comments: Iterable[str]) -> str | None:
    """The text of ``[%after "<position>"]``, which may not be a position; None if there is none."""
    for comment in comments:
        for raw in split_comment(comment).commands:
            if raw.name == "after" and (arguments := split_arguments(raw.arguments)) and arguments[0]:
                return arguments[0][0]
    return None


@dataclass(frozen=True, slots=True)
class CommandForm:
    """How a command is written: the class of its value, what it looks like, and its arguments in order. `certain` is a
    pattern of arguments that are right for certain, empty if there is none."""

    kind: type[Command]
    usage: str
    arguments: tuple[Argument, ...]
    certain: str


def _parse(form: CommandForm, raw: RawCommand) -> Command:
    values: dict[str, Any] = {}
    try:
        for argument, text in zip(form.arguments, _argument_texts(form, raw), strict=True):
            if text is not None:
                value = argument.type.read(text)
                values |= {argument.name: value} if argument.name else value
            elif not argument.type.optional:
                raise RecordsError(f"the {argument.name or 'value'} is missing")
        return form.kind(**values)
    except RecordsError as error:
        raise CommandError(f"{str(raw)[:MAX_QUOTED]}: {str(error)[:MAX_QUOTED]}: expected {form.usage}") from error


def _argument_texts(form: CommandForm, raw: RawCommand) -> list[str | None]:
    """The text of each argument of the form.

    :raises RecordsError: there are others, or one comes twice.
    """
    split = split_arguments(raw.arguments)
    if split is None:
        raise RecordsError("its arguments cannot be separated: a quote or a space is missing")
    plain, keyed = split
    texts = [None if argument.keyed or not plain else plain.pop(0) for argument in form.arguments]
    if plain:
        raise RecordsError(f"{plain[0][:80]!r} is one argument too many")
    places = {argument.name: place for place, argument in enumerate(form.arguments) if argument.keyed}
    for key, value in keyed:
        if key not in places:
            raise RecordsError(f"it has no {key[:80]}")
        if texts[places[key]] is not None:
            raise RecordsError(f"{key} is given twice")
        texts[places[key]] = value
    return texts


def _read_evaluation(text: str) -> dict[str, Any]:
    value, comma, depth = text.partition(",")
    fields: dict[str, Any] = {"result": value[1:]} if value.startswith("#") else {"seeds": read_seeds(value)}
    return {**fields, "depth": read_count(depth)} if comma else fields


def _write_evaluation(evaluation: Evaluation) -> str:
    value = f"#{evaluation.result}" if evaluation.seeds is None else format_number(evaluation.seeds)
    return value if evaluation.depth is None else f"{value},{evaluation.depth}"


def _check_evaluation(evaluation: Evaluation) -> None:
    seeds, result, depth = evaluation.seeds, evaluation.result, evaluation.depth
    if (seeds is None) is (result is None):
        raise RecordsError(f"an evaluation has either seeds or a result, not {seeds!r} and {result!r}")
    if seeds is not None:
        check_seeds(seeds)
    if result is not None:
        check_word(result, WON)
    if depth is not None and not 0 <= depth <= 9999:
        raise RecordsError(f"{depth!r} is not a depth: expected 0 to 9999")


def _check_score(text: str) -> None:
    if text:
        parse_score(text)


def _form(kind: type[Command], usage: str, *keyed: str, **types: ArgumentType) -> CommandForm:
    """The form of a command with arguments of these names and types, some of them `keyed`. One without a name (``_``)
    is read and written as the whole command."""
    arguments = tuple(Argument(name.strip("_"), type, name in keyed) for name, type in types.items())
    return CommandForm(kind, usage, arguments, certain_arguments(arguments))


_EVALUATION = ArgumentType(
    _read_evaluation, _write_evaluation, _check_evaluation, rf"{SEEDS_PATTERN}(?:,[0-9]{{1,4}})?"
)
_SCORE = ArgumentType(str, str, _check_score, r"[0-9]{1,4}-[0-9]{1,4}", optional=True)
_REASONS, _OUTCOMES, _WON = "|".join(REASONS), "|".join(OUTCOMES), "|".join(WON)
_END = {"result": one_of(RESULTS), "termination": one_of(TERMINATIONS), "score": _SCORE}
_KEYED = ("termination", "score")
_ENDED = f"{'|'.join(RESULTS)} termination={'|'.join(TERMINATIONS)} score=26-22"

FORMS: dict[str, CommandForm] = {
    "clk": _form(Clock, "[%clk h:mm:ss]", seconds=TIME),
    "emt": _form(Elapsed, "[%emt h:mm:ss]", seconds=TIME),
    "at": _form(Moment, "[%at <RFC 3339 time>]", at=INSTANT),
    "eval": _form(Evaluation, f"[%eval <seeds>,<depth>] or [%eval #{_WON},<depth>]", _=_EVALUATION),
    "by": _form(By, '[%by "name"]', name=TEXT),
    "join": _form(Join, '[%join south|north "name"]', side=SIDE, name=TEXT),
    "leave": _form(Leave, '[%leave south|north "name"]', side=SIDE, name=TEXT),
    "trial": _form(Trial, '[%trial <move> by="name"]', "by", move=MOVE, by=OPTIONAL_TEXT),
    "retract": _form(
        Retraction,
        f'[%retract <move> side=south|north reason={_REASONS} note="text"]',
        "side",
        "reason",
        "note",
        move=MOVE,
        side=SIDE,
        reason=one_of(REASONS),
        note=OPTIONAL_TEXT,
    ),
    "dispute": _form(
        Dispute,
        '[%dispute side=south|north claim="text" about=end]',
        "side",
        "claim",
        "about",
        side=SIDE,
        claim=TEXT,
        about=one_of(("end",), optional=True),
    ),
    "ruling": _form(
        Ruling,
        f'[%ruling outcome={_OUTCOMES} by="name" note="text"]',
        "outcome",
        "by",
        "note",
        outcome=one_of(OUTCOMES),
        by=OPTIONAL_TEXT,
        note=OPTIONAL_TEXT,
    ),
    "end": _form(End, f'[%end {_ENDED} by="name"]', *_KEYED, "by", **_END, by=OPTIONAL_TEXT),
    "correction": _form(
        Correction,
        f'[%correction {_ENDED} by="name" reason="text"]',
        *_KEYED,
        "by",
        "reason",
        **_END,
        by=OPTIONAL_TEXT,
        reason=OPTIONAL_TEXT,
    ),
    "reopen": _form(
        Reopening, '[%reopen by="name" reason="text"]', "by", "reason", by=OPTIONAL_TEXT, reason=OPTIONAL_TEXT
    ),
    "board": _form(BoardEvent, '[%board "serial" seq=<number>]', "seq", serial=TEXT, seq=COUNT),
    "after": _form(After, '[%after "<position>"]', position=POSITION),
}
_NAMES = {form.kind: name for name, form in FORMS.items()}
_CERTAIN = "|".join(rf"{name}{form.certain}" for name, form in FORMS.items() if form.certain)
_CERTAIN_COMMENTS = re.compile(rf"(?:[^\[]++|\[(?!%)|\[%(?:{_CERTAIN})\])*+")
