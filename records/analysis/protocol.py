"""The engine protocol: the lines that a host and an engine exchange, read and written. docs/engine.md describes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields

from inkeek.records.errors import RecordsError
from inkeek.records.moves import Move
from inkeek.records.position import Position, Side
from inkeek.records.rules.play import Rules
from inkeek.records.rules.ruleset import format_value, load_ruleset

VERSION = 1
MAX_LINE = 65_536  # characters of one line, either way
MAX_MOVES = 4_000  # after a position
MAX_NUMBER = 10**15  # nodes, milliseconds
MAX_LINES = 50  # lines of play that a host can ask for
MAX_OPTIONS = 100  # that an engine offers
MAX_SHOWN = 80  # characters of a wrong line in an error


class ProtocolError(RecordsError):
    """A line that is not of the protocol, or that does not fit what came before it."""


@dataclass(frozen=True, slots=True)
class Search:
    """What ``go`` asks for. Times are in milliseconds; None: no limit, or no clock.

    `clocks` and `increments` are those of (South, North).
    """

    depth: int | None = None
    nodes: int | None = None
    move_time: int | None = None
    clocks: tuple[int, int] | None = None
    increments: tuple[int, int] = (0, 0)
    lines: int = 1

    def time_for(self, side: Side, overhead: int = 30) -> int | None:
        """The milliseconds that the side to move may think: a twentieth of its clock and most of its increment, and
        never so long that its flag falls on the way. None: as long as it likes."""
        times = [] if self.move_time is None else [self.move_time]
        if self.clocks is not None:
            left = self.clocks[side]
            share = left // 20 + self.increments[side] * 3 // 4
            times.append(max(1, min(share, left - 2 * overhead)))
        return min(times, default=None)


@dataclass(frozen=True, slots=True)
class Info:
    """What an engine has found so far. `value` is in seeds for the side to move, `time` in milliseconds."""

    value: float
    exact: bool = False
    depth: int = 0
    line: int = 1
    nodes: int = 0
    time: int = 0
    moves: tuple[Move, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What ``go`` ended with. `move` is None if the game is over; `value` None if the engine gave none."""

    move: Move | None
    info: Info | None = None


@dataclass(frozen=True, slots=True)
class EngineOption:
    """A number that the host may set, with its bounds."""

    name: str
    default: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Introduction:
    """What an engine says of itself."""

    name: str = ""
    author: str = ""
    options: tuple[EngineOption, ...] = field(default=())


_LIMITS = {"depth": "depth", "nodes": "nodes", "movetime": "move_time"}
_CLOCKS = ("southtime", "northtime", "southinc", "northinc")


def search_text(search: Search) -> str:
    """The line ``go …``."""
    words = ["go"]
    for word, name in _LIMITS.items():
        if getattr(search, name) is not None:
            words += [word, str(getattr(search, name))]
    if search.clocks is not None:
        values = (*search.clocks, *search.increments)
        words += [part for word, value in zip(_CLOCKS, values, strict=True) for part in (word, str(value))]
    if search.lines != 1:
        words += ["lines", str(search.lines)]
    return " ".join(words)


def read_search(words: Sequence[str]) -> Search:
    """What follows ``go``. Without any limit the engine searches until ``stop``.

    :raises ProtocolError: an unknown word, or one without its number, or twice, or one clock without the other.
    """
    given: dict[str, int] = {}
    pairs = iter(words)
    for word in pairs:
        if word in given:
            raise ProtocolError(f"go: {word!r} stands twice")
        if word not in (*_LIMITS, *_CLOCKS, "lines"):
            known = ", ".join((*_LIMITS, *_CLOCKS, "lines"))
            raise ProtocolError(f"go: {_quote(word)} is unknown: expected {known}")
        most = MAX_LINES if word == "lines" else MAX_NUMBER
        least = 0 if word in _CLOCKS else 1
        given[word] = read_number(f"go: {word}", next(pairs, ""), least, most)
    clocks = [given.get(word) for word in _CLOCKS[:2]]
    if (clocks[0] is None) != (clocks[1] is None):
        raise ProtocolError("go: give southtime and northtime, or neither")
    increments = (given.get("southinc", 0), given.get("northinc", 0))
    return Search(
        **{name: given.get(word) for word, name in _LIMITS.items()},
        clocks=None if clocks[0] is None or clocks[1] is None else (clocks[0], clocks[1]),
        increments=increments,
        lines=given.get("lines", 1),
    )


def rules_text(rules: Rules) -> str:
    """The line ``rules GAME KEY=VALUE …``, with the options that differ from the game's."""
    return " ".join(["rules", rules.id, *(f"{name}={format_value(value)}" for name, value in rules.changed.items())])


