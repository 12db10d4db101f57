"""Seeds that move several at once, and slips that stand beside each other."""

from __future__ import annotations

import re

import pytest

from inkeek.records import Move, ruleset
from inkeek.records.findings import Evidence, Reading, find

from .slipped_turns import counts_of

OWARE = ruleset("oware")
AFTER_C = counts_of(OWARE.play(OWARE.start(), "c").position)


def moved(counts: tuple[int, ...], start: int, to: int | None, seeds: int) -> tuple[int, ...]:
    board = [*counts]
    board[start] -= seeds
    if to is not None:
        board[to] += seeds
    return tuple(board)


@pytest.mark.parametrize(("start", "to"), [(8, 9), (0, 11), (8, 7), (8, None)])
@pytest.mark.parametrize("seeds", [2, 3, 4])
def test_several_seeds_that_are_knocked_over_are_found(start: int, to: int | None, seeds: int) -> None:
    board = moved(AFTER_C, start, to, seeds)
    for counts in (board, tuple(Reading(count + 0.05, 0.2) for count in board)):
        found = find(OWARE, Evidence(before=OWARE.start(), counts=counts, claimed=Move.parse("c")))
        account = next(one for one in found.accounts if one.kinds == ("knocked-over",))
        assert account in found.accounts[:3]
        assert (account.board, str(account.move), found.legal) == (board, "c", False)
        assert account.mend == {
            place: was - now for place, (was, now) in enumerate(zip(AFTER_C, board, strict=True)) if was != now
        }


def test_a_capture_that_is_put_back_in_a_heap_is_found() -> None:
    rules = ruleset("kalah")
    before = rules.start().replaced(pits=(4, 0, 8, 1, 0, 0, 4, 6, 4, 4, 4, 4), stores=(5, 4))
    turn = rules.play(before, "d")
    assert turn.captured[0] > 2
    board = moved(counts_of(turn.position), 12, 2, turn.captured[0])
    found = find(rules, Evidence(before=before, counts=board, claimed=Move.parse("d")))
    assert ("captured-left",) in [account.kinds for account in found.accounts[:3]]


def test_two_skips_beside_each_other_name_two_pits() -> None:
    found = find(OWARE, Evidence(before=OWARE.start(), counts=(4, 4, 0, 5, 4, 4, 5, 5, 5, 4, 4, 4, 0, 0)))
    account = found.accounts[0]
    assert account.kinds == ("skipped", "skipped")
    named = [re.findall(r"\b[a-f]\b", sentence) for sentence in account.sentences[1:3]]
    assert named == [["c", "e"], ["c", "f"]]


def test_two_seeds_that_are_left_behind_are_told_once() -> None:
    found = find(OWARE, Evidence(before=OWARE.start(), counts=(4, 4, 2, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0, 0)))
    account = found.accounts[0]
    assert account.kinds == ("left-behind", "left-behind")
    assert [re.findall(r"\b2\b", sentence) for sentence in account.sentences[1:-1]] == [["2"]]


def test_a_pit_that_is_skipped_after_another_slip_is_named_rightly() -> None:
    found = find(OWARE, Evidence(before=OWARE.start(), counts=(4, 4, 0, 5, 4, 4, 5, 5, 5, 4, 4, 4, 0, 0)))
    for account in found.accounts[:10]:
        drops = {step.pit for step in account.steps if step.kind == "drop"}
        for kind, sentence in zip(account.kinds, account.sentences[1:], strict=False):
            if kind == "skipped" and "picked-up" in account.kinds:
                assert not drops & {"abcdefABCDEF".index(re.findall(r"\b[a-fA-F]\b", sentence)[1])}


def test_a_slip_and_seeds_that_are_knocked_over_are_found_together() -> None:
    # e got no seed in the lap of c, and then three seeds of C fell into D.
    board = moved((4, 4, 0, 5, 4, 5, 5, 5, 4, 4, 4, 4, 0, 0), 8, 9, 3)
    found = find(OWARE, Evidence(before=OWARE.start(), counts=board, claimed=Move.parse("c")))
    account = next(one for one in found.accounts[:3] if one.kinds == ("skipped", "knocked-over"))
    assert account.board == board
