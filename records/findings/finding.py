"""The answer to the question what happened in a turn."""

from __future__ import annotations

from dataclasses import dataclass

from inkeek.records.errors import RecordsError
from inkeek.records.moves import Move
from inkeek.records.position import Position
from inkeek.records.rules.ruleset import RuleText
from inkeek.records.rules.trace import TraceEvent

from .kinds import UNKNOWN


@dataclass(frozen=True, slots=True)
class Account:
    """One way in which the board may have come about.

    `kinds`: the slips in it, in order (keys of `kinds.KINDS`); or only ``legal``, ``unplayed``, ``taken-back`` or
    ``unknown``. `legal`: whether it is a legal turn, perhaps with a legal one after it; None for ``unplayed``,
    ``taken-back`` and ``unknown``. `move`: the turn that was begun. `steps`: what the hands did, as in a trace; besides
    its events ``lose`` and ``add`` (a seed leaves the hand for nowhere, or comes from nowhere) and ``pick`` (a seed of
    `pit` comes into the hand). `first_wrong_step`: the index in `steps` of the first that no legal turn has there.
    `rule`: the rule that forbids it, or by which a legal turn ended as it did. `board`: the seeds it leaves in every
    pit and in both stores. `mend`: by place, the seeds to add to the board as this account leaves it (negative: to take
    away), for the board of `target`: the turn that was meant, or the position before. `sentences` tell all that; the
    last one how to mend the board. `distinction`: what would tell it from the account after it. `equal`: it is as
    likely as the account before it, or so nearly that the order means nothing.
    `due_place`: where the turn that was meant drops the seed of the first wrong step, if it drops it elsewhere.
    `ply`: of several turns, the index of the one that went so; all others went as they are written, and `mend` is for
    the board now. None for ``unknown``, and if there is only one turn.
    """

    kinds: tuple[str, ...]
    probability: float
    legal: bool | None
    move: Move | None
    sentences: tuple[str, ...]
    steps: tuple[TraceEvent, ...] = ()
    first_wrong_step: int | None = None
    rule: RuleText | None = None
    board: tuple[int, ...] = ()
    mend: dict[int, int] | None = None
    target: Position | None = None
    distinction: str = ""
    equal: bool = False
    due_place: int | None = None
    ply: int | None = None

    @property
    def kind(self) -> str:
        """The first of `kinds`."""
        return self.kinds[0]


@dataclass(frozen=True, slots=True)
class Finding:
    """What happened in a turn or in several: `accounts`, the likeliest first, with a probability each.

    ``unknown`` is one of them: something happened that is no hypothesis. `legal`: whether a legal turn was played; None
    if legal and other accounts are both likelier than 1 %, or a rare legal turn fits as well as any slip, and for
    several turns. `complete`: False if a limit was
    reached before all accounts were examined. `searched`: how many slips in one turn were considered.

    Of several turns only: `agreed`: up to so many, all was as written, by the likeliest account. `played`: how many of
    the moves the rules let be played as written; `wrong`: why not the next one.
    """

    accounts: tuple[Account, ...]
    legal: bool | None
    complete: bool
    searched: int
    agreed: int | None = None
    played: int | None = None
    wrong: RecordsError | None = None

    @property
    def best(self) -> tuple[Account, ...]:
        """The first account, and those that are equal to it."""
        count = 1
        while count < len(self.accounts) and self.accounts[count].equal:
            count += 1
        return self.accounts[:count]

    @property
    def unknown(self) -> float:
        """The probability that something else happened."""
        return sum(account.probability for account in self.accounts if account.kind == UNKNOWN)
