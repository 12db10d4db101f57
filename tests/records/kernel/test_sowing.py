"""The games, point by point: each test is named after what `docs/rules.md` says."""

import pytest

from inkeek.records import PASS, Game, Move, OptionError, Ply, Position, PositionError, ruleset
from tests.records.boards import enkeshui, held, lay, play, refusal, result


class TestEnkeshui:
    @pytest.mark.parametrize(
        ("setup", "pits", "start"),
        [
            ("triples", 12, "0.3.3.0.3.3.0.3.3.0.3.3/0.3.3.0.3.3.0.3.3.0.3.3 0-0 s 0"),
            ("fours-right", 8, "0.0.4.4.4.4.4.4/0.0.4.4.4.4.4.4 0-0 s 0"),
            ("fours-left", 8, "4.4.4.4.4.4.0.0/4.4.4.4.4.4.0.0 0-0 s 0"),
        ],
    )
    def test_set_ups(self, setup, pits, start):
        assert str(ruleset("enkeshui", setup=setup).start()) == start
        assert ruleset("enkeshui", setup=setup).options["pits"] == pits

    def test_no_set_up_with_ten_pits_is_attested(self):
        with pytest.raises(OptionError, match=r"no set-up of a board with pits=10 is attested.*triples.*fours-right"):
            ruleset("enkeshui", pits=10)

    @pytest.mark.parametrize("pits", [6, 14, 16])
    def test_even_rows_that_are_not_usual(self, pits):
        row = ".".join(["4"] * 6 + ["0"] * (pits - 6))
        rules = ruleset("enkeshui-wikipedia", setup=f"{row}/{row}")
        assert rules.legal_moves(rules.start())
        with pytest.raises(OptionError, match=f"option pits={pits} is not possible: expected 8 or 10 or 12"):
            ruleset("enkeshui", setup=f"{row}/{row}")

    def test_other_numbers_of_seeds_where_the_source_says_usually(self):
        rows = "4.4.4.4.4.4.4.4/4.4.4.4.4.4.4.4"
        rules = ruleset("enkeshui", setup=rows)
        turn = rules.play(rules.start(), Move.parse("a"))
        assert turn.position.seeds == 64
        with pytest.raises(OptionError, match="32 for North: expected 24 on both sides"):
            ruleset("enkeshui-wikipedia", setup=rows)
        with pytest.raises(OptionError, match="expected as many on both sides"):
            ruleset("enkeshui", setup="0.0.0.0.0.0.0.0/0.0.0.0.0.0.0.0")

    def test_any_set_up_of_24_seeds_a_side_is_legal(self):
        rows = "4.4.4.0.0.0.0.4.4.4/2.2.2.2.2.2.3.3.3.3"
        assert ruleset("enkeshui", setup=rows).start().row == 10
        with pytest.raises(OptionError, match="23 seeds for South"):
            ruleset("enkeshui", setup=rows.replace("4", "3", 1))
        with pytest.raises(OptionError, match="is for pits=10, not pits=8"):
            ruleset("enkeshui", setup=rows, pits=8)

    def test_case_1_a_bull_of_either_player_ends_the_turn(self):
        assert result(enkeshui("a2 c4s"), "a") == ("a", "b1 c5s")
        assert result(enkeshui("a2 c4n"), "a") == ("a", "b1 c5n")

    def test_case_2_four_becomes_the_movers_bull(self):
        assert result(enkeshui("a2 c3"), "a") == ("a=c", "b1 c4s")
        assert result(enkeshui("g2 A3"), "g") == ("g=A", "h1 A4s")
        assert result(enkeshui("A2 C3", side="n"), "A") == ("A=C", "B1 C4n")

    def test_case_3_three_with_four_before_it_both_become_bulls(self):
        assert result(enkeshui("a2 b3 c2"), "a") == ("a=bc", "b4s c3s")

    def test_case_4_an_occupied_pit_is_relayed(self):
        assert result(enkeshui("a2 c1"), "a") == ("a", "b1 d1 e1")
        assert play(enkeshui("a2 c1"), "a").laps == 2

    def test_case_5_an_empty_pit_of_the_opponent_ends_the_turn(self):
        assert result(enkeshui("h1 a4"), "h") == ("h", "a4 A1")

    def test_case_6_nothing_is_captured_from_an_empty_pit_or_a_bull(self):
        assert result(enkeshui("a1"), "a") == ("a", "b1")
        assert result(enkeshui("a1 G4n"), "a") == ("a", "b1 G4n")
        assert result(enkeshui("a1 G4s"), "a") == ("a", "b1 G4s")

    def test_case_7_the_opposite_seeds_and_the_last_are_captured(self):
        assert result(enkeshui("a1 G5 E1"), "a") == ("ax6", "E1")
        assert play(enkeshui("a1 G5"), "a").captured == (6, 0)
        assert play(enkeshui("A1 g5", side="n"), "A").captured == (0, 6)

    def test_case_7_goes_on_while_own_pits_are_empty_and_opposite_ones_are_not(self):
        assert result(enkeshui("a1 G5 F2 D3"), "a") == ("ax8", "D3")
        assert result(enkeshui("a1 d2 G5 F2 E3"), "a") == ("ax8", "d2 E3")
        assert result(enkeshui("a1 G5 F2 E4n D3"), "a") == ("ax8", "D3 E4n")

    def test_bulls_cannot_be_made_in_the_first_turn_of_either_player(self):
        for ply in (0, 1):
            assert result(enkeshui("a2 c3", ply=ply), "a") == ("a", "b1 d1 e1 f1 g1")
            assert result(enkeshui("a2 c3", ply=ply, bulls_on_first_move=True), "a") == ("a=c", "b1 c4s")
        assert result(enkeshui("a2 c3", ply=2), "a") == ("a=c", "b1 c4s")

    def test_a_rearrangement_is_not_the_first_sowing_turn(self):
        """South rearranges twice and North sows: only South's next turn is its first sowing."""
        rules, position = enkeshui("a2 c3 A2 C3", ply=0, rearrangement="any-turn", bulls_on_first_move=False)
        for move, unsown in (("ah@a2", 1), ("A", 1), ("ah@a2", 1), ("B", 1)):
            turn = rules.play(position, Move.parse(move))
            assert turn.move.special is None
            position = turn.position
            assert position.unsown == unsown
            assert Position.parse(str(position)) == position
        assert rules.play(position, Move.parse("a")).move.special is None
        after = rules.play(position, Move.parse("a")).position
        assert (after.ply, after.unsown) == (5, 0)
        sown = position.replaced(unsown=0)
        assert rules.play(sown, Move.parse("a")).move.special == "c"
        replayed = Game(
            {
                "Game": "enkeshui",
                "Options": "pits=8 rearrangement=any-turn",
                "Setup": "2.0.3.0.0.0.0.0/2.0.3.0.0.0.0.0 38-0 s 0",
            },
            tuple(Ply(Move.parse(move)) for move in ("ah@a2", "A", "a", "D")),
        ).replay()
        assert [after.unsown for after in replayed.positions] == [0, 1, 1, 0, 0]
        assert not any(turn.special for turn in replayed.turns)

    @pytest.mark.parametrize(
        "options", [{"rearrangement": "initial"}, {"rearrangement": "any-turn", "bulls_on_first_move": True}]
    )
    def test_who_has_not_sown_matters_only_where_it_changes_the_first_turn(self, options):
        rules, position = enkeshui("a2 c3 A1", **options)
        with pytest.raises(PositionError):
            rules.legal_moves(position.replaced(unsown=1))

    def test_the_direction_may_be_chosen_after_the_opponents_row(self):
        rules, position = enkeshui("a1 g6 E1 G1")
        starts = {str(move.choice) for move in rules.legal_moves(position) if move.pit == "g"}
        assert starts == {"g", "g<"}

    def test_after_one_lap_only_a_single_lap_earns_the_choice(self):
        several = enkeshui("a1 g6 E1 G1", direction_choice="after-one-lap")
        assert [str(move.choice) for move in several[0].legal_moves(several[1])] == ["a", "g"]
        single = enkeshui("a1 h9", direction_choice="after-one-lap")
        assert [str(move.choice) for move in single[0].legal_moves(single[1])] == ["a", "h", "h<"]

    def choices(self, seeds, start, **options):
        rules, position = enkeshui(seeds, **options)
        return [str(move.choice) for move in rules.legal_moves(position) if move.pit == start]

    def test_the_choice_may_be_earned_by_the_first_lap_alone(self):
        later = "a1 g1 h8"  # the second lap is the one that passes North's row
        assert self.choices(later, "g", direction_choice="after-one-lap") == ["g", "g<"]
        assert self.choices(later, "g", direction_choice="after-first-lap") == ["g"]
        assert self.choices("a1 h9", "h", direction_choice="after-first-lap") == ["h", "h<"]

    def test_the_choice_may_be_offered_again_at_each_relay(self):
        assert self.choices("a1 h9", "h", direction_choice="after-one-lap") == ["h", "h<"]
        assert self.choices("a1 h9", "h", direction_choice="each-relay")[:3] == ["h", "h<", "h<<<<>"]
        assert self.choices("a1 g6 E1 G1", "g", direction_choice="each-relay") == ["g"]

    def test_choices_that_go_on_as_before_are_taken_and_not_written(self):
        assert result(enkeshui("a1 h9"), "h>") == result(enkeshui("a1 h9"), "h")
        rules, position = ruleset("enkeshui", pits=8), ruleset("enkeshui", pits=8).start()
        assert str(rules.play(position, Move.parse("g>")).move) == "g"
        assert str(rules.play(position, Move.parse("g><>")).move) == "g><>x3"

    def test_a_relay_captures_nothing_where_the_rules_say_so(self):
        assert result(enkeshui("a1 b1 E3"), "a") == ("ax4", "c1")
        assert result(enkeshui("a1 b1 E3", capture_after_relay=False), "a") == ("a", "c1 d1 E3")
        assert result(enkeshui("a1 G5", capture_after_relay=False), "a") == ("ax6", "")

    def test_the_end_rest_to_the_owner_of_the_row_bulls_to_their_owners(self):
        rules, position = enkeshui("a4n b3s A5 B4s", stores=(2, 3))
        assert rules.legal_moves(position) == []
        outcome = rules.outcome(position)
        assert (outcome.termination, outcome.score, outcome.result) == ("normal", (9, 12), "0-1")
        assert rules.score(position) == (9, 7)

    def test_the_game_goes_on_while_the_side_to_move_can_move(self):
        rules, position = enkeshui("a4s A3 B1", side="n")
        assert rules.outcome(position) is None

    def test_equal_counts_are_a_draw(self):
        rules, position = enkeshui("a4n A4s")
        assert rules.outcome(position).winner is None
        assert rules.outcome(position).result == "1/2-1/2"

    def test_rearranging_before_the_own_first_turn_is_no_turn(self):
        rules = ruleset("enkeshui", pits=8)
        turn = rules.play(rules.start(), Move.parse("cd@a5h3"))
        assert held(turn.position) == "a5 e4 f4 g4 h7 C4 D4 E4 F4 G4 H4"
        assert (turn.position.to_move, turn.position.ply) == (rules.start().to_move, 0)

    def test_rearranging_the_set_up_makes_another_set_up(self):
        rows = "8.4.4.4.0.4.0.0/4.4.4.4.4.4.0.0"
        rules = ruleset("enkeshui", setup=rows, rearrangement="setup")
        assert refusal((rules, rules.start()), "ab@h12").why.key == "refusals.rearrangement.setup"
        assert ruleset("enkeshui", setup="24.0.0.0.0.0.0.0/4.4.4.4.4.4.0.0").start().seeds == 48
        for wrong in ("24.0.0.0.0.0.0.0/4.4.4.4.4.4.0.0", "4.4.4.4.4.4.4.0/4.4.4.4.4.4.4.0"):
            with pytest.raises(OptionError, match="at most two pits"):
                ruleset("enkeshui", setup=wrong, rearrangement="setup")
        assert ruleset("enkeshui", setup="24.0.0.0.0.0.0.0.0.0/24.0.0.0.0.0.0.0.0.0", rearrangement="setup")

    def test_a_rearrangement_may_change_nothing(self):
        rules, position = enkeshui("a1 b2 A3", rearrangement="any-turn", ply=7)
        assert rules.play(position, Move.parse("ac@a1")).position.pits == position.pits

    def test_rearranging_as_a_whole_turn(self):
        rules, position = enkeshui("a1 b2 A3", rearrangement="any-turn", ply=7)
        turn = rules.play(position, Move.parse("ab@h3"))
        assert (held(turn.position), turn.position.ply, str(turn.position.to_move)) == ("h3 A3", 8, "North")

    def test_rearranging_into_own_bulls_where_the_rules_allow_it(self):
        bulls = "a1 b2 g4n h4s A3"
        allowed = enkeshui(bulls, rearrangement="any-turn", rearrange_into_bulls=True)
        assert held(play(allowed, "ab@h3").position) == "g4n h7s A3"
        refused = (allowed, "ab@g3"), (allowed, "ah@c5"), (enkeshui(bulls, rearrangement="any-turn"), "ab@h3")
        for laid, move in refused:
            assert refusal(laid, move).reason == "rearrangement"


