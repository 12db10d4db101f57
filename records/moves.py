"""Moves as they are written, and the turns they become when they are played."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from string import ascii_letters, ascii_lowercase, ascii_uppercase

from .errors import MoveSyntaxError
from .position import NORTH, SOUTH, Position, Side, pit_letter

MAX_TEXT = 400  # characters in one move; a turn with 33 choices, the longest seen in play, takes 40


Code = tuple[int, int, int, int, int, int, int | None, int | None]


class Kind(Enum):
    """What sort of move it is."""

    SOW = "sow"
    PASS = "pass"
    REARRANGE = "rearrange"
    IRREGULAR = "irregular"  # was played on the board and stood, whatever the rules say of it


_MOVE = re.compile(
    r"(?P<irregular>~)?(?P<pit>[A-Za-z?])(?P<choices>[<>]*)"
    r"(?:x(?P<taken>[0-9]{1,4})(?:,(?P<lost>[0-9]{1,4}))?)?(?:=(?P<special>[A-Za-z]+))?"
)
_REARRANGE = re.compile(r"(?P<emptied>[A-Za-z]{2})@(?P<laid>(?:[A-Za-z][0-9]{1,4})*)")
_BITS = str.maketrans("<>", "01")
_LAID = re.compile(r"([A-Za-z])([0-9]+)")


@dataclass(frozen=True, slots=True)
class Move:
    """A move as a player chooses it.

    `pit` is the letter it starts from (South's lower case, North's upper case; ``""`` for a pass or a rearrangement,
    ``"?"`` for an irregular turn from nobody knows where), `choices` the directions chosen during the turn,
    one ``<`` (clockwise) or ``>`` (counter-clockwise) each. `emptied` and `laid` tell a rearrangement.

    `captured` (by the mover, by the opponent) and `special` (letters) are what the text *claims* the turn does; None
    where it claims nothing, as in a canonical move that does nothing of the kind. They do not make two moves different,
    but `Rules.play` refuses a false claim.
    """

    pit: str = ""
    choices: str = ""
    kind: Kind = Kind.SOW
    emptied: str = ""
    laid: tuple[tuple[str, int], ...] = ()
    captured: tuple[int, int] | None = field(default=None, compare=False)
    special: str | None = field(default=None, compare=False)
    _code: Code | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def code(self) -> Code | None:
        """The move as `Kernel.follow` takes it: 1 for North, the pit from the owner's left, the choices as bits and
        their number, captured by the mover (-1: no claim), by the opponent, and the letters after ``=`` as bits of
        South's row and of North's (None: no claim). None if it is not a sowing that can be told so.
        """
        if self._code is None and self.kind is Kind.SOW and len(self.choices) <= 64:
            object.__setattr__(self, "_code", self._encoded())
        return self._code

    def _encoded(self) -> Code | None:
        bits = int(self.choices[::-1].translate(_BITS) or "0", 2)
        captured, lost = self.captured if self.captured is not None else (-1, 0)
        south = north = None
        if self.special is not None:
            if len(set(self.special)) < len(self.special):
                return None
            south = sum(1 << ascii_lowercase.index(letter) for letter in self.special if letter in ascii_lowercase)
            north = sum(1 << ascii_uppercase.index(letter) for letter in self.special if letter in ascii_uppercase)
        return int(self.side is NORTH), self.index, bits, len(self.choices), captured, lost, south, north

    @property
    def side(self) -> Side | None:
        """Whose move it is by the case of its letters; None for a pass."""
        letter = self.pit or self.emptied[:1]
        if not letter or letter == "?":
            return None
        return SOUTH if letter in ascii_lowercase else NORTH

    @property
    def index(self) -> int:
        """How far the pit is from its owner's left, from 0."""
        return ascii_letters.index(self.pit) % 26

    def pit_index(self, row: int) -> int:
        """The pit's index on a board with `row` pits a row; may lie beyond the row."""
        return self.index if self.side is SOUTH else row + self.index

    @property
    def directions(self) -> list[int]:
        """The choices as directions: +1 counter-clockwise, -1 clockwise."""
        return [-1 if sign == "<" else 1 for sign in self.choices]

    @property
    def choice(self) -> Move:
        """The move without its claims."""
        return Move(self.pit, self.choices, self.kind, self.emptied, self.laid)

    def doing(self, captured: tuple[int, int], special: str, choices: str | None = None) -> Move:
        """The move as it is written where it captures so much (by the mover, by the opponent) and makes these pits
        special; with other choices if they are given."""
        claim = captured if any(captured) else None
        if choices is None:
            choices = self.choices
        if (self.choices, self.captured, self.special) == (choices, claim, special or None):
            return self
        return Move(self.pit, choices, captured=claim, special=special or None)

    def __str__(self) -> str:
        if self.kind is Kind.PASS:
            text = "--"
        elif self.kind is Kind.REARRANGE:
            return f"{self.emptied}@" + "".join(f"{letter}{count}" for letter, count in self.laid)
        else:
            text = ("~" if self.kind is Kind.IRREGULAR else "") + self.pit + self.choices
        if self.captured is not None:
            text += f"x{self.captured[0]}" + (f",{self.captured[1]}" if self.captured[1] else "")
        if self.special:
            text += f"={self.special}"
        return text

    @classmethod
    def from_pit(cls, pit: int, row: int, choices: str = "") -> Move:
        """The move that starts from pit index `pit` on a board with `row` pits a row."""
        return cls(pit_letter(pit, row), choices)

    @staticmethod
    @lru_cache(8192)  # the moves of all games are much the same
    def parse(text: str) -> Move:
        """Read one move, without a glyph.

        :raises MoveSyntaxError: the text is no move in any position; says what one looks like.
        """
        if text == "--":
            return PASS
        if len(text) > MAX_TEXT:
            raise MoveSyntaxError(f"not a move: {text[:40]!r}… is longer than {MAX_TEXT} characters")
        match = _MOVE.fullmatch(text)
        if match is not None:
            irregular = match["irregular"] is not None
            if match["pit"] == "?" and (not irregular or match["choices"]):
                raise MoveSyntaxError(f"not a move: {text!r}: a pit that is not known is written '~?'")
            taken, lost = match["taken"], match["lost"]
            return Move(
                pit=match["pit"],
                choices=match["choices"],
                kind=Kind.IRREGULAR if irregular else Kind.SOW,
                captured=None if taken is None else (int(taken), int(lost or 0)),
                special=match["special"],
            )
        match = _REARRANGE.fullmatch(text)
        if match is not None:
            laid = tuple((letter, int(count)) for letter, count in _LAID.findall(match["laid"]))
            return Move(kind=Kind.REARRANGE, emptied=match["emptied"], laid=laid)
        raise MoveSyntaxError(
            f"not a move: {text!r}: expected a pit with choices, captures and special pits, as 'd', 'd<', 'dx7' or "
            "'d=fg'; '--' to pass; 'ab@c4d2' to rearrange; or '~d' for an irregular turn"
        )


def format_choices(directions: Iterable[int]) -> str:
    """Directions as they are written in a move."""
    return "".join("<" if direction < 0 else ">" for direction in directions)


def canonical_choices(directions: list[int], step: int) -> str:
    """Directions as they are written: without trailing ones that only go on as before. `step` is the first lap's."""
    written = list(directions)
    while written and written[-1] == (written[-2] if len(written) > 1 else step):
        written.pop()
    return format_choices(written)


PASS = Move(kind=Kind.PASS)


@dataclass(frozen=True, slots=True)
class Turn:
    """What a move did: the answer of `Rules.play`.

    `move` is the move in canonical form with true claims, `before` and `position` the positions around it, `captured`
    the seeds taken by (South, North) in this turn, without those sown into a store, `special` the letters of the pits
    that became special, `laps` how many handfuls were sown.
    """

    move: Move
    before: Position
    position: Position
    captured: tuple[int, int] = (0, 0)
    special: str = ""
    laps: int = 0
