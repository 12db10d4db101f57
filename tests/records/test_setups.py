"""The race in lock step: worked by hand, and held against a second, plain writing of it."""

from __future__ import annotations

import pytest
from hypothesis import given, reject, settings, strategies as st

from inkeek.records import NORTH, SOUTH, OptionError, Position, PositionError, Rules, Side, ruleset
from inkeek.records.notation.tags import rules_of
from inkeek.records.setups import (
    Race,
    RaceError,
    fill_from_right,
    least_to_play,
    open_pits,
    racing_pits,
    run_race,
    setup_faults,
)


def race(rows: str, south: str, north: str, first: Side = SOUTH, **options) -> Race:
    position = Position.parse(f"{rows} 0-0 s 0")
    rules = ruleset("enkeshui", pits=position.row, **{"race": "free", **options}).starting_from(position)
    return run_race(rules, south, north, first=first)


def event_lines(ran: Race) -> list[str]:
    return [f"{e.beat} {e.side.letter} {e.kind} {ran.board.letter(e.pit)}{e.count}" for e in ran.events]


class TestByHand:
    def test_who_first_comes_to_an_empty_pit_wins_and_the_other_sows_what_is_in_the_hand(self):
        ran = race("0.0.0.0.0.0.0.2/0.0.0.0.0.0.0.1", "h", "H")
        assert event_lines(ran) == [
            *("0 s lift h2", "0 n lift H1", "1 s drop A1", "1 n drop a1", "1 n end a1", "2 s drop B1", "2 s end B1")
        ]
        assert (ran.winner, ran.beats, ran.gone) == (NORTH, 2, (2, 1))
        assert str(ran.board) == "1.0.0.0.0.0.0.0/1.1.0.0.0.0.0.0 0-0 n 0"

    def test_when_the_other_has_won_no_pit_is_lifted_any_more(self):
        ran = race("0.0.0.0.0.0.0.2/0.3.0.0.0.0.0.1", "h", "H")
        assert event_lines(ran)[-2:] == ["2 s drop B4", "2 s stop B4"]
        assert ran.winner is NORTH

    def test_a_relay_takes_no_beat(self):
        ran = race("0.0.0.0.0.0.2.1/0.0.0.0.0.0.0.4", "g", "H")
        # g: h, A and done in the second beat; h held a seed, but the lap goes past it.
        assert event_lines(ran)[2:5] == ["1 s drop h2", "1 n drop a1", "2 s drop A1"]
        ran = race("0.0.0.0.0.0.1.1/0.0.0.0.0.0.0.4", "g", "H")
        assert event_lines(ran)[2:5] == ["1 s drop h2", "1 s lift h2", "1 n drop a1"]

    def test_a_pit_that_the_other_has_just_sown_is_not_empty(self):
        ran = race("0.0.0.0.0.0.0.2/3.0.0.0.0.0.0.0", "h", "A")
        assert event_lines(ran)[2:7] == ["1 s drop A1", "1 n drop B1", "2 s drop B2", "2 s lift B2", "2 n drop C1"]

    def test_a_pit_that_the_other_has_just_lifted_is_empty(self):
        ran = race("0.0.0.0.0.0.0.2/0.4.0.0.0.0.0.0", "h", "B")
        assert event_lines(ran)[4:6] == ["2 s drop B1", "2 s end B1"]
        assert ran.winner is SOUTH

    def test_both_in_the_same_beat(self):
        for first in Side:
            ran = race("0.0.0.0.0.0.0.2/0.0.0.0.0.0.0.2", "h", "H", first)
            assert (ran.winner, ran.beats, ran.gone) == (first, 2, (2, 2))

    def test_the_farthest_wins_where_that_is_agreed(self):
        rows = "0.0.0.0.0.0.0.2/0.0.0.0.0.0.0.1"
        assert race(rows, "h", "H", race_won="farthest").winner is SOUTH
        rows = "0.0.0.0.0.0.0.2/0.3.0.0.0.0.0.1"
        ran = race(rows, "h", "H", race_won="farthest")
        assert event_lines(ran)[5:7] == ["2 s drop B4", "2 s lift B4"]
        assert (ran.winner, ran.gone) == (SOUTH, (6, 1))
        for first in Side:
            assert race("0.0.0.0.0.0.0.2/0.0.0.0.0.0.0.2", "h", "H", first, race_won="farthest").winner is first

    def test_a_lap_that_goes_round_leaves_out_where_it_was_lifted_if_turns_do(self):
        rows = "16.0.0.0.0.0.0.0/1.0.0.0.0.0.0.9"
        assert race(rows, "a", "A").events[-2].pit == 0
        assert race(rows, "a", "A", skip_origin=True).events[-2].pit == 1

    def test_the_attested_set_ups_from_the_right_hand_pits(self):
        for options, pits in (({}, "lL"), ({"pits": 8}, "hH"), ({"setup": "fours-left"}, "fF")):
            rules = ruleset("enkeshui", race="right-hand", **options)
            assert [rules.start().letter(racing_pits(rules, rules.start(), side)[0]) for side in Side] == list(pits)
            ran = run_race(rules, *pits)
            assert ran.winner is SOUTH  # it looks the same from both sides
            assert ran.board.pits[: rules.row] == ran.board.pits[rules.row :]


