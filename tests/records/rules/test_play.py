"""Points common to all games, refusals, limits; the games themselves are in `test_sowing`."""

import pytest

from inkeek.records import Move, OptionError, Position, PositionError, ruleset, ruleset_ids
from inkeek.records.kernel.loader import kernel_module
from inkeek.records.rules.play import MAX_PERFT_DEPTH
from tests.records.boards import enkeshui, lay, play, result


class TestCommonToAll:
    def test_a_long_lap_drops_a_seed_in_the_pit_it_was_lifted_from(self):
        assert result(enkeshui("c17 d2n"), "c") == ("c", "a1 b1 c1 d4n e1 f1 g1 h1 A1 B1 C1 D1 E1 F1 G1 H1")

    def test_seeds_are_conserved_or_the_position_is_refused(self):
        rules = ruleset("bof")
        with pytest.raises(PositionError, match="41 seeds in pits and stores: the game was set up with 40"):
            rules.legal_moves(Position.parse("4.4.4.4.4/4.4.4.4.4 0-1 s 0"))


class TestRefusals:
    def test_a_true_claim_is_taken_and_a_missing_one_too(self):
        for move in ("a", "ax6"):
            assert str(play(enkeshui("a1 G5"), move).move) == "ax6"
        for move in ("a", "a=bc", "a=cb"):
            assert str(play(enkeshui("a2 b2 c3"), move).move) == "a=bc"

    @pytest.mark.parametrize(
        ("id", "text", "says"),
        [
            ("bof", "4.4.4.4/4.4.4.4 4-4 s 0", "4 pits a row"),
            ("bof", "4s.4.4.4.4/4.4.4.4.4 0-0 s 0", "marked as a special pit: bof has none"),
            ("layli-goobalay", "1s" + ".4" * 11 + "/4" + ".4" * 11 + " 3-0 s 0", "a is a uur with 1 seeds"),
            ("anywoli", "x" + ".4" * 11 + "/4" + ".4" * 11 + " 4-0 s 0", "a is closed: anywoli closes no pits"),
        ],
    )
    def test_positions_of_another_game(self, id, text, says):
        with pytest.raises(PositionError, match=says):
            ruleset(id).outcome(Position.parse(text))

    def test_every_fault_of_a_position_at_once(self):
        with pytest.raises(PositionError) as caught:
            ruleset("anywoli", pits=7).verify_position(Position.parse("x.1s.4.4.4.4.4/4.4.4.4.4.4.4 0-0 s 0"))
        assert len(caught.value.faults) == 3


class TestPerft:
    @pytest.mark.parametrize("depth", [-1, MAX_PERFT_DEPTH + 1])
    def test_depths_that_are_not_possible(self, depth):
        rules = ruleset("bof")
        with pytest.raises(OptionError, match=f"perft depth {depth}"):
            rules.perft(rules.start(), depth)

    def test_nothing_is_one_sequence_and_the_end_is_none(self):
        rules, position = enkeshui("A3")
        assert [rules.perft(position, depth) for depth in range(3)] == [1, 0, 0]

    def test_a_pass_counts(self):
        rules, position = lay("anywoli", "A1")
        assert [rules.perft(position, depth) for depth in range(4)] == [1, 1, 1, 1]


class TestLimits:
    def test_legal_moves_up_to_a_limit(self):
        rules = ruleset("enkeshui", pits=8)
        some = rules.legal_moves(rules.start(), limit=3)
        assert some == rules.legal_moves(rules.start())[:3]
        assert not some.complete
        assert rules.legal_moves(rules.start()).complete


class TestSowings:
    """How often a turn is sown: once, whatever is asked about it."""

    @pytest.fixture
    def sown(self, monkeypatch):
        """The starting pits of all turns that the interpreted kernel sows."""
        kernel = kernel_module("interpreted").Kernel
        pits, play = [], kernel._play
        monkeypatch.setattr(kernel, "_play", lambda self, start: (pits.append(start), play(self, start))[1])
        return pits

    @pytest.mark.parametrize("id", ruleset_ids())
    def test_each_legal_turn_is_sown_once(self, id, sown):
        rules = ruleset(id, kernel="interpreted", **({"direction_choice": "none"} if "enkeshui" in id else {}))
        turns = rules.turns(rules.start())
        assert len(sown) == len(turns)
        assert turns == [rules.play(rules.start(), turn.move) for turn in turns]
        assert rules.legal_moves(rules.start()) == [turn.move for turn in turns]

    @pytest.mark.parametrize("ask", ["play", "trace", "explain", "is_legal"])
    def test_one_turn_is_sown_once(self, ask, sown):
        rules = ruleset("enkeshui", kernel="interpreted", pits=8)
        getattr(rules, ask)(rules.start(), Move.parse("g<"))
        assert len(sown) == 1

    def test_an_endless_turn_is_traced_from_one_sowing(self, sown):
        rules = ruleset("bof", kernel="interpreted", direction="cw")
        position = Position.parse("12.10.12.x.x/x.x.x.x.6 0-0 n 4")
        assert rules.starting_from(position).trace(position, Move("E")).turn is None
        assert len(sown) == 1
