"""Why what is said to be known of a turn cannot be: it is refused, because a search would only find nothing in it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from inkeek.records.errors import ErrorText, EvidenceError
from inkeek.records.kernel.codes import COUNT_LIMIT
from inkeek.records.moves import Move
from inkeek.records.position import CLOSED, MARK_LETTERS, OWNED, Position
from inkeek.records.rules.play import Rules

from .evidence import Evidence, Reading
from .text import closed_fault

MAX_SEEN = 2000  # lifts and drops in an order of events
MAX_COUNT = COUNT_LIMIT * 16 - 1  # seeds in one place
MAX_ADDED = 2  # seeds that come in by two slips: no account leaves more

Fault = tuple[str, str]


def verify_evidence(rules: Rules, evidence: Evidence) -> None:
    """Check that evidence can be about a turn of this game.

    :raises PositionError: the position before the turn is not of this game.
    :raises EvidenceError: something else cannot be; holds every reason.
    """
    rules.verify_position(evidence.before)
    faults = [*_count_faults(rules, evidence), *_mark_faults(rules, evidence), *_seen_faults(evidence)]
    if evidence.claimed is not None:
        faults += (("claimed", fault) for fault in _move_faults(rules, evidence.before, evidence.claimed))
        if evidence.claimed.pit == "?":
            faults.append(("claimed", ErrorText("'~?' names no pit: expected that in which the turn began, as '~c'")))
    elif evidence.captured is not None and sum(evidence.captured) > rules.seeds:
        faults.append(
            (
                "captured",
                ErrorText(
                    "%(seeds)s seeds are said to be captured: the game has %(wanted)s",
                    seeds=sum(evidence.captured),
                    wanted=rules.seeds,
                ),
            )
        )
    if faults:
        raise EvidenceError(faults)


def verify_moves(rules: Rules, position: Position, moves: Sequence[Move]) -> None:
    """Check that moves that are written can be of this game, whether or not they are legal.

    :raises EvidenceError: some cannot; holds every reason.
    """
    faults = []
    for at, move in enumerate(moves):
        for fault in _move_faults(rules, position, move):
            faults.append(("moves", ErrorText("turn %(number)s: %(fault)s", number=at + 1, fault=fault)))
    if faults:
        raise EvidenceError(faults[:20])


def _count_faults(rules: Rules, evidence: Evidence) -> Iterator[Fault]:
    before = evidence.before
    size = len(before.pits)
    for counts in (evidence.counts, evidence.kept):
        if counts is not None and len(counts) != size + 2:
            yield (
                "counts",
                f"{len(counts)} counts: a board with {size // 2} pits a row has {size} pits and 2 stores",
            )
            return
    known = 0
    for count in evidence.counts:
        if isinstance(count, int) and not 0 <= count <= MAX_COUNT:
            yield "counts", f"a count of {count} seeds: expected 0 to {MAX_COUNT}"
        elif isinstance(count, Reading) and not (math.isfinite(count.mean) and 0 < count.spread < math.inf):
            yield "counts", f"a reading of {count.mean} ± {count.spread} seeds: expected a spread above 0"
        elif isinstance(count, Mapping) and not count:
            yield "counts", "a count that has no log-likelihoods"
        elif isinstance(count, int):
            known += count
    if all(count is None for count in evidence.counts) and not evidence.seen:
        yield (
            "counts",
            ErrorText("nothing is known of the board: count one place at least, or say which pits were lifted"),
        )
    hand = evidence.hand or 0
    if not 0 <= hand <= rules.seeds:
        yield (
            "hand",
            ErrorText(
                "%(seeds)s seeds in a hand: expected 0 to %(wanted)s, the seeds of the game",
                seeds=hand,
                wanted=rules.seeds,
            ),
        )
    elif known + hand > rules.seeds + MAX_ADDED:
        yield (
            "counts",
            ErrorText(
                "%(seeds)s seeds lie there or are in a hand: the game has %(wanted)s, count again",
                seeds=known + hand,
                wanted=rules.seeds,
            ),
        )
    elif evidence.whole == hand == 0:
        yield (
            "counts",
            ErrorText(
                "no seeds lie there: the game has %(wanted)s, write ? for what nobody counted", wanted=rules.seeds
            ),
        )


def _mark_faults(rules: Rules, evidence: Evidence) -> Iterator[Fault]:
    before, marks = evidence.before, evidence.marks
    if marks is None:
        return
    if len(marks) != len(before.pits):
        yield "marks", f"{len(marks)} marks for {len(before.pits)} pits"
        return
    for pit, (mark, was) in enumerate(zip(marks, before.marks, strict=True)):
        letter = before.letter(pit)
        if mark is None:
            continue
        if not 0 <= mark < len(MARK_LETTERS):
            yield "marks", f"{mark} as the mark of pit {letter}: expected 0 to {len(MARK_LETTERS) - 1}"
        elif mark == CLOSED != was:
            yield "marks", closed_fault(letter)
        elif was == CLOSED != mark:
            yield "marks", ErrorText("pit %(pit)s is closed in the position before: expected x", pit=letter)
        elif mark in OWNED and "special" not in rules.info.terms:
            yield (
                "marks",
                ErrorText("%(pit)s is marked as a special pit: %(game)s has none", pit=letter, game=rules.id),
            )


def _seen_faults(evidence: Evidence) -> Iterator[Fault]:
    seen, before = evidence.seen, evidence.before
    if evidence.seen_all and not seen:
        yield "seen", ErrorText("no lift was missed, and none is given: name the pits that were lifted, in order")
    if len(seen) > MAX_SEEN:
        yield "seen", f"{len(seen)} lifts and drops: at most {MAX_SEEN} are allowed"
    for one in seen[:MAX_SEEN]:
        if one.kind not in ("lift", "drop") or not 0 <= one.pit < len(before.pits):
            last = len(before.pits) - 1
            yield "seen", f"{one.kind!r} of pit {one.pit}: expected a lift or a drop, and a pit from 0 to {last}"
            return
        if one.kind == "lift" and before.marks[one.pit] == CLOSED:
            letter = before.letter(one.pit)
            yield "seen", ErrorText("a lift of pit %(pit)s: that pit is closed and holds no seeds", pit=letter)
            return


def _move_faults(rules: Rules, position: Position, move: Move) -> Iterator[str]:
    """Why no turn of this game can be a move, legal or not."""
    text, row = str(move)[:40], position.row
    if move.pit.isalpha() and move.index >= row:
        ends = {"south": position.letter(row - 1), "north": position.letter(2 * row - 1)}
        yield ErrorText(
            "%(move)r is of pit %(pit)s: expected a pit from a to %(south)s, or from A to %(north)s",
            move=text,
            pit=move.pit,
            **ends,
        )
    if move.choices and rules.settings.get("direction_choice", "none") == "none":
        yield ErrorText(
            "%(move)r chooses a direction: these rules offer none, expected no < or > after %(pit)s",
            move=text,
            pit=move.pit,
        )
    if move.captured is not None and sum(move.captured) > rules.seeds:
        yield ErrorText(
            "%(move)r captures %(seeds)s seeds: the game has %(wanted)s",
            move=text,
            seeds=sum(move.captured),
            wanted=rules.seeds,
        )
    if move.special and "special" not in rules.info.terms:
        yield ErrorText("%(move)r makes a special pit: %(game)s has none", move=text, game=rules.id)
