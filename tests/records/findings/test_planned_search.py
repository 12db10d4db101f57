from __future__ import annotations

import math
from collections import Counter

import pytest

from records import NORTH, PASS, SOUTH, Move, Position, Rules, ruleset, ruleset_ids
from records.findings import KINDS, BoardCounts, Draft
from records.findings.kinds import BEGUN_EARLY, FORGOTTEN_BUTTON, NOTHING
from records.findings.planned_search import PLANNED_RATE, PlannedSearch

ENKESHUI = ruleset("enkeshui", pits=8, setup="fours-right")
START = ENKESHUI.start()


class Anything:
    """An observer who sees every place, and for whom every board is as likely as another."""

    def likelihood(self, board: BoardCounts) -> float:
        return 0.0

    def changes(self, board: BoardCounts, by: int) -> list[tuple[float, int]]:
        return [(0.0, place) for place, count in enumerate(board.counts) if count + by >= 0]

    def visible(self, board: BoardCounts) -> BoardCounts:
        return board


def found(rules: Rules = ENKESHUI, pressed_by: object = None, earlier: tuple[Position, ...] = ()) -> list[Draft]:
    position = rules.start()
    turns = rules.turns(position)
    return PlannedSearch(rules, position, turns, Anything(), earlier, pressed_by).drafts()  # type: ignore[arg-type]


@pytest.mark.parametrize("game", ruleset_ids())
def test_every_draft_has_a_kind_a_board_and_a_weight(game: str) -> None:
    rules = ruleset(game)
    for draft in found(rules):
        assert set(draft.kinds) <= set(KINDS)
        assert draft.kinds
        assert draft.board is not None
        assert len(draft.board.counts) == 2 * rules.row + 2
        assert min(draft.board.counts) >= 0
        assert draft.log < 0


def test_drafts_name_the_turn_that_was_meant() -> None:
    meant = {draft.meant.move.pit for draft in found() if draft.meant and draft.kinds == ("skipped",)}
    assert meant == {turn.move.pit for turn in ENKESHUI.turns(START)}
    assert all(draft.meant is None for draft in found() if draft.kinds == ("wrong-side",))


def test_places_of_one_kind_share_its_rate() -> None:
    weights: Counter[tuple[str, ...]] = Counter()
    for draft in found():
        weights[draft.kinds] += math.exp(draft.log)  # type: ignore[assignment]
    for kind in ("wrong-side", "wrong-row", "skipped", "doubled"):
        assert weights[(kind,)] == pytest.approx(KINDS[kind].rate)
    assert weights[("two-turns",)] == pytest.approx(FORGOTTEN_BUTTON)
    assert 0 < weights["two-turns", "unfinished"] <= BEGUN_EARLY  # a part is left out to bound the time
    assert 0 < weights[("unfinished",)] <= KINDS["unfinished"].rate
    assert 0.5 * PLANNED_RATE < sum(weights.values()) < 1.5 * PLANNED_RATE


def test_two_turns_empty_what_either_empties() -> None:
    first = ENKESHUI.play(START, Move.parse("e"))
    second = next(turn for turn in ENKESHUI.turns(first.position) if turn.move != PASS)
    expected = BoardCounts.of(second.position, first.emptied | second.emptied)
    assert expected in [one.board for one in found() if (one.meant, one.plan) == (first, second)]


def test_a_button_makes_contradicting_drafts_unlikely() -> None:
    def weight(kinds: tuple[str, ...], pressed_by: object) -> float:
        return next(draft.log for draft in found(pressed_by=pressed_by) if draft.kinds == kinds)

    side, begun = ("wrong-side",), ("two-turns", "unfinished")
    assert weight(side, SOUTH) < weight(side, None) == weight(side, NORTH)
    assert weight(begun, NORTH) < weight(begun, None) == weight(begun, SOUTH)


def test_the_latest_turn_is_the_likeliest_to_be_taken_back() -> None:
    earlier = START, ENKESHUI.play(START, Move.parse("e")).position
    last, both = (draft for draft in found(earlier=earlier) if not draft.kinds)
    assert (last.opening.position, both.opening.position) == (earlier[1], earlier[0])
    assert NOTHING > math.exp(last.log) > math.exp(both.log)
