"""What cannot be known of a turn is refused, with the field that is wrong; whatever can be is not."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest

from inkeek.records import Move, Position, PositionError, Rules, ruleset, ruleset_ids
from inkeek.records.errors import EvidenceError
from inkeek.records.findings import Evidence, Reading, Seen, find, find_since
from inkeek.records.findings.evidence import MAX_ADDED, MAX_SEEN, verify_evidence, verify_moves
from inkeek.records.position import CLOSED, SOUTHS
from tests.records.findings.slipped_turns import counts_of, random_position

OWARE, ENKESHUI = ruleset("oware"), ruleset("enkeshui", pits=8, setup="fours-right")
CLOSING = ruleset("bof").starting_from(Position.parse("4.4.4.4.4/4.4.4.4.x 0-0 s 0"))


def evidence_of(rules: Rules, **known: Any) -> Evidence:
    return Evidence(**{"before": rules.start(), "counts": counts_of(rules.start()), **known})


def faults_of(rules: Rules, **known: Any) -> list[tuple[str, str]]:
    with pytest.raises(EvidenceError) as caught:
        verify_evidence(rules, evidence_of(rules, **known))
    assert str(caught.value) == "; ".join(text for _, text in caught.value.faults)
    return list(caught.value.faults)


def first_count(count: object) -> tuple[object, ...]:
    return (count, *counts_of(OWARE.start())[1:])


@pytest.mark.parametrize(
    ("known", "field", "quoted"),
    [
        ({"counts": (1, 2, 3)}, "counts", "3 counts"),
        ({"counts": first_count(-1)}, "counts", "-1"),
        ({"counts": first_count(10**6)}, "counts", "1000000"),
        ({"counts": first_count(44)}, "counts", "88"),
        ({"counts": first_count(4 + MAX_ADDED + 1)}, "counts", "51"),
        ({"counts": (0,) * 14}, "counts", "no seeds"),
        ({"counts": (None,) * 14}, "counts", "nothing is known"),
        ({"counts": first_count(Reading(1.0, 0.0))}, "counts", "0.0"),
        ({"counts": first_count(Reading(float("nan"), 0.3))}, "counts", "nan"),
        ({"counts": first_count({})}, "counts", "log-likelihoods"),
        ({"kept": (1,)}, "counts", "1 counts"),
        ({"marks": (0,)}, "marks", "1 marks"),
        ({"marks": (CLOSED, *[0] * 11)}, "marks", "pit a is x"),
        ({"marks": (*[0] * 11, SOUTHS)}, "marks", "F is marked"),
        ({"marks": (7, *[0] * 11)}, "marks", "7"),
        ({"hand": -1}, "hand", "-1"),
        ({"hand": 49}, "hand", "49"),
        ({"hand": MAX_ADDED + 1}, "counts", "51"),
        ({"claimed": Move.parse("g")}, "claimed", "'g'"),
        ({"claimed": Move.parse("~Z")}, "claimed", "'~Z'"),
        ({"claimed": Move.parse("~?")}, "claimed", "'~?'"),
        ({"claimed": Move.parse("c>")}, "claimed", "'c>'"),
        ({"claimed": Move.parse("cx49")}, "claimed", "49"),
        ({"claimed": Move.parse("cx40,9")}, "claimed", "49"),
        ({"claimed": Move.parse("c=d")}, "claimed", "'c=d'"),
        ({"captured": (40, 9)}, "captured", "49"),
        ({"seen": (Seen("hum", 1),)}, "seen", "hum"),
        ({"seen": (Seen("lift", 12),)}, "seen", "12"),
        ({"seen": (Seen("drop", -1),)}, "seen", "-1"),
        ({"seen": (Seen("lift", 1),) * (MAX_SEEN + 1)}, "seen", str(MAX_SEEN + 1)),
        ({"seen_all": True}, "seen", "none is given"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(known: dict[str, Any], field: str, quoted: str) -> None:
    faults = faults_of(OWARE, **known)
    assert [name for name, _ in faults] == [field]
    assert quoted in faults[0][1]
    with pytest.raises(EvidenceError):
        find(OWARE, evidence_of(OWARE, **known))


@pytest.mark.parametrize(
    ("known", "field", "quoted"),
    [
        ({"marks": (0,) * 10}, "marks", "pit E"),
        ({"marks": (*[0] * 4, *[CLOSED] * 1, *[0] * 4, CLOSED)}, "marks", "pit e is x"),
        ({"seen": (Seen("lift", 9),)}, "seen", "pit E"),
    ],
)
def test_closed_pits_stay_closed_and_hold_nothing(known: dict[str, Any], field: str, quoted: str) -> None:
    faults = faults_of(CLOSING, **known)
    assert [name for name, _ in faults] == [field]
    assert quoted in faults[0][1]
    verify_evidence(CLOSING, evidence_of(CLOSING, marks=CLOSING.start().marks, seen=(Seen("drop", 9),)))


def test_every_fault_is_given_at_once() -> None:
    fields = [name for name, _ in faults_of(OWARE, hand=50, claimed=Move.parse("c>=d"), seen_all=True)]
    assert sorted(fields) == ["claimed", "claimed", "hand", "seen"]


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(PositionError):
        verify_evidence(OWARE, evidence_of(ENKESHUI))


@pytest.mark.parametrize(
    "known",
    [
        {"counts": first_count(4 + MAX_ADDED)},
        {"counts": (0,) * 14, "hand": 48},
        {"counts": (0, *[None] * 13)},
        {"counts": (None,) * 14, "seen": (Seen("lift", 2),), "seen_all": True},
        {"counts": first_count(Reading(-1.0, 0.3))},
        {"claimed": Move.parse("F")},
        {"claimed": Move.parse("--")},
        {"claimed": Move.parse("~c")},
        {"claimed": Move.parse("cx9"), "captured": (9, 0)},
    ],
)
def test_what_a_quarrel_can_be_about_is_not_refused(known: dict[str, Any]) -> None:
    verify_evidence(OWARE, evidence_of(OWARE, **known))


def test_directions_and_special_pits_can_be_claimed_where_the_rules_have_them() -> None:
    verify_evidence(ENKESHUI, evidence_of(ENKESHUI, claimed=Move.parse("a<>=b"), marks=(SOUTHS, *[None] * 15)))


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_legal_turn_can_be_claimed_and_written(game: str) -> None:
    rules, rng = ruleset(game), Random(4)
    for _ in range(20):
        position = random_position(rng, rules)
        for turn in rules.turns(position)[:5]:
            after = turn.position
            verify_evidence(
                rules, Evidence(before=position, counts=counts_of(after), marks=after.marks, claimed=turn.move)
            )
            verify_moves(rules, position, [turn.move])


@pytest.mark.parametrize(("moves", "quoted"), [("c z", "turn 2"), ("c D>", "'D>'"), ("c=d D", "'c=d'")])
def test_moves_that_no_game_has_are_refused_with_their_number(moves: str, quoted: str) -> None:
    written = [Move.parse(word) for word in moves.split()]
    with pytest.raises(EvidenceError, match=quoted) as caught:
        find_since(OWARE, OWARE.start(), written, evidence_of(OWARE))
    assert [name for name, _ in caught.value.faults] == ["moves"]


def test_an_error_survives_the_way_to_another_process() -> None:
    error = EvidenceError([("hand", "49 seeds"), ("seen", "none")])
    again = pickle.loads(pickle.dumps(error))
    assert (again.faults, str(again)) == (error.faults, str(error))
