"""What is left when the game is over: it may lie in the pits, in the stores, or in part in both."""

from __future__ import annotations

import re

import pytest

from inkeek.records import Position, Rules, Turn, ruleset
from inkeek.records.findings import Evidence, Reading, find
from inkeek.records.findings.sweeps import swept_position
from inkeek.records.moves import Move

from .slipped_turns import counts_of

FOURS = {"pits": 8, "setup": "fours-right"}
# The last turn of a game of each, by the position before it and the move. Both sides have seeds left where that can be.
LAST_TURNS = [
    ("oware", {}, "0.0.0.0.0.1/1.0.0.0.0.1 24-21 s 40", "f"),
    ("oware", {}, "0.2.1.4.0.0/0.3.2.1.2.2 9-22 n 53", "F"),
    ("kalah", {}, "0.0.0.0.0.1/3.0.0.2.0.1 20-21 s 40", "f"),
    ("bof", {}, "0.0.0.0.0/1.1.0.1.0 26-11 n 15", "B"),
    ("enkeshui", FOURS, "10s.0.0.1.0.1.0.0/0.1.0.0.0.0.0.0 27-8 s 24", "f"),
    ("enkeshui-wikipedia", FOURS, "4n.0.0.0.0.8n.0.7s/0.2.0.1.1.0.0.6n 15-4 n 15", "E"),
    ("layli-goobalay", {"pits": 6}, "4s.1.2.0.0.1/0.0.0.0.0.3s 14-23 s 30", "b"),
]


def last_turn(id: str, options: dict[str, object], position: str, move: str) -> tuple[Rules, Turn]:
    rules = ruleset(id, **options)
    turn = rules.play(Position.parse(position), Move.parse(move))
    assert rules.outcome(turn.position) is not None
    return rules, turn


@pytest.mark.parametrize(("id", "options", "position", "move"), LAST_TURNS)
def test_a_board_is_right_before_during_and_after_the_sweep(
    id: str, options: dict[str, object], position: str, move: str
) -> None:
    rules, turn = last_turn(id, options, position, move)
    full = [pit for pit, seeds in enumerate(turn.position.pits) if seeds]
    for swept in [full[:number] for number in range(len(full) + 1)]:
        after = swept_position(rules, turn.position, sum(1 << pit for pit in swept))
        found = find(rules, Evidence(before=turn.before, counts=counts_of(after), claimed=turn.move.choice))
        rest = [pit for pit in full if pit not in swept]
        in_part = any((pit < rules.row) == (other < rules.row) for pit in swept for other in rest)
        account = next(one for one in found.accounts if one.legal) if in_part else found.accounts[0]
        assert (account.legal, account.move, account.board) == (True, turn.move, counts_of(after)), swept
        assert found.legal is not False  # slips in sowing seeds that are all swept leave no trace
        whole = counts_of(turn.position) == counts_of(after)
        unswept = find(rules, Evidence(before=turn.before, counts=counts_of(turn.position), claimed=turn.move.choice))
        assert len(account.sentences) == len(unswept.accounts[0].sentences) + (not whole)
    score = swept_position(rules, turn.position).stores
    assert score == rules.outcome(turn.position).score  # type: ignore[union-attr]


@pytest.mark.parametrize(("id", "options", "position", "move"), LAST_TURNS[1:])
def test_a_sweep_to_the_wrong_side_is_a_slip(id: str, options: dict[str, object], position: str, move: str) -> None:
    rules, turn = last_turn(id, options, position, move)
    right = swept_position(rules, turn.position)
    left = sum(turn.position.pits)
    for side in (0, 1):
        stores = [*turn.position.stores]
        stores[side] += left
        if tuple(stores) == right.stores:
            continue
        counts = (*right.pits, *stores)
        found = find(rules, Evidence(before=turn.before, counts=counts, claimed=turn.move.choice))
        assert (found.accounts[0].kinds, found.legal) == (("swept-wrongly",), False)
        account = found.accounts[0]
        mended = [count + account.mend.get(place, 0) for place, count in enumerate(counts)]  # type: ignore[union-attr]
        assert tuple(mended) == counts_of(right)


