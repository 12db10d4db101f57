"""Commands in comments as values: ``[%clk 0:05:10]`` is ``Clock(310)``. `parse_command` and `str` undo each other.

The table `FORMS` at the end says what each command looks like; `docs/notation.md` describes the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, dataclass, fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from itertools import chain, islice
from operator import attrgetter
from typing import Annotated, Any, Generic, TypeVar, cast, dataclass_transform, get_args, get_type_hints

from inkeek.records.errors import ErrorText, RecordsError
from inkeek.records.moves import Kind as MoveKind, Move
from inkeek.records.position import NORTH, SOUTH, Position, Side
from inkeek.records.record import Ply, Record, RecordError, Variation
from inkeek.records.text import read_instant

from .movetext import PlyPlaces
from .tags import GAPS_VERSION, RESULTS, TERMINATIONS, VERSION, parse_score

# Comments split into the words for people and the commands ``[%name …]``.

# Takes time in proportion to the text: nothing is tried twice (`*+`), and a ``[%`` outside quotes ends the search for
# the bracket that closes an earlier command.
_COMMAND = re.compile(
    r"\[%(?P<name>[A-Za-z][A-Za-z0-9_]*+)"
    r'(?P<arguments>(?:\s(?:"(?:[^"\\]|\\.)*+"|\\(?!\[%)\S|[^\]\["\\]|\[(?!%))*+)?)\]',
    re.DOTALL,
)
_UNCLOSED = re.compile(r"\[%(?P<name>[A-Za-z][A-Za-z0-9_]*+)")


@dataclass(frozen=True, slots=True)
class RawCommand:
    """A command as it was written, known or not: its name, and the text after it without white space around it."""

    name: str
    arguments: str = ""

    def __str__(self) -> str:
        return f"[%{self.name} {self.arguments}]" if self.arguments else f"[%{self.name}]"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its words, with single spaces between them, and its commands in order."""

    text: str
    commands: tuple[RawCommand, ...]


def find_commands(comment: str) -> list[tuple[str, str]]:
    """The name of every command in a comment, and the text after the name."""
    return _COMMAND.findall(comment)


def replace_commands(comment: str, command: Callable[[str], str], words: Callable[[str], str]) -> str:
    """The comment with every command, and every text between them, replaced."""
    parts: list[str] = []
    at = 0
    for match in _COMMAND.finditer(comment):
        parts += [words(comment[at : match.start()]), command(match[0])]
        at = match.end()
    return "".join([*parts, words(comment[at:])])


def split_comment(comment: str) -> Comment:
    """Split a comment. A command that is not closed stays text."""
    if "[%" not in comment:
        return Comment(" ".join(comment.split()), ())
    commands = tuple(RawCommand(name, arguments.strip()) for name, arguments in find_commands(comment))
    return Comment(" ".join(_COMMAND.sub(" ", comment).split()), commands)


def unclosed_commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands that a comment's text (`Comment.text`) opens and never closes: the name, and some of the text after
    it."""
    for match in _UNCLOSED.finditer(text):
        yield match["name"], text[match.end() : match.end() + 40]


# Arguments of commands: how they are split, and how each type of argument is read, checked and written.

# A key has two letters at least: ``d=f`` is a move.
_ARGUMENT = re.compile(
    r'\s*+(?:(?P<key>[a-z]{2,})=)?(?:"(?P<text>(?:[^"\\]|\\.)*+)"|(?P<word>[^\s"]++))(?=\s|$)\s*+', re.DOTALL
)
_ESCAPED = re.compile(r'\\(["\\])')
_SIDES = {"south": SOUTH, "north": NORTH}
_TIME = re.compile(r"([0-9]{1,4}):([0-5][0-9]):([0-5][0-9])(\.[0-9]{1,9})?")
_SECONDS = re.compile(r"[0-9]{1,8}(?:\.[0-9]{1,9})?")
_MAX_SECONDS = 10_000 * 3600  # four digits of hours
_CERTAIN_INSTANT = (  # no month is shorter than 28 days
    r"(?!0000)[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}"
    r"(?:\.[0-9]{1,9})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_SEEDS = re.compile(r"[+-]?[0-9]{1,4}(?:\.[0-9]{1,3})?")
_COUNT = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True, slots=True)
class ArgumentType:
    """What an argument looks like, and how it is read, written, and checked as a value. `certain` is a pattern of texts
    that are right for certain, so that checking a record need not read them."""

    usage: str
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    check: Callable[[Any], object] = lambda value: None
    certain: str = ""


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a command: the field that it fills, and its type. A `keyed` one is written ``name=value``. The
    value of an `optional` one is empty or None where it is missing."""

    name: str
    type: ArgumentType
    keyed: bool
    optional: bool

    @property
    def usage(self) -> str:
        """What it looks like."""
        return f"{self.name}=" * self.keyed + self.type.usage


