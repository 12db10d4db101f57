"""What would tell an account from the next: a pit to count, or a question to witnesses."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from inkeek.records.language import Language, Message
from inkeek.records.position import Position

from .account_steps import AccountSteps
from .evidence.evidence import Evidence
from .finding import Account
from .sentences import place_text, step_text


def with_distinctions(accounts: list[Account], evidence: Evidence, language: Language) -> list[Account]:
    """The accounts, each with what would tell it from the next."""
    pairs = pairwise(accounts)
    found = [replace(one, distinction=_distinction(one, other, evidence, language)) for one, other in pairs]
    return [*found, *accounts[-1:]]


def _distinction(account: Account, other: Account, evidence: Evidence, language: Language) -> str:
    if not account.board or not other.board:
        return ""  # something else happened: there is nothing to look for
    position = evidence.before
    for place, (count, theirs) in enumerate(zip(account.board, other.board, strict=True)):
        if count != theirs and evidence.known(place) is None:
            name = place_text(position, place, language)
            return language.text("findings.tell.count", place=name, count=count, other=theirs)
    if {account.kinds, other.kinds} == {("wrong-side",), ("wrong-row",)}:
        hands = position.to_move, position.to_move.other
        mover, theirs = hands if account.kind == "wrong-row" else reversed(hands)
        return language.text("findings.tell.who", mover=mover, other=theirs)
    both = [_visible_steps(one, position, language) for one in (account, other)]
    at = next((at for at, (one, two) in enumerate(zip(*both, strict=False)) if one[0] != two[0]), min(map(len, both)))
    if at == max(map(len, both)):
        return language.text("findings.tell.alike")
    is_second, number = min(steps[at][1:] for steps in both if at < len(steps))
    lap = Message(f"findings.tell.lap{'-second' if is_second else ''}", {"number": number})
    ends = [language.text(f"findings.tell.{'end' if steps else 'nothing'}") for steps in both]
    here, there = (steps[at][0] if at < len(steps) else end for steps, end in zip(both, ends, strict=True))
    return language.text("findings.tell.event", lap=lap, event=here, other=there)


def _visible_steps(account: Account, position: Position, language: Language) -> list[tuple[str, bool, int]]:
    """The steps that somebody can see, each with whether it is of the second turn, and its lap: a choice shows only in
    what is sown."""
    steps = AccountSteps(account, position)
    second = len(account.steps) if steps.second_turn is None else steps.second_turn
    return [
        (step_text(position, event, language), number >= second, max(1, lap))
        for number, (event, lap) in enumerate(zip(account.steps, steps.laps(), strict=True))
        if event.kind != "choose"
    ]
