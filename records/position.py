"""Positions: the seeds in every pit, who owns what, and who is to move. The counterpart of FEN (`docs/notation.md`).

South's pits are ``0 … n-1`` from South's own left, North's ``n … 2n-1`` from North's own left, so that
counter-clockwise is ``+1`` (mod ``2n``) and the pit opposite ``i`` is ``2n-1-i``.
"""

from __future__ import annotations

import re
from enum import IntEnum
from functools import lru_cache
from string import ascii_letters
from typing import NamedTuple

from .errors import ErrorText, PositionError, expect

# No attested game has more seeds, and the kernel has no room for longer rows.
MAX_ROW = 16  # pits in a row
MAX_SEEDS = 1024  # seeds on a board
MAX_TEXT = 400  # characters in a position
UNKNOWN = -10_000  # seeds that nobody saw, written ``?``: so low that no sum with it is a number of seeds
SUCH_AS = 'board.position, rules.start() or Position.parse("4.4/4.4 0-0 s 0")'  # what a position is, for messages


class Side(IntEnum):
    """The two sides of the board. As an index: South's store is ``stores[Side.SOUTH]``.

    South is 0, and so it is false: ask ``winner is None``, not ``if winner``.
    """

    SOUTH = 0
    NORTH = 1

    @property
    def other(self) -> Side:
        return NORTH if self is SOUTH else SOUTH

    @property
    def letter(self) -> str:
        """``s`` or ``n``, as in positions."""
        return "sn"[self]

    def __str__(self) -> str:
        return "South" if self is SOUTH else "North"


SOUTH, NORTH = Side.SOUTH, Side.NORTH

# What a pit is, in `Position.marks` and in the kernel.
ORDINARY, SOUTHS, NORTHS, CLOSED = 0, 1, 2, 3
MARK_LETTERS = ("", "s", "n", "x")
OWNED = (SOUTHS, NORTHS)  # by side: the mark of a special pit that belongs to it

_REST = r" (?P<stores>(?:[0-9]+|\?)-(?:[0-9]+|\?)) (?P<side>[sn]) (?P<ply>[0-9]{1,9})(?: (?P<unsown>sn?|n))?"
_TEXT = re.compile(rf"(?P<south>[^/ ]*)/(?P<north>[^/ ]*){_REST}")
_UNSOWN = ("", "s", "n", "sn")
UNSOWN_TEXTS = ("", " s", " n", " sn")  # what ends the text of a position, by its field `unsown`
_PIT = re.compile(r"([0-9]{1,4}|\?)([sn]?)|(x)")
_ROW = rf"(?:{_PIT.pattern})(?:\.(?:{_PIT.pattern})){{0,{MAX_ROW - 1}}}"
PATTERN = f"{_ROW}/{_ROW}{_REST}"  # of the texts that `Position.parse` reads, if the rows are as long as each other


