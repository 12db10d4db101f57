from __future__ import annotations

import io

import pytest
from hypothesis import given, settings, strategies as st

from inkeek.records import NORTH, SOUTH, Game, Move, Ply, RecordsError, Remark, Teams, read_games, write_game
from inkeek.records.notation.commands import By, Dispute, Join, Leave, Retraction, Ruling, Trial
from inkeek.records.notation.tags import MAX_TEAM
from inkeek.records.people import Case

MOVES = ("a", "B", "c", "D", "b")
NAMES = ("Abdi", "Cali", "Hawo", "Xirsi", "Nuur", "Sahra", "Faduma")


def record(*said, tags=None):
    """A game of Bò·f whose comments are `said`: before the first ply, at the first, and so on."""
    plies = [
        Ply(Move.parse(move), comments=comments(commands)) for move, commands in zip(MOVES, said[1:], strict=False)
    ]
    return Game({"Game": "bof", **(tags or {})}, tuple(plies), comments(said[0]))


def comments(commands):
    return (" ".join(map(str, commands)),) if commands else ()


def faults(*said, tags=None):
    game = record(*said, tags=tags)
    assert game.errors == ()
    return [(fault.reason, fault.ply, fault.name, fault.side) for fault in game.people().faults]


def test_teams_are_known_before_every_ply_and_after_the_last():
    game = record(
        [Join(SOUTH, "Abdi"), Join(NORTH, "Cali")],
        [Join(SOUTH, "Hawo"), By("Abdi")],
        [Leave(SOUTH, "Abdi"), By("Cali")],
        [],
    )
    people = game.people()
    assert people.teams == (
        Teams(("Abdi",), ("Cali",)),
        Teams(("Abdi", "Hawo"), ("Cali",)),
        Teams(("Hawo",), ("Cali",)),
        Teams(("Hawo",), ("Cali",)),
    )
    assert people.makers == ("Abdi", "Cali", None)
    assert people.faults == ()


def test_a_record_that_tells_nothing_of_people():
    people = record([], [], []).people()
    assert people.teams == (Teams(),) * 3
    assert people.makers == (None, None)
    assert Game({"Game": "bof"}).people().teams == (Teams(),)


def test_the_teams_of_the_tags_are_there_at_the_start():
    game = record([Leave(NORTH, "Cali")], [], tags={"SouthTeam": "Abdi;  Hawo ;", "NorthTeam": "Cali"})
    assert game.errors == ()
    assert game.people().teams == (Teams(("Abdi", "Hawo")),) * 2


def test_somebody_who_left_can_come_back_on_the_other_side():
    game = record([Join(SOUTH, "Abdi")], [Leave(SOUTH, "Abdi")], [Join(NORTH, "Abdi")], [])
    assert [teams.side_of("Abdi") for teams in game.people().teams] == [SOUTH, None, NORTH, NORTH]
    assert game.people().faults == ()


def test_trials_retractions_and_disputes_are_kept_in_order_with_their_plies():
    trial, retraction = Trial(Move.parse("bx2"), "Abdi"), Retraction(Move.parse("b"), SOUTH, "trial", "too short")
    first, second = Dispute(NORTH, "five, not four"), Dispute(SOUTH, "not their turn")
    stands, corrected = Ruling("stands", "Koinet"), Ruling("corrected", note="one seed more")
    people = record([trial, retraction], [first], [second, stands], [corrected]).people()
    assert people.trials == (Remark(0, trial),)
    assert str(people.trials[0].command.move) == "bx2"
    assert people.retractions == (Remark(0, retraction),)
    assert people.cases == (
        Case(Remark(1, first), Remark(2, stands), (Remark(2, stands),)),
        Case(Remark(2, second), Remark(3, corrected), (Remark(3, corrected),)),
    )
    assert people.faults == ()


def test_a_dispute_may_stay_open():
    people = record([], [Dispute(NORTH, "five")]).people()
    assert people.cases == (Case(Remark(1, Dispute(NORTH, "five")), None),)


def test_variations_did_not_happen():
    (game,) = read_games(io.StringIO('[Game "bof"]\n\n1. a ( 1. b {[%by "X"] [%join south "X"]} ) B {[%by "Y"]} *\n'))
    assert game.people().teams == (Teams(),) * 3
    assert game.people().makers == (None, "Y")


def test_a_sixth_person_is_a_fault_and_not_counted():
    joins = [Join(SOUTH, name) for name in NAMES[:6]]
    assert faults(joins, [Leave(SOUTH, "Abdi")], [Join(SOUTH, "Sahra")]) == [("team-full", 0, "Sahra", SOUTH)]
    people = record(joins, [Leave(SOUTH, "Abdi")], [Join(SOUTH, "Sahra")]).people()
    assert [len(teams.south) for teams in people.teams] == [5, 4, 5]
    assert "5 are in it: Abdi, Cali, Hawo, Xirsi, Nuur" in people.faults[0].message


def test_joining_and_leaving_out_of_order():
    assert faults([Join(SOUTH, "Abdi")], [Join(SOUTH, "Abdi")]) == [("joined-twice", 1, "Abdi", SOUTH)]
    assert faults([Join(SOUTH, "Abdi")], [Join(NORTH, "Abdi")]) == [("joined-both", 1, "Abdi", NORTH)]
    assert record([Join(SOUTH, "Abdi"), Join(NORTH, "Abdi")]).people().teams == (Teams((), ("Abdi",)),)
    assert faults([Leave(NORTH, "Abdi")]) == [("not-in-team", 0, "Abdi", NORTH)]
    assert faults([Join(SOUTH, "Abdi")], [Leave(NORTH, "Abdi")]) == [("not-in-team", 1, "Abdi", NORTH)]


