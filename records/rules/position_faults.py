"""Why a position cannot be one of a game."""

from __future__ import annotations

from inkeek.records.errors import ErrorText, expect
from inkeek.records.position import CLOSED, OWNED, SUCH_AS, Position, Side

from .ruleset import RuleSet


def position_faults(position: Position, info: RuleSet, row: int, *, first_turns_vary: bool) -> list[str]:
    """Why a position does not fit a game with `row` pits in a row, seeds apart. `Kernel.load` must let none of these
    pass. `first_turns_vary`: whether positions say who has not sown yet.

    :raises TypeError: it is no position.
    """
    expect(position, Position, SUCH_AS)
    if position.row != row:
        text = ErrorText(
            "%(pits)s pits a row: %(game)s is played here with %(row)s", pits=position.row, game=info.id, row=row
        )
        return [text]
    faults: list[str] = []
    if not position.is_known:
        faults.append(ErrorText("it has ? for seeds that nobody counted: expected the number"))
    if position.unsown and not (first_turns_vary and position.ply):
        faults.append(
            ErrorText(
                "it says who has not sown yet: expected that only after a rearrangement, with rearrangement=any-turn "
                "and bulls_on_first_move=false"
            )
        )
    if not any(position.marks):
        return faults
    for pit, (count, mark) in enumerate(zip(position.pits, position.marks, strict=True)):
        letter = position.letter(pit)
        if mark in OWNED and "special" not in info.terms:
            faults.append(ErrorText("%(pit)s is marked as a special pit: %(game)s has none", pit=letter, game=info.id))
        elif mark in OWNED and count < info.least_special and info.is_known:
            values = {"pit": letter, "special": info.terms["special"], "seeds": count}
            faults.append(ErrorText("%(pit)s is a %(special)s with %(seeds)s seeds: expected 2 or more", **values))
        elif mark == CLOSED and not info.closes_pits:
            faults.append(ErrorText("%(pit)s is closed: %(game)s closes no pits", pit=letter, game=info.id))
    for side in Side:
        # Who cannot fill one pit has lost the game; and a lap needs a pit to end in.
        if all(position.marks[pit] == CLOSED for pit in position.pits_of(side)):
            faults.append(ErrorText("every pit of %(side)s's row is closed: expected at least one open pit", side=side))
    return faults