class TestAnywoli:
    def test_the_start(self):
        assert ruleset("anywoli").start().pits == (4,) * 24
        assert ruleset("anywoli", pits=13, seeds=2).start().pits == (2,) * 26

    def test_fours_in_passing_go_to_the_owner_of_the_row(self):
        assert result(lay("anywoli", "a2 b3 H9"), "a") == ("ax4", "c1 H9")
        turn = play(lay("anywoli", "l2 A3 H9"), "l")
        assert (str(turn.move), turn.captured, held(turn.position)) == ("lx0,4", (0, 4), "B1 H9")

    def test_sowing_goes_on_with_the_hand(self):
        assert result(lay("anywoli", "a3 b3 c3 H9"), "a") == ("ax8", "d1 H9")

    def test_fours_at_the_end_go_to_the_mover_on_either_side(self):
        assert result(lay("anywoli", "a1 b3 H9"), "a") == ("ax4", "H9")
        assert play(lay("anywoli", "l1 A3 H9"), "l").captured == (4, 0)
        assert play(lay("anywoli", "l1 A3 H9"), "l").laps == 1

    def test_an_occupied_pit_is_relayed_and_an_empty_one_ends_the_turn(self):
        assert result(lay("anywoli", "a1 b1 H9"), "a") == ("a", "c1 d1 H9")

    def test_the_last_eight(self):
        turn = play(lay("anywoli", "a1 b3 K4"), "a")
        assert (str(turn.move), held(turn.position), turn.position.stores) == ("ax8", "", (8, 0))

    def test_a_player_who_cannot_move_passes(self):
        rules, position = lay("anywoli", "A3")
        assert rules.legal_moves(position) == [PASS]
        assert rules.outcome(position) is None
        turn = rules.play(position, PASS)
        assert (held(turn.position), str(turn.position.to_move), turn.position.ply) == ("A3", "North", 5)
        assert refusal((rules, position), "a").reason in ("empty-pit", "must-pass")

    def test_when_neither_can_move_remaining_seeds_count_for_nobody(self):
        rules, position = lay("anywoli", "", stores=(5, 2))
        assert rules.legal_moves(position) == []
        assert rules.outcome(position).score == (5, 2)


