"""Commands in comments as values: ``[%clk 0:05:10]`` is ``Clock(310)``. `parse_command` and `str` undo each other.

The table at the end, `FORMS`, says what each looks like; `docs/notation.md` tells the same.
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
from records.position import Position, Side

from .arguments import (
    Slot,
    check_seconds,
    check_seeds,
    check_text,
    check_word,
    count_slot,
    instant_slot,
    move_slot,
    side_slot,
    split_arguments,
    sure_arguments,
    text_slot,
    time_slot,
    word_slot,
    worth_slot,
)
from .comments import Written, begun_in, find_commands, replace_commands, split_comment

REASONS = ("trial", "team", "objection", "illegal", "standing", "agreement")  # why a move was taken back
MAX_TOLD = 200  # characters of a command, and of what is wrong with it, that an error quotes
OUTCOMES = ("stands", "retracted", "corrected")  # of a ruling
WON = ("1-0", "0-1", "1/2-1/2")  # results that an evaluation can be sure of


class CommandError(RecordsError):
    """A command with a name that is known and an argument that cannot be; quotes it and says what it looks like."""


@dataclass(frozen=True, slots=True)
class _Command:
    """What all commands share: the notation they are written in."""

    def __str__(self) -> str:
        return _format(self)


@dataclass(frozen=True, slots=True)
class Clock(_Command):
    """What the mover's clock showed after the turn. Seconds; a `Decimal` where fractions are told."""

    seconds: int | Decimal

    def __post_init__(self) -> None:
        check_seconds(self.seconds)


@dataclass(frozen=True, slots=True)
class Elapsed(_Command):
    """The time that the turn took. Seconds; a `Decimal` where fractions are told."""

    seconds: int | Decimal

    def __post_init__(self) -> None:
        check_seconds(self.seconds)


@dataclass(frozen=True, slots=True)
class Moment(_Command):
    """When it was: a time with its offset from UTC, in whole minutes."""

    at: datetime

    def __post_init__(self) -> None:
        offset = self.at.utcoffset()
        if offset is None or offset.total_seconds() % 60:
            raise RecordsError(f"{self.at!r} has no offset from UTC in whole minutes: expected one")


@dataclass(frozen=True, slots=True)
class Evaluation(_Command):
    """What the position after the turn is worth: South's seeds less North's at the end, or the `result` if it is sure.
    `depth` is how many turns were looked ahead, None if that is not told."""

    seeds: int | Decimal | None = None
    result: str | None = None
    depth: int | None = None

    def __post_init__(self) -> None:
        if (self.seeds is None) is (self.result is None):
            raise RecordsError(f"an evaluation is seeds or a result, not {self.seeds!r} and {self.result!r}")
        if self.seeds is not None:
            check_seeds(self.seeds)
        if self.result is not None:
            check_word(self.result, WON)
        if self.depth is not None and not 0 <= self.depth <= 9999:
            raise RecordsError(f"{self.depth!r} is no depth: expected 0 to 9999")


@dataclass(frozen=True, slots=True)
class By(_Command):
    """Who made the move."""

    name: str

    def __post_init__(self) -> None:
        check_text(self.name)


@dataclass(frozen=True, slots=True)
class Join(_Command):
    """Somebody came to a side's team."""

    side: Side
    name: str

    def __post_init__(self) -> None:
        check_text(self.name)


@dataclass(frozen=True, slots=True)
class Leave(_Command):
    """Somebody left a side's team."""

    side: Side
    name: str

    def __post_init__(self) -> None:
        check_text(self.name)


@dataclass(frozen=True, slots=True)
class Trial(_Command):
    """A move that was tried and not left standing; `by` is empty where it is not told who tried it."""

    move: Move
    by: str = ""

    def __post_init__(self) -> None:
        check_text(self.by, needed=False)


@dataclass(frozen=True, slots=True)
class Retraction(_Command):
    """A move that was taken back, by which side and why (`REASONS`)."""

    move: Move
    side: Side
    reason: str
    note: str = ""

    def __post_init__(self) -> None:
        check_word(self.reason, REASONS)
        check_text(self.note, needed=False)


