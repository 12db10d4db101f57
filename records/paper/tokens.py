"""The words of a sheet, and what a row of them means: a small grammar over a letter for each word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from inkeek.records.position import Side

from . import words as known
from .words import NO_END, Ended

TURNS = ("move", "digits")
# Words are a comment; or they are one where the numbers of the turns are complete; where also only a turn with a number
# can follow; where also turns do follow; or never by themselves. The turns judge what is said of the pits' names,
# and a layout of their own judges who the players are.
SURE, NUMBERED, TAIL, BETWEEN, ASKED, JUDGED, NAMED = range(7)

LETTER = r"[^\W\d_]"
MARKUP = r"</?[a-z]{2}[^<>\n]*>"
_LETTER_OR_NUMBER = (r"[A-Za-z]", r"\d{1,2}")
_TAKES_BACK = (  # between what was wrong and what is right; an arrow only where somebody is sorry
    r"(?:\s*,\s*(?:no|nein|non|sorry|oops)\b[\s,:]*|\s+(?:no|nein|non)[,:]\s*|\s*-{1,2}\s*(?:no|sorry|oops)\b[,:]?\s*"
    r"|\s*-?>\s*(?=\w+\ssorry))"
)
_CROSSED = r"(?:struck|crossed|deleted|cancelled|imefutwa|biffé|gestrichen)"
# What was written and is wrong, by the sheet itself: ``c, no: d``, ``c (crossed out) d``, ``d (not c)``.
_CORRECTED = "|".join(
    rf"(?<![\w'.]){one}{_TAKES_BACK}(?={one}(?![\w']))|\[{one}\]\s*-?>\s*(?={one}(?![\w']))|"
    rf"(?<![\w'.]){one}\s*[(\[]\s*{_CROSSED}(?:\sout)?\s*[)\]]|"
    rf"[(\[]\s*(?:I\s)?(?:not|tried|said|wrote|first\swrote)\s{one}(?![\w'])[^()\[\]\n?]*[)\]]|<-+\s?not\s{one}(?![\w'])!?"
    for one in _LETTER_OR_NUMBER
)
STRUCK = (
    rf"\[{_CROSSED}\][^\n\[\]]*\[/{_CROSSED}\]|{_CORRECTED}|(?<=\w\s)sorry\b[.!]?|"
    r"~~.*?~~|<(?P<tag>s|del|strike)>.*?</(?P=tag)>|(?:\S\u0336)+|"
    rf"[(\[]\s*{_CROSSED}\b[^()\[\]\n?]*[)\]]"
)
_S = r"[^\S\r\n]?"
_MOVE = (
    rf"~?[A-Za-z](?:{_S}[<>](?!/))*(?:{_S}[xX]{_S}\d{{1,4}}(?:,\d{{1,4}})?)?"
    rf"(?:{_S}={_S}[A-Pa-p]{{1,4}}(?!{LETTER}))?(?!{LETTER}|')"
)
_TOKEN = re.compile(
    rf"""(?P<newline>\r?\n|\r)
      | (?P<remark>\{{(?!")[^{{}}]*\}})
      | (?P<struck>{STRUCK})
      | (?P<bracket>\([^()\n]*\)|\[[^][\n]*\])
      | (?P<position>(?!\d\d?\.\d\d?\.\d{{4}}\.(?!\S))(?:(?:\d{{1,4}}[sn]?|x)\.){{3,}}\S*)
      | (?P<date>(?:\d{{1,2}}(?P<mark>[./-])\d{{1,2}}(?P=mark)(?:\d{{4}}|\d\d)|\d{{4}}([./-])\d\d?\4\d\d?)(?![./-]?\d))
      | (?P<clock>\d{{1,2}}:\d\d(?::\d\d)?(?:{_S}[ap]m\b)?(?![\d:]))
      | (?P<sign>(?:1/2|½)(?:{_S}-{_S}(?:1/2|½))?(?!\d)|\*(?=\s*$))
      | (?P<number>\d{{1,4}}(?:st|nd|rd|th|er|ère|[eè]me|aad|[°ºª])(?![^\W\d_])[.:)]*
        |\d{{1,4}}e(?=\s+(?:coup|tour|zet)\b)
        |[①-⑳]|\#\d{{1,5}}(?![\d.…):])
        |\#?\d{{1,5}}(?:{_S}(?:\.|…|\)|:)+|[^\S\n]+\.(?=\s)))
      | (?P<pair>\d{{1,4}}{_S}[-:]{_S}\d{{1,4}}(?![\d-]))
      | (?P<digits>\d+)
      | (?P<arrow>[-=]+>+|<+[-=]+)
      | (?P<laid>[A-Za-z]{{2}}@(?:[A-Za-z]\d{{1,4}})*)
      | (?P<taken>(?<=\d)[xX+]\d{{1,4}}(?!\d))
      | (?P<move>{_MOVE})
      | (?P<glyph>[!?]+)
      | (?P<word>{LETTER}+(?:'{LETTER}+)*)
      | (?P<dots>[.·]{{2,}}|…+|_+)
      | (?P<dash>-+)
      | (?P<gap>(?:[^\S\r\n]|[,;|/&:"•✓>↓⇓▪●◦‣]|[.·](?![.·])|{MARKUP})+)
      | (?P<other>\S)""",
    re.VERBOSE,
)


class SheetReading(NamedTuple):
    """An answer to a mark: what it `says`, and the `text` that then stands in place of the sheet's from `start` to
    `end`."""

    says: str
    start: int
    end: int
    text: str


@dataclass
class SheetItem:
    """A part of the sheet from `start` to `end`, with its meaning.

    A turn has its `pit` as a letter or a number and what stands behind it (`rest`), in the notation; its `side`, if the
    sheet says it. Turns of lines that are one side's wait until it is to move: lines that belong together have the same
    `system`, from 1. `number` is that of a number, or how many seeds a claim says. A result has what it says; one with
    a label (`rest`) may stand before the turns. What is marked and may hold a turn `stops` the game. How far it may be
    more than a comment is its `doubt`.
    """

    meaning: str
    start: int
    end: int
    pit: str = ""
    rest: str = ""
    side: Side | None = None
    system: int = 0
    number: int = 0
    ended: Ended = NO_END
    note: str = ""
    readings: tuple[SheetReading, ...] = ()
    stops: bool = False
    doubt: int = SURE


class LineToken(NamedTuple):
    kind: str
    text: str  # folded
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.casefold()


Line = Sequence[LineToken]


def tokenize(folded: str, start: int = 0, end: int | None = None) -> Iterator[LineToken]:
    for match in _TOKEN.finditer(folded[start:end]):
        kind = next(name for name in ("struck", "date", match.lastgroup) if name and match[name])
        yield LineToken(kind, match[0], start + match.start(), start + match.end())


def number_of(text: str) -> int:
    """The number in a text such as ``#3.``, or that a sign such as ③ is."""
    digits = re.sub(r"[^\d①-⑳]", "", text)
    return int(digits if digits.isdecimal() else unicodedata.numeric(digits))


# A letter for each kind of token, and for words by what they mean. Others are: w, a word; S and s, what names a side.
_KINDS = {"remark": "{", "struck": "{", "clock": "{", "bracket": "b", "number": "n", "pair": "2", "sign": "2",
          "digits": "d", "taken": "T", "arrow": ",", "gap": ",", "laid": "p", "move": "p", "glyph": "!", "dots": ".",
          "dash": "-"}  # fmt: skip
_WORDS = [("f", known.FILLERS), ("t", known.TURN_WORDS), ("P", known.PASSES), ("o", known.NUMBERS),
          ("c", known.CAPTURES), ("u", known.SEEDS), ("B", known.BULLS), ("m", ("makes", "made", "has")),
          ("A", ("again",)), ("L", known.LOST)]  # fmt: skip
_CODES = {word: code for code, words in reversed(_WORDS) for word in words} | {"+": "+", "&": "+"}
# What stands at a place; `behind` a turn, since the last number, there may be more.
_BEFORE = r"(?P<number>(?:t[,f]*)?n|t[,f]*d|o,*t|t[,f]*o(?=,))|(?P<bracket>b)"
_AFTER = (
    r"(?P<claim>T|(?:[,-]*f)*[,-]*(?:[cw+],*)*[c+],*[don](?:,*u)?|2|d,*u)|(?P<told>(?:f,*)*w,*(?:w,*)?d(?:,*u)?)|"
    r"(?P<bull>m,*f?,*B,*p)|(?P<special>,*(?:\*p|\*|(?:m,*f?,*)?B))|(?P<glyph>(?<=[prP])!)|(?P<and>\+(?=,*p))|(?P<bracket>b)|(?P<number>t[,f]*n|n)"
)
_EITHER = (
    r"(?P<remark>\{)|(?P<name>Ss*)|(?P<turn>[pP])|(?P<run>r)|(?P<digits>d|o|2)|(?P<dash>[-.])|(?P<gap>,)|"
    r"(?P<filler>(?:f,*)?A(?=,*p)|[ft]|c(?=,*[pr]))"
)
SHAPES = {False: re.compile(f"{_BEFORE}|{_EITHER}"), True: re.compile(f"{_AFTER}|{_EITHER}")}


def code_of(token: LineToken, row: int) -> str:
    """The letter of a token in the grammar, in a game with so many pits a row."""
    code = (
        _KINDS.get(token.kind)
        or ("*" if token.text == "*" else _CODES.get(token.word))
        or ("w" if token.text.islower() else "?")
    )
    return "r" if token.kind == "word" and code != "P" and is_run(token.text, row) else code


def is_run(word: str, row: int) -> bool:
    """Whether a word may be several turns without spaces: of two, or of both sides in turn."""
    return (
        len(word) >= 2
        and word not in ("NB", "PS", "No", "NO")
        and all(one.isascii() and one.isalpha() and ord(one.lower()) - 97 < 2 * row for one in word)
        and (len(word) == 2 or all(one.islower() != two.islower() for one, two in pairwise(word)))
    )


def split(pattern: str | re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """The parts of a text between what a pattern finds, but for empty ones."""
    gaps = [match.span() for match in re.finditer(pattern, text)]
    spans = zip([0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(text)], strict=True)
    return [span for span in spans if text[slice(*span)].strip()]
