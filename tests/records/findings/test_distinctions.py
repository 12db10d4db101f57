"""What would tell an account from the next is different in the two."""

from __future__ import annotations

import pytest

from inkeek.records import Move, Rules, ruleset
from inkeek.records.findings import Account, Evidence, distinctions, find
from inkeek.records.language import Language, load_language
from inkeek.records.position import Position

from .slipped_turns import GAMES, counts_of, findings


def seeds_that_fell(account: Account, place: str, lap: int, before: Position) -> int:
    """How many seeds fell in a place in a lap of an account."""
    english, found, number = load_language("en"), 0, 0
    for event in account.steps:
        number += event.kind == "lift"
        if event.kind in ("drop", "store") and number == lap:
            where = event.pit if event.kind == "drop" else len(before.pits) + event.other
            found += distinctions.place_text(before, where, english) == place
    return found


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_question_about_seeds_has_another_answer_in_each_account(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, dict[str, object]]] = []

    def record(language: Language, key: str, /, **fields: object) -> str:
        if key in ("findings.tell.seeds", "findings.tell.lifted", "findings.tell.taken", "findings.tell.event"):
            asked.append((key, fields))
        return text(language, key, **fields)

    text = Language.text
    counted = 0
    for turn, found in findings(rules):
        before = turn.turn.before
        evidence = Evidence(before=before, counts=turn.board)
        pair = list(found.accounts[:2])
        with monkeypatch.context() as patch:
            patch.setattr(Language, "text", record)
            distinctions.with_distinctions(pair, evidence, load_language("en"))
        for key, fields in asked:
            answers = (fields["event" if key.endswith("event") else "count"], fields["other"])
            assert answers[0] != answers[1]
            if key == "findings.tell.seeds" and fields["lap"].key == "findings.tell.lap":  # type: ignore[attr-defined]
                lap = fields["lap"].fields["number"]  # type: ignore[attr-defined]
                assert answers == tuple(seeds_that_fell(one, str(fields["place"]), lap, before) for one in pair)
                counted += 1
        asked.clear()
    assert counted > 1


def test_a_choice_that_nobody_sees_tells_nothing() -> None:
    rules = ruleset("enkeshui", pits=8, setup="fours-right")
    turn = rules.play(rules.start(), Move.parse("g"))
    found = find(
        rules, Evidence(before=rules.start(), counts=counts_of(turn.position), claimed=Move.parse("c")), language="en"
    )
    assert found.accounts[1].kinds == ("wrong-way",)
    assert found.accounts[0].distinction == load_language("en").text("findings.tell.meant")
