from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from inkeek.records import IllegalMove, Kind, Move, Position, ruleset, ruleset_ids
from tests.records.positions import constructed, random_rules


@pytest.mark.parametrize("id", ruleset_ids())
@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_it_plays_and_takes_back_as_the_rules_play(id: str, seed: int) -> None:
    rng = Random(seed)
    rules = random_rules(rng, id)
    position = constructed(rng, rules)
    board = rules.board(position)
    passed = [position]
    for _ in range(25):
        here = board.position()
        assert here == passed[-1]
        legal = board.legal()
        expected = rules.legal_moves(here)
        assert [str(move) for move in legal] == [str(move) for move in expected]
        if not legal or len(legal) > 300:
            break
        if rng.random() < 0.25 and len(passed) > 1:
            board.pop()
            passed.pop()
            continue
        move = rng.choice(legal)
        board.push(move if rng.random() < 0.5 else move.choice)
        passed.append(rules.play(here, move).position)
    while len(passed) > 1:
        board.pop()
        passed.pop()
        assert board.position() == passed[-1]


def test_it_refuses_what_the_rules_refuse_and_stays_as_it_was() -> None:
    rules = ruleset("kalah")
    board = rules.board(rules.start())
    board.push(Move.parse("c"))
    before = board.position()
    for text in ("A", "bx4", "--", "~b", "ab@c4d2"):
        with pytest.raises(IllegalMove):
            board.push(Move.parse(text))
        assert board.position() == before
    assert board.line() == [Move.parse("c")]


def test_it_rearranges_and_takes_that_back() -> None:
    rules = ruleset("enkeshui", pits=8)
    board = rules.board(rules.start())
    move = Move.parse("cd@a4b4")
    assert move.kind is Kind.REARRANGE
    board.push(move)
    assert board.position() == rules.play(rules.start(), move).position
    with pytest.raises(IllegalMove):
        board.push(Move.parse("ef@c4d4"))
    assert board.pop() == move
    assert board.position() == rules.start()


def test_nothing_is_left_to_take_back() -> None:
    rules = ruleset("oware")
    board = rules.board(rules.start())
    with pytest.raises(IndexError):
        board.pop()


def test_it_goes_as_deep_as_memory() -> None:
    rules = ruleset("oware", majority_end=False)
    start = Position.parse("0.0.0.0.0.1/0.0.0.0.0.1 23-23 s 40")
    board = rules.board(start)
    for _ in range(300):
        legal = board.legal()
        if not legal:
            break
        board.push(legal[0])
    played = len(board.line())
    assert board.position().ply == 40 + played
    for _ in range(played):
        board.pop()
    assert board.position() == start
