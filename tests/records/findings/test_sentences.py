"""A sentence of an account names the pits of the course that it tells."""

from __future__ import annotations

import pytest

from inkeek.records import Position, Rules
from inkeek.records.findings import Account, Evidence, find
from inkeek.records.findings.account_steps import AccountSteps
from inkeek.records.language import MessageText, translatable_english
from inkeek.records.rules.trace import TraceEvent

from .slipped_turns import GAMES, findings

ELSEWHERE = ("instead", "also", "astray")  # seeds that were not due where they fell
SEEDS = ("skip", "double", "instead", "also", "astray", "lose", "lose-due", "pick-up", "add")  # about one lap's seeds

TEXTS = [f"findings.slip.{slip}" for slip in SEEDS]


def lap_of(account: Account, before: Position, lap: int) -> list[TraceEvent]:
    """The steps of a lap, of the second turn if there are two."""
    steps = AccountSteps(account, before)
    numbered = [*zip(steps.laps(), account.steps, strict=True)][steps.second_turn or 0 :]
    return [event for number, event in numbered if number == lap]


def unlike(sentence: MessageText, account: Account, before: Position) -> bool:
    """Whether a sentence about the seeds of a lap says what its steps do not have."""
    fields, slip = sentence.message.fields, sentence.message.key.rpartition(".")[2]
    steps = lap_of(account, before, fields["lap"])  # type: ignore[arg-type]
    dropped = [before.letter(event.pit) for event in steps if event.kind == "drop"]
    picked = [before.letter(event.pit) for event in steps if event.kind == "pick"]
    place, often = fields["place"], dropped.count(str(fields["place"]))
    if before.letter(steps[0].pit) != fields["pit"]:
        return True
    if not isinstance(place, str) or len(place) != 1:
        return False  # a store
    goes_round = len(dropped) > len(before.pits) - 3
    told = [one.message for one in account.sentences if isinstance(one, MessageText)]
    elsewhere = sum(one.key.rpartition(".")[2] in ELSEWHERE and one.fields["place"] == place for one in told)
    return {
        "skip": often > elsewhere and not goes_round,
        "double": often < 2,
        "instead": often < 1,
        "also": often < 1,
        "astray": dropped[-1:] != [place],
        "pick-up": place not in picked,
    }.get(slip, False)


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_each_sentence_names_the_pits_of_its_lap(rules: Rules) -> None:
    checked = 0
    for turn, _ in findings(rules)[::4]:
        before = turn.turn.before
        found = find(rules, Evidence(before=before, counts=turn.board), 2, translatable_english())
        for account in found.accounts:
            for sentence in account.sentences:
                if isinstance(sentence, MessageText) and sentence.message.key in TEXTS:
                    assert not unlike(sentence, account, before), (sentence, account)
                    checked += 1
    assert checked > 20