def test_moves_made_and_tried_by_the_other_team():
    start = [Join(SOUTH, "Abdi"), Join(NORTH, "Cali")]
    assert faults(start, [By("Cali")], [By("Abdi")]) == [
        ("other-team", 1, "Cali", SOUTH),
        ("other-team", 2, "Abdi", NORTH),
    ]
    assert faults(start, [By("Abdi")], [By("Hawo")]) == []
    assert faults(start, [Trial(Move.parse("B"), "Abdi")]) == [("other-team", 1, "Abdi", NORTH)]
    assert faults(start, [Trial(Move.parse("B"), "Cali"), Trial(Move.parse("B"))]) == []


def test_who_joins_beside_a_turn_made_it_for_the_team_of_before():
    assert faults([Join(SOUTH, "Abdi")], [Leave(SOUTH, "Abdi"), Join(NORTH, "Abdi"), By("Abdi")]) == []
    assert faults([Join(NORTH, "Abdi")], [Leave(NORTH, "Abdi"), Join(SOUTH, "Abdi"), By("Abdi")]) == [
        ("other-team", 1, "Abdi", SOUTH)
    ]


def test_whose_an_irregular_turn_from_nobody_knows_where_was_the_replay_tells():
    text = '[Game "bof"]\n[NorthTeam "Cali"]\n\n1. ~? {[%after "4.4.0.5.5/5.5.4.4.4 0-0 n 1"] [%by "Cali"]} *\n'
    (game,) = read_games(io.StringIO(text))
    assert game.errors == ()
    assert [(fault.reason, fault.side) for fault in game.people().faults] == [("other-team", SOUTH)]


def test_a_move_has_one_maker():
    assert faults([], [By("Abdi"), By("Abdi")]) == []
    assert faults([], [By("Abdi"), By("Hawo")]) == [("two-makers", 1, "Hawo", SOUTH)]
    assert record([], [By("Abdi"), By("Hawo")]).people().makers == ("Abdi",)
    assert faults([By("Abdi")], []) == [("no-move", 0, "Abdi", None)]


def test_a_ruling_without_a_dispute_is_kept():
    ruling = Ruling("stands", "Koinet")
    assert faults([], [ruling]) == [("no-dispute", 1, "Koinet", None)]
    assert record([], [ruling]).people().cases == (Case(None, Remark(1, ruling), (Remark(1, ruling),)),)


def test_a_fault_tells_its_ply():
    game = record([Leave(SOUTH, "A")], [Leave(SOUTH, "B")])
    assert [str(fault)[:9] for fault in game.people().faults] == ["A leaves ", "ply 1: B "]


def test_teams_in_the_tags_that_cannot_be_are_errors():
    game = record([], [], tags={"NorthTeam": "A; A"})
    assert "'A'" in game.errors[0].message
    assert len(game.replay().turns) == 1
    with pytest.raises(RecordsError, match="NorthTeam"):
        game.people()


command_lists = st.lists(
    st.tuples(st.sampled_from((Join, Leave)), st.sampled_from((SOUTH, NORTH)), st.sampled_from(NAMES)), max_size=8
)


@settings(max_examples=300)
@given(st.lists(command_lists, min_size=1, max_size=len(MOVES) + 1))
def test_teams_are_those_of_a_plain_model(said):
    """The model: a set of people a side, and a note of whatever did not fit."""
    sets: dict = {SOUTH: set(), NORTH: set()}
    before, wrong = [], []
    for ply, changes in enumerate(said):
        for kind, side, name in changes:
            here, there = sets[side], sets[side.other]
            if kind is Leave:
                if name not in here:
                    wrong.append((ply, name))
                here.discard(name)
                continue
            fits = name not in here and name not in there and len(here) < MAX_TEAM
            wrong.extend([(ply, name)] * (not fits))
            there.discard(name)
            if len(here) < MAX_TEAM:
                here.add(name)
        before.append((set(sets[SOUTH]), set(sets[NORTH])))
    game = record(*([kind(side, name) for kind, side, name in changes] for changes in said))
    people = game.people()
    assert [(set(teams.south), set(teams.north)) for teams in people.teams] == before
    assert list(dict.fromkeys((fault.ply, fault.name) for fault in people.faults)) == list(dict.fromkeys(wrong))
    for teams in people.teams:
        assert len(teams.south) + len(teams.north) == len({*teams.south, *teams.north})
        assert max(len(teams.of(side)) for side in (SOUTH, NORTH)) <= MAX_TEAM
    (read,) = read_games(io.StringIO(write_game(game)))
    assert read.people() == people
    assert Game.from_json(game.to_json()).people() == people


def test_many_people_and_cases_take_no_time():
    many = 5_000
    said = [Join(SOUTH, f"P{number}") for number in range(many)]
    said += [Dispute(SOUTH, "x")] * many + [Ruling("stands")] * many
    people = record(said, []).people()
    assert len(people.faults) == many - MAX_TEAM
    assert all(case.ruling for case in people.cases)