@pytest.mark.parametrize(
    ("id", "options", "position", "move", "stores", "wrong"),
    [
        ("enkeshui", FOURS, "1.0.2.0.0.0.1.0/0.5s.0.0.0.0.0.0 20-19 s 41", "g", (24, 24), {"B": 1}),
        ("enkeshui", FOURS, "1.0.2.0.0.0.1.0/0.5s.0.0.0.0.0.0 20-19 s 41", "g", (20, 28), dict.fromkeys("achB", 1)),
        ("kalah", {}, "0.0.0.0.0.1/3.0.0.2.0.1 20-21 s 40", "f", (27, 21), {"A": 0, "D": 0, "F": 0}),
    ],
)  # fmt: skip
def test_only_the_pits_that_went_to_the_wrong_side_are_wrong(
    id: str, options: dict[str, object], position: str, move: str, stores: tuple[int, int], wrong: dict[str, int]
) -> None:
    rules, turn = last_turn(id, options, position, move)
    counts = (*(0 for _ in turn.before.pits), *stores)
    account = find(rules, Evidence(before=turn.before, counts=counts, claimed=turn.move)).accounts[0]
    assert (account.kinds, account.move) == (("swept-wrongly",), turn.move.choice)
    assert account.first_wrong_step is not None
    late = account.steps[account.first_wrong_step :]
    assert {turn.before.letter(step.pit): step.other for step in late} == wrong
    assert wrong.keys() <= set(re.findall(r"\b\w\b", account.sentences[1]))


@pytest.mark.parametrize(
    ("id", "options", "position", "move"),
    [
        ("oware", {}, "0.0.0.1.0.1/1.0.0.0.0.1 20-24 s 40", "d"),
        ("kalah", {}, "0.0.1.0.0.1/3.0.0.2.0.1 20-20 s 40", "c"),
        ("bof", {}, "1.0.1.0.2/0.1.0.3.1 18-13 s 20", "a"),
        ("enkeshui", FOURS, "10s.0.0.1.0.1.0.0/0.1.0.0.1.0.0.0 27-7 s 24", "f"),
        ("enkeshui-wikipedia", FOURS, "4n.0.1.0.1.8n.0.7s/0.1.0.1.1.0.0.6n 14-4 n 15", "E"),
        ("layli-goobalay", {"pits": 6}, "1.0.0.1.0.2s/0.1.0.2s.0.1 20-20 s 30", "a"),
    ],
)  # fmt: skip
def test_a_sweep_while_the_game_goes_on_is_a_slip(
    id: str, options: dict[str, object], position: str, move: str
) -> None:
    rules = ruleset(id, **options)
    turn = rules.play(Position.parse(position), Move.parse(move))
    assert rules.outcome(turn.position) is None
    swept = swept_position(rules, turn.position)
    found = find(rules, Evidence(before=turn.before, counts=counts_of(swept), claimed=turn.move.choice))
    assert found.accounts[0].kinds == ("swept-early",)
    assert found.accounts[0].target == turn.position


def test_seeds_that_are_swept_are_not_captured() -> None:
    rules, turn = last_turn(*LAST_TURNS[0])
    swept = swept_position(rules, turn.position)
    evidence = Evidence(before=turn.before, counts=counts_of(swept), claimed=turn.move.choice, captured=turn.captured)
    assert find(rules, evidence).accounts[0].probability > 0.9


def test_noisy_counts_and_uncounted_stores_fit_a_sweep() -> None:
    rules, turn = last_turn(*LAST_TURNS[2])
    swept = swept_position(rules, turn.position)
    noisy = (*(Reading(count + 0.1, 0.3) for count in swept.pits), None, None)
    found = find(rules, Evidence(before=turn.before, counts=noisy, claimed=turn.move.choice))
    assert found.accounts[0].move == turn.move
    assert found.accounts[0].legal
