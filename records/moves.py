"""Moves as they are written, the turns they become when they are played, and the error for those that are illegal."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from string import ascii_letters, ascii_lowercase, ascii_uppercase
from typing import NamedTuple, TypeVar

from .errors import ErrorText, MoveSyntaxError, RecordsError, expect
from .language import Message, load_language
from .position import NORTH, SOUTH, Position, Side, pit_letter

MAX_TEXT = 400  # characters in a move
# The longest turn seen in play has 33 choices; the kernel has room for 64.
MAX_CHOICES = 64  # choices of direction in a turn

Code = tuple[int, int, int, int, int, int, int | None, int | None]
T = TypeVar("T")


class Kind(Enum):
    """What sort of move it is."""

    SOW = "sow"
    PASS = "pass"
    REARRANGE = "rearrange"
    IRREGULAR = "irregular"  # was played on the board and stood, whatever the rules say
    GAP = "gap"  # turns that nobody saw


_CLAIMS = r"(?:x(?P<taken>[0-9]{1,4})(?:,(?P<lost>[0-9]{1,4}))?)?(?:=(?P<special>[A-Za-z]+))?"
_MOVE = re.compile(rf"(?P<irregular>~)?(?P<pit>[A-Za-z?])(?P<choices>[<>]*){_CLAIMS}")
_REARRANGE = re.compile(r"(?P<emptied>[A-Za-z]{2})@(?P<laid>(?:[A-Za-z][0-9]{1,4})*)")
_GAP = re.compile(r"~~([1-9][0-9]{0,3})?")
# Of the texts that `Move.parse` reads.
PATTERN = rf"--|{_GAP.pattern}|(?:~?[A-Za-z][<>]*|~\?){_CLAIMS}|{_REARRANGE.pattern}"
_BITS = str.maketrans("<>", "01")
_LAID = re.compile(r"([A-Za-z])([0-9]+)")


@dataclass(frozen=True, slots=True)
class Move:
    """A move as a player chooses it.

    `pit` is the letter it starts from (South's lower case, North's upper case; ``""`` for a pass or a rearrangement,
    ``"?"`` for an irregular turn from an unknown pit), `choices` the directions chosen during the turn, one ``<``
    (clockwise) or ``>`` (counter-clockwise) each. `emptied` and `laid` describe a rearrangement; `unseen` is how many
    turns nobody saw in a gap, None if that is not known.

    `captured` (by the mover, by the opponent) and `special` (letters) are what the text *claims* the turn does; None
    where it claims nothing. They play no part in comparing moves, but `Rules.play` refuses a false claim.
    """

    pit: str = ""
    choices: str = ""
    kind: Kind = Kind.SOW
    emptied: str = ""
    laid: tuple[tuple[str, int], ...] = ()
    captured: tuple[int, int] | None = field(default=None, compare=False)
    special: str | None = field(default=None, compare=False)
    unseen: int | None = None
    _code: Code | None = field(default=None, init=False, compare=False, repr=False)
    _text: str | None = field(default=None, init=False, compare=False, repr=False)

    def __repr__(self) -> str:
        return f"Move.parse({str(self)!r})"

    @property
    def code(self) -> Code | None:
        """The move in numbers, for the kernel; None if it is not a sowing, or one that numbers cannot express.

        They are: 1 for North, the pit from the owner's left, the choices as bits (1 for ``>``, the first lowest) and
        their number, the claims: seeds captured by the mover (-1: no claim) and by the opponent, and the special pits
        as bits of South's row and of North's (None: no claim).
        """
        if self._code is None and self.kind is Kind.SOW and len(self.choices) <= MAX_CHOICES:
            object.__setattr__(self, "_code", self._encode())
        return self._code

    def _encode(self) -> Code | None:
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
    def choice(self) -> Move:
        """The move without its claims."""
        return Move(self.pit, self.choices, self.kind, self.emptied, self.laid, unseen=self.unseen)

    @property
    def choice_text(self) -> str:
        """The text of `choice`, in less time: errors list many."""
        return self.pit + self.choices if self.kind is Kind.SOW else str(self.choice)

    def __str__(self) -> str:
        if self._text is None:
            object.__setattr__(self, "_text", self._format())
        return self._text or ""

    def _format(self) -> str:
        if self.kind is Kind.PASS:
            text = "--"
        elif self.kind is Kind.GAP:
            text = f"~~{self.unseen or ''}"
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
    @lru_cache(8192)  # the same moves come up in all games
    def parse(text: str) -> Move:
        """Read one move, without a glyph.

        :raises MoveSyntaxError: the text is not a move in any position; shows what one looks like.
        """
        expect(text, str, "'c'")
        if text == "--":
            return PASS
        if len(text) > MAX_TEXT:
            raise MoveSyntaxError(
                ErrorText("not a move: %(text)r… is longer than %(most)s characters", text=text[:40], most=MAX_TEXT)
            )
        match = _MOVE.fullmatch(text)
        if match is not None:
            irregular = match["irregular"] is not None
            if match["pit"] == "?" and (not irregular or match["choices"]):
                raise MoveSyntaxError(
                    ErrorText("not a move: %(text)r: write '~?' for an irregular turn from an unknown pit", text=text)
                )
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
        match = _GAP.fullmatch(text)
        if match is not None:
            return Move(kind=Kind.GAP, unseen=int(match[1]) if match[1] else None)
        raise MoveSyntaxError(
            ErrorText(
                "not a move: %(text)r: expected a pit with choices, captures and special pits, as 'd', 'd<', 'dx7' or "
                "'d=fg'; '--' to pass; 'ab@c4d2' to rearrange; or '~d' for an irregular turn",
                text=text,
            )
        )


@lru_cache(8192)  # making a move takes longer than playing it
def canonical_move(pit: str, choices: str, captured: tuple[int, int], special: str, step: int) -> Move:
    """The sowing from `pit` as it is written in canonical form, with true claims.

    Trailing choices that only go on in the direction of the lap before are left out; `step` is the first lap's.
    """
    first = ">" if step > 0 else "<"
    while choices and choices[-1] == (choices[-2:-1] or first):
        choices = choices[:-1]
    return Move(pit, choices, captured=captured if any(captured) else None, special=special or None)


PASS = Move(kind=Kind.PASS)


def as_move(move: Move | str) -> Move:
    """The move itself, or the one that a text says.

    :raises MoveSyntaxError: the text is not a move in any position.
    :raises TypeError: it is neither.
    """
    if isinstance(move, Move):
        return move
    if isinstance(move, str):
        return Move.parse(move)
    raise TypeError(f"{move!r} is no move: expected a Move or its text, such as 'c'")


class Turn(NamedTuple):
    """What a move did: the answer of `Rules.play`.

    `move` is the move in canonical form with true claims, `before` and `position` the positions around it, `captured`
    the seeds taken by (South, North) in this turn, without those sown into a store, `special` the letters of the pits
    that became special, `laps` how many handfuls were sown. `emptied` are the pits whose seeds were picked up or
    captured by the sowing, bit *i* for pit *i*, whatever fell in them later. `last_pit` is the pit where the last seed
    fell (or the last one before a store); -1 if nothing was sown.
    """

    move: Move
    before: Position
    position: Position
    captured: tuple[int, int] = (0, 0)
    special: str = ""
    laps: int = 0
    emptied: int = 0
    last_pit: int = -1


class Listed(list[T]):
    """Legal moves or turns in order; `complete` is False if a limit was reached before all were found."""

    complete = True


class IllegalMove(RecordsError):
    """A well-formed move that the rules forbid in this position.

    `reason` is a stable name (``not-your-pit``, ``no-such-pit``, ``empty-pit``, ``special-pit``, ``closed-pit``,
    ``first-move``, ``must-feed``, ``endless-sowing``, ``no-such-choice``, ``must-move``, ``rearrangement``,
    ``false-claim``, ``game-over``, ``irregular``). `why` explains it in any language and `message` in English.
    `legal` are the legal moves (at most 200), `over` says whether there are none because the game is over.
    """

    def __init__(self, move: Move, position: Position, why: Message, legal: tuple[Move, ...], over: bool) -> None:
        self.reason = why.key.split(".")[1]
        self.move = move
        self.position = position
        self.legal = legal
        self.over = over
        self.why = Message("illegal.over", {"why": why}) if over and self.reason != "game-over" else why
        self.message = load_language("en").translate(self.why)
        super().__init__(f"{move}: {self.message} (in {position})")
