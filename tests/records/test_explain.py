"""Turns and refusals in sentences, in every language."""

from __future__ import annotations

import re
import string
from gettext import NullTranslations

import pytest
from hypothesis import given, settings

from inkeek.records import NORTH, PASS, IllegalMove, Move, Outcome, Position, ruleset
from inkeek.records.explain import (
    MAX_LAPS_SHOWN,
    MAX_MOVES_SHOWN,
    explain_board,
    explain_outcome,
    explain_refusal,
    explain_trace,
)
from inkeek.records.kernel.codes import REASONS
from inkeek.records.language import Language, language_ids, load_language
from tests.records.boards import enkeshui, lay

from . import positions

ENDLESS = lay("bof", "a12 b10 c12 dx ex Ax Bx Cx Dx E6", side="n", direction="cw")
LONG = (
    ruleset("layli-goobalay", pits=6).starting_from(Position.parse("5.3.4.8.2.3/4.3.6.5.2.3 0-0 s 1")),
    Position.parse("5.3.4.8.2.3/4.3.6.5.2.3 0-0 s 1"),
)

# An example of each message of `refusals`.
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
    "rearrangement.setup": (enkeshui("a1 b1 A1", ply=0, rearrangement="setup"), "ab@c2"),
    "rearrangement.initial": (enkeshui("a1 b1 A1"), "ab@c2"),
    "rearrangement.not-own": (enkeshui("a1 b1 A1", ply=0), "aA@c2"),
    "rearrangement.not-ordinary": (enkeshui("a1 b4s A1", ply=0), "ab@c5"),
    "rearrangement.not-laid": (enkeshui("a1 b1 c4s A1", ply=0), "ab@c2"),
    "rearrangement.same": (enkeshui("a1 b1 A1", ply=0), "aa@c1"),
    "rearrangement.empty": (enkeshui("a1 A1", ply=0), "bc@d0"),
    "rearrangement.count": (enkeshui("a1 b1 A1", ply=0), "ab@c1"),
    "rearrangement.nothing": (enkeshui("a1 b1 A1", ply=0), "ab@c2d0"),
}
# Tested by themselves.
APART = {"rearrangement.again", "endless-sowing.unsettled", "unknown-rules"}


def sentences_of(laid, move, language="en"):
    rules, position = laid
    return rules.explain(position, Move.parse(move), language)


def fields(template):
    return sorted({name for _, name, _, _ in string.Formatter().parse(template) if name})


# A language that has the key and the fields of every sentence instead of words.
KEYS = Language(
    "keys",
    "Keys",
    ("South", "North"),
    {},
    {
        key: text if key.startswith("words.") else " ".join([key, *(f"{name}={{{name}}}" for name in fields(text))])
        for key, text in load_language("en").templates.items()
    },
    NullTranslations(),
)


def keys_of(laid, move):
    """The sentences of a legal turn as keys and fields; `sides` and words are left out."""
    rules, position = laid
    sentences = explain_trace(rules.trace(position, Move.parse(move)), KEYS, rules.info)
    return [sentence.replace("mover=South", "").strip() for sentence in sentences]


def refusal(laid, move):
    rules, position = laid
    with pytest.raises(IllegalMove) as caught:
        rules.play(position, Move.parse(move))
    return caught.value


