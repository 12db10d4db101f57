"""Slips as the search finds them: their kinds, and how likely each is before anybody looks at the board."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inkeek.records.kernel.codes import CODE_NAMES, IN_PLACE_OF_SPECIAL, REASONS
from inkeek.records.position import OWNED, Position

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
