"""Boards after a rearrangement, which lists of legal turns leave out: there are too many."""

from __future__ import annotations

import math

from inkeek.records.language import Language
from inkeek.records.moves import Kind, Move
from inkeek.records.position import ORDINARY
from inkeek.records.rules.play import Rules

from .evidence.evidence import Evidence
from .finding import Account
from .kinds import CLAIM, LEGAL

REARRANGED = 0.01  # how often a turn is one, where it may be


def rearrangement(rules: Rules, evidence: Evidence, language: Language) -> list[tuple[float, Account]]:
    """The account of a legal rearrangement with the logarithm of its weight, if the board is exactly one."""
    before, counts = evidence.before, evidence.counts
    if rules.options.get("rearrangement", "none") == "none" or not all(isinstance(count, int) for count in counts):
        return []
    row = before.pits_of(before.to_move)
    changed = [place for place, count in enumerate((*before.pits, *before.stores)) if counts[place] != count]
    if not changed or any(place not in row for place in changed):
        return []
    fewer = [pit for pit in changed if int(counts[pit]) < before.pits[pit]]  # type: ignore[arg-type]
    ordinary = [pit for pit in row if before.marks[pit] == ORDINARY and pit not in fewer]
    for pit in ordinary:
        emptied = sorted([*fewer, pit][:2])
        if len(fewer) > 2 or len(emptied) != 2:
            continue
        laid = []
        for place in row:
            seeds = int(counts[place]) - (0 if place in emptied else before.pits[place])  # type: ignore[arg-type]
            if seeds:
                laid.append((before.letter(place), seeds))
        move = Move(kind=Kind.REARRANGE, emptied="".join(before.letter(place) for place in emptied), laid=tuple(laid))
        if rules.is_legal(before, move):
            sentence = language.text("findings.rearranged", mover=before.to_move, move=move)
            board = tuple(int(count) for count in counts)  # type: ignore[arg-type]
            account = Account((LEGAL,), 0.0, True, move, (sentence,), board=board, mend={})
            return [(math.log(_weight(evidence, move, len(row))), account)]
    return []


def _weight(evidence: Evidence, move: Move, row: int) -> float:
    """How likely this rearrangement is: one of all ways to lay out the seeds of any two pits."""
    claimed = evidence.claimed
    if claimed is not None and claimed.kind is Kind.REARRANGE:
        return CLAIM if claimed == move else 1 - CLAIM
    seeds = sum(count for _, count in move.laid)
    weight = REARRANGED / math.comb(row, 2) / math.comb(seeds + row - 1, row - 1)
    return weight if claimed is None else weight * (1 - CLAIM)
