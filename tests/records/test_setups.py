"""The start of a race; the rows and set-ups of the games of a match."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from inkeek.records import NORTH, Position, Rules, Side, ruleset
from inkeek.records.notation.tags import rules_of
from inkeek.records.setups import fill_from_right, least_to_play, open_pits, racing_pits, setup_faults

RACED = {"Game": "enkeshui", "Options": "pits=8 race=free"}


@pytest.mark.parametrize(
    ("options", "pits"),
    [
        ({"race": "right-hand"}, ["l", "L"]),
        ({"race": "right-hand", "pits": 8}, ["h", "H"]),
        ({"race": "right-hand", "setup": "fours-left"}, ["f", "F"]),
        ({"race": "free", "pits": 8}, ["cdefgh", "CDEFGH"]),
    ],
)
def test_a_race_starts_from_the_right_hand_pits_with_seeds_or_from_any(options, pits):
    rules = ruleset("enkeshui", **options)
    start = rules.start()
    assert ["".join(map(start.letter, racing_pits(rules, start, side))) for side in Side] == pits


def test_what_a_race_left_is_the_start_of_a_record():
    left = "1.0.0.5.5.5.0.5/1.1.5.5.0.5.5.5 0-0 n 0"
    assert str(rules_of({**RACED, "Race": "c E North", "RacePosition": left}).start()) == left
    again = {**RACED, "Options": f"{RACED['Options']} race_keeps_position=false", "Race": "c E North"}
    assert rules_of(again).start() == ruleset("enkeshui", pits=8).start().replaced(to_move=NORTH)


FOURS = (0, 0, 4, 4, 4, 4, 4, 4)
LEFT = (4, 4, 4, 4, 4, 4, 0, 0)
TRIPLES = (0, 3, 3, 0, 3, 3, 0, 3, 3, 0, 3, 3)


@pytest.mark.parametrize(
    ("standard", "seeds", "row"),
    [
        (FOURS, 24, "0 0 4 4 4 4 4 4"),
        (FOURS, 18, "0 0 0 2 4 4 4 4"),
        (FOURS, 4, "0 0 0 0 0 0 0 4"),
        (FOURS, 30, "0 0 4 4 4 4 4 4"),
        (FOURS, 0, "0 0 0 0 0 0 0 0"),
        (LEFT, 9, "0 0 0 1 4 4 0 0"),
        (TRIPLES, 14, "0 0 0 0 0 2 0 3 3 0 3 3"),
        ((5, 0, 1, 2), 4, "1 0 1 2"),
    ],
)
def test_rows_are_filled_from_the_right(standard, seeds, row):
    assert " ".join(map(str, fill_from_right(standard, seeds))) == row


@given(st.lists(st.integers(0, 9), min_size=1), st.integers(0, 60))
def test_filling_lays_all_seeds_that_there_is_room_for(standard, seeds):
    row = fill_from_right(standard, seeds)
    assert sum(row) == min(seeds, sum(standard))
    short = [pit for pit, (laid, number) in enumerate(zip(row, standard, strict=True)) if laid < number]
    # To the left of the one pit that may be short all are empty, to the right all are full.
    assert all(row[pit] == 0 for pit in range(max(short, default=0)))
    assert fill_from_right(standard, sum(row)) == row


def test_the_right_hand_pit_is_the_rightmost_that_is_filled_at_all():
    assert [least_to_play(row) for row in (FOURS, LEFT, TRIPLES, (9, 1, 0))] == [4, 4, 3, 1]


def test_a_round_opens_a_pit_for_every_four_seeds():
    rules = ruleset("bof", match="rounds")
    assert [open_pits(rules, seeds) for seeds in (3, 4, 7, 8, 19, 20, 36)] == [0, 1, 1, 2, 4, 5, 5]


def faults(rules: Rules, text: str, first_game: bool = False) -> str:
    return "; ".join(setup_faults(rules, Position.parse(text), first_game))


SURPLUS = ruleset("enkeshui", pits=8, match="surplus")
ROUNDS = ruleset("bof", match="rounds")


@pytest.mark.parametrize(
    ("rules", "text", "says"),
    [
        (SURPLUS, "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 n 0", ""),
        (SURPLUS, "0.0.4.4.4.4.4.4/0.0.0.0.0.0.0.4 0-0 s 0", ""),
        (SURPLUS, "0.0.0.4.4.4.4.4/0.0.2.4.4.4.4.4 0-0 s 0", ""),
        (SURPLUS, "0.0.4.4.4.4.4.4/0.0.0.0.0.0.0.3 0-0 s 0", "North has 3 seeds, and needs 4"),
        (SURPLUS, "0.0.4.4.4.4.4.4/0.0.0.0.0.0.4.3 0-0 s 0", "North has 7 seeds and laid 0.0.0.0.0.0.4.3"),
        (SURPLUS, "0.0.4.4.4.4.4.4/0.0.0.0.0.0.0.4s 0-0 s 0", "marked special"),
        (SURPLUS, "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 s 2", "ply 0, not 2"),
        (SURPLUS, "0.4.4.4.4.4.4.4/0.0.0.4.4.4.4.4 0-0 s 0", "South has 28 seeds: expected at most 24"),
        (SURPLUS, "0.0.0.0.0.0.4.4/0.0.4.4.4.4.4.4 2-0 s 0", "South has 2 seeds in the store"),
        (ROUNDS, "4.4.4.4.4/x.4.4.4.x 3-5 s 0", "North has 17 seeds and laid x.4.4.4.x: expected 4 pits with 4"),
        (ROUNDS, "4.4.4.4.4/x.4.4.4.x 5-3 s 0", ""),
        (ROUNDS, "4.4.4.4.4/x.x.x.x.5 15-0 s 0", "North has 5 seeds and laid x.x.x.x.5: expected 1 pits with 4"),
        (ROUNDS, "4.4.4.4.4/0.4.4.4.4 4-0 s 0", "North has 16 seeds and laid 0.4.4.4.4"),
        (ruleset("bof", match="rounds", closing="leftmost"), "4.4.4.4.4/x.4.4.4.4 3-1 s 0", ""),
        (ruleset("bof", match="rounds", closing="leftmost"), "4.4.4.x.4/4.4.4.4.4 1-3 s 0", "South closed d: expected"),
        (ruleset("bof"), "4.4.4.x.4/4.4.4.4.4 4-0 s 8", ""),
        (ruleset("bof", match="games"), "4.4.4.x.4/4.4.4.4.4 4-0 s 8", ""),
    ],
)
def test_faults(rules, text, says):
    found = faults(rules, text)
    assert says in found
    assert bool(found) == bool(says)


def test_the_first_game_begins_from_the_standard_set_up():
    for rules, text in ((SURPLUS, "0.0.4.4.4.4.4.4/0.0.0.2.4.4.4.4 0-0 s 0"), (ROUNDS, "4.4.4.4.4/x.4.4.4.4 4-0 s 0")):
        assert faults(rules, text) == ""
        assert "the first game of a match begins from the standard set-up" in faults(rules, text, first_game=True)
        assert faults(rules, str(rules.start()), first_game=True) == ""


def test_all_faults_are_listed_at_once():
    assert faults(SURPLUS, "0.0.4.4.4.4.4.4s/0.0.0.0.0.0.4.3 0-0 s 1").count(";") == 2