def split_arguments(arguments: str) -> tuple[list[str], list[tuple[str, str]]] | None:
    """The plain arguments and the (key, value) pairs, in order; None if they cannot be separated.

    In quotes ``\\"`` is a quote and ``\\\\`` a backslash, as in a tag.
    """
    plain: list[str] = []
    keyed: list[tuple[str, str]] = []
    at, end = 0, len(arguments.rstrip())
    while at < end:
        match = _ARGUMENT.match(arguments, at)
        if match is None:
            return None
        text = match["text"]
        value = match["word"] if text is None else " ".join(_ESCAPED.sub(r"\1", text).split())
        if match["key"]:
            keyed.append((match["key"], value))
        else:
            plain.append(value)
        at = match.end()
    return plain, keyed


def certain_arguments(arguments: Iterable[Argument]) -> str:
    """A pattern of arguments that are right for certain; empty if only reading can decide."""
    pattern = ""
    for argument in arguments:
        if not argument.type.certain:
            return ""
        key = f"{argument.name}=" if argument.keyed else ""
        pattern += rf"(?:\s+{key}(?:{argument.type.certain})){'?' * argument.optional}"
    return rf"{pattern}\s*"


def one_of(*words: str) -> ArgumentType:
    """One of some words."""
    return ArgumentType("|".join(words), str, str, partial(check_word, words=words), "|".join(map(re.escape, words)))


def check_word(word: str, words: Iterable[str]) -> None:
    """:raises RecordsError: the word is not one of them."""
    if word not in words:
        raise RecordsError(f"{word!r} is not one of {', '.join(words)}")


def check_seeds(seeds: int | Decimal) -> None:
    """:raises RecordsError: they cannot be written with four digits and three decimals."""
    if not _SEEDS.fullmatch(format_number(seeds)):
        raise RecordsError(f"{seeds!r} is not a number of seeds: expected -9999 to 9999, with at most three decimals")


def read_seeds(text: str) -> int | Decimal:
    """:raises RecordsError: it is not a number of seeds."""
    if not _SEEDS.fullmatch(text):
        raise RecordsError(f"{text!r} is not a number of seeds")
    return Decimal(text) if "." in text else int(text)


def read_count(text: str) -> int:
    """:raises RecordsError: it is not a number from 0."""
    if not _COUNT.fullmatch(text):
        raise RecordsError(f"{text!r} is not a number")
    return int(text)


def format_number(number: int | Decimal) -> str:
    return f"{number:f}" if isinstance(number, Decimal) else str(number)


