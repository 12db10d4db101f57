"""Boards after a rearrangement, which lists of legal turns leave out: there are too many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from inkeek.records.kernel.codes import COUNT_LIMIT
from inkeek.records.language import Language
from inkeek.records.moves import Kind, Move
from inkeek.records.position import ORDINARY, OWNED
from inkeek.records.rules.play import Rules
from inkeek.records.rules.rearrangement import why_not_now
from inkeek.records.rules.trace import TraceEvent

from .drafts import log_sum
from .evidence.evidence import Evidence, log_likelihoods, order_log
from .finding import Account
from .kinds import CAPTURE_CLAIM, CLAIM, LEGAL

REARRANGED = 0.01  # how often a turn is one, where it may be
NO_COUNT = -30.0  # the log-likelihood below which a place does not hold so many seeds
Way = tuple[float, float, Move, tuple[int, ...]]  # log weight, log-likelihood of the likeliest, that move, its board


def rearranged(evidence: Evidence, ways: Sequence[Way], probability: float, language: Language) -> Account:
    """The account of the likeliest of the legal rearrangements that fit."""
    _, _, move, board = max(ways, key=lambda way: way[:2])
    sentence = language.text("findings.rearranged", mover=evidence.before.to_move, move=move)
    return Account((LEGAL,), probability, True, move, (sentence,), board=board, mend={})


def rearrangements(rules: Rules, evidence: Evidence) -> list[Way]:
    """The legal rearrangements that fit: of each two pits that can be emptied, the likeliest."""
    before, marks = evidence.before, evidence.comparable_marks() or ()
    previous = None if evidence.previous is None else evidence.previous.move
    if why_not_now(rules.options.get("rearrangement", "none"), before, previous) is not None:
        return []
    if any(mark not in (-1, was) for mark, was in zip(marks, before.marks, strict=False)):
        return []
    row = before.pits_of(before.to_move)
    emptied = [log_likelihoods(count) for count in evidence.counts]
    kept = emptied if evidence.kept is None else [log_likelihoods(count) for count in evidence.kept]
    board = (*before.pits, *before.stores)
    rest = sum(kept[place][min(n, COUNT_LIMIT - 1)] for place, n in enumerate(board) if place not in row)
    rest += log_likelihoods(evidence.hand)[0]
    if evidence.captured is not None:
        rest += math.log(CAPTURE_CLAIM if evidence.captured == (0, 0) else 1 - CAPTURE_CLAIM)
    into = (ORDINARY, OWNED[before.to_move]) if rules.options.get("rearrange_into_bulls") else (ORDINARY,)
    pairs = list(combinations([pit for pit in row if before.marks[pit] == ORDINARY], 2))
    found: list[Way] = []
    for pair in pairs if rest > NO_COUNT else ():
        seeds = board[pair[0]] + board[pair[1]]
        places: list[Sequence[float] | None] = []
        for pit in row:
            held = 0 if pit in pair else board[pit]
            table = (emptied if pit in pair else kept)[pit]
            most = min(held + (seeds if before.marks[pit] in into else 0), COUNT_LIMIT - 1)
            is_free = evidence.counts[pit] is None and before.marks[pit] in into
            places.append(None if is_free else table[held : most + 1])
        ways = _laid_out(places, seeds) if seeds else None
        if ways is None:
            continue
        whole, fit, laid = ways
        letters = [(before.letter(pit), count) for pit, count in zip(row, laid, strict=True) if count]
        move = Move(kind=Kind.REARRANGE, emptied="".join(map(before.letter, pair)), laid=tuple(letters))
        after = [*board]
        for pit, count in zip(row, laid, strict=True):
            after[pit] = count + (0 if pit in pair else board[pit])
        if rules.options["rearrangement"] == "initial" and tuple(after) == board and evidence.claimed != move:
            continue  # which is no turn, and shows nothing
        seen = rest + _order_log(evidence, pair, row, laid)
        chance = _prior(evidence, len(pairs), math.comb(seeds + len(row) - 1, seeds))
        if evidence.claimed == move:
            whole, chance = fit, CLAIM
        found.append((math.log(chance) + whole + seen, fit + seen, move, tuple(after)))
    return found


def _laid_out(places: Sequence[Sequence[float] | None], seeds: int) -> tuple[float, float, list[int]] | None:
    """All ways to lay out the seeds, where each place has the log-likelihoods of 0, 1, 2 … of them (None: all are as
    likely): the log-likelihood of all together, that of the likeliest, and that one; None: there is none."""
    ways: dict[int, tuple[float, float, tuple[int, ...]]] = {0: (0.0, 0.0, ())}
    free = [number for number, logs in enumerate(places) if logs is None]
    for logs in places:
        allowed = [(0, 0.0)] if logs is None else [(n, log) for n, log in enumerate(logs) if log > NO_COUNT]
        following: dict[int, list[tuple[float, float, tuple[int, ...]]]] = {}
        for laid, (whole, best, path) in ways.items():
            for count, log in allowed:
                if laid + count > seeds:
                    break
                following.setdefault(laid + count, []).append((whole + log, best + log, (*path, count)))
        ways = {
            laid: (log_sum([one[0] for one in some]), *max(some, key=lambda one: one[1])[1:])
            for laid, some in following.items()
        }
    found = None
    for laid, (whole, best, path) in ways.items():
        if (laid == seeds or free) and (found is None or best > found[1]):
            found = whole, best, [*path]
            for number in free[:1]:
                found[2][number] = seeds - laid
    if found is not None and free:
        many = [math.log(math.comb(seeds - laid + len(free) - 1, len(free) - 1)) + ways[laid][0] for laid in ways]
        found = log_sum(many), *found[1:]
    return found


def _order_log(evidence: Evidence, pair: Sequence[int], row: Sequence[int], laid: Sequence[int]) -> float:
    """The log-likelihood of the lifts and drops that were seen, whichever pit was emptied first."""
    if not evidence.seen:
        return 0.0
    held = evidence.before.pits
    lifts = [TraceEvent("lift", pit, held[pit], 0) for pit in pair if held[pit]]
    drops = [TraceEvent("drop", pit, count, 0) for pit, count in zip(row, laid, strict=True) for _ in range(count)]
    return max(order_log(evidence, [*order, *drops]) for order in (lifts, lifts[::-1]))


def _prior(evidence: Evidence, pairs: int, layouts: int) -> float:
    """How likely a rearrangement is: one of all ways to lay out the seeds of any two pits."""
    claimed = evidence.claimed
    if claimed is None:
        return REARRANGED / pairs / layouts
    return (1 - CLAIM) * (1.0 if claimed.kind is Kind.REARRANGE else REARRANGED) / pairs / layouts
