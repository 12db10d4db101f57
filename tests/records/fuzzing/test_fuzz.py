"""The fuzzer in small, and inputs made to take long."""

from __future__ import annotations

import time

import pytest

from inkeek.records import write_game
from inkeek.records.notation import reader
from tests.records import fuzz


@pytest.mark.parametrize(("target", "inputs"), [("text", 800), ("bytes", 800), ("position", 4000), ("move", 4000)])
def test_whatever_is_thrown_at_a_reader_it_reads_or_refuses(target: str, inputs: int) -> None:
    assert fuzz.run(target, 2026, range(inputs)) == []


def test_a_false_claim_of_nothing_is_not_lost() -> None:
    (game,) = reader.read_games(fuzz.opened(HEAD + "1. bx0"))
    assert "false-claim" in game.errors[0].message
    assert write_game(game).endswith("\n1. bx0 *\n")


HEAD = '[Game "bof"]\n\n'
# Inputs of which a careless reader would look at all that follows, or went before, once for every word.
SHAPES = {
    "tags that are none": lambda many: "[x\n" * many,
    "commands that are none": lambda many: HEAD + "~? {" + "[%a\n" * many + "}",
    "tags": lambda many: "".join(f'[A{number} "x"]\n' for number in range(many)),
    "a tag never closed": lambda many: '[A "' + '\\"' * many,
    "second Events": lambda many: '[Event "x"]\n' * many,
    "escapes": lambda many: HEAD + "%\n" * many,
    "moves": lambda many: HEAD + "a A\n" * many,
    "comments": lambda many: HEAD + "a" + " {x}" * many,
    "comments in a line": lambda many: HEAD + "a " + "{}" * many,
    "arguments": lambda many: HEAD + "~? {[%a" + ' a "b"' * many + "}",
    "open values": lambda many: HEAD + "~? {" + '[%a x="' * many + "}",
    "open values with a backslash": lambda many: HEAD + "~? {" + '[%a "\\' * many + "}",
    "quotes": lambda many: HEAD + "~? {[%after" + ' "' * many + "}",
    "words": lambda many: HEAD + "a {" + "b " * many + "}",
    "variations": lambda many: HEAD + "a " + "( b ) " * many,
    "variations that are wrong": lambda many: HEAD + "a " + "( A ) " * many,
    "variations within variations": lambda many: HEAD + "a ( a " * many,
    "digits": lambda many: HEAD + "1" * many + "é",
    "dots": lambda many: HEAD + "1" + "." * many + "é",
    "blanks": lambda many: HEAD + "a" + " " * many + "A",
    "annotations": lambda many: HEAD + "a" + " $1" * many,
    "marks": lambda many: HEAD + "a" + " !" * many,
    "empty lines": lambda many: HEAD + "\n" * many,
}
FEW, TIMES = 1000, 8
ATTEMPTS = 10  # other work on the machine may slow one of the two readings, and never makes a slow reader fast


@pytest.mark.parametrize("name", SHAPES)
def test_time_grows_as_the_input_does(name: str) -> None:
    few, many = SHAPES[name](FEW), SHAPES[name](TIMES * FEW)
    assert any(
        seconds(many) < 2.5 * max(sum(seconds(few) for _ in range(TIMES)), 0.004)  # what is less is the clock's
        for _ in range(ATTEMPTS)
    )


def seconds(text: str) -> float:
    """Processor time that reading, replaying and writing a text takes."""
    began = time.process_time()
    for game in reader.read_games(fuzz.opened(text)):
        assert len(game.errors) >= 0
        if not game.faults:
            write_game(game)
    return time.process_time() - began