def quote(text: str) -> str:
    """A text as an argument in quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _check_text(text: str) -> None:
    if text != " ".join(text.split()):
        raise RecordsError(f"{text[:80]!r} cannot stand in a comment: expected one line, with single spaces")
    if not text:
        raise RecordsError("a text is empty")


def _check_seconds(seconds: int | Decimal) -> None:
    if not _SECONDS.fullmatch(format_number(seconds)) or seconds >= _MAX_SECONDS:
        raise RecordsError(f"{seconds!r} is not a clock time: expected seconds from 0, less than {_MAX_SECONDS}")


def _check_instant(instant: datetime) -> None:
    offset = instant.utcoffset()
    if offset is None or offset.total_seconds() % 60:
        raise RecordsError(f"{instant!r} has no offset from UTC in whole minutes: expected one")


def _check_position(text: str) -> None:
    if not Position.parse(text).is_known:
        raise RecordsError(f"{text!r} has ?: expected the number of seeds everywhere")


def _check_count(count: int) -> None:
    if not 0 <= count < 10**20:
        raise RecordsError(f"{count!r} is not a number of at most 20 digits")


def _read_time(text: str) -> int | Decimal:
    match = _TIME.fullmatch(text)
    if match is None:
        raise RecordsError(f"{text!r} is not a time")
    seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
    return seconds + Decimal(match[4]) if match[4] else seconds


def _write_time(seconds: int | Decimal) -> str:
    whole = int(seconds)
    fraction = format_number(seconds).partition(".")[2]
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}" + (f".{fraction}" if fraction else "")


def _read_instant(text: str) -> datetime:
    try:
        return read_instant(text)
    except (ValueError, OverflowError) as error:  # no such day or hour
        raise RecordsError(f"{text!r} is not a time of RFC 3339") from error


def _write_instant(instant: datetime) -> str:
    text = instant.isoformat()
    return text.removesuffix("+00:00") + "Z" if instant.utcoffset() == UTC.utcoffset(None) else text


def _read_side(text: str) -> Side:
    check_word(text, _SIDES)
    return _SIDES[text]


def _write_side(side: Side) -> str:
    return str(side).lower()


TEXT = ArgumentType('"text"', str, quote, _check_text, r'"[^"\\\s\0][^"\\\0]*"')
NAME, SERIAL = replace(TEXT, usage='"name"'), replace(TEXT, usage='"serial"')
TIME = ArgumentType("h:mm:ss", _read_time, _write_time, _check_seconds, _TIME.pattern)
INSTANT = ArgumentType("<RFC 3339 time>", _read_instant, _write_instant, _check_instant, _CERTAIN_INSTANT)
COUNT = ArgumentType("<number>", read_count, str, _check_count, _COUNT.pattern)
SIDE = ArgumentType("|".join(_SIDES), _read_side, _write_side, certain="|".join(_SIDES))
MOVE = ArgumentType("<move>", Move.parse, str)
MOVE_TEXT = ArgumentType("<move>", str, str, Move.parse)
POSITION = ArgumentType('"<position>"', str, quote, _check_position)
COUNTED_POSITION = ArgumentType('"<position>"', str, quote, Position.parse)
SCORE = ArgumentType("26-22", str, str, parse_score, r"[0-9]{1,4}-[0-9]{1,4}")
SEEDS_PATTERN = _SEEDS.pattern


# What all commands in comments share: how a command is written, checked and found by its name.

KEYED = "keyed"  # an argument that is written ``name=value``
REQUIRED = "required"  # an argument that may not be missing, although its field has a default
Kind = TypeVar("Kind", bound="Command")


@dataclass(frozen=True, slots=True)
class Command:
    """What all commands share: they are checked, and written as their form says.

    The fields of a command are its arguments, in order, each annotated with its `ArgumentType` and, if it is,
    `KEYED`. An argument whose field has a default may be missing.
    """

    def __post_init__(self) -> None:
        """:raises RecordsError: a value that cannot be written."""
        for argument, value in _written_arguments(self):
            argument.type.check(value)
        self.check()

    def check(self) -> None:
        """Compare arguments that depend on each other.

        :raises RecordsError: they do not fit.
        """

    def __str__(self) -> str:
        """The command as it is written."""
        words = (
            f"{argument.name}=" * argument.keyed + argument.type.write(value)
            for argument, value in _written_arguments(self)
        )
        return str(RawCommand(_FORMS[type(self)].name, " ".join(words)))


@dataclass(frozen=True, slots=True)
class CommandForm:
    """How a command is written: its name, the class of its value, what it looks like, and its arguments in order.
    `certain` is a pattern of arguments that are right for certain, empty if there is none. `stays`: in the record when
    its turn is taken back."""

    name: str
    kind: type[Command]
    usage: str
    arguments: tuple[Argument, ...]
    certain: str
    stays: bool


_FORMS: dict[type[Command], CommandForm] = {}  # filled when the classes are made, and not changed


@dataclass_transform(frozen_default=True)
def command(
    name: str, *, usage: str = "", whole: ArgumentType | None = None, stays: bool = False
) -> Callable[[type[Kind]], type[Kind]]:
    """Make a class a frozen dataclass and a command of this name. `usage` is what it looks like, if that does not
    follow from its arguments. `whole` reads and writes all fields as one argument. `stays`: as in `CommandForm`."""

    def register(declared: type[Kind]) -> type[Kind]:
        kind = dataclass(frozen=True, slots=True)(declared)
        arguments = tuple(_arguments(kind)) if whole is None else (Argument("", whole, False, False),)
        looks = usage or f"[%{name} {' '.join(argument.usage for argument in arguments)}]"
        certain = certain_arguments(arguments) if kind.check is Command.check else ""
        _FORMS[kind] = CommandForm(name, kind, looks, arguments, certain, stays)
        return kind

    return register


def _arguments(kind: type[Command]) -> Iterator[Argument]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        _, *marks, type = get_args(hints[field.name])
        optional = field.default is not MISSING and REQUIRED not in marks
        yield Argument(field.name, type, KEYED in marks, optional)


def _written_arguments(command: Command) -> Iterator[tuple[Argument, Any]]:
    for argument in _FORMS[type(command)].arguments:
        value = getattr(command, argument.name) if argument.name else command
        if value not in ("", None) or not argument.optional:
            yield argument, value


ENTRY = "entry"  # the reason why a move was taken back that had not been played so
SIDES_REASONS = ("trial", "team", "objection", "illegal", "standing", "agreement", ENTRY)  # why a side took a move back
REASONS = (*SIDES_REASONS, "ruling")  # why a move was taken back
WON = ("1-0", "0-1", "1/2-1/2")  # results that an evaluation can be certain of
MAX_QUOTED = 200  # characters of a command, and of what is wrong with it, in an error


class CommandError(RecordsError):
    """A command with a known name and a wrong argument; quotes it and says what it looks like."""


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


_EVALUATION = ArgumentType(
    "", _read_evaluation, _write_evaluation, _check_evaluation, rf"{SEEDS_PATTERN}(?:,[0-9]{{1,4}})?"
)


@command("clk")
class Clock(Command):
    """What the mover's clock showed after the turn.

    In seconds; a `Decimal` if fractions were written.
    """

    seconds: Annotated[int | Decimal, TIME]


@command("emt")
class Elapsed(Command):
    """The time that the turn took.

    In seconds; a `Decimal` if fractions were written.
    """

    seconds: Annotated[int | Decimal, TIME]


@command("at")
class Moment(Command):
    """When the turn was played, with ``T``, and ``Z`` or an offset. A leap second is read as 23:59:59.999999."""

    at: Annotated[datetime, INSTANT]


@command("entered")
class Entering(Command):
    """When the turn was entered into a database, and by whom."""

    at: Annotated[datetime, INSTANT]
    by: Annotated[str, KEYED, NAME] = ""


@command("value", usage=f"[%value <seeds>,<depth>] or [%value #{'|'.join(WON)},<depth>]", whole=_EVALUATION)
class Evaluation(Command):
    """The value of the position after the turn: South's seeds minus North's at the end, or the result if it is
    certain. The comma and the number of turns searched may be missing.
    """

    seeds: int | Decimal | None = None
    result: str | None = None
    depth: int | None = None


@command("by")
class By(Command):
    """Who made the move."""

    name: Annotated[str, NAME]


@command("join", stays=True)
class Join(Command):
    """Somebody joined a side's team."""

    side: Annotated[Side, SIDE]
    name: Annotated[str, NAME]


