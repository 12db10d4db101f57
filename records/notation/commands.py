"""Commands in comments as values: ``[%clk 0:05:10]`` is ``Clock(310)``. `parse_command` and `str` undo each other.

The table `FORMS` at the end says what each command looks like; `docs/notation.md` describes the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from inkeek.records.errors import ErrorText, RecordsError
from inkeek.records.moves import Move
from inkeek.records.position import Side

from .arguments import (
    COUNT,
    COUNTED_POSITION,
    INSTANT,
    MOVE,
    NAME,
    SCORE,
    SEEDS_PATTERN,
    SERIAL,
    SIDE,
    TEXT,
    TIME,
    ArgumentType,
    check_seeds,
    check_word,
    format_number,
    one_of,
    read_count,
    read_seeds,
    split_arguments,
)
from .command_forms import KEYED, REQUIRED, Command, CommandForm, command, forms_of
from .comments import RawCommand, find_commands, replace_commands, split_comment, unclosed_commands
from .dispute_commands import DISPUTE_FORMS
from .tags import GAPS_VERSION, RESULTS, TERMINATIONS, VERSION

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


FORMS: dict[str, CommandForm] = {form.name: form for form in (*forms_of(__name__), *DISPUTE_FORMS)}
FORMS["eval"] = FORMS["value"]  # its former name, which programs for chess read in another unit
_CERTAIN = "|".join(rf"{name}{form.certain}" for name, form in FORMS.items() if form.certain)
_CERTAIN_COMMENTS = re.compile(rf"(?:[^\[]++|\[(?!%)|\[%(?:{_CERTAIN})\])*+")