@dataclass(frozen=True, slots=True)
class Dispute(_Command):
    """What a side claims against a move."""

    side: Side
    claim: str

    def __post_init__(self) -> None:
        check_text(self.claim)


@dataclass(frozen=True, slots=True)
class Ruling(_Command):
    """How a dispute was settled (`OUTCOMES`), and by whom; empty where it is not told."""

    outcome: str
    by: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        check_word(self.outcome, OUTCOMES)
        check_text(self.by, needed=False)
        check_text(self.note, needed=False)


@dataclass(frozen=True, slots=True)
class BoardEvent(_Command):
    """The event of a board that the turn was worked out from: the board's serial and the event's number."""

    serial: str
    seq: int

    def __post_init__(self) -> None:
        check_text(self.serial)
        if not 0 <= self.seq < 10**20:
            raise RecordsError(f"{self.seq!r} is no event's number: expected a count of at most 20 digits")


@dataclass(frozen=True, slots=True)
class After(_Command):
    """The text of the position that an irregular turn leads to."""

    position: str

    def __post_init__(self) -> None:
        Position.parse(self.position)


Command = (
    Clock
    | Elapsed
    | Moment
    | Evaluation
    | By
    | Join
    | Leave
    | Trial
    | Retraction
    | Dispute
    | Ruling
    | BoardEvent
    | After
)


@dataclass(frozen=True, slots=True)
class Form:
    """How a command is written: the value it becomes, what it looks like, its arguments in order, and a pattern of
    arguments that are surely right."""

    kind: type[_Command]
    usage: str
    slots: tuple[Slot, ...]
    sure: re.Pattern[str] | None


def _form(kind: type[_Command], usage: str, *slots: Slot) -> Form:
    return Form(kind, usage, slots, sure_arguments(slots))


def parse_command(written: Written | str) -> Command | Written:
    """A command as a value; one whose name is not known comes back as it was written.

    :raises CommandError: the name is known and the arguments are not right; says what is. Also for text that is no
        command at all.
    """
    if isinstance(written, str):
        said = split_comment(written)
        if len(said.commands) != 1 or said.text:
            raise CommandError(f"{written[:80]!r} is not a command: expected [%name …]")
        (written,) = said.commands
    form = FORMS.get(written.name)
    return written if form is None else _parsed(form, written)


def commands_in(comments: Iterable[str]) -> Iterator[Command]:
    """The commands in comments that are known and right, in order."""
    for comment in comments:
        for written in split_comment(comment).commands:
            try:
                command = parse_command(written)
            except CommandError:
                continue
            if not isinstance(command, Written):
                yield command


def wrong_in(comment: str) -> Iterator[tuple[str, str, str]]:
    """The commands in a comment that are known and wrong: the name, the text (of one that is never closed, its
    beginning), and what is wrong."""
    found = find_commands(comment)
    for name, arguments in found:
        form = FORMS.get(name)
        if form is None or (form.sure is not None and form.sure.fullmatch(arguments)):
            continue
        written = Written(name, arguments.strip())
        try:
            _parsed(form, written)
        except CommandError as error:
            yield name, str(written), str(error)
    if comment.count("[%") > len(found):
        for name, rest in begun_in(split_comment(comment).text):
            if name in FORMS:
                what = f"[%{name}{rest}"
                why = f"{what!r} is not closed: a quote or ']' is missing"
                yield name, f"[%{name}", f"{why}: expected {FORMS[name].usage}"


def as_words(comment: str) -> str:
    """The comment with its wrong commands as words: ``[clk soon]``. What is right stays."""
    if not any(wrong_in(comment)):
        return comment

    def mended(part: str) -> str:
        return part.replace("[%", "[") if any(wrong_in(part)) else part

    told = replace_commands(comment, mended, mended)
    return told.replace("[%", "[") if any(wrong_in(told)) else told