class Position(NamedTuple):
    """A position; `Rules.verify_position` checks whether it fits a game.

    `pits`: seeds in each of the ``2n`` pits. `marks`: what each pit is (`ORDINARY`, `SOUTHS`, `NORTHS`, `CLOSED`).
    `stores`: seeds captured by (South, North). After turns that nobody saw a number in `pits` and `stores` may be
    `UNKNOWN`. `to_move`: the side to move. `ply`: turns played before this position.
    `unsown`: the sides, as bits, that have had turns but spent them all on rearrangements. It is kept only where the
    rules about the first sowing depend on it (`Rules.verify_position`).

    A tuple, because a frozen dataclass takes three times as long to make.
    """

    pits: tuple[int, ...]
    marks: tuple[int, ...]
    stores: tuple[int, int] = (0, 0)
    to_move: Side = SOUTH
    ply: int = 0
    unsown: int = 0

    @property
    def row(self) -> int:
        """Pits a row, ``n``."""
        return len(self.pits) // 2

    @property
    def seeds(self) -> int:
        """All seeds: in pits and in stores."""
        return sum(self.pits) + sum(self.stores)

    @property
    def is_known(self) -> bool:
        """Whether the seeds of every pit and store are known."""
        return UNKNOWN not in self.pits and UNKNOWN not in self.stores

    def letter(self, pit: int) -> str:
        """The name of a pit: South's ``a b c …``, North's ``A B C …``."""
        return pit_letter(pit, self.row)

    def opposite(self, pit: int) -> int:
        return len(self.pits) - 1 - pit

    def side_of(self, pit: int) -> Side:
        """The side whose row the pit is in."""
        return SOUTH if pit < self.row else NORTH

    def pits_of(self, side: Side) -> range:
        return range(self.row) if side is SOUTH else range(self.row, 2 * self.row)

    def replaced(self, **changes: object) -> Position:
        """This position with some fields changed."""
        return self._replace(**changes)  # type: ignore[arg-type]

    def after_pass(self) -> Position:
        """This position after a turn that sows nothing."""
        return self.replaced(to_move=self.to_move.other, ply=self.ply + 1)

    def after_unseen(self, turns: int) -> Position:
        """The position after so many turns of which nobody knows where they led."""
        size = len(self.pits)
        mover = self.to_move.other if turns % 2 else self.to_move
        return Position((UNKNOWN,) * size, (ORDINARY,) * size, (UNKNOWN, UNKNOWN), mover, self.ply + turns)

    def with_unknown(self, seeds: int) -> Position:
        """This position with so many seeds in each place that nobody saw."""
        pits, stores = ([seeds if count == UNKNOWN else count for count in part] for part in (self.pits, self.stores))
        return self.replaced(pits=tuple(pits), stores=tuple(stores))

    @property
    def counts(self) -> tuple[int | None, ...]:
        """The seeds of every pit, then of South's and North's store; None where they are `UNKNOWN`."""
        return tuple(None if count == UNKNOWN else count for count in (*self.pits, *self.stores))

    @property
    def counted_marks(self) -> tuple[int | None, ...]:
        """The marks of the pits; None where neither the seeds nor a mark are known."""
        pits = zip(self.pits, self.marks, strict=True)
        return tuple(None if (count, mark) == (UNKNOWN, ORDINARY) else mark for count, mark in pits)

    def filled(self, known: Position) -> Position:
        """This position with the seeds and marks of another one where they are not known."""
        counts = [
            other if count is None else count
            for count, other in zip(self.counts, (*known.pits, *known.stores), strict=True)
        ]
        marks = tuple(
            other if mark is None else mark for mark, other in zip(self.counted_marks, known.marks, strict=True)
        )
        return self.replaced(pits=tuple(counts[:-2]), marks=marks, stores=tuple(counts[-2:]))

    def __str__(self) -> str:
        form = text_form(self.marks)
        if not self.is_known:
            words = *map(seeds_word, (*self.pits, *self.stores)), self.to_move.letter, self.ply
            return form.replace("%d", "%s") % words + UNSOWN_TEXTS[self.unsown]
        return form % (*self.pits, *self.stores, self.to_move.letter, self.ply) + UNSOWN_TEXTS[self.unsown]

    @classmethod
    def parse(cls, text: str) -> Position:
        """Read ``<south row>/<north row> <south store>-<north store> <s|n> <ply>``, and the sides in `unsown` if any;
        with ``?`` for a number of seeds that nobody saw.

        :raises PositionError: the text is not a position; holds every fault of it.
        """
        expect(text, str, "'4.4/4.4 0-0 s 0'")
        if len(text) > MAX_TEXT:
            raise PositionError(text[:60] + "…", [ErrorText("longer than %(most)s characters", most=MAX_TEXT)])
        match = _TEXT.fullmatch(text)
        if match is None:
            raise PositionError(
                text,
                [
                    ErrorText(
                        "expected '<south row>/<north row> <south store>-<north store> <s|n> <ply>', "
                        "as '4.4/4.4 0-0 s 0'"
                    )
                ],
            )
        faults: list[str] = []
        written = zip(match.group("south", "north"), Side, strict=True)
        rows = [_parse_row(row, side, faults) for row, side in written]
        if len(rows[0]) != len(rows[1]):
            south, north = map(len, rows)
            faults.append(
                ErrorText("the south row has %(south)s pits and the north row %(north)s", south=south, north=north)
            )
        elif len(rows[0]) > MAX_ROW:
            faults.append(
                ErrorText("%(pits)s pits a row: at most %(most)s are allowed", pits=len(rows[0]), most=MAX_ROW)
            )
        stores = tuple(map(_parse_count, match["stores"].split("-")))
        pits = [*rows[0], *rows[1]]
        if sum(max(count, 0) for count in (*(count for count, _ in pits), *stores)) > MAX_SEEDS:
            faults.append(ErrorText("more than %(most)s seeds", most=MAX_SEEDS))
        if faults:
            raise PositionError(text, faults)
        return cls(
            pits=tuple(count for count, _ in pits),
            marks=tuple(mark for _, mark in pits),
            stores=(stores[0], stores[1]),
            to_move=Side("sn".index(match["side"])),
            ply=int(match["ply"]),
            unsown=_UNSOWN.index(match["unsown"] or ""),
        )


def pit_letter(pit: int, row: int) -> str:
    """The name of pit index `pit` on a board with `row` pits a row."""
    return ascii_letters[pit] if pit < row else ascii_letters[26 + pit - row]


@lru_cache(maxsize=1024)  # marks change seldom: to fill a form takes a third of the time of joining words
def text_form(marks: tuple[int, ...]) -> str:
    """The form of the texts of positions with these marks: for seeds, stores, side and ply."""
    words = ["x%.0s" if mark == CLOSED else f"%d{MARK_LETTERS[mark]}" for mark in marks]
    row = len(words) // 2
    return f"{'.'.join(words[:row])}/{'.'.join(words[row:])} %d-%d %s %d"


def seeds_word(count: int) -> str:
    """A number of seeds as it is written."""
    return "?" if count == UNKNOWN else str(count)


def format_pit(count: int, mark: int) -> str:
    return "x" if mark == CLOSED else f"{seeds_word(count)}{MARK_LETTERS[mark]}"


def _parse_row(text: str, side: Side, faults: list[str]) -> list[tuple[int, int]]:
    row: list[tuple[int, int]] = []
    for number, word in enumerate(text.split("."), 1):
        pit = _parse_pit(word)
        if pit is None:
            values = {"number": number, "word": word}
            fault = ErrorText(
                "pit %(number)s of the south row is %(word)r: expected a count, a count with s or n, or x", **values
            )
            if side is Side.NORTH:
                fault = ErrorText(
                    "pit %(number)s of the north row is %(word)r: expected a count, a count with s or n, or x", **values
                )
            faults.append(fault)
        row.append(pit or (0, ORDINARY))
    return row


@lru_cache(maxsize=1024)  # the same few words come up again and again
def _parse_pit(word: str) -> tuple[int, int] | None:
    """Seeds and mark of a pit; None if the word is not a pit."""
    match = _PIT.fullmatch(word)
    if match is None:
        return None
    return (0, CLOSED) if match[3] else (_parse_count(match[1]), MARK_LETTERS.index(match[2]))


def _parse_count(word: str) -> int:
    return UNKNOWN if word == "?" else int(word)