@command("leave", stays=True)
class Leave(Command):
    """Somebody left a side's team."""

    side: Annotated[Side, SIDE]
    name: Annotated[str, NAME]


@command("trial", stays=True)
class Trial(Command):
    """A move that was tried and taken back, and by whom. ``ply`` is its turn, if that is not the one that comes next;
    it needs version 1.1.
    """

    move: Annotated[Move, MOVE]
    by: Annotated[str, KEYED, NAME] = ""
    ply: Annotated[int | None, KEYED, COUNT] = None


@command("retract", stays=True)
class Retraction(Command):
    """A move that was taken back, by which side and why: ``trial`` (only tried), ``team`` (it changed its mind),
    ``objection`` (of the opponents, whose side it is), ``illegal``, ``standing`` (the rank of whoever proposed it is
    too low), ``agreement``, ``entry`` (it was played otherwise, and entered wrong), or ``ruling``, which alone has no
    side. ``ply`` is its turn, if that is not the one that comes next. ``entry`` and ``ply`` need version 1.1.
    """

    move: Annotated[Move, MOVE]
    side: Annotated[Side | None, KEYED, SIDE] = None
    reason: Annotated[str, KEYED, REQUIRED, one_of(*REASONS)] = "ruling"
    note: Annotated[str, KEYED, TEXT] = ""
    ply: Annotated[int | None, KEYED, COUNT] = None

    def check(self) -> None:
        if (self.side is None) is not (self.reason == "ruling"):
            given = "no side" if self.side is None else f"side={str(self.side).lower()}"
            raise RecordsError(
                f"reason={self.reason} with {given}: a ruling takes back for no side, every other reason has one"
            )


