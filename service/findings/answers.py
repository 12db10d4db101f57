"""What happened in a turn, as JSON objects. The command line uses them too, without a database."""

from __future__ import annotations

from typing import Annotated

from inkeek.records import Position
from inkeek.records.findings import KINDS, Account, Finding
from inkeek.records.findings.account_steps import AccountSteps
from inkeek.records.findings.kinds import LEGAL, TAKEN_BACK, UNKNOWN, UNPLAYED
from inkeek.service.games.rules_answers import StepJson, pit_letter
from inkeek.service.http.shape import Shape, one_of

ACCOUNT_KINDS = (*KINDS, LEGAL, UNPLAYED, TAKEN_BACK, UNKNOWN)
MAX_STEPS = 5000  # of an account
AccountKind = Annotated[str, one_of(ACCOUNT_KINDS)]


class RuleTextJson(Shape):
    id: str
    says: Annotated[str, "as it is read here"]
    quote: Annotated[str, "in the words of the source; may be empty"]
    source: str


class FindingStepJson(StepJson):
    lap: Annotated[int, "number of the lap, 0 before the first lift"]


class AccountJson(Shape):
    """One way in which the board may have come about."""

    ply: Annotated[int | None, "with `moves`: number of the turn, from 1"]
    kind: AccountKind
    kinds: list[AccountKind]
    probability: float
    equal: Annotated[bool, "as likely as the one before"]
    legal: bool | None
    move: str | None
    sentence: Annotated[str, "all `sentences`"]
    sentences: list[str]
    start: Annotated[list[int], "the board on which the steps begin, in the order of `counts`"]
    steps: list[FindingStepJson]
    cut: Annotated[int, "steps that are not listed, because there are too many"]
    first_wrong_step: Annotated[int | None, "index in `steps`"]
    rule: RuleTextJson | None
    board: Annotated[list[int], "the board that it leaves, likewise"]
    mend: Annotated[
        dict[str, int] | None, "seeds to add to the pits, `south` and `north` (the stores); negative: to take away"
    ]
    target: Annotated[str | None, "the position that the board has then"]
    distinction: Annotated[str, "what tells it from the next account"]


class FindingJson(Shape):
    position: Annotated[str, "the position before"]
    legal: Annotated[bool | None, "null: nobody can say, or the question is about `moves`"]
    agreed: Annotated[int | None, "with `moves`: so many agree"]
    played: Annotated[int | None, "with `moves`: so many can be played"]
    accounts: Annotated[list[AccountJson], "the likeliest first"]
    complete: Annotated[bool, "false: a limit was reached, some were not examined"]
    slips: Annotated[int, "how many slips in one turn were looked for"]


def finding_json(found: Finding, before: Position) -> FindingJson:
    """What happened in a turn from `before`, or in several turns since then."""
    accounts = [_account_json(account, before) for account in found.accounts]
    return FindingJson.of(found, position=before, accounts=accounts, slips=found.searched)


def _account_json(account: Account, before: Position) -> AccountJson:
    steps = AccountSteps(account, before)
    names = [*map(before.letter, range(len(before.pits))), "south", "north"]
    return AccountJson.of(
        account,
        ply=None if account.ply is None else account.ply + 1,
        sentence=" ".join(account.sentences),
        start=steps.board_after(0).board if account.steps else (),
        steps=[
            FindingStepJson.of(event, letter=pit_letter(event, before), lap=lap)
            for event, lap in zip(account.steps[:MAX_STEPS], steps.laps(), strict=False)
        ],
        cut=max(0, len(account.steps) - MAX_STEPS),
        mend=None if account.mend is None else {names[place]: by for place, by in account.mend.items()},
    )