def after_position(comments: Iterable[str]) -> str | None:
    """The text of ``[%after "<position>"]``, None if there is none. Whether it is a position is not looked at."""
    for comment in comments:
        for written in split_comment(comment).commands:
            if written.name == "after" and (arguments := split_arguments(written.arguments)) and arguments[0]:
                return arguments[0][0]
    return None


def _parsed(form: Form, written: Written) -> Command:
    told = _told(form, written)
    values: dict[str, Any] = {}
    try:
        for slot, text in zip(form.slots, told, strict=True):
            if text is not None:
                values |= slot.read(text)
            elif slot.needed:
                raise RecordsError(f"{slot.key or 'something'} is missing")
        return form.kind(**values)  # type: ignore[return-value]
    except RecordsError as error:
        raise _wrong(form, written, str(error)) from error


def _told(form: Form, written: Written) -> list[str | None]:
    """What is told for each slot of the form."""
    arguments = split_arguments(written.arguments)
    if arguments is None:
        raise _wrong(form, written, "its arguments cannot be told apart")
    plain, named = arguments
    told: list[str | None] = [None if slot.key or not plain else plain.pop(0) for slot in form.slots]
    if plain:
        raise _wrong(form, written, f"{plain[0][:80]!r} is too much")
    keys = {slot.key: place for place, slot in enumerate(form.slots) if slot.key}
    for key, value in named:
        if key not in keys:
            raise _wrong(form, written, f"it has no {key[:80]}")
        if told[keys[key]] is not None:
            raise _wrong(form, written, f"{key} is given twice")
        told[keys[key]] = value
    return told


def _wrong(form: Form, written: Written, why: str) -> CommandError:
    return CommandError(f"{str(written)[:MAX_TOLD]}: {why[:MAX_TOLD]}: expected {form.usage}")


def _format(command: _Command) -> str:
    name, form = next((name, form) for name, form in FORMS.items() if form.kind is type(command))
    parts = []
    for slot in form.slots:
        text = slot.write(command)
        if text is not None:
            parts.append(f"{slot.key}={text}" if slot.key else text)
    return str(Written(name, " ".join(parts)))


def _one_of(words: Iterable[str]) -> str:
    return "|".join(words)


FORMS: dict[str, Form] = {
    "clk": _form(Clock, "[%clk h:mm:ss]", time_slot("seconds")),
    "emt": _form(Elapsed, "[%emt h:mm:ss]", time_slot("seconds")),
    "at": _form(Moment, "[%at <RFC 3339 time>]", instant_slot("at")),
    "eval": _form(Evaluation, f"[%eval <seeds>,<depth>] or [%eval #{_one_of(WON)},<depth>]", worth_slot()),
    "by": _form(By, '[%by "name"]', text_slot("name")),
    "join": _form(Join, '[%join south|north "name"]', side_slot(), text_slot("name")),
    "leave": _form(Leave, '[%leave south|north "name"]', side_slot(), text_slot("name")),
    "trial": _form(Trial, '[%trial <move> by="name"]', move_slot(), text_slot("by", "by", needed=False)),
    "retract": _form(
        Retraction,
        f'[%retract <move> side=south|north reason={_one_of(REASONS)} note="text"]',
        *(move_slot(), side_slot("side"), word_slot("reason"), text_slot("note", "note", needed=False)),
    ),
    "dispute": _form(
        Dispute, '[%dispute side=south|north claim="text"]', side_slot("side"), text_slot("claim", "claim")
    ),
    "ruling": _form(
        Ruling,
        f'[%ruling outcome={_one_of(OUTCOMES)} by="name" note="text"]',
        *(word_slot("outcome"), text_slot("by", "by", needed=False), text_slot("note", "note", needed=False)),
    ),
    "board": _form(BoardEvent, '[%board "serial" seq=<number>]', text_slot("serial"), count_slot("seq")),
    "after": Form(After, '[%after "<position>"]', (text_slot("position"),), None),
}
