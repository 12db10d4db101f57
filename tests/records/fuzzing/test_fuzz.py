"""The fuzzer in small, that it sees what is wrong, and inputs made to take long."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from records import Move, Position, write_game
from records.notation import reader
from tests.records import fuzz

from . import inputs as fuzz_inputs
from .inputs import TARGETS


@pytest.mark.parametrize(("target", "inputs"), [("text", 800), ("bytes", 800), ("position", 4000), ("move", 4000)])
def test_whatever_is_thrown_at_a_reader_it_reads_or_refuses(target: str, inputs: int) -> None:
    tally = fuzz.run(target, 2026, range(inputs))
    assert tally.failures == []
    assert tally.inputs == inputs


@pytest.mark.parametrize("target", TARGETS)
def test_an_input_is_made_again_from_its_number_and_no_other(target: str) -> None:
    made = [fuzz_inputs.make(target, 1, number) for number in range(50)]
    assert made == [fuzz_inputs.make(target, 1, number) for number in range(50)]
    assert len(set(made)) > 25
    assert made != [fuzz_inputs.make(target, 2, number) for number in range(50)]


def test_what_can_be_read_and_what_cannot_both_come_up_often() -> None:
    texts = [str(fuzz_inputs.make("text", 1, number)) for number in range(300)]
    games = [game for text in texts for game in reader.read_games(fuzz.opened(text))]
    right = sum(not game.errors for game in games)
    readable = sum(not game.faults for game in games)
    assert right > 20
    assert readable - right > 40
    assert len(games) - readable > 40


def test_processes_share_the_inputs_out() -> None:
    results = list(fuzz.fuzz({"move": 700, "position": 500}, seed=1, workers=2, every=100))
    done = {target: sum(tally.inputs for name, tally in results if name == target) for target in ("move", "position")}
    assert done == {"move": 700, "position": 500}


def test_a_failing_input_is_found_reported_and_saved_as_small_as_it_still_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def parse(text: str) -> Move:
        if "<>" in text:
            raise KeyError(text)
        return known(text)

    known = Move.parse
    monkeypatch.setattr(Move, "parse", parse)
    number = next(number for number in range(1000) if "<>" in fuzz_inputs.make("move", 1, number))
    assert [failed for failed, _ in fuzz.run("move", 1, range(number + 1)).failures] == [number]
    monkeypatch.setattr("sys.argv", ["fuzz", "--target", "move", "--inputs", "1000", "--save", str(tmp_path)])
    assert fuzz.main() == 1
    said = capsys.readouterr().err
    saved = sorted(tmp_path.iterdir())
    assert 1 < len(saved) <= fuzz.MAX_REPORTED
    for path in saved:
        assert f"move: input {path.stem.removeprefix('move-')} of seed 1 failed: KeyError" in said
        assert path.read_text() == "<>"


def test_what_takes_too_long_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def parse(text: str) -> Position:
        while True:
            pass

    monkeypatch.setattr(Position, "parse", parse)
    monkeypatch.setattr(fuzz, "SECONDS", 0.02)
    assert fuzz.failure("position", "4.4/4.4 0-0 s 0").startswith("TooSlow")


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


@pytest.mark.parametrize("name", SHAPES)
def test_time_grows_as_the_input_does(name: str) -> None:
    few, many = (least_seconds(SHAPES[name](count)) for count in (FEW, TIMES * FEW))
    assert many < 2.5 * TIMES * max(few, 0.0005)  # what is less is the clock's


def least_seconds(text: str) -> float:
    """Processor time that reading, replaying and writing a text takes, the least of three times."""
    took = []
    for _ in range(3):
        began = time.process_time()
        for game in reader.read_games(fuzz.opened(text)):
            assert len(game.errors) >= 0
            if not game.faults:
                write_game(game)
        took.append(time.process_time() - began)
    return min(took)
