"""The engine of fixed depth finds what a plain minimax over the rules finds."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from benchmarks.analysis.fixed_depth import FixedDepth
from records import Move, Position, Rules, ruleset, ruleset_ids
from tests.docs.pages import ROOT


def minimax(rules: Rules, position: Position, depth: int) -> int:
    """Captured seeds for the side to move, after the best `depth` turns."""
    mover = position.to_move
    turns = rules.turns(position) if depth else []
    if not turns:
        score = rules.score(position) if depth == 0 else rules.final_score(position)
        return score[mover] - score[1 - mover]
    return max(
        value if turn.position.to_move == mover else -value
        for turn in turns
        for value in [minimax(rules, turn.position, depth - 1)]
    )


@pytest.mark.parametrize("id", ruleset_ids())
def test_it_finds_the_value_of_a_plain_minimax(id: str) -> None:
    rules, chance = ruleset(id), random.Random(id)
    position = rules.start()
    for _ in range(12):
        if position.ply % 3 == 0:
            move, value = FixedDepth(rules, 3).choose(position)
            assert value == minimax(rules, position, 3)
            assert move is not None
            after = rules.play(position, move).position
            rest = minimax(rules, after, 2)
            assert value == (rest if after.to_move == position.to_move else -rest)
        position = chance.choice(rules.turns(position)).position


def test_a_game_that_is_over_has_no_turn() -> None:
    over = Position.parse("0.0.0.0.0.0/4.0.0.0.0.0 24-20 s 60")
    assert FixedDepth(ruleset("kalah")).choose(over) == (None, 0)


def test_it_speaks_the_protocol() -> None:
    lines = ["inkeek 1", "isready", "rules bof", "position start moves e", "go movetime 1", "rules chess", "quit"]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.analysis.fixed_depth", "2"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=ROOT,
    )
    said = [line.split() for line in done.stdout.splitlines()]
    assert [words[0] for words in said] == ["id", "inkeekok", "readyok", "bestmove", "error"]
    bof = ruleset("bof")
    assert bof.is_legal(bof.play(bof.start(), Move.parse("e")).position, Move.parse(said[3][1]))
