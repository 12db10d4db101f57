"""Drafts: ways in which a board may have come about, before anybody tells them as accounts, and how likely slips are
before anybody looks at the board."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from inkeek.records.kernel.codes import CODE_NAMES, IN_PLACE_OF_SPECIAL, REASONS
from inkeek.records.moves import Turn
from inkeek.records.position import OWNED, Position

from .account_steps import BoardCounts
from .kinds import CODES, KINDS

TAKING = ("other-pit", "other-pit-far", "take-wrongly", "take-oddly", "take-elsewhere")  # codes that empty a pit
EARLY_SWEEPS, WRONG_SWEEPS = 3, 4  # ways: either row or both; to one side, to the other, to each other's
UNUSUAL = 20  # by how much rarer hands sow on where no lap ever leads to another


class Slip(NamedTuple):
    """A slip as `records.kernel.slips` describes it: a code by its name, the lap (0: after the turn), the stage of the
    lap, how many seeds were in the hand or which capture it was, and the place it concerns."""

    code: str
    lap: int
    stage: int
    at: int
    place: int


def kind_of(slip: Slip, position: Position) -> str:
    """The kind of a slip in a turn from `position`, which knows the special pits: a turn that makes one is over."""
    code, size = slip.code, len(position.pits)
    if code == "relay-on" and (reason := REASONS[slip.at]) in ("in-special", "made-special"):
        return "special-emptied" if reason == "in-special" else "unmarked"
    if code == "take-wrongly" and slip.at == IN_PLACE_OF_SPECIAL:
        return "unmarked"
    if code in TAKING and position.marks[slip.place] in OWNED:
        return "special-emptied"
    if code == "take-not" and slip.stage != 2:  # of captures in passing, each is whole
        return "captured-left"
    if code == "end-move":
        start, to = divmod(slip.place, 64)
        if max(start, to) < size and (start - to) % size in (1, size - 1):
            return "bumped"
    return CODES[code][0]


@dataclass(frozen=True, slots=True)
class Opening:
    """Where a turn begins: from `pit` (-1: nowhere, the board stays as it is; -2, -3 …: it is as it was 1, 2 … turns
    before) in `position`, whose side to move sows.

    `kind`: why that is not legal; None: it is. `turn`: the turn that was played first, `broken`: the slip with which it
    ended, if it was not completed. `weight`: how likely, before anybody looks at the board.
    """

    position: Position
    pit: int
    weight: float
    kind: str | None = None
    turn: Turn | None = None
    broken: Slip | None = None

    @property
    def emptied(self) -> int:
        return self.turn.emptied if self.turn is not None else 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A way in which a board that fits came about. `log`: the logarithm of its weight times the likelihood, `fit` that
    of the likelihood.

    `bits` and `choices`: the choices of direction as bits, and their number. `held`: seeds that stayed in the hand.
    `turn`: the legal turn that it is. `swept`: the pits (a bit each) that the sides then took into their
    stores, because the game was over. `begun`: the board, if a second turn has only begun.
    """

    log: float
    fit: float
    opening: Opening
    slips: tuple[Slip, ...]
    bits: int = 0
    choices: int = 0
    held: int = 0
    turn: Turn | None = None
    swept: int = 0
    begun: BoardCounts | None = None

    @property
    def is_legal(self) -> bool | None:
        """Whether it is a legal turn, perhaps with a legal one after it; None: nothing was played."""
        if self.turn is not None:
            return True
        if self.wrongs == 0 and self.opening.pit < 0:
            return None
        return self.opening.kind == "two-turns" and self.wrongs == 1

    @property
    def wrongs(self) -> int:
        """How many kinds it has."""
        return len(self.slips) + (self.opening.kind is not None) + (self.opening.broken is not None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of its slips, in order."""
        opening, slips = self.opening, self.slips
        first = (opening.kind,) if opening.kind is not None else ()
        if opening.broken is not None:
            slips = (opening.broken, *slips)
        return (*first, *(kind_of(slip, opening.position) for slip in slips))


def choice_text(bits: int, count: int, step: int) -> str:
    """Choices of direction as they are written; those that only go on as before are left out at the end."""
    choices = "".join("<>"[bits >> k & 1] for k in range(count))
    first = ">" if step > 0 else "<"
    while choices and choices[-1] == (choices[-2:-1] or first):
        choices = choices[:-1]
    return choices


def choice_bits(choices: str) -> tuple[int, int]:
    """Choices of direction as bits, and their number."""
    return sum(1 << k for k, choice in enumerate(choices) if choice == ">"), len(choices)


class SlipWeights:
    """The logarithm of the weight of a slip: how often its kind happens, divided among all places where it could."""

    def __init__(self, tally: Sequence[int], size: int, relays: bool) -> None:
        """`tally`: how many slips of each code there could be; `relays`: whether the rules let hands sow on at all."""
        self.tried = {name: tally[code] for code, name in CODE_NAMES.items()}
        self.ways: dict[str, int] = {name: max(1, many) for name, many in self.tried.items()}
        self.ways["end-lose"] = self.ways["end-add"] = size + 2
        self.ways["end-move"] = (size + 2) ** 2
        self.ways["jump"] += 2 * size
        self.ways["end-knock"], self.ways["end-knock-off"], self.ways["end-put-back"] = 3 * size + 4, size + 2, size
        self.ways["sweep-early"], self.ways["sweep-wrongly"] = EARLY_SWEEPS, WRONG_SWEEPS
        if not relays:
            self.ways["relay-on"] *= UNUSUAL

    def most(self) -> float:
        """That of the likeliest slip."""
        return max(
            math.log(KINDS[kind].rate * part / self.ways[code])
            for code, (kind, part) in CODES.items()
            if code.startswith("end-") or self.tried[code]
        )

    def __call__(self, slip: Slip, position: Position) -> float:
        kind = kind_of(slip, position)
        if slip.code == "end-move" and kind == "bumped":
            return math.log(KINDS[kind].rate / self.ways["jump"])
        if kind == "unmarked" and slip.code == "take-wrongly":  # in one place alone
            return math.log(KINDS[kind].rate * CODES[slip.code][1])
        if slip.code.startswith("end-knock"):  # the fewer seeds, the likelier
            return math.log(KINDS[kind].rate * CODES[slip.code][1] / self.ways[slip.code]) + (1 - slip.at) * math.log(2)
        return math.log(KINDS[kind].rate * CODES[slip.code][1] / self.ways[slip.code])


def log_sum(logs: Iterable[float]) -> float:
    """The logarithm of the sum of numbers given as logarithms; minus infinity for none."""
    logs = list(logs)
    most = max(logs, default=-math.inf)
    if most == -math.inf:
        return most
    return most + math.log(sum([math.exp(log - most) for log in logs]))