class TestTurns:
    def test_laps_captures_and_the_end(self):
        assert keys_of(enkeshui("a2 c1 D3"), "a") == [
            "turn.lap count=2 pit=a pits=b and c",
            "turn.lap count=2 pit=c pits=d and e",
            "turn.take count=1 pit=e taker=South",
            "turn.take-opposite count=3 empty=e pit=D taker=South",
            "ends.captured  pit=e",
        ]

    def test_a_bull(self):
        assert keys_of(enkeshui("c4 g3"), "c") == [
            "turn.lap count=4 pit=c pits=d, e, f and g",
            "turn.special before=3 count=4 owner=South pit=g special=bull",
            "ends.made-special  special=bull",
        ]

    @pytest.mark.parametrize("language", language_ids())
    def test_words_of_the_language(self, language):
        words = load_language(language)
        sentence = sentences_of(enkeshui("c4 g3"), "c", language)[1]
        assert words.terms.get("bull", "bull") in sentence
        assert words.sides[0] in sentence

    def test_two_pits_become_uur_when_a_seed_moves_over(self):
        assert keys_of(lay("layli-goobalay", "b1 L3", pits=12), "b") == [
            "turn.lap count=1 pit=b pits=a",
            "turn.shift pit=L to=a",
            "turn.special-other count=2 owner=South pit=L special=uur",
            "turn.special-other count=2 owner=South pit=a special=uur",
            "ends.made-special  special=uur",
        ]

    def test_a_lap_that_a_capture_interrupts(self):
        assert keys_of(lay("anywoli", "a3 b3 H9"), "a") == [
            "turn.lap-part count=3 part=1 pit=a pits=b",
            "turn.take count=4 pit=b taker=South",
            "turn.lap-part count=3 part=2 pit=a pits=c and d",
            "ends.empty  pit=d",
        ]

    def test_the_hand_goes_with_the_last_four(self):
        assert keys_of(lay("anywoli", "a4 b3 A1", pits=7), "a") == [
            "turn.lap-part count=4 part=1 pit=a pits=b",
            "turn.take count=4 pit=b taker=South",
            "turn.take count=1 pit=A taker=South",
            "turn.take-hand count=3 taker=South",
            "ends.last-four",
        ]

    def test_the_store_of_kalah(self):
        rules = ruleset("kalah")
        assert keys_of((rules, rules.start()), "c")[0] == "turn.lap count=4 pit=c pits=d, e, f and turn.store"

    def test_a_choice_of_direction(self):
        rules = ruleset("enkeshui", pits=8)
        start = rules, rules.start()
        assert any(sentence.startswith("turn.choose-cw") for sentence in keys_of(start, "g<"))
        assert any(sentence.startswith("turn.choose-ccw") for sentence in keys_of(start, "g"))

    def test_a_pass(self):
        assert keys_of(lay("anywoli", "A1"), "--") == ["turn.pass"]

    def test_a_rearrangement(self):
        laid = enkeshui("a4 b2 A1", ply=0)
        assert keys_of(laid, "ab@c4d2") == [
            "turn.rearrange count=6 first=a laid=turn.laid count=4 pit=c and turn.laid count=2 pit=d  second=b"
        ]

    def test_every_end_has_a_sentence(self):
        ends = {key.removeprefix("ends.") for key in KEYS.templates if key.startswith("ends.")}
        assert ends == {reason for reason in REASONS if reason} | {"captured-count", "stopped-store"}

    @pytest.mark.parametrize(
        ("laid", "move", "end"),
        [
            (enkeshui("a1"), "a", "empty-nothing"),
            (enkeshui("a1 G4n"), "a", "empty-special"),
            (enkeshui("a1 G4s"), "a", "empty-special"),
            (lay("layli-goobalay", "e1", pits=6), "e", "empty-nothing"),
            (lay("layli-goobalay", "e1 C2n", pits=6), "e", "empty-special"),
            (lay("kalah", "a1 f1 A1"), "a", "empty-nothing"),
            (lay("oware", "f1 A1 B1"), "f", "captured-count"),
        ],
    )
    def test_the_end_says_what_was_opposite(self, laid, move, end):
        assert keys_of(laid, move)[-1].split()[0] == f"ends.{end}"


def numbers(sentence):
    return sorted(re.findall(r"[0-9]+", sentence))


@settings(max_examples=50)
@given(positions.games())
def test_languages_have_the_same_sentences(game):
    """As many sentences, with the same numbers in each; of turns, and of every pit that none starts from."""
    rules, position = game
    starts = [Move(position.letter(pit)) for pit in range(2 * rules.row)]
    for move in [*rules.legal_moves(position, limit=10), *starts, PASS]:
        english = rules.explain(position, move)
        for language in language_ids():
            other = rules.explain(position, move, language)
            assert [numbers(s) for s in other] == [numbers(s) for s in english], move


def test_the_article_fits_the_word_of_the_game():
    (sentence,) = (text for text in sentences_of(lay("layli-goobalay", "b1 L3", pits=12), "b") if "L now holds" in text)
    assert "an uur" in sentence
    assert "a bull" in sentences_of(enkeshui("c4 g3"), "c")[1]


