"""What lies on a board and what was seen, as people write it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from string import ascii_letters

from inkeek.records.errors import ErrorText, PositionError, RecordsError
from inkeek.records.moves import Move
from inkeek.records.position import CLOSED, MARK_LETTERS, MAX_ROW, ORDINARY, OWNED, SOUTH, Position, Side

from .evidence import Evidence, Seen

_STORES = r" (?P<first>[0-9]{1,4}|\?)-(?P<second>[0-9]{1,4}|\?)"
_BOARD = re.compile(rf"(?P<south>[^/ ]*)/(?P<north>[^/ ]*){_STORES}")
_PIT = re.compile(r"([0-9]{1,4}|\?)([sn]?)|(x)")
_ROW = rf"(?:{_PIT.pattern})(?:\.(?:{_PIT.pattern})){{0,{MAX_ROW - 1}}}"
PATTERN = f"{_ROW}/{_ROW}{_STORES}"  # of the texts that `read_board` reads, if the rows are as long as those before
MAX_TEXT = 400  # characters of a board


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