@command("end", stays=True)
class End(Command):
    """How the game had ended before that was changed, and who ended it."""

    result: Annotated[str, one_of(*RESULTS)]
    termination: Annotated[str, KEYED, one_of(*TERMINATIONS)]
    score: Annotated[str, KEYED, SCORE] = ""
    by: Annotated[str, KEYED, NAME] = ""


@command("correction", stays=True)
class Correction(Command):
    """How an arbiter says that the game ended, and why."""

    result: Annotated[str, one_of(*RESULTS)]
    termination: Annotated[str, KEYED, one_of(*TERMINATIONS)]
    score: Annotated[str, KEYED, SCORE] = ""
    by: Annotated[str, KEYED, NAME] = ""
    reason: Annotated[str, KEYED, TEXT] = ""


@command("reopen", stays=True)
class Reopening(Command):
    """An arbiter had a game go on that had ended."""

    by: Annotated[str, KEYED, NAME] = ""
    reason: Annotated[str, KEYED, TEXT] = ""


@command("board")
class BoardEvent(Command):
    """The board, and the number of its event that the turn was detected from."""

    serial: Annotated[str, SERIAL]
    seq: Annotated[int, KEYED, COUNT]


@command("after")
class After(Command):
    """Where an irregular turn leads, or the turns that nobody saw; there with ``?`` for what is not known."""

    position: Annotated[str, COUNTED_POSITION]


# Commands in comments that tell the course of a dispute: from the claim to the ruling, and the appeal against it.

OUTCOMES = ("stands", "retracted", "corrected", "ended", "reopened")  # of a ruling
PENALTIES = ("warning", "time", "seeds", "turn", "game", "expulsion")  # kinds of penalties, the mildest first
ANSWERS = ("accepted", "refused")  # to a proposal