class TestRefused:
    def test_where_there_is_no_race(self):
        with pytest.raises(OptionError, match="these options allow no race: expected race=right-hand or race=free"):
            run_race(ruleset("enkeshui"), "l", "L")
        with pytest.raises(OptionError, match="bof: these options allow no race: this game has none"):
            run_race(ruleset("bof"), "e", "E")

    @pytest.mark.parametrize(("south", "north", "says"), [
        ("g", "H", "South cannot race from 'g' with race=right-hand: expected h"),
        ("h", "h", "North cannot race from 'h' with race=right-hand: expected H"),
        ("?", "H", "South cannot race from '\\?'"),
        ("", "H", "South cannot race from ''"),
    ])  # fmt: skip
    def test_pits_from_which_nobody_races(self, south, north, says):
        with pytest.raises(RaceError, match=says):
            run_race(ruleset("enkeshui", pits=8, race="right-hand"), south, north)

    def test_an_empty_pit_or_row(self):
        with pytest.raises(RaceError, match="South cannot race from 'a' with race=free: expected c or d or"):
            run_race(ruleset("enkeshui", pits=8, race="free"), "a", "H")
        with pytest.raises(RaceError, match="South cannot race from 'a' with race=free: the row is empty"):
            race("0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.1", "a", "H")

    def test_a_position_of_another_game_or_with_bulls(self):
        rules = ruleset("enkeshui", pits=8, race="free")
        with pytest.raises(PositionError, match="24 seeds in pits and stores"):
            run_race(rules, "h", "H", Position.parse("0.0.0.0.0.0.0.12/0.0.0.0.0.0.0.12 0-0 s 0"))
        with pytest.raises(RaceError, match="expected a set-up without special"):
            race("0.0.0.0.0.0.4s.2/0.0.0.0.0.0.0.2", "h", "H")

    def test_one_that_never_ends_is_found_with_its_cycle(self, monkeypatch):
        rows = "0.2.3.0.1.2.1.2/0.1.0.1.3.3.2.4"
        with pytest.raises(RaceError, match=r"a race from h and E in .* never ends: it repeats every 1296 beats"):
            race(rows, "h", "E")
        assert plain_race(rows, "h", "E", SOUTH, False) == 1296
        monkeypatch.setattr("inkeek.records.setups.MAX_BEATS", 100)
        with pytest.raises(RaceError, match="neither ended nor repeated in 100 beats"):
            race(rows, "h", "E")


class TestTags:
    def test_what_a_race_left_is_the_start_of_a_record(self):
        rules = ruleset("enkeshui", pits=8, race="free")
        ran = run_race(rules, "c", "E")
        tags = {"Game": "enkeshui", "Options": "pits=8 race=free", **ran.tags}
        assert rules_of(tags).start() == ran.position == ran.board

    def test_the_set_up_is_laid_out_again_where_that_is_agreed(self):
        rules = ruleset("enkeshui", pits=8, race="free", race_keeps_position=False)
        ran = run_race(rules, "c", "E")
        assert ran.tags == {"Race": "c E North"}
        tags = {"Game": "enkeshui", "Options": "pits=8 race=free race_keeps_position=false", **ran.tags}
        assert rules_of(tags).start() == ran.position == rules.start().replaced(to_move=NORTH)


