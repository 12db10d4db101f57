"""No record costs a reader much more than a good file of its size: the hostile corpus. Work is counted, not timed."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from types import FrameType

import pytest

from inkeek.records import Game, Ply, Position, Rules, read_games, ruleset, write_game
from inkeek.records.notation.reader import LenientBuilder, visit_games
from inkeek.records.notation.tags import format_options

HEAD = '[Game "enkeshui"]\n[Options "pits=8 setup=fours-right"]\n\n1. c '
# L neither ends nor repeats a state within the kernel's limit (docs/endless.md).
LONG = (
    '[Game "layli-goobalay"]\n[Setup "1.8.1.2.7.0.7.0.7.0.7.0/1.10.1.10.3.1.2.8.0.3.0.8 6-3 n 5"]\n'
    '[Options "first_move=free"]\n\n'
)


def lines(piece: str, size: int, head: str = HEAD, tail: str = "\n") -> str:
    """A record of about so many characters: the piece again and again, in lines of 80 and more, with the head before
    them; more records where one would be too long."""
    in_line = piece * (80 // len(piece) + 1) + "\n"
    record = head + in_line * (min(size, 3_000_000) // len(in_line) + 1) + tail
    return "\n\n".join([record] * (size // len(record) + 1))


def short(record: str, size: int) -> str:
    """The record again and again."""
    return (record + "\n\n") * (size // len(record) + 1)


def good(size: int) -> str:
    """Games played at random, without comments or variations."""
    rng = Random(1)
    games = [played(rng, ruleset("enkeshui", pits=8, setup="fours-right")) for _ in range(40)]
    text = "\n".join(games)
    return (text + "\n") * (size // len(text) + 1)


def played(rng: Random, rules: Rules) -> str:
    position, plies = rules.start(), []
    for _ in range(80):
        moves = rules.legal_moves(position, 50)
        if not moves:
            break
        plies.append(Ply(rng.choice(moves)))
        position = rules.play(position, plies[-1].move).position
    return write_game(Game({"Game": rules.id, "Options": format_options(rules.changed)}, tuple(plies)))


def many_choices() -> Position:
    """A position in which the choice at each relay offers thousands of turns."""
    rng = Random(3)
    rules = ruleset("enkeshui", pits=8, direction_choice="each-relay")
    while True:
        position = rules.start()
        for _ in range(40):
            turns = rules.turns(position, 3000)
            if not turns:
                break
            if not turns.complete:
                return position
            position = rng.choice(turns).position


def irregular(size: int) -> str:
    turn = '{}... ~{} {{[%after "4.4.4.4.4.4.0.0/4.4.4.4.4.4.0.0 0-0 {} {}"]}}\n'
    head = '[Game "enkeshui"]\n[Options "pits=8"]\n\n'
    record = head + "".join(turn.format(n // 2 + 1, "aA"[n % 2], "ns"[n % 2], n + 1) for n in range(15_000))
    return short(record[: max(size, 1000)].rsplit("\n", 1)[0], size)


CASES: dict[str, Callable[[int], str | bytes]] = {
    "variations": lambda size: short(lines("(c) ", min(size, 70_000)), size),
    "refused variations": lambda size: short(HEAD + "(A)" * 100, size),
    "refused variations in long records": lambda size: lines("(A) ", size),
    "refused variations with many turns to list": lambda size: short(
        f'[Game "enkeshui"]\n[Options "pits=8 direction_choice=each-relay"]\n[Setup "{many_choices()}"]\n\n1. c (C) '
        + "(C)(c) " * 50,
        size,
    ),
    "refused first moves": lambda size: short('[Game "enkeshui"]\n\n1. a *', size),
    "an endless turn": lambda size: short(LONG + "1... L *", size),
    "endless turns in variations": lambda size: short(LONG + "1... A (L)(L)(L)(L) *", size),
    "nested variations": lambda size: short(HEAD + "(c " * 64 + ")" * 64, size),
    "nested too deep": lambda size: lines("(c ", size),
    "open parentheses": lambda size: lines("(", size),
    "irregular turns": irregular,
    "annotations": lambda size: lines("$1 ", size),
    "glyphs": lambda size: lines("! ", size),
    "comments": lambda size: lines("{x}", size),
    "line comments": lambda size: lines(";\n", size),
    "escapes": lambda size: lines("\n%", size),
    "brackets in a comment": lambda size: lines("[\n", size, HEAD + "{\n"),
    "tags in a comment": lambda size: lines('[Event "x"\n', size, HEAD + "{\n"),
    "open commands": lambda size: lines("[%clk ", size, HEAD + "{", "}\n"),
    "wrong commands": lambda size: lines("[%clk x]", size, HEAD + "{", "}\n"),
    "wrong commands in comments": lambda size: lines("{[%clk x]}", size),
    "unclosed comments": lambda size: short(HEAD + "{", size),
    "blank lines": lambda size: "\n" * size,
    "blank lines with spaces": lambda size: " \n" * (size // 2),
    "blank lines in a record": lambda size: lines("\n", size),
    "one line": lambda size: "c " * (size // 2),
    "one line of tags": lambda size: '[Game "bof"] ' * (size // 13),
    "no UTF-8": lambda size: b"\xff\n" * (size // 2),
    "no UTF-8 in a record": lambda size: HEAD.encode() + b"{\xff}\n" * (size // 4),
    "other tags": lambda size: '[Game "bof"]\n' + "".join(f'[T{n} "x"]\n' for n in range(size // 12)),
    "the same tag": lambda size: lines('[T "x"]\n', size, '[Game "bof"]\n'),
    "open tags": lambda size: lines("[\n", size, '[Game "bof"]\n'),
    "records of one tag": lambda size: short('[Event "x"]', size),
    "wrong moves": lambda size: short('[Game "bof"]\n\n1. d<<<<<< zzz', size),
}


def made(name: str, size: int) -> bytes:
    """A case of the corpus with about so many bytes."""
    data = CASES[name](size)
    return data.encode() if isinstance(data, str) else data


def read(data: bytes) -> Iterator[Game]:
    """Read and check all records."""
    for game in read_games(io.BytesIO(data)):
        assert isinstance(game.errors, tuple)
        yield game


def read_lenient(data: bytes) -> Iterator[Game]:
    for game in visit_games(io.BytesIO(data), LenientBuilder):
        assert isinstance(game.errors, tuple)
        yield game


SIZE = 6_000
# Times as many calls, with what a lenient reader lists as left out; each takes less time than one of a good file, where
# regular expressions do the most.
MOST = 24
LAPS = 10  # so many laps take as long as a call


def work(reading: Callable[[bytes], Iterator[Game]], data: bytes, monkeypatch: pytest.MonkeyPatch) -> float:
    """What reading takes for each byte: calls of functions, and laps of sowing."""
    calls = 0
    kernels = {}
    load = Rules._load

    def counted_load(rules: Rules, *arguments: object) -> object:
        kernel = load(rules, *arguments)
        kernels.setdefault(id(kernel), (kernel, kernel.laps_sown()))
        return kernel

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    with monkeypatch.context() as patch:
        patch.setattr(Rules, "_load", counted_load)
        before = sys.getprofile()
        sys.setprofile(count)
        try:
            for _ in reading(data):
                pass
        finally:
            sys.setprofile(before)
    laps = sum(kernel.laps_sown() - sown for kernel, sown in kernels.values())
    return (calls + laps / LAPS) / len(data)


@cache
def usual(reading: Callable[[bytes], Iterator[Game]]) -> float:
    with pytest.MonkeyPatch.context() as patch:
        return work(reading, good(SIZE).encode(), patch)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("reading", [read, read_lenient])
def test_work_is_in_proportion_to_size(name, reading, monkeypatch):
    took = work(reading, made(name, SIZE), monkeypatch)
    assert took <= MOST * usual(reading)