@command("dispute", stays=True)
class Dispute(Command):
    """What a side claims against the turn, or against turn number `ply`: an earlier one, or the next, which lies on
    the board and is not recorded; with ``about=end`` against how the game ended. `seen` is the position counted on the
    board, with ``?`` for an unknown number: ``4.?/4.?s 0-? n 1``.
    """

    side: Annotated[Side, KEYED, SIDE]
    claim: Annotated[str, KEYED, TEXT]
    about: Annotated[str, KEYED, one_of("end")] = ""
    ply: Annotated[int | None, KEYED, COUNT] = None
    seen: Annotated[str, KEYED, COUNTED_POSITION] = ""

    def check(self) -> None:
        if self.ply is not None and (self.ply < 1 or self.about):
            raise RecordsError(
                f"ply={self.ply} with about={self.about!r}: a dispute is about a turn, from 1, or the end"
            )


@command("claim", stays=True)
class ChangedClaim(Command):
    """A later claim or `seen` of the open dispute, in place of the first; at least one of the two."""

    claim: Annotated[str, TEXT] = ""
    by: Annotated[str, KEYED, NAME] = ""
    seen: Annotated[str, KEYED, COUNTED_POSITION] = ""

    def check(self) -> None:
        if not self.claim and not self.seen:
            raise RecordsError("a claim says nothing: it has a text, or the position that was seen, or both")


@command("propose", stays=True)
class Proposal(Command):
    """How a side would settle the open dispute, as an arbiter would rule; `after`: the last turn that would stay."""

    side: Annotated[Side, KEYED, SIDE]
    outcome: Annotated[str, KEYED, one_of(*OUTCOMES)]
    move: Annotated[str, KEYED, MOVE_TEXT] = ""
    position: Annotated[str, KEYED, POSITION] = ""
    after: Annotated[int | None, KEYED, COUNT] = None
    result: Annotated[str, KEYED, one_of(*RESULTS)] = ""
    termination: Annotated[str, KEYED, one_of(*TERMINATIONS)] = ""
    by: Annotated[str, KEYED, NAME] = ""
    note: Annotated[str, KEYED, TEXT] = ""


@command("respond", stays=True)
class Response(Command):
    """The other side's answer to the last proposal."""

    side: Annotated[Side, KEYED, SIDE]
    answer: Annotated[str, KEYED, one_of(*ANSWERS)]
    by: Annotated[str, KEYED, NAME] = ""


@command("ruling", stays=True)
class Ruling(Command):
    """The decision on the dispute. ``withdrawn=yes``: nobody ruled, the side that disputed withdrew."""

    outcome: Annotated[str, KEYED, one_of(*OUTCOMES)]
    by: Annotated[str, KEYED, NAME] = ""
    note: Annotated[str, KEYED, TEXT] = ""
    withdrawn: Annotated[str, KEYED, one_of("yes")] = ""


@command("penalty", stays=True)
class Penalty(Command):
    """Goes with the ruling or proposal before it, the number of seeds with ``kind=seeds``. It has no effect of its
    own: what it changes on the board, the ruling changes.
    """

    side: Annotated[Side, KEYED, SIDE]
    kind: Annotated[str, KEYED, one_of(*PENALTIES)]
    seeds: Annotated[int | None, KEYED, COUNT] = None
    note: Annotated[str, KEYED, TEXT] = ""

    def check(self) -> None:
        if self.kind == "seeds" and self.seeds is None:
            raise RecordsError(ErrorText("The number of seeds is missing. A penalty of seeds has one."))
        if self.kind != "seeds" and self.seeds is not None:
            raise RecordsError(
                ErrorText(
                    "The penalty %(kind)r has %(seeds)s seeds. Only 'seeds' has a number.",
                    kind=self.kind,
                    seeds=self.seeds,
                )
            )


@command("clock", usage="[%clock side=south|north to=h:mm:ss] or [%clock side=south|north add=h:mm:ss]", stays=True)
class ClockChange(Command):
    """Goes with the ruling or proposal before it: sets the side's clock to a time, or adds time; one of the two."""

    side: Annotated[Side, KEYED, SIDE]
    to: Annotated[int | Decimal | None, KEYED, TIME] = None
    add: Annotated[int | Decimal | None, KEYED, TIME] = None

    def check(self) -> None:
        if (self.to is None) is (self.add is None):
            raise RecordsError(
                ErrorText(
                    "The clock of %(side)s is set to a time, or gets more time: give one of them.", side=self.side
                )
            )


