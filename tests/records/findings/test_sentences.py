"""A sentence of an account names the pits of the course that it tells."""

from __future__ import annotations

import pytest

from inkeek.records import Position, Rules, ruleset
from inkeek.records.findings import Account, Evidence, find
from inkeek.records.findings.account_steps import AccountSteps
from inkeek.records.findings.posterior import weigh
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
            assert len({*account.sentences}) == len(account.sentences)
            for sentence in account.sentences:
                if isinstance(sentence, MessageText) and sentence.message.key in TEXTS:
                    assert not unlike(sentence, account, before), (sentence, account)
                    checked += 1
    assert checked > 20


ALIKE = {  # a game, the position before, and the board after the same slip twice
    "findings.slips.double": ("bof", "0.0.0.0.1/1.8.5.1.0 13-11 n 11", (4, 2, 0, 2, 0, 1, 2, 0, 0, 2, 13, 14)),
    "findings.slips.lose": ("bof", "0.0.2.0.5/2.0.4.2.4 12-9 s 8", (1, 0, 0, 0, 0, 3, 1, 5, 0, 5, 14, 9)),
    "findings.slips.add": ("bof", "4.1.2.3.0/1.2.0.0.1 20-6 s 14", (5, 0, 3, 0, 0, 2, 3, 1, 1, 0, 21, 6)),
    "findings.slip.leave-behind": (
        "oware",
        "4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0",
        (4, 4, 2, 5, 5, 4, 4, 4, 4, 4, 4, 4, 0, 0),
    ),
}


@pytest.mark.parametrize("key", ALIKE)
def test_what_went_wrong_twice_alike_is_one_sentence_with_its_number(key: str) -> None:
    game, position, board = ALIKE[key]
    evidence = Evidence(before=Position.parse(position), counts=board)
    account = find(ruleset(game), evidence, 2, translatable_english()).accounts[0]
    told = [one.message for one in account.sentences if isinstance(one, MessageText)]
    assert [one.fields["count"] for one in told if one.key.startswith("findings.slip")] == [2]
    assert key in [one.key for one in told]


def test_two_skips_name_the_two_pits() -> None:
    evidence = Evidence(
        before=Position.parse("4.4.4.4.4.4/4.4.4.4.4.4 0-0 s 0"), counts=(4, 4, 0, 5, 4, 4, 5, 5, 5, 4, 4, 4, 0, 0)
    )
    account = find(ruleset("oware"), evidence, 2, translatable_english()).accounts[0]
    skips = [
        one.message for one in account.sentences if isinstance(one, MessageText) and one.message.key.endswith("skip")
    ]
    assert [one.fields["place"] for one in skips] == ["e", "f"]


def test_a_turn_that_is_reversed_twice_is_no_slip() -> None:
    before = Position.parse("1.1.0.0.0.0.2.0.3.3.1.3/1.1.2.0.3.2.0.0.1.1.1.2 28-40 n 19")
    board = (1, 1, 0, 0, 0, 0, 2, 0, 3, 3, 1, 3, 1, 1, 2, 0, 3, 0, 1, 1, 1, 1, 1, 2, 28, 40)
    for one in weigh(ruleset("anywoli"), Evidence(before=before, counts=board), 2).hypotheses:
        assert [slip.code for slip in one.draft.slips] != ["reverse", "reverse"]


def test_a_single_seed_that_falls_elsewhere_skips_no_pit_besides() -> None:
    before = Position.parse("0.3.0.1.11.0/1.9.0.1.5.2 7-8 n 15")
    board = (0, 3, 0, 1, 11, 0, 1, 9, 1, 0, 5, 2, 7, 8)
    codes = [
        [slip.code for slip in one.draft.slips]
        for one in weigh(ruleset("kalah"), Evidence(before=before, counts=board), 2).hypotheses
    ]
    assert ["instead"] in codes
    assert ["skip", "also"] not in codes
