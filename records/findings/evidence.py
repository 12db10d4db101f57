"""What is known of a turn: the position before, what lies there now, and whatever was claimed and seen.

How people write that, and why some of it cannot be: it is refused, because a search would only find nothing in it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_letters

from inkeek.records.errors import ErrorText, EvidenceError, PositionError, RecordsError
from inkeek.records.kernel.codes import COUNT_LIMIT, IMPOSSIBLE
from inkeek.records.moves import Move, Turn
from inkeek.records.position import CLOSED, MARK_LETTERS, MAX_ROW, ORDINARY, OWNED, SOUTH, Position, Side
from inkeek.records.rules.play import Rules
from inkeek.records.rules.trace import TraceEvent

from .account_steps import empties_pit
from .kinds import IMAGINED, MISSED, MISSED_OF_ALL, TOUCHED

MAX_PRODUCT = 250_000  # pairs of a seen and a true event that are compared
_STORES = r" (?P<first>[0-9]{1,4}|\?)-(?P<second>[0-9]{1,4}|\?)"
_BOARD = re.compile(rf"(?P<south>[^/ ]*)/(?P<north>[^/ ]*){_STORES}")
_PIT = re.compile(r"([0-9]{1,4}|\?)([sn]?)|(x)")
_ROW = rf"(?:{_PIT.pattern})(?:\.(?:{_PIT.pattern})){{0,{MAX_ROW - 1}}}"
PATTERN = f"{_ROW}/{_ROW}{_STORES}"  # of the texts that `read_board` reads, if the rows are as long as those before
MAX_TEXT = 400  # characters of a board
MAX_SEEN = 2000  # lifts and drops in an order of events
MAX_COUNT = COUNT_LIMIT * 16 - 1  # seeds in one place
MAX_ADDED = 2  # seeds that come in by two slips: no account leaves more

Fault = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Reading:
    """A noisy count: `mean` seeds, with a standard deviation of `spread`."""

    mean: float
    spread: float


Count = int | Reading | Mapping[int, float] | None
"""How many seeds lie in a place: a number, a `Reading`, the log-likelihood by number of seeds (0 for the likeliest, of
`counts` and `kept` together), or None (unknown)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing that was seen or heard: a ``lift`` of all seeds of a pit, or a ``drop`` of one seed into it."""

    kind: str
    pit: int


@dataclass(frozen=True, slots=True)
class WatchedBoard:
    """A board that is watched from turn to turn: `pressed_by` pressed its button (None: nobody), and so often
    (`mistake`) a turn goes wrong there."""

    pressed_by: Side | None
    mistake: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """All that is known of a turn.

    `before`: the position before it. `counts`: what lies there now, the pits in order of index, then South's and
    North's store. `kept`: the same for places that were never emptied since, where that makes a difference to a sensor.
    `marks`: what each pit is now (`Position.marks`), None where unknown. `hand`: seeds that are still in a hand.
    `claimed`: the move that the player says was played; `captured`: the seeds that they say (South, North) captured.
    `seen`: lifts, or lifts and drops, in order; `seen_all`: none of them was missed;
    `seen_by_board`: sensors reported them, not people. `previous`: the turn before.
    `earlier`: the positions before `before`, the latest last. `watch`: of a board that is watched.
    """

    before: Position
    counts: tuple[Count, ...]
    kept: tuple[Count, ...] | None = None
    marks: tuple[int | None, ...] | None = None
    hand: int | None = None
    claimed: Move | None = None
    captured: tuple[int, int] | None = None
    seen: tuple[Seen, ...] = ()
    seen_all: bool = False
    seen_by_board: bool = False
    previous: Turn | None = None
    earlier: tuple[Position, ...] = field(default=(), repr=False)
    watch: WatchedBoard | None = None

    @property
    def exact(self) -> bool:
        """Whether every place is a number of seeds or unknown."""
        return all(count is None or isinstance(count, int) for count in self.counts)

    def comparable_marks(self) -> tuple[int, ...] | None:
        """The marks, -1 where they are unknown, or differ from that of a special pit, which no account changes."""
        if self.marks is None:
            return None
        changed = self.changed_specials
        return tuple(-1 if mark is None or pit in changed else mark for pit, mark in enumerate(self.marks))

    @property
    def changed_specials(self) -> tuple[int, ...]:
        """The special pits of the position before whose mark is missing now, or is the other side's."""
        pairs = zip(self.before.marks, self.marks or (), strict=False)
        return tuple(pit for pit, (was, mark) in enumerate(pairs) if was in OWNED and mark not in (None, was))

    @property
    def whole(self) -> int | None:
        """All seeds on the board, if every place is known exactly."""
        counts = [count for count in self.counts if isinstance(count, int)]
        return sum(counts) if len(counts) == len(self.counts) else None

    def known(self, place: int) -> int | None:
        """The number of seeds in a place, if it is known exactly."""
        count = self.counts[place]
        return count if isinstance(count, int) else None