class TestLayliGoobalay:
    def layli(self, seeds, **options):
        return lay("layli-goobalay", seeds, **{"pits": 6, **options})

    @pytest.mark.parametrize("pits", [6, 8, 12])
    def test_the_first_turn_starts_from_the_right_hand_pit(self, pits):
        rules = ruleset("layli-goobalay", pits=pits)
        assert [move.index for move in rules.legal_moves(rules.start())] == [pits - 1]
        assert refusal((rules, rules.start()), "a").reason == "first-move"
        north = rules.start().replaced(to_move=rules.start().to_move.other)
        assert [move.index for move in rules.starting_from(north).legal_moves(north)] == [pits - 1]
        assert len(ruleset("layli-goobalay", pits=pits, first_move="free").legal_moves(rules.start())) > 1

    def test_sowing_is_clockwise(self):
        assert result(self.layli("d2"), "d") == ("d", "b1 c1")
        assert result(self.layli("d2", direction="ccw"), "d") == ("d", "e1 f1")

    def test_an_occupied_pit_is_relayed(self):
        assert result(self.layli("e1 d1"), "e") == ("e", "b1 c1")

    def test_an_uur_ends_the_turn(self):
        assert result(self.layli("e1 d2n"), "e") == ("e", "d3n")

    def test_an_empty_pit_of_the_opponent_is_abar(self):
        assert result(self.layli("a1 b3"), "a") == ("a", "b3 F1")

    def test_an_own_empty_pit_with_nothing_or_an_uur_opposite(self):
        assert result(self.layli("e1"), "e") == ("e", "d1")
        assert result(self.layli("e1 C2n"), "e") == ("e", "d1 C2n")

    @pytest.mark.parametrize("count", [1, 2, 4, 5, 9])
    def test_one_two_four_or_more_are_captured_with_the_last_seed(self, count):
        assert result(self.layli(f"e1 C{count}"), "e") == (f"ex{count + 1}", "")

    def test_three_become_two_uur_of_two(self):
        assert result(self.layli("e1 C3"), "e") == ("e=dC", "d2s C2s")
        assert result(self.layli("E1 c3", side="n"), "E") == ("E=cD", "c2n D2n")

    def test_the_end(self):
        rules, position = self.layli("a2s b2n A3 B2s", stores=(1, 1))
        assert rules.legal_moves(position) == []
        assert rules.outcome(position).score == (5, 6)