@st.composite
def races(draw: st.DrawFn) -> tuple[str, str, str, dict[str, object]]:
    """Rows of eight with seeds anywhere, two pits to start from, and options."""
    pits = draw(st.lists(st.integers(0, 6), min_size=16, max_size=16))
    south, north = draw(st.integers(0, 7)), draw(st.integers(8, 15))
    pits[south] = max(pits[south], draw(st.integers(1, 20)))
    pits[north] = max(pits[north], 1)
    rows = "/".join(".".join(map(str, row)) for row in (pits[:8], pits[8:]))
    options = {"race_won": draw(st.sampled_from(["first-empty", "farthest"])), "skip_origin": draw(st.booleans())}
    return rows, "abcdefgh"[south], "ABCDEFGH"[north - 8], options


def ran_or_endless(rows: str, south: str, north: str, first: Side, options: dict[str, object]) -> Race | int:
    try:
        return race(rows, south, north, first, **options)
    except RaceError as error:
        if "neither ended" in str(error):
            reject()  # a race of very many beats, which the plain one has no time for
        return int(str(error).split("every ")[1].split()[0])


@settings(max_examples=200)
@given(races())
def test_a_race_keeps_all_seeds_makes_no_marks_and_can_be_recorded(drawn):
    rows, south, north, options = drawn
    ran = ran_or_endless(rows, south, north, SOUTH, options)
    if isinstance(ran, int):
        return
    start = Position.parse(f"{rows} 0-0 s 0")
    assert ran.board.seeds == start.seeds
    assert (ran.board.marks, ran.board.stores) == (start.marks, start.stores)
    assert ran.board.to_move is ran.winner
    assert ran.events[-1].beat == ran.beats
    pits = list(start.pits)
    for event in ran.events:
        if event.kind == "lift":
            assert pits[event.pit] == event.count
            pits[event.pit] = 0
        elif event.kind == "drop":
            pits[event.pit] += 1
            assert pits[event.pit] == event.count
    assert tuple(pits) == ran.board.pits


@settings(max_examples=200)
@given(races(), st.sampled_from(Side))
def test_seen_from_the_other_side_it_is_the_same_race(drawn, first):
    rows, south, north, options = drawn
    ran = ran_or_endless(rows, south, north, first, options)
    turned = "/".join(reversed(rows.split("/")))
    again = ran_or_endless(turned, north.lower(), south.upper(), first.other, options)
    if isinstance(ran, int) or isinstance(again, int):
        assert ran == again
    else:
        assert again.winner is ran.winner.other
        assert again.beats == ran.beats
        assert again.board.pits == ran.board.pits[8:] + ran.board.pits[:8]


@settings(max_examples=200)
@given(races(), st.sampled_from(Side))
def test_it_equals_the_plain_race(drawn, first):
    rows, south, north, options = drawn
    ran = ran_or_endless(rows, south, north, first, {**options, "skip_origin": False})
    expected = plain_race(rows, south, north, first, options["race_won"] == "farthest")
    assert expected == (ran if isinstance(ran, int) else (ran.winner, ran.board.pits, ran.beats))


def plain_race(rows: str, south: str, north: str, first: Side, farthest: bool) -> object:
    """(winner, pits, beats) of a race that leaves no pit out, or the beats after which it repeats: written as
    docs/rules.md says, and remembering every state."""
    pits = [int(count) for row in rows.split("/") for count in row.split(".")]
    at = {SOUTH: "abcdefgh".index(south), NORTH: 8 + "ABCDEFGH".index(north)}
    hand = {side: pits[at[side]] for side in Side}
    for side in Side:
        pits[at[side]] = 0
    racing, arrived, dropped = {SOUTH, NORTH}, [], {SOUTH: 0, NORTH: 0}
    seen: dict[object, int] = {}
    beat = 0
    while racing:
        state = (*pits, *at.values(), *hand.values(), *sorted(racing))
        if state in seen:
            return beat - seen[state]
        seen[state] = beat
        beat += 1
        for side in (first, first.other):
            if side not in racing:
                continue
            at[side] = (at[side] + 1) % 16
            pits[at[side]] += 1
            hand[side] -= 1
            dropped[side] += 1
            if hand[side] > 0:
                continue
            if pits[at[side]] == 1:
                racing.remove(side)
                arrived.append(side)
            elif arrived and not farthest:
                racing.remove(side)
            else:
                hand[side], pits[at[side]] = pits[at[side]], 0
    winner = max((first, first.other), key=dropped.__getitem__) if farthest else arrived[0]
    return winner, tuple(pits), beat


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