@command("appeal", stays=True)
class Appeal(Command):
    """Against the last ruling, whose dispute is open again. ``corrects=yes``: nobody appealed, the arbiter corrects
    their own ruling.
    """

    reason: Annotated[str, KEYED, TEXT]
    side: Annotated[Side | None, KEYED, SIDE] = None
    by: Annotated[str, KEYED, NAME] = ""
    corrects: Annotated[str, KEYED, one_of("yes")] = ""


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
    names = {name for name, form in FORMS.items() if form.kind in kinds} if kinds else FORMS.keys()
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


def wrong_commands(comment: str, version: str = GAPS_VERSION) -> Iterator[tuple[str, str, str]]:
    """The commands in a comment that are known and wrong in a version of the notation: the name, the text (of an
    unclosed one, its beginning), and what is wrong."""
    found = find_commands(comment)
    for name, arguments in found:
        if name in FORMS:
            raw = RawCommand(name, arguments.strip())
            try:
                command = _parse(FORMS[name], raw)
            except CommandError as error:
                yield name, str(raw), str(error)
                continue
            needs = word_of_gaps_version(command) if version == VERSION else None
            if needs is not None:
                text = ErrorText(
                    '%(command)s: %(word)s needs version 1.1: add [Version "1.1"]', command=str(raw), word=needs
                )
                yield name, str(raw), text
    if comment.count("[%") > len(found):
        for name, rest in unclosed_commands(split_comment(comment).text):
            if name in FORMS:
                quoted = f"[%{name}{rest}"
                yield (
                    name,
                    f"[%{name}",
                    f"{quoted!r} is not closed: a quote or ']' is missing: expected {FORMS[name].usage}",
                )


def word_of_gaps_version(command: Command | RawCommand) -> str | None:
    """What a command says that only version 1.1 of the notation has; None: nothing."""
    if isinstance(command, Trial | Retraction) and command.ply is not None:
        return "ply"
    return ENTRY if isinstance(command, Retraction) and command.reason == ENTRY else None


def as_words(comment: str, version: str = GAPS_VERSION) -> str:
    """The comment with its wrong commands as words: ``[clk soon]``. The right ones stay."""

    def mend(part: str) -> str:
        return part.replace("[%", "[") if any(wrong_commands(part, version)) else part

    return mend(replace_commands(comment, mend, mend)) if any(wrong_commands(comment, version)) else comment


def with_people(comment: str, rename: Callable[[str], str]) -> str:
    """The comment with the names of people in its commands as `rename` has them."""

    def renamed(text: str) -> str:
        (raw,) = split_comment(text).commands
        form = FORMS.get(raw.name)
        try:
            value = form and _parse(form, raw)
        except CommandError:
            return text
        names = [argument.name for argument in form.arguments if argument.type is NAME] if form else []
        changed = {name: rename(getattr(value, name)) for name in names if value and getattr(value, name)}
        return str(replace(value, **changed)) if value and changed else text

    return replace_commands(comment, renamed, str)


def after_position(comments: Iterable[str]) -> str | None:
    """The text of ``[%after "<position>"]``, which may not be a position; None if there is none."""
    for comment in comments:
        for raw in split_comment(comment).commands:
            if raw.name == "after" and (arguments := split_arguments(raw.arguments)) and arguments[0]:
                return arguments[0][0]
    return None


def _parse(form: CommandForm, raw: RawCommand) -> Command:
    values: dict[str, Any] = {}
    try:
        for argument, text in zip(form.arguments, _argument_texts(form, raw), strict=True):
            if text is not None:
                value = argument.type.read(text)
                values |= {argument.name: value} if argument.name else value
            elif not argument.optional:
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