def log_likelihoods(count: Count) -> list[float]:
    """The log-likelihood of 0, 1, 2 … seeds, as in `Count`."""
    numbers = range(COUNT_LIMIT)
    if count is None:
        return [0.0] * COUNT_LIMIT
    if isinstance(count, int):
        logs = [IMPOSSIBLE] * COUNT_LIMIT
        logs[min(count, COUNT_LIMIT - 1)] = 0.0
        return logs
    if isinstance(count, Reading):
        found = [-0.5 * ((number - count.mean) / count.spread) ** 2 for number in numbers]
        most = max(found)
        return [max(IMPOSSIBLE, log - most) for log in found]
    return [max(IMPOSSIBLE, count.get(number, IMPOSSIBLE)) for number in numbers]


def other_order_log(evidence: Evidence) -> float:
    """The log-likelihood of what was seen, if something else happened: one pit is as likely as the other each time."""
    return -len(evidence.seen) * math.log(len(evidence.before.pits))


def order_log(evidence: Evidence, events: Sequence[TraceEvent]) -> float:
    """The log-likelihood of what was seen, if these were the events.

    Each event was missed or seen; what was seen and is no event was imagined. If only lifts were seen, drops say
    nothing. Sensors report a pit that a capture empties like one that is lifted.
    """
    if not evidence.seen:
        return 0.0
    kinds = {seen.kind for seen in evidence.seen}
    by_board = evidence.seen_by_board
    true = [("lift" if by_board and empties_pit(event) else event.kind, event.pit) for event in events]
    true = [event for event in true if event[0] in kinds]
    seen = [(one.kind, one.pit) for one in evidence.seen]
    missed = math.log(MISSED_OF_ALL if evidence.seen_all else MISSED)
    imagined = math.log(TOUCHED if by_board else IMAGINED)
    # What is equal at both ends is equal in the best alignment.
    while true and seen and true[0] == seen[0]:
        true, seen = true[1:], seen[1:]
    while true and seen and true[-1] == seen[-1]:
        true, seen = true[:-1], seen[:-1]
    if not true or not seen or len(true) * len(seen) > MAX_PRODUCT:
        return missed * len(true) + imagined * len(seen)
    row = [missed * at for at in range(len(true) + 1)]
    for one in seen:
        above, row = row, [row[0] + imagined]
        for at, event in enumerate(true, 1):
            best = max(above[at] + imagined, row[-1] + missed)
            if event == one:
                best = max(best, above[at - 1])
            row.append(best)
    return row[-1]


