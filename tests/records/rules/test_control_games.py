"""The games whose truth others have published: what holds for them vouches for the kernel, perft and the notation."""

from __future__ import annotations

import pytest

from inkeek.records import IllegalMove, Move, Position, Rules, Side, read_games, ruleset
from inkeek.records.notation.writer import write_game


def played(rules: Rules, position: str, move: str) -> str:
    return str(rules.play(Position.parse(position), Move.parse(move)).position)


def test_oware_captures_backwards_until_a_pit_does_not_hold_two_or_three() -> None:
    # f(4) makes A 2, B 3, C 5, D 2: D is taken, C is not, and so B and A stay.
    turn = ruleset("oware").play(Position.parse("0.0.0.0.0.4/1.2.4.1.4.4 14-14 s 20"), Move.parse("fx2"))
    assert str(turn.position) == "0.0.0.0.0.0/2.3.5.0.4.4 16-14 n 21"


def test_oware_grand_slam_is_played_and_takes_nothing() -> None:
    rules = ruleset("oware")
    before = "1.0.0.0.0.2/1.1.0.0.0.0 22-21 s 40"
    assert played(rules, before, "f") == "1.0.0.0.0.0/2.2.0.0.0.0 22-21 n 41"
    assert rules.trace(Position.parse(before), Move.parse("f")).events[-1].reason == "grand-slam"


def test_oware_must_feed_a_hungry_opponent() -> None:
    rules = ruleset("oware", majority_end=False)
    position = Position.parse("3.0.0.0.2.1/0.0.0.0.0.0 20-22 s 40")
    assert [str(move.choice) for move in rules.legal_moves(position)] == ["e", "f"]
    with pytest.raises(IllegalMove) as caught:
        rules.play(position, Move.parse("a"))
    assert caught.value.reason == "must-feed"


def test_oware_ends_when_nothing_can_feed_and_each_keeps_the_own_row() -> None:
    rules = ruleset("oware", majority_end=False)
    outcome = rules.outcome(Position.parse("3.0.0.0.1.0/0.0.0.0.0.0 20-24 s 40"))
    assert outcome is not None
    assert (outcome.score, outcome.winner) == ((24, 24), None)


@pytest.mark.parametrize(("majority_end", "over"), [(True, True), (False, False)])
def test_oware_majority_ends_at_once(majority_end: bool, over: bool) -> None:
    rules = ruleset("oware", majority_end=majority_end)
    assert (rules.outcome(Position.parse("1.0.0.0.0.2/1.1.0.0.0.0 25-18 n 40")) is not None) is over


def test_oware_skips_the_pit_it_was_lifted_from() -> None:
    assert played(ruleset("oware"), "12.0.0.0.0.0/0.0.0.0.0.0 18-18 s 40", "a") == (
        "0.2.1.1.1.1/1.1.1.1.1.1 18-18 n 41"
    )


def test_kalah_moves_again_after_the_own_store_under_one_number() -> None:
    (record,) = read_games(['[Game "kalah"]\n', "\n", "1. c f A *\n"])
    assert record.errors == ()
    assert [turn.position.to_move for turn in record.replay().turns] == [Side.SOUTH, Side.NORTH, Side.SOUTH]
    assert write_game(record).splitlines()[-1] == "1. c f A *"


def test_kalah_sows_the_own_store_and_not_the_other() -> None:
    assert played(ruleset("kalah"), "1.0.0.0.0.8/0.0.0.0.0.1 20-18 s 40", "f") == "2.0.0.0.0.0/1.1.1.1.1.2 21-18 n 41"


@pytest.mark.parametrize(("empty_capture", "after"), [(False, "0.1.0.0.0.1"), (True, "0.0.0.0.0.1")])
def test_kalah_last_seed_alone_against_an_empty_pit(empty_capture: bool, after: str) -> None:
    rules = ruleset("kalah", empty_capture=empty_capture)
    store = 21 if empty_capture else 20
    assert played(rules, "1.0.0.0.0.1/1.0.0.0.0.1 20-24 s 40", "a") == f"{after}/1.0.0.0.0.1 {store}-24 n 41"


def test_kalah_captures_with_the_opposite_and_does_not_count_what_was_sown() -> None:
    turn = ruleset("kalah").play(Position.parse("1.0.0.0.0.1/1.0.0.0.5.1 20-19 s 40"), Move.parse("a"))
    assert (str(turn.move), turn.captured) == ("ax6", (6, 0))


def test_kalah_is_over_when_a_row_is_empty() -> None:
    outcome = ruleset("kalah").outcome(Position.parse("0.0.0.0.0.0/1.0.0.0.5.1 20-21 n 40"))
    assert outcome is not None
    assert outcome.score == (20, 28)
