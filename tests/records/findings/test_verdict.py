"""What an arbiter reads first."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from inkeek.records import Move, Position, ruleset
from inkeek.records.findings import Evidence, Seen, find, find_since
from inkeek.records.findings.evidence import Count
from inkeek.records.findings.sentences import SHARES, percent, share_words, verdict_sentence
from inkeek.records.language import language_ids, load_language
from inkeek.records.position import ORDINARY

OWARE = ruleset("oware")
START = OWARE.start()
PLAYED_C = OWARE.play(START, Move.parse("c")).position


def verdict(counts: tuple[Count, ...], language: str = "en", **known: object) -> str:
    evidence = Evidence(before=START, counts=counts, **known)  # type: ignore[arg-type]
    return verdict_sentence(find(OWARE, evidence, language=language), evidence, load_language(language))


@pytest.mark.parametrize("language", language_ids())
def test_each_state_has_its_own_verdict(language: str) -> None:
    legal = (*PLAYED_C.pits, *PLAYED_C.stores)
    verdicts = {
        verdict(legal, language),
        verdict(legal, language, claimed=Move.parse("b")),
        verdict((4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0), language),
        verdict((48, *[0] * 13), language),
        verdict((*START.pits, *START.stores), language),
        verdict((4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0), language, seen=(Seen("lift", 2),)),
    }
    assert len(verdicts) == 6


@pytest.mark.parametrize("language", language_ids())
def test_the_verdict_names_special_pits_without_their_marks(language: str) -> None:
    rules = ruleset("enkeshui-wikipedia", race="none")
    before = Position.parse("1.4n.3.0.0.4.1.4s.3.0.0.4/0.5s.3.0.3.3.0.3.3.0.0.4 0-0 s 4")
    after = rules.play(before, Move.parse("c")).position
    marks = [*after.marks]
    marks[1] = marks[7] = ORDINARY
    evidence = Evidence(before=before, counts=(*after.pits, *after.stores), marks=tuple(marks))
    words = load_language(language)
    named = verdict_sentence(find(rules, evidence, language=language), evidence, words)
    marked = replace(evidence, marks=after.marks)
    legal = verdict_sentence(find(rules, marked, language=language), marked, words)
    assert named.startswith(legal)
    assert {"b", "h"} <= set(re.findall(r"\w+", named.removeprefix(legal)))


def test_a_special_pit_that_was_cleared_at_the_end_needs_no_mark() -> None:
    rules, language = ruleset("enkeshui", pits=8, setup="fours-right"), load_language("en")
    before = Position.parse("1.0.2.0.0.0.1.0/0.5s.0.0.0.0.0.0 20-19 s 41")
    marked = Evidence(before=before, counts=(*[0] * 16, 24, 24), marks=before.marks)
    bare = replace(marked, marks=(ORDINARY,) * 16)
    verdicts = [verdict_sentence(find(rules, evidence), evidence, language) for evidence in (marked, bare)]
    assert verdicts[0] == verdicts[1]


def test_a_claim_without_choices_or_captures_fits_the_turn() -> None:
    legal = (*PLAYED_C.pits, *PLAYED_C.stores)
    assert verdict(legal) == verdict(legal, claimed=Move.parse("c"))
    assert verdict(legal) != verdict(legal, claimed=Move.parse("cx2"))


@pytest.mark.parametrize("language", language_ids())
def test_each_state_of_several_turns_has_its_own_sentence(language: str) -> None:
    moves = [Move.parse(word) for word in ("c", "D", "a")]
    boards = (
        (0, 6, 2, 6, 6, 6, 5, 4, 4, 0, 5, 4, 0, 0),  # D skipped F
        (0, 6, 1, 6, 6, 6, 5, 4, 4, 0, 5, 5, 0, 0),  # all as written
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 48, 0),
    )
    words, cited = load_language(language), ["1. c", "1… D", "2. a"]
    known = [Evidence(before=START, counts=board) for board in boards]
    found = [find_since(OWARE, START, moves, evidence, language) for evidence in known]
    assert [(one.agreed, one.accounts[0].ply) for one in found] == [(1, 1), (3, 2), (0, None)]
    sentences = {verdict_sentence(one, evidence, words, cited) for one, evidence in zip(found, known, strict=True)}
    assert len(sentences) == 3


@pytest.mark.parametrize("language", language_ids())
def test_every_language_has_words_for_each_probability(language: str) -> None:
    words = {share_words(least, load_language(language)) for least, _ in SHARES}
    assert len(words) == len(SHARES)


@pytest.mark.parametrize(("probability", "number"), [(1.0, "> 99.9"), (0.9994, "99.9"), (0.5, "50.0"), (1e-9, "< 0.1")])
def test_no_number_promises_too_much(probability: float, number: str) -> None:
    assert percent(probability) == f"{number} %"
