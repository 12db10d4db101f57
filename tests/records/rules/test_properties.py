"""What holds of every game, position and move: the kernels against each other in bulk, and moves drawn at random."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from inkeek.records import PASS, IllegalMove, Kind, Move, Position, Rules, Side, ruleset, ruleset_ids
from inkeek.records.kernel.loader import kernel_module
from inkeek.records.rules.outcome import in_row
from inkeek.records.rules.table import resolve_table
from tests.records import positions, prove

TWIN_TURNS = 200_000  # sown by both kernels, of each rule set; `python -m tests.records.prove --twins` sows more
SHARES = 4  # in which they are tested, so that tests run in several processes take an equal part


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("id", ruleset_ids())
def test_the_kernels_sow_every_turn_alike(id: str, share: int) -> None:
    count = prove.twins(id, TWIN_TURNS // SHARES, seed=2026 + share)
    assert count["turns"] >= TWIN_TURNS // SHARES
    assert count["long"] < count["turns"] // 500
    assert count["positions"] > count["turns"] // 50


def test_kernels_that_differ_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = kernel_module("interpreted").Kernel
    monkeypatch.setattr(slow, "_end_oware", slow._end_kalah)
    with pytest.raises(AssertionError, match=r"ruleset\('oware'.* in .*: [a-fA-F]: compiled .*interpreted"):
        prove.twins("oware", 1000, seed=1)


@settings(max_examples=150)
@given(positions.games(), st.randoms(use_true_random=False))
def test_a_move_is_legal_exactly_if_it_plays_and_plays_exactly_if_it_is_listed(game, rng):
    rules, position = game
    moves = rules.legal_moves(position, limit=300)
    if not moves.complete:
        return
    for _ in range(12):
        move = drawn(rng, rules, position)
        try:
            turn = rules.play(position, move)
        except IllegalMove as error:
            turn, refused = None, error
        if turn is None:
            assert not rules.is_legal(position, move)
            assert refused.position == position
            assert list(refused.legal) == moves[: len(refused.legal)]
            only_claims = refused.reason == "false-claim"
            assert rules.is_legal(position, move.choice) == only_claims, f"{move} in {position}: {refused.reason}"
        else:
            assert rules.is_legal(position, move)
            assert move.kind is Kind.REARRANGE or turn.move in moves, f"{move} in {position}"
            assert turn.position.seeds == position.seeds
            assert rules.play(position, turn.move) == turn


def drawn(rng: Random, rules, position: Position) -> Move:
    """Any move at all: mostly one that could be meant in this position."""
    letters = [position.letter(pit) for pit in range(2 * rules.row)]
    chance = rng.random()
    if chance < 0.05:
        return PASS
    if chance < 0.1:
        own = [position.letter(pit) for pit in position.pits_of(position.to_move)]
        return Move.parse(f"{rng.choice(own)}{rng.choice(own)}@{rng.choice(own)}{rng.randrange(9)}")
    choices = "".join(rng.choice("<>") for _ in range(rng.choice((0, 0, 0, 1, 2, 4))))
    captured = (rng.choice((0, 0, 2, 4)), 0) if rng.random() < 0.3 else None
    special = rng.choice(("", rng.choice(letters))) if rng.random() < 0.2 else None
    return Move(rng.choice(letters), choices, captured=captured, special=special)


def can_play(rules: Rules, position: Position, side: Side) -> bool:
    """Whether a side has a turn that sows, if it is to move."""
    moves = rules.legal_moves(position._replace(to_move=side), 1)
    return bool(moves) and moves[0] != PASS


@pytest.mark.parametrize("id", ruleset_ids())
def test_a_game_ends_when_its_rules_say_and_whoever_has_more_wins(id: str) -> None:
    rules = ruleset(id)
    assert rules.info.table is not None
    end = resolve_table(rules.info.table["end"], rules.options)
    for seed in range(12):
        for position in positions.random_game(Random(seed), rules):
            stuck = not can_play(rules, position, position.to_move)
            over = {
                "row": not all(in_row(position, side) for side in Side),
                "both": not any(can_play(rules, position, side) for side in Side),
                "mover": stuck,
            }[end["over"]] or (end["majority"] and max(position.stores) > rules.seeds // 2)
            outcome = rules.outcome(position)
            assert over == (outcome is not None), position
        if outcome is not None:
            south, north = outcome.score
            assert outcome.winner == (None if south == north else Side(north > south))
