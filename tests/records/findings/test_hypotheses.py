from __future__ import annotations

from collections import Counter

import pytest

from records import NORTH, PASS, SOUTH, Move, Rules, ruleset, ruleset_ids
from records.findings import CAUSES, BoardCounts, Hypothesis, hypotheses, taken_back

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
START = ENKESHUI.start()


def found(rules: Rules = ENKESHUI, pressed_by: object = None) -> list[Hypothesis]:
    position = rules.start()
    return list(hypotheses(rules, position, rules.turns(position), [], pressed_by))  # type: ignore[arg-type]


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_hypothesis_has_a_cause_a_board_and_a_weight(game: str) -> None:
    rules = ruleset(game)
    for hypothesis in found(rules):
        assert hypothesis.cause in CAUSES
        assert len(hypothesis.board.counts) == 2 * rules.row + 2
        assert min(hypothesis.board.counts) >= 0
        assert 0 < hypothesis.weight < 1
        assert hypothesis.sentence


def test_hypotheses_name_the_turn_that_was_meant() -> None:
    meant = {hypothesis.turn.move.pit for hypothesis in found() if hypothesis.turn and hypothesis.cause == "skipped"}
    assert meant == {turn.move.pit for turn in ENKESHUI.turns(START)}
    assert all(hypothesis.turn is None for hypothesis in found() if hypothesis.cause == "wrong-side")


def test_places_of_one_kind_share_its_weight() -> None:
    weights: Counter[str] = Counter()
    for hypothesis in found():
        weights[hypothesis.cause] += hypothesis.weight  # type: ignore[assignment]
    for cause in ("skipped", "unfinished", "wrong-side", "two-turns"):
        assert weights[cause] == pytest.approx(CAUSES[cause])


def test_two_turns_empty_what_either_empties() -> None:
    first = ENKESHUI.play(START, Move.parse("e"))
    second = next(turn for turn in ENKESHUI.turns(first.position) if turn.move != PASS)
    expected = BoardCounts.of(second.position, first.emptied | second.emptied)
    assert expected in [one.board for one in found() if (one.turn, one.second) == (first, second)]


def test_a_button_makes_contradicting_hypotheses_unlikely() -> None:
    def weight(cause: str, pressed_by: object) -> float:
        return next(one.weight for one in found(pressed_by=pressed_by) if one.cause == cause)

    assert weight("wrong-side", SOUTH) < weight("wrong-side", None) == weight("wrong-side", NORTH)
    assert weight("begun-early", NORTH) < weight("begun-early", None) == weight("begun-early", SOUTH)


def test_the_latest_turn_is_the_likeliest_to_be_taken_back() -> None:
    earlier = [START, ENKESHUI.play(START, Move.parse("e")).position]
    last, both = taken_back(earlier)
    assert (last.plies, last.board, both.plies, both.board) == (
        1, BoardCounts.of(earlier[1]), 2, BoardCounts.of(START),
    )  # fmt: skip
    assert last.weight > both.weight
