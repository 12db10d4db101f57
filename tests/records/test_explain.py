"""Turns and refusals in sentences, in every language."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings

from records import PASS, IllegalMove, Move, OptionError, Outcome, Position, Trace, TraceEvent, ruleset
from records.explain import MAX_LAPS_TOLD, MAX_LEGAL_TOLD, explain_outcome, explain_refusal, explain_trace
from records.kernel.sowing import REASONS
from records.language import language_ids, load_language
from tests.records.boards import enkeshui, lay

from . import positions

ENDLESS = lay("bof", "a12 b10 c12 dx ex Ax Bx Cx Dx E6", side="n", direction="cw")
_FAR = Position.parse("1.0.1.0.1.4.3.0.1.0.1.2/0.6.8.1.5.0.1.2.6.0.1.6 35-11 n 27")
FAR = ruleset("layli-goobalay").starting_from(_FAR), _FAR
LONG = (
    ruleset("layli-goobalay", pits=6).starting_from(Position.parse("5.3.4.8.2.3/4.3.6.5.2.3 0-0 s 1")),
    Position.parse("5.3.4.8.2.3/4.3.6.5.2.3 0-0 s 1"),
)

# What brings about each message of `refusals`.
REFUSED = {
    "not-your-pit": (enkeshui("a1 A1"), "A"),
    "no-such-pit": (enkeshui("a1 A1"), "i"),
    "empty-pit": (enkeshui("a1 A1"), "b"),
    "special-pit": (enkeshui("a1 b4n"), "b"),
    "closed-pit": (lay("bof", "ax b1"), "a"),
    "first-move": (lay("layli-goobalay", "a4 l4 A4", ply=0), "a"),
    "must-feed": (lay("oware", "a2 f1", majority_end=False), "a"),
    "game-over": (lay("oware", "a3 A3", stores=(30, 12)), "a"),
    "must-move": (enkeshui("a1 A1"), "--"),
    "irregular": (enkeshui("a1 A1"), "~a"),
    "endless-sowing.cycle": (ENDLESS, "E"),
    "no-such-choice.few": (enkeshui("a1 A1"), "a>"),
    "no-such-choice.many": (enkeshui("a1 A1"), "a" + ">" * 65),
    "false-claim.captured": (enkeshui("a1 G5"), "ax5"),
    "false-claim.special": (enkeshui("a2 c3"), "a=d"),
    "rearrangement.never": (lay("bof", "a1 b1 A1"), "ab@c2"),
    "rearrangement.initial": (enkeshui("a1 b1 A1"), "ab@c2"),
    "rearrangement.not-own": (enkeshui("a1 b1 A1", ply=0), "aA@c2"),
    "rearrangement.not-ordinary": (enkeshui("a1 b4s A1", ply=0), "ab@c5"),
    "rearrangement.same": (enkeshui("a1 b1 A1", ply=0), "aa@c1"),
    "rearrangement.empty": (enkeshui("a1 A1", ply=0), "bc@d0"),
    "rearrangement.count": (enkeshui("a1 b1 A1", ply=0), "ab@c1"),
    "rearrangement.nothing": (enkeshui("a1 b1 A1", ply=0), "ab@c2d0"),
}
# Brought about where they are tested by themselves.
APART = {"rearrangement.again", "endless-sowing.unsettled"}


def told(laid, move, language="en"):
    rules, position = laid
    return rules.explain(position, Move.parse(move), language)


def refusal(laid, move):
    rules, position = laid
    with pytest.raises(IllegalMove) as caught:
        rules.play(position, Move.parse(move))
    return caught.value


class TestTurns:
    def test_laps_captures_and_the_end(self):
        assert told(enkeshui("a2 c1 D3"), "a") == [
            "a has 2: b c.",
            "c has 2: d e.",
            "South takes 1 from e.",
            "South takes 3 from D.",
            "South sleeps.",
        ]

    def test_a_bull(self):
        assert told(enkeshui("c4 g3"), "c") == [
            "c has 4: d e f g.",
            "g had 3 and now holds 4: a bull for South.",
            "South sleeps.",
        ]

    def test_a_bull_in_swahili(self):
        assert told(enkeshui("c4 g3"), "c", "sw") == [
            "Shimo c lina 4: d e f g.",
            "Shimo g lilikuwa na 3 na sasa lina 4: ni fahali, mali ya Kusini.",
            "Kusini analala.",
        ]

    def test_uur_come_of_a_seed_that_goes_over(self):
        assert told(lay("layli-goobalay", "b1 L3", pits=12), "b") == [
            "b has 1: a.",
            "One of the 3 in L goes over to a: both hold 2.",
            "L now holds 2: a uur for South.",
            "a now holds 2: a uur for South.",
            "South sleeps.",
        ]

    def test_the_hand_goes_with_the_last_four(self):
        assert told(lay("anywoli", "a4 b3 A1", pits=7), "a") == [
            "a has 4: b.",
            "South takes 4 from b.",
            "South takes 1 from A.",
            "South takes 3 from the hand.",
            "Only four seeds were left, which go to the same side: the game is over.",
        ]

    def test_the_store_of_kalah(self):
        rules = ruleset("kalah")
        assert rules.explain(rules.start(), Move("c"))[0] == "c has 4: d e f the store."
        assert rules.explain(rules.start(), Move("c"), "sw")[0] == "Shimo c lina 4: d e f ghala."

    def test_a_choice_of_direction(self):
        rules = ruleset("enkeshui", pits=8)
        sentences = rules.explain(rules.start(), Move.parse("g<"))
        assert any(s.startswith("South has been all along North's row and goes on clockwise from") for s in sentences)
        sentences = rules.explain(rules.start(), Move.parse("g"))
        assert any(" goes on counter-clockwise from " in sentence for sentence in sentences)

    def test_a_pass(self):
        laid = lay("anywoli", "A1")
        assert told(laid, "--") == ["South has no turn and passes."]
        assert told(laid, "--", "sw") == ["Kusini hana hatua na anapisha."]

    def test_a_rearrangement(self):
        laid = enkeshui("a4 b2 A1", ply=0)
        assert told(laid, "ab@c4d2") == ["South empties a and b, which hold 6, and lays out again: 4 in c, 2 in d."]

    @pytest.mark.parametrize("language", language_ids())
    def test_every_end_is_told(self, language):
        ends = {key.removeprefix("ends.") for key in load_language(language).templates if key.startswith("ends.")}
        assert ends == {reason for reason in REASONS if reason}

    def test_a_language_that_is_not_there(self):
        with pytest.raises(OptionError, match="no language 'la'"):
            told(enkeshui("a1 A1"), "a", "la")


def numbers(sentence):
    return sorted(re.findall(r"[0-9]+", sentence))


@settings(deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(positions.games())
def test_languages_tell_the_same(game):
    """As many sentences, with the same numbers in each; of turns, and of every pit that none starts from."""
    rules, position = game
    starts = [Move(position.letter(pit)) for pit in range(2 * rules.row)]
    for move in [*rules.legal_moves(position, limit=10), *starts, PASS]:
        english = rules.explain(position, move)
        for language in language_ids():
            other = rules.explain(position, move, language)
            assert [numbers(s) for s in other] == [numbers(s) for s in english], move


class TestRefusals:
    def test_every_message_is_brought_about(self):
        keys = {key.removeprefix("refusals.") for key in load_language("en").templates if key.startswith("refusals.")}
        assert REFUSED.keys() | APART == keys

    @pytest.mark.parametrize("key", REFUSED)
    def test_each_has_its_own_reason_and_message(self, key):
        error = refusal(*REFUSED[key])
        why = error.why.fields["why"] if error.why.key == "illegal.over" else error.why
        assert (error.reason, why.key) == (key.split(".")[0], f"refusals.{key}")
        assert error.message == load_language("en").translate(error.why)

    @pytest.mark.parametrize("language", language_ids())
    @pytest.mark.parametrize("key", REFUSED)
    def test_the_last_two_sentences_say_why_and_what_is_legal(self, key, language):
        laid, move = REFUSED[key]
        error = refusal(laid, move)
        refused, legal = told(laid, move, language)[-2:]
        words = load_language(language)
        assert refused == words.text("illegal.refused", move=error.move, why=error.why)
        for other in error.legal[:MAX_LEGAL_TOLD]:
            assert f" {other.choice}" in legal

    def test_why_and_what_is_legal(self):
        laid = enkeshui("a1 A1")
        assert told(laid, "b") == ["b is not legal: b is empty.", "Legal: a."]
        assert told(laid, "b", "sw") == ["b hairuhusiwi: shimo b ni tupu.", "Zinazoruhusiwa: a."]

    def test_pits_and_counts_are_quoted(self):
        assert "b is a bull of North with 4 seeds: it is never emptied" in told(*REFUSED["special-pit"])[0]
        assert "from the far right-hand pit, l, not from a" in told(*REFUSED["first-move"])[0]
        assert "a has only 2: North has no seeds and a gives none" in told(*REFUSED["must-feed"])[0]

    def test_the_game_is_over(self):
        assert told(enkeshui("A3"), "a") == ["a is not legal: a is empty; the game is over.", "Legal: none."]
        assert told(*REFUSED["game-over"])[0] == "a is not legal: the game is over."

    def test_only_a_rearrangement_is_left(self):
        """No such position was found in play; the sentence is told all the same."""
        error = refusal(*REFUSED["irregular"])
        english = load_language("en")
        none, over = (IllegalMove(error.move, error.position, error.why, (), over) for over in (False, True))
        assert explain_refusal(none, english)[1] == "Legal: no sowing, only a rearrangement."
        assert explain_refusal(over, english)[1] == "Legal: none."

    def test_a_player_rearranges_once(self):
        rules, position = enkeshui("a1 b1 A1", ply=0)
        move = Move.parse("ab@c2")
        with pytest.raises(IllegalMove) as caught:
            rules.play(position, move, previous=move)
        assert caught.value.why.key == "refusals.rearrangement.again"
        assert caught.value.message == "South has rearranged already"

    def test_many_legal_moves_are_not_all_listed(self):
        rules = ruleset("enkeshui", pits=8)
        position = Position.parse("3.0.5.5.0.6.0.7/3.1.2.0.7.0.7.0 2-0 n 1")
        legal = rules.explain(position, Move("a"))[-1]
        assert len(rules.legal_moves(position)) > MAX_LEGAL_TOLD
        assert legal.endswith(" and more.")
        assert len(legal.split()) == MAX_LEGAL_TOLD + 3

    def test_a_false_claim_is_shown_what_the_turn_does(self):
        assert told(*REFUSED["false-claim.captured"]) == [
            "a has 1: b.",
            "South takes 1 from b.",
            "South takes 5 from G.",
            "South sleeps.",
            "ax5 is not legal: it says 5 seeds are captured, but this turn captures 6: it does ax6.",
            "Legal: a.",
        ]


class TestEndless:
    @pytest.mark.parametrize(("laid", "move"), [(ENDLESS, "E"), (FAR, "C")])
    def test_it_is_told_after_which_lap_it_repeats(self, laid, move):
        sentences = told(laid, move)
        (repeats,) = (sentence for sentence in sentences if sentence.startswith("After lap"))
        again = repeat_of(laid, move)
        assert repeats == f"After lap {again} everything is as it was at the start."
        assert sum(" has " in sentence for sentence in sentences) == min(again, MAX_LAPS_TOLD)
        assert ("And so on." in sentences) == (again > MAX_LAPS_TOLD)
        assert f"the sowing never ends: it repeats every {again} laps" in sentences[-2]

    def test_in_swahili(self):
        assert any(sentence.startswith("Baada ya mzunguko wa ") for sentence in told(ENDLESS, "E", "sw"))

    def test_laps_are_told_up_to_a_number(self):
        sentences = told(LONG, "a")
        assert len(sentences) < MAX_LAPS_TOLD + 10
        assert "And so on." in sentences
        # The first time round lies beyond the trace; the length of the cycle is known all the same.
        assert "it repeats every 241358 laps" in sentences[-2]
        assert not any(sentence.startswith("After lap") for sentence in sentences)

    def test_what_is_not_settled(self):
        try:
            rules = ruleset("layli-goobalay", kernel="compiled")
        except ImportError:
            pytest.skip("so many laps take the interpreted kernel too long")
        position = Position.parse("1.8.1.2.7.0.7.0.7.0.7.0/1.10.1.10.3.1.2.8.0.3.0.8 6-3 n 5")
        sentences = rules.explain(position, Move("L"))
        assert "after 250000 laps the sowing has neither ended nor repeated" in sentences[-2]
        assert len(sentences) < 100


def repeat_of(laid, move):
    """After how many laps the turn is where it began, by playing its trace."""
    rules, position = laid
    pits, states = list(position.pits), []
    for event in rules.trace(position, Move.parse(move)).events:
        if event.kind == "lift":
            states.append((tuple(pits), event.pit))
            pits[event.pit] = 0
        elif event.kind == "drop":
            pits[event.pit] += 1
    return states.index(states[0], 1)


def test_a_cycle_that_the_start_is_no_part_of():
    """Sowing in one direction comes back to its start; where directions are chosen it need not."""
    sown = ["lift 0 2", "drop 1 1", "drop 2 1", "lift 2 1", "drop 3 1", "choose 3 0 -1", "lift 3 1", "drop 2 1"]
    sown += ["choose 2 0 1", *sown[3:8]]
    events = [TraceEvent(kind, *(int(n) for n in rest), *[0] * (3 - len(rest))) for kind, *rest in map(str.split, sown)]
    trace = Trace(Move("a"), Position((2, 0, 0, 0), (0,) * 4), tuple(events), None, cycle=2)
    sentences = explain_trace(trace, load_language("en"), {})
    assert sentences[-1] == "After lap 4 everything is as it was after lap 2."


def test_an_outcome():
    outcome = Outcome.of("normal", (26, 22))
    assert explain_outcome(outcome, load_language("en")) == "The game is over: 26-22, 1-0."
    assert explain_outcome(outcome, load_language("sw")) == "Mchezo umekwisha: 26-22, 1-0."