FORMS: dict[str, CommandForm] = {form.name: form for form in _FORMS.values()}
FORMS["eval"] = FORMS["value"]  # its former name, which programs for chess read in another unit
_CERTAIN = "|".join(rf"{name}{form.certain}" for name, form in FORMS.items() if form.certain)
_CERTAIN_COMMENTS = re.compile(rf"(?:[^\[]++|\[(?!%)|\[%(?:{_CERTAIN})\])*+")


# The commands in a record's comments, each with its ply, and what is wrong with them.

C = TypeVar("C", bound=Command)

_COMMENTS, _VARIATIONS = attrgetter("comments"), attrgetter("variations")


@dataclass(frozen=True, slots=True)
class Remark(Generic[C]):
    """A command, and the number of the ply that its comment follows, from 1; 0 before the first."""

    ply: int
    command: C


def remarks(record: Record, *kinds: type[C]) -> Iterator[Remark[C]]:
    """The commands of these kinds in the comments of the main line, in order, without wrong ones."""
    for number, comments in enumerate((record.comments, *(ply.comments for ply in record.plies))):
        for command in commands_in(comments, *kinds):
            yield Remark(number, cast(C, command))


def evaluations(record: Record) -> tuple[Evaluation | None, ...]:
    """The evaluation of each position of the main line, None if there is none; the first is of the start."""
    found: list[Evaluation | None] = [None] * (len(record.plies) + 1)
    for remark in remarks(record, Evaluation):
        found[remark.ply] = remark.command
    return tuple(found)


def remark_errors(record: Record, places: PlyPlaces, most: int) -> Iterator[RecordError]:
    """The commands with a known name that are wrong or never closed, at most `most`, variations included. What
    ``after`` says at an irregular turn is checked when that is played."""
    comments = chain(record.comments, chain.from_iterable(map(_COMMENTS, record.plies)))
    if not any(map(_VARIATIONS, record.plies)) and are_certain(comments):
        return iter(())
    return islice(_errors(record, places), max(most, 0))


def _errors(record: Record, places: PlyPlaces) -> Iterator[RecordError]:
    source = record.source
    found: dict[str, int] = {}  # where each wrong command was found last: the next one like it comes later
    for number, in_text, irregular, comment in _comments(record):
        for name, text, message in wrong_commands(comment, record.tags.get("Version", VERSION)):
            if name == "after" and irregular:
                continue
            line = column = 0
            start = places.offset(in_text) if in_text >= 0 else source.movetext if source is not None else 0
            if source is not None and start is not None:
                found[text] = _find(source.text, text, max(start, found.get(text, -1) + 1), start)
                line, column = source.place(found[text])
            yield RecordError(message, line, column, number, code="bad-command")


def _comments(record: Record) -> Iterator[tuple[int, int, bool, str]]:
    """Every comment that may hold a command, with the number of its ply, the number in the text of the last ply before
    it (-1 before the first), and whether it belongs to an irregular turn."""
    in_text = -1
    waiting: list[tuple[int, Record | Ply | Variation]] = [(0, record)]
    while waiting:
        number, item = waiting.pop()
        irregular = False
        inner: list[tuple[int, Record | Ply | Variation]]
        if isinstance(item, Ply):
            in_text += 1
            irregular = item.move.kind in (MoveKind.IRREGULAR, MoveKind.GAP)
            inner = [(number, variation) for variation in item.variations]
        else:
            first = number if isinstance(item, Variation) else 1
            inner = [(first + place, ply) for place, ply in enumerate(item.plies)]
        for comment in item.comments:
            if "[%" in comment:
                yield number, in_text, irregular, comment
        waiting += reversed(inner)


def _find(source: str, text: str, start: int, otherwise: int) -> int:
    """The offset of a command in the source, from `start` on. Its spaces may be any white space there."""
    found = re.compile(r"\s+".join(map(re.escape, text[:MAX_QUOTED].split()))).search(source, start)
    return found.start() if found else otherwise
