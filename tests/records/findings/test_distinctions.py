"""What would tell an account from the next is different in the two."""

from __future__ import annotations

import pytest

from inkeek.records import Move, Rules, ruleset
from inkeek.records.findings import Evidence, find
from inkeek.records.findings.account_steps import AccountSteps
from inkeek.records.findings.sentences import step_text, with_distinctions
from inkeek.records.language import Language, load_language

from .slipped_turns import GAMES, counts_of, findings


@pytest.mark.parametrize("rules", GAMES, ids=str)
def test_a_question_has_another_answer_in_each_account(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    english, asked = load_language("en"), list[dict[str, object]]()

    def record(language: Language, key: str, /, **fields: object) -> str:
        asked.extend([fields] if key == "findings.tell.event" else [])
        return text(language, key, **fields)

    text = Language.text
    counted = 0
    for turn, found in findings(rules):
        before = turn.turn.before
        pair = list(found.accounts[:2])
        with monkeypatch.context() as patch:
            patch.setattr(Language, "text", record)
            with_distinctions(pair, Evidence(before=before, counts=turn.board), english)
        for fields in asked:
            assert fields["event"] != fields["other"]
            lap = fields["lap"].fields["number"]  # type: ignore[attr-defined]
            laps = (lap, lap + 1)  # one may go on where the other lifts the next pit
            for account, answer in zip(pair, (fields["event"], fields["other"]), strict=True):
                steps = zip(account.steps, AccountSteps(account, before).laps(), strict=True)
                texts = [step_text(before, event, english) for event, number in steps if max(1, number) in laps]
                assert answer in texts or answer in {english.text(f"findings.tell.{key}") for key in ("end", "nothing")}
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
    assert found.accounts[0].distinction == load_language("en").text("findings.tell.alike")
