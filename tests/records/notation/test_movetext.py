"""A good record is damaged at a known place: that place is told, whatever surrounds it."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from random import Random

import pytest

from inkeek.records import (
    Position,
    RecordError,
    Rules,
    Visitor,
    read_games,
    ruleset,
    visit_games,
)
from inkeek.records.moves import Move

BLANKS = (" ", "\t", "  ", " \t")
SPACES = (*BLANKS, "\n", "\n\n", " \n\t", "\u00a0", "\u2003 ", "\n%left out ] } ) zz\n")
VALUES = ("Narok", "[Options ", 'see [Game \\"x\\"]', "[Setup", "{ ; (", "", "%", "\u00a0")


@dataclass
class Laid:
    """A record laid out at random. `plies` are the offsets of its moves with the number of the ply and what is legal
    there, `tags` those of its tags, `texts` those where a byte of a value or a comment stands."""

    rng: Random
    text: str = ""
    plies: list[tuple[int, str, int, list[str]]] = field(default_factory=list)
    tags: dict[str, int] = field(default_factory=dict)
    texts: list[int] = field(default_factory=list)

    def tag(self, name: str, value: str) -> None:
        blank = self.rng.choice
        self.tags[name] = len(self.text)
        self.text += f'[{blank(("", *BLANKS))}{name}{blank(BLANKS)}"'
        self.texts.append(len(self.text))
        self.text += f'{value}"{blank(("", *BLANKS))}]' + blank(("\n", "\n", " ", "\t", "\n \n"))

    def line(self, rules: Rules, position: Position, number: int, length: int, depth: int = 0) -> None:
        for _ in range(length):
            legal = rules.legal_moves(position)
            if not legal:
                break
            move = self.rng.choice(legal)
            self.plies.append((len(self.text), str(move), number, [str(each.choice) for each in legal]))
            self.text += str(move) + self.space()
            if self.rng.random() < 0.3:
                self.comment()
            if depth < 2 and self.rng.random() < 0.3:
                self.text += "(" + self.space()
                self.line(rules, position, number, self.rng.randint(1, 3), depth + 1)
                self.text += ")" + self.space()
            position = rules.play(position, move).position
            number += 1

    def comment(self) -> None:
        self.text += "{" + self.rng.choice(BLANKS)
        self.texts.append(len(self.text))
        self.text += self.rng.choice(("a zz", ";", "( [%xy", '[Event "x'))
        self.text += self.rng.choice(BLANKS) + "}" + self.space()

    def space(self) -> str:
        return self.rng.choice(SPACES)


def laid(rng: Random) -> Laid:
    record = Laid(rng)
    names = [("Game", "bof"), ("Options", "repetition=4"), ("Site", ""), ("Event", ""), ("T", "")]
    rng.shuffle(names)
    for name, value in names:
        record.tag(name, value or rng.choice(VALUES))
    record.text = record.text.rstrip() + "\n"
    rules = ruleset("bof", repetition=4)
    record.line(rules, rules.start(), 1, 6)
    record.text += "*\n"
    return record


def errors_of(data: bytes) -> list[RecordError]:
    (game,) = read_games(io.BytesIO(data))
    return list(game.errors)


def place(text: str, at: int) -> tuple[int, int]:
    return text[:at].count("\n") + 1, at - (text[:at].rfind("\n") + 1) + 1


def replaced(text: str, at: int, old: str, new: str) -> bytes:
    assert text.startswith(old, at)
    return (text[:at] + new + text[at + len(old) :]).encode()


@pytest.mark.parametrize("seed", range(40))
def test_the_place_of_a_damaged_move_is_told(seed):
    rng = Random(seed)
    record = laid(rng)
    assert errors_of(record.text.encode()) == []
    at, move, number, legal = rng.choice(record.plies)
    damaged = rng.choice(("zz", "axx1", move + "@", "q", Move.parse(move).pit.swapcase()))
    error = errors_of(replaced(record.text, at, move, damaged))[0]
    assert (error.line, error.column, error.ply) == (*place(record.text, at), number)
    assert list(error.legal) == legal


@pytest.mark.parametrize("seed", range(40))
def test_the_place_of_a_damaged_tag_is_told(seed):
    rng = Random(seed)
    record = laid(rng)
    name, old, new = rng.choice((("Game", "bof", "fob"), ("Options", "repetition=4", "repetition=44")))
    at = record.text.index(f'"{old}"', record.tags[name]) + 1
    error = errors_of(replaced(record.text, at, old, new))[0]
    assert (error.line, error.column, error.ply) == (*place(record.text, record.tags[name]), 0)


@pytest.mark.parametrize("seed", range(40))
def test_the_place_of_a_byte_that_is_not_utf_8_is_told(seed):
    rng = Random(seed)
    record, byte = laid(rng), rng.choice((b"\xff", b"\xc3", b"\xe2\x82"))
    at = rng.choice(record.texts)
    before = record.text[:at].encode()
    (error,) = errors_of(before + byte + b" " + record.text[at:].encode())
    assert error.line == before.count(b"\n") + 1
    assert error.column == len(before) - (before.rfind(b"\n") + 1) + 1


@pytest.mark.parametrize("head", ["", "\ufeff"])
def test_a_byte_order_mark_moves_no_column(head):
    assert [(e.line, e.column) for e in errors_of((head + '[Game "').encode() + b'\xff"]\n\na *\n')][:1] == [(1, 8)]


def test_a_wrong_command_before_the_first_move_is_not_looked_for_in_the_tags():
    (error,) = errors_of(b'[Event "[%clk soon]"]\n[Game "bof"]\n\n{[%clk soon]} 1. a *\n')
    assert (error.line, error.column) == (4, 2)


TEXT = """[Event "One"]
[Game "bof"]

{before} 1. a! B {after} 2. c ( 2. d ( 2. e ) {of d} ) *

[Event "Two"]
[Game "bof"]

1. a ? ( b
"""


class Log(Visitor[list[object]]):
    """Keeps everything in the order in which it is visited."""

    def __init__(self, source, index):
        super().__init__(source, index)
        self.log = [index]

    def tags(self, tags):
        self.log.append(dict(tags))
        return True

    def plies(self, plies):
        for ply in plies:
            assert not ply.variations
            self.log += [str(ply.move), *ply.nags, *ply.comments]

    def annotation(self, nag):
        self.log.append(nag)

    def comment(self, text):
        self.log.append(text)

    def begin_variation(self):
        self.log.append("(")

    def end_variation(self):
        self.log.append(")")

    def result(self, text):
        self.log.append(text)

    def fault(self, error):
        self.log.append(error)

    def done(self):
        return self.log


def test_a_visitor_sees_everything_from_top_to_bottom():
    one, two = visit_games(io.StringIO(TEXT), Log)
    tags = {"Event": "One", "Game": "bof"}
    assert one == [0, tags, "before", "a", 1, "B", "after", "c", "(", "d", "(", "e", ")", "of d", ")", "*"]
    *rest, fault = two
    assert rest == [1, {"Event": "Two", "Game": "bof"}, "a", 2, "(", "b"]
    assert "')'" in fault.message


def test_faults_of_tags_come_before_the_tags():
    (log,) = visit_games(io.StringIO('[Game "bof"]\n[Bad "x]\n\n1. a *'), Log)
    assert (log[1].line, log[1].column) == (2, 1)
    assert log[2] == {"Game": "bof"}