def read_board(text: str, before: Position) -> tuple[tuple[int | None, ...], tuple[int | None, ...] | None]:
    """The counts of a board, and the marks of its pits if it has any; None where ``?`` stands.

    :raises PositionError: the text is no board of this size, or closes pits that were open.
    """
    match = _BOARD.fullmatch(text) if len(text) <= MAX_TEXT else None
    if match is None:
        raise PositionError(
            text[:MAX_TEXT],
            [ErrorText("expected '<south row>/<north row> <south store>-<north store>', as '4.?/4.5 0-0'")],
        )
    counts: list[int | None] = []
    marks: list[int | None] = []
    faults: list[str] = []
    for side, first in zip(Side, (0, before.row), strict=True):
        words = match[str(side).lower()].split(".")
        if len(words) != before.row:
            values = {"side": side, "pits": len(words), "row": before.row}
            faults.append(ErrorText("%(side)s's row has %(pits)s pits: expected %(row)s", **values))
        for number, word in enumerate(words, 1):
            pit = _PIT.fullmatch(word)
            if pit is None:
                faults.append(
                    ErrorText(
                        "pit %(number)s of %(side)s's row is %(word)r: expected a number, perhaps with s or n, or ?",
                        number=number,
                        side=side,
                        word=word[:20],
                    )
                )
                continue
            at = first + number - 1
            if pit[3] and number <= before.row and before.marks[at] != CLOSED:
                faults.append(closed_fault(before.letter(at)))
            counts.append(0 if pit[3] else None if pit[1] == "?" else int(pit[1]))
            marks.append(None if word == "?" else MARK_LETTERS.index(pit[2] or pit[3] or ""))
    if faults:
        raise PositionError(text, faults)
    counts += (None if store == "?" else int(store) for store in (match["first"], match["second"]))
    marked = any(mark in OWNED for mark in marks)
    return tuple(counts), tuple(marks) if marked else None


def closed_fault(letter: str) -> str:
    """Why a pit that was open cannot be closed now: no turn closes pits."""
    return ErrorText(
        "pit %(pit)s is x, a closed pit, and it is open in the position before: expected how many seeds it holds, or ?",
        pit=letter,
    )


def board_text(counts: Iterable[int | None], marks: Iterable[int | None]) -> str:
    """The inverse of `read_board`."""
    *pits, first, second = ("?" if count is None else str(count) for count in counts)
    words = ["x" if mark == CLOSED else pit + MARK_LETTERS[mark or 0] for pit, mark in zip(pits, marks, strict=True)]
    row = len(words) // 2
    return f"{'.'.join(words[:row])}/{'.'.join(words[row:])} {first}-{second}"


def known_board(evidence: Evidence) -> str:
    """The board of some evidence as text, with its marks where they are known."""
    counts = [count if count is None or isinstance(count, int) else None for count in evidence.counts]
    closed = [mark if mark == CLOSED else ORDINARY for mark in evidence.before.marks]
    return board_text(counts, evidence.marks or closed)


def pit_index(letter: str, before: Position) -> int:
    """The index of a pit by its letter.

    :raises RecordsError: the board has no such pit.
    """
    index = ascii_letters.find(letter) if len(letter) == 1 else -1
    if index < 0 or index % 26 >= before.row:
        ends = {"south": before.letter(before.row - 1), "north": before.letter(2 * before.row - 1)}
        raise RecordsError(
            ErrorText(
                "%(letter)r is no pit of this board: expected a letter from a to %(south)s, or from A to %(north)s",
                letter=letter[:20],
                **ends,
            )
        )
    return index if index < 26 else before.row + index - 26


def read_lifts(text: str, before: Position) -> tuple[Seen, ...]:
    """The lifts of pits that are named in order, as ``a,c,F`` or ``a c F``.

    :raises RecordsError: a name is no pit of the board, or there is none.
    """
    return tuple(Seen("lift", pit_index(letter, before)) for letter in lifted_letters(text))


def claimed_captures(claimed: Move, before: Position) -> tuple[int, int] | None:
    """The seeds that (South, North) captured by a claimed move; None if it says nothing of captures."""
    if claimed.captured is None:
        return None
    own, other = claimed.captured
    return (own, other) if before.to_move is SOUTH else (other, own)


def lifted_letters(text: str) -> list[str]:
    """The names of pits, as ``a,c,F`` or ``a c F``.

    :raises RecordsError: there is none.
    """
    letters = text.replace(",", " ").split()
    if not letters:
        raise RecordsError(ErrorText("%(text)r names no pit: expected letters in order, as 'a,c,F'", text=text[:40]))
    return letters


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