class TestRefusals:
    def test_every_message_has_an_example(self):
        keys = {key.removeprefix("refusals.") for key in load_language("en").templates if key.startswith("refusals.")}
        assert REFUSED.keys() | APART == keys

    @pytest.mark.parametrize("key", REFUSED)
    def test_each_has_its_own_reason_and_message(self, key):
        error = refusal(*REFUSED[key])
        why = error.why.fields["why"] if error.why.key == "illegal.over" else error.why
        assert (error.reason, why.key) == (key.split(".")[0], f"refusals.{key}")
        assert error.message == load_language("en").translate(error.why)
        assert str(error.move) in str(error)
        assert str(error.position) in str(error)

    @pytest.mark.parametrize("language", language_ids())
    @pytest.mark.parametrize("key", REFUSED)
    def test_the_last_two_sentences_say_why_and_what_is_legal(self, key, language):
        laid, move = REFUSED[key]
        error = refusal(laid, move)
        refused, legal = sentences_of(laid, move, language)[-2:]
        words = load_language(language)
        assert refused == words.text("illegal.refused", move=error.move, why=error.why)
        for other in error.legal[:MAX_MOVES_SHOWN]:
            assert f" {other.choice}" in legal

    def test_why_and_what_is_legal(self):
        error = refusal(enkeshui("a1 A1"), "b")
        assert explain_refusal(error, KEYS) == [
            "illegal.refused move=b why=refusals.empty-pit pit=b",
            "illegal.legal moves=a",
        ]

    @pytest.mark.parametrize(
        ("key", "fields"),
        [
            ("special-pit", {"pit": "b", "special": "bull", "owner": NORTH, "count": 4}),
            ("first-move", {"pit": "a", "right": "l"}),
            ("must-feed", {"pit": "a", "other": NORTH, "count": 2}),
            ("false-claim.captured", {"claimed": "5", "captured": "6", "done": Move("a")}),
        ],
    )
    def test_pits_and_counts_are_quoted(self, key, fields):
        assert refusal(*REFUSED[key]).why.fields == fields

    def test_the_game_is_over(self):
        error = refusal(enkeshui("A3"), "a")
        assert (error.over, error.legal, error.why.key) == (True, (), "illegal.over")
        assert refusal(*REFUSED["game-over"]).why.key == "refusals.game-over"

    def test_only_a_rearrangement_is_left(self):
        """No such position was found in play; there is a sentence for it all the same."""
        error = refusal(*REFUSED["irregular"])
        for over, key in ((False, "illegal.legal-rearrangement"), (True, "illegal.legal-none")):
            assert explain_refusal(IllegalMove(error.move, error.position, error.why, (), over), KEYS)[1] == key

    def test_a_player_rearranges_once(self):
        rules, position = enkeshui("a1 b1 A1", ply=0)
        move = Move.parse("ab@c2")
        with pytest.raises(IllegalMove) as caught:
            rules.play(position, move, previous=move)
        assert caught.value.why.key == "refusals.rearrangement.again"

    def test_many_legal_moves_are_not_all_listed(self):
        rules = ruleset("enkeshui", pits=8)
        position = Position.parse("3.0.5.5.0.6.0.7/3.1.2.0.7.0.7.0 2-0 n 1")
        assert len(rules.legal_moves(position)) > MAX_MOVES_SHOWN
        key, moves = explain_refusal(refusal((rules, position), "a"), KEYS)[-1].split(" moves=")
        assert key == "illegal.legal-more"
        assert len(moves.split()) == MAX_MOVES_SHOWN

    def test_a_false_claim_is_shown_what_the_turn_does(self):
        sentences = sentences_of(*REFUSED["false-claim.captured"])
        assert sentences[:-2] == sentences_of(REFUSED["false-claim.captured"][0], "a")
        assert "ax6" in sentences[-2]


class TestEndless:
    @pytest.mark.parametrize(("laid", "move"), [(ENDLESS, "E"), (LONG, "a")])
    def test_laps_are_shown_up_to_a_number(self, laid, move):
        sentences = keys_of(laid, move)
        assert sentences[-1] == "turn.and-so-on"
        assert sum(sentence.startswith("turn.lap") for sentence in sentences) == MAX_LAPS_SHOWN

    def test_what_is_not_settled(self):
        try:
            rules = ruleset("layli-goobalay", kernel="compiled")
        except ImportError:
            pytest.skip("so many laps take the interpreted kernel too long")
        position = Position.parse("1.8.1.2.7.0.7.0.7.0.7.0/1.10.1.10.3.1.2.8.0.3.0.8 6-3 n 5")
        error = refusal((rules, position), "L")
        assert (error.why.key, error.why.fields) == ("refusals.endless-sowing.unsettled", {"laps": 250_000})
        assert len(rules.explain(position, Move("L"))) < 100


@pytest.mark.parametrize("language", language_ids())
def test_an_outcome(language):
    sentence = explain_outcome(Outcome.of("normal", (26, 22)), load_language(language))
    assert "26-22" in sentence
    assert "1-0" in sentence


@pytest.mark.parametrize("language", language_ids())
def test_a_board_is_told_row_by_row(language: str) -> None:
    words = load_language(language)
    text = explain_board(Position.parse("1.0.2.5n/0.12s.x.6 20-19 s 41"), words)
    assert re.findall(r"\d+", text) == ["1", "0", "2", "5", "0", "12", "6", "20", "19"]
    assert all(side in text for side in words.sides)
    assert {"a", "d", "A", "D"} <= set(re.findall(r"\b\w\b", text))