def read_rules(words: Sequence[str]) -> Rules:
    """The rules that ``rules GAME KEY=VALUE …`` names.

    :raises RecordsError: an unknown game, option or value.
    """
    if not words:
        raise ProtocolError("rules: the game is missing: expected 'rules GAME KEY=VALUE …'")
    given: dict[str, str] = {}
    for word in words[1:]:
        name, equals, value = word.partition("=")
        if not equals or name in given:
            raise ProtocolError(f"rules: {_quote(word)} is not of the form key=value, or stands twice")
        given[name] = value
    info = load_ruleset(words[0])
    return Rules(info, info.resolve(given))


def position_text(start: Position, moves: Sequence[Move]) -> str:
    """The line ``position P moves M …``."""
    words = ["position", str(start)]
    if moves:
        words += ["moves", *(move.choice_text for move in moves)]
    return " ".join(words)


def read_position(rules: Rules, words: Sequence[str]) -> tuple[Rules, list[Position]]:
    """What follows ``position``: the rules with its seeds, and the positions from the first to the one to be searched.

    :raises RecordsError: the position or a move is impossible, or the rules do not allow so many seeds.
    """
    cut = words.index("moves") if "moves" in words else len(words)
    moves = words[cut + 1 :]
    if len(moves) > MAX_MOVES:
        raise ProtocolError(f"position: {len(moves)} moves: expected at most {MAX_MOVES}")
    if words[:cut] == ["start"]:
        positions = [rules.start()]
    else:
        positions = [Position.parse(" ".join(words[:cut]))]
        if rules.info.other_seeds:
            rules = rules.starting_from(positions[0])
        rules.verify_position(positions[0])
    previous = None
    for word in moves:
        move = Move.parse(word)
        positions.append(rules.play(positions[-1], move, previous).position)
        previous = move
    return rules, positions


def info_text(info: Info) -> str:
    """The line ``info …``."""
    moves = [move.choice_text for move in info.moves]
    words = ["info", "depth", str(info.depth), "line", str(info.line), *_value_words(info)]
    words += ["nodes", str(info.nodes), "time", str(info.time)]
    return " ".join([*words, "moves", *moves] if moves else words)


def answer_text(answer: Answer) -> str:
    """The line ``bestmove …``."""
    words = ["bestmove", "none" if answer.move is None else answer.move.choice_text]
    return " ".join(words + (_value_words(answer.info) if answer.info else []))


def _value_words(info: Info) -> list[str]:
    if info.exact:
        return ["exact", str(round(info.value))]
    return ["value", f"{info.value:.2f}"]


def read_info(words: Sequence[str]) -> Info | None:
    """What follows ``info``; None if it carries no value.

    :raises ProtocolError: an unknown word, or a word without its number.
    """
    values: dict[str, int] = {}
    value, exact = None, False
    moves: tuple[Move, ...] = ()
    pairs = iter(words)
    for word in pairs:
        if word == "moves":
            moves = tuple(Move.parse(text) for text in pairs)
        elif word in ("value", "exact"):
            exact = word == "exact"
            value = _read_value(word, next(pairs, ""))
        elif word in ("depth", "line", "nodes", "time"):
            values[word] = read_number(f"info: {word}", next(pairs, ""), 0, MAX_NUMBER)
        else:
            raise ProtocolError(f"info: {_quote(word)} is unknown")
    return None if value is None else Info(value, exact, **values, moves=moves)


def read_answer(words: Sequence[str]) -> Answer:
    """What follows ``bestmove``.

    :raises ProtocolError: there is no move, or more than a move and its value.
    """
    if not words:
        raise ProtocolError("bestmove: the move is missing")
    move = None if words[0] == "none" else Move.parse(words[0])
    return Answer(move, read_info(words[1:]) if len(words) > 1 else None)


def option_text(option: EngineOption) -> str:
    """The line ``option NAME DEFAULT LEAST MOST``."""
    return " ".join(["option", *(str(getattr(option, each.name)) for each in fields(option))])


def read_option(words: Sequence[str]) -> EngineOption:
    """What follows ``option``.

    :raises ProtocolError: it is not of that form.
    """
    if len(words) != 4:
        raise ProtocolError(f"option: {_quote(' '.join(words))}: expected 'option NAME DEFAULT LEAST MOST'")
    numbers = [read_number(f"option {words[0][:40]}", word, -MAX_NUMBER, MAX_NUMBER) for word in words[1:]]
    return EngineOption(words[0], *numbers)


def read_number(name: str, text: str, least: int, most: int) -> int:
    """A whole number in decimal digits.

    :raises ProtocolError: the text is not a number, or out of bounds.
    """
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 20) or not least <= int(text) <= most:
        raise ProtocolError(f"{name} is {_quote(text)}: expected a number from {least} to {most}")
    return int(text)


def _read_value(word: str, text: str) -> float:
    try:
        value = float(text) if len(text) <= 20 else 1e9
    except ValueError:
        value = 1e9
    if not abs(value) <= 10_000:
        raise ProtocolError(f"{word} is {_quote(text)}: expected seeds for the side to move")
    return value


def _quote(text: str) -> str:
    return repr(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")