class TestBof:
    def test_the_pit_that_follows_is_sown_on(self):
        turn = play(lay("bof", "a1 c2"), "a")
        # a's seed falls in b; c follows and holds 2, which fall in d and e; A follows, empty, and B after it too.
        assert (str(turn.move), held(turn.position), turn.laps) == ("a", "b1 d1 e1", 2)

    def test_what_lies_after_the_empty_pit_is_taken_on_either_side(self):
        assert result(lay("bof", "a1 d3"), "a") == ("ax3", "b1")
        assert result(lay("bof", "d1 B3"), "d") == ("dx3", "e1")

    def test_bof_when_that_is_empty_too(self):
        assert result(lay("bof", "a1 e3"), "a") == ("a", "b1 e3")

    def test_closed_pits_do_not_exist(self):
        turn = play(lay("bof", "a1 bx dx B3 Ax"), "a")
        # b is closed: the seed falls in c; d is closed, e follows and is empty; A is closed, so B's three are taken.
        assert (str(turn.move), held(turn.position)) == ("ax3", "bx c1 dx Ax")

    def test_clockwise(self):
        assert result(lay("bof", "c1 C3", direction="cw"), "c") == ("c", "b1 C3")
        assert result(lay("bof", "c1 E3", direction="cw"), "c") == ("cx3", "b1")

    def test_a_player_whose_pits_are_all_empty_loses_what_remains(self):
        rules, position = lay("bof", "A3 B4", stores=(20, 13))
        assert rules.legal_moves(position) == []
        assert rules.outcome(position).score == (20, 20)

    @pytest.mark.parametrize("skip_origin", [False, True])
    def test_a_row_with_every_pit_closed_is_no_position(self, skip_origin):
        rules = ruleset("bof", skip_origin=skip_origin)
        for text in ("x.x.4.x.x/x.x.x.x.x 20-16 s 3", "x.x.x.x.x/4.x.x.x.x 20-16 n 3"):
            with pytest.raises(PositionError, match=r"every pit of .* row is closed"):
                rules.legal_moves(Position.parse(text))
