"""The lines of a sheet: what each can be, word by word. Nothing is played here.

`read_lines` makes of the text the `SheetItem`s of a sheet in their order. What it does not know becomes an item with
the meaning ``wrong``: it must be answered, with one of its readings or another text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from string import ascii_letters
from typing import NamedTuple

from inkeek.records.errors import ErrorText, RecordsError
from inkeek.records.notation.dates import read_day
from inkeek.records.notation.tags import MAX_VALUE
from inkeek.records.position import Position, Side
from inkeek.records.rules.play import Rules

from .words import (
    BEGINS,
    BESIDE_NAMES,
    BETWEEN_NAMES,
    BULLS,
    CAPITALS_SOUTH,
    CAPTURES,
    CHANGED,
    COLUMNS,
    DIRECTIONS,
    DITTO,
    ENDING,
    FILLERS,
    LABELS,
    LOST,
    NAME_PARTICLES,
    NAMES_APART,
    NO_END,
    NO_NAMES,
    NOT_SURE,
    NUMBERS,
    PASSES,
    PITS,
    PLAIN,
    PLAYING,
    REPEATED,
    SEEDS,
    SIDE_WORDS,
    STOPPING,
    TOTALS,
    TURN_WORDS,
    UNSURE,
    Day,
    Ended,
    find_date,
    find_end,
    fold,
    pits_said,
    stamp_before_turn,
)

MAX_WORDS = 400  # characters of a line in which names, labels and ends are looked for
TURNS = ("move", "digits")
# Words are a comment; or they are one if the numbers of the turns are complete; if they stand behind a whole round, or
# turns follow, too; if turns follow; or never by themselves.
SURE, NUMBERED, ROUND, BETWEEN, ASKED = range(5)
UNKNOWN_DATE = "????.??.??"

_LETTER = r"[^\W\d_]"
_S = r"[^\S\r\n]?"
_MOVE = (
    rf"~?[A-Za-z](?:{_S}[<>])*(?:{_S}[xX]{_S}\d{{1,4}}(?:,\d{{1,4}})?)?"
    rf"(?:{_S}={_S}[A-Pa-p]{{1,4}}(?!{_LETTER}))?(?!{_LETTER}|')"
)
_TOKEN = re.compile(
    rf"""(?P<newline>\r?\n|\r)
      | (?P<remark>\{{[^{{}}]*\}})
      | (?P<struck>~~.*?~~|<(?P<tag>s|del|strike)>.*?</(?P=tag)>|(?:\S\u0336)+)
      | (?P<crossed>[(\[]\s*(?:struck|crossed|deleted|cancelled|imefutwa|biffé|gestrichen)\b[^()\[\]\n]*[)\]])
      | (?P<bracket>\([^()\n]*\)|\[[^][\n]*\])
      | (?P<position>(?:(?:\d{{1,4}}[sn]?|x)\.){{3,}}\S*)
      | (?P<date>(?:\d{{1,2}}(?P<mark>[./-])\d{{1,2}}(?P=mark)(?:\d{{4}}|\d\d)|\d{{4}}([./-])\d\d?\4\d\d?)(?![./-]?\d))
      | (?P<clock>\d{{1,2}}:\d\d(?::\d\d)?(?:{_S}[ap]m\b)?(?![\d:]))
      | (?P<sign>(?:1/2|½)(?:{_S}-{_S}(?:1/2|½))?(?!\d)|\*(?=\s*$))
      | (?P<number>\d{{1,4}}(?:st|nd|rd|th|er|ère|[eè]me)\b|\d{{1,4}}e(?=\s+(?:coup|tour|zet)\b)
        |\#\d{{1,5}}(?![\d.…):])
        |\#?\d{{1,5}}(?:{_S}(?:\.|…|\)|:)+|[^\S\n]+\.(?=\s)))
      | (?P<pair>\d{{1,4}}{_S}[-:]{_S}\d{{1,4}}(?![\d-]))
      | (?P<digits>\d+)
      | (?P<arrow>[-=]+>+|<+[-=]+)
      | (?P<laid>[A-Za-z]{{2}}@(?:[A-Za-z]\d{{1,4}})*)
      | (?P<move>{_MOVE})
      | (?P<glyph>[!?]+)
      | (?P<word>{_LETTER}+(?:'{_LETTER}+)*)
      | (?P<dots>[.·]{{2,}}|…+|_+)
      | (?P<dash>-+)
      | (?P<gap>(?:[^\S\r\n]|[,;|/&:"•✓>]|[.·](?![.·]))+)
      | (?P<other>\S)""",
    re.VERBOSE,
)
_RULED = re.compile(r"[\s|:+]*(?:[-=_*`~#]{3,}[\s|:+]*)+")  # a line under a head
_WORDS = rf"{_LETTER}+"
_TAG = re.compile(r"\s*\[(?P<label>[A-Za-z]\w*) \"(?P<value>[^\"]*)\"\]\s*")
_LABEL = re.compile(rf"\s*(?P<label>{_LETTER}+(?: \(?{_LETTER}+\)?)?)\s*[:=]\s*(?P<value>\S.*?)\s*")
_COUNTED = re.compile(rf"\s*(?P<label>{_LETTER}+)\s+(?:no\.?\s*)?(?P<value>\d{{1,4}})\s*")
_SIDES = "|".join(SIDE_WORDS)
_PARTS = re.compile(rf"(?:(?!\s{{2,}}|[;|\t]|,\s*\w+\s*:|\s+(?:[-/&]\s+)?(?:{_SIDES})\s*[:=])[^\n])+", re.IGNORECASE)
_SENTENCE = re.compile(
    r"[;|\t()\[\]*]|\s{3,}|\s-{2,}\s|"
    r"(?<!\bMrs)(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!(?-i:'[A-Z]))(?<=[\w'][\w'])\.(?=\s|$)|"
    rf"[,\s]\s*(?=(?:{_SIDES})\s*[:=])|\n",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r",\s+|\s*:\s+|\s/\s|\s{2,}|\s+and\s+")
_VERSUS_SAID = re.compile(r"(?<!\w)(?:v|vs|versus|against|dhidi ya)\.?(?!\w)")
_NO_TURN = re.compile(  # the number of a page, the size of a board
    r"\b(?:(?:continued|cont\.?|goes on)\W+)?(?:on\s+)?(?:sheet|page|karatasi|ukurasa|bog)\s+\d+\b|\bcontinued\b|"
    r"\b\d+\s*[x×/]\s*\d+\b|\byour (?:move|turn)\b", re.IGNORECASE
)  # fmt: skip
_SIZE = re.compile(r"\b(?:pits?|holes?|houses?|seeds?|stones?|board|mashimo|god|kete|a side|rows?)\b", re.IGNORECASE)
_TENS, _ONES = ("", "X", "XX", "XXX", "XL", "L"), ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
_ROMAN_NUMBERS = {tens + ones: 10 * ten + one for ten, tens in enumerate(_TENS) for one, ones in enumerate(_ONES)}
_COUNTING = re.compile(  # a Roman number, a number in words, or one behind a word or before a sign
    r"\s*(?P<word>(?:[^\W\d_]{1,10}\.?\s{0,2}(?=\d))?)(?P<number>[IVXL]+|[ivxl]+|\d+(?=\s*=)|"
    r"(?<=[^\W\d])\d+|(?<=[^\W\d]\s)\d+|"
    r"[^\W\d_]{3,10})(?:\s*[.):=]+|(?<=\d)(?=\s))(?=\s)"
)
_AGAIN = {"again", "same", "ditto", "tena", "vilevile", "isla", "next"}
_MARKS = ("!", ".", "'", ",", '"', "#", "*", "`")
_STRIPPED = re.compile(r"[^\s,;.()](?:.*[^\s,;()])?")
_SIDED = re.compile(
    rf"\s*(?P<side>{_SIDES}|[SN])(?:\s*[:=(]|\s-\s|\s(?:is|was|ni|waa)\s|\s)\s*(?P<name>[^:=()]+?)\)?\s*",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"\s*(?P<name>[^:=()]+?)\s*(?:[:=(,]|\s-\s|\s(?:is|plays|has|as|ni|anacheza|waa)\s|\s)\s*(?P<side>{_SIDES}|[SN])(?:\)\.?)?\s*",
    re.IGNORECASE,
)


_NO_PIT = re.compile(rf"(?<=[SN])\d|\.[^\S\n]*(?!{_SIDES}|[SN]\b)[A-Z](?:\.|[a-z]{{2}})")  # behind an initial or a side
_BEFORE_TURNS = re.compile(  # a name before a colon, a dash or a verb
    rf"\s*(?:\d+[.)]?\s*|[\[(]?\d{{1,2}}:\d\d(?::\d\d)?[\])]?\s+)?(?P<label>{_LETTER}[^:=\n-]{{1,40}}?)\s*(?:[:=-]+\s*|\s+(?=(?:{'|'.join(FILLERS)})\s))"
    rf"(?:(?:{'|'.join(FILLERS)})\s+)*(?P<turns>.*?)\s*",
    re.IGNORECASE,
)
_KNOWN = (
    FILLERS | TURN_WORDS | CAPTURES | LOST | PASSES | SEEDS | {*NUMBERS, *SIDE_WORDS, *LABELS, *COLUMNS} - {"player"}
)
_BESIDE_NAMES = _KNOWN | BESIDE_NAMES | {word for head in (*COLUMNS, *LABELS) for word in head.split()}


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


@dataclass
class Lines:
    """What the lines of a sheet say: the `items` in their order, the tags, how pits are named."""

    text: str
    items: list[SheetItem] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    pits: str = ""
    has_letters: bool = True
    is_starter_said: bool = False


def read_lines(text: str, rules: Rules, given: Mapping[str, str]) -> Lines:
    """Read the lines of a sheet of a game by these rules. `given` are the tags that are known already."""
    reader = _SheetReader(text, rules, given)
    for at, line in enumerate(reader.lines):
        if line:
            reader.add_line(line, at)
    reader.keep_order()
    reader.drop_repeated()
    reader.verify_names()
    reader.found.is_starter_said = bool({"First", "Setup", "Race"} & {*given, *reader.tags})
    return reader.found


def comment_reading(text: str, start: int, end: int) -> SheetReading:
    """That a part of a sheet is a comment."""
    words = " ".join(text[start:end].translate(str.maketrans("{}", "()")).split())
    return SheetReading(ErrorText("a comment"), start, end, f"{{{words}}}")


def _tokens(folded: str) -> Iterator[LineToken]:
    for match in _TOKEN.finditer(folded):
        kind = next(name for name in ("struck", "date", match.lastgroup) if name and match[name])
        kind = "struck" if kind == "crossed" else kind
        yield LineToken(kind, match[0], *match.span())


def _split(pattern: str | re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """The parts of a text between what a pattern finds, but for empty ones."""
    gaps = [match.span() for match in re.finditer(pattern, text)]
    spans = zip([0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(text)], strict=True)
    return [span for span in spans if text[slice(*span)].strip()]


def _tag(name: str, value: str) -> str:
    return f'[{name} "{value.replace(chr(34), "")}"]'


def _counted(text: str) -> int:
    """The number that digits, a Roman number or a word mean; 0 if they mean none."""
    return int(text) if text.isdecimal() else _ROMAN_NUMBERS.get(text.upper()) or NUMBERS.get(text.casefold(), 0)


def _without_dittos(folded: str) -> str:
    """The text with what ditto marks stand for, if it says that they stand for what is above them."""
    if not DITTO.search(folded):
        return folded
    lines, above = folded.split("\n"), list[re.Match[str]]()
    for at, line in enumerate(lines):
        cells = [*re.finditer(r"[^\s,;|]+", line)]
        for cell, other in zip(cells, above, strict=False):
            if cell[0] == '"' and len(cells) == len(above) and len(other[0]) == 1:
                lines[at] = lines[at][: cell.start()] + other[0] + lines[at][cell.end() :]
        above = [*re.finditer(r"[^\s,;|]+", lines[at])]
    return "\n".join(lines)


def _is_name(text: str) -> bool:
    words = re.fullmatch(r"[^\W\d_](?:[\w.'\s-]*[\w.])", text.strip(" :"))
    return words is not None and not re.search(r"\d\s|\d{2}", text) and len(text) <= 80


def _number(start: int, token: LineToken) -> SheetItem:
    return SheetItem("number", start, token.end, number=int(re.sub(r"\D", "", token.text)), rest=token.text)


_NOTHING = LineToken("", "", 0, 0)


def _after(line: Line, at: int) -> int:
    """The index of the token after another, but for what stands between words."""
    return next((i for i in range(at + 1, len(line)) if line[i].kind not in ("gap", "dash", "arrow")), len(line))


class _SheetReader:
    def __init__(self, text: str, rules: Rules, given: Mapping[str, str]) -> None:
        self.text, self.rules, self.given = text, rules, given
        self.folded = _without_dittos(fold(text))
        self.lines: list[list[LineToken]] = [[]]
        for token in _tokens(self.folded):
            if token.kind == "newline":
                self.lines.append([])
            else:
                self.lines[-1].append(token)
        self.found = Lines(text)
        self.items, self.tags = self.found.items, self.found.tags
        self.columns: list[str] = []  # of a table, from its head on
        self.separator = ""
        self.system, self.in_system = 0, set[Side]()
        self.has_turns = False
        self.named_last: Side | None = None
        self.across: tuple[int, int] | None = None  # how many rounds stand in a row, and the next one
        self._find_prefixes()
        self._find_bullets()
        tokens = [token for line in self.lines for token in line]
        pits = [token for token in tokens if token.kind == "move" and self._is_pit(token.text.lstrip("~")[0])]
        pits = [token for token in pits if not _NO_PIT.match(self.folded, token.end)]
        letters = len(pits) + sum(map(self._is_run, tokens))
        digits = sum(token.kind in ("digits", "pair") or token.word in NUMBERS for token in tokens)
        self.has_stores = 2 * sum(token.kind in ("pair", "sign") for token in tokens) > len(pits) > 0
        self.found.has_letters = (letters > 2 and 4 * letters >= digits) or 2 * letters >= digits
        self.side_words: dict[str, Side] = {}
        self.side_names: list[str] | None = None  # of the players that `side_words` has
        self.label_names: dict[str, str] = {}  # by side; names elsewhere count more
        self.labels: dict[str, Side] = self._find_labels()
        self.sides_label_turns = self._are_labels_of_turns()
        self.last = max(
            (at for at, line in enumerate(self.lines) if any(one.kind not in ("gap", "dash") for one in line)),
            default=0,
        )

    # What words are.

    def _is_pit(self, letter: str) -> bool:
        return letter.isascii() and ascii_letters.find(letter.lower()) in range(2 * self.rules.row)

    def _find_bullets(self) -> None:
        """Take dashes and stars for layout, if they stand before all lines of turns."""
        lines = [line for line in self.lines if len(line) > 1]
        turns = [
            line for line in lines if self._has_only_turns(self.folded[line[line[0].text == "*"].start : line[-1].end])
        ]
        if len(turns) > 2 and all(line[0].kind == "dash" or line[0].text == "*" for line in turns):
            for line in turns:
                line[0] = line[0]._replace(kind="gap")

    def _find_prefixes(self) -> None:
        """Take for numbers what stands before lines and counts them in some way, and days and times for remarks."""
        counted, stamped = [], []
        for line in self.lines:
            words = self.folded[line[0].start : line[-1].end] if line else ""
            match, end = _COUNTING.match(words), stamp_before_turn(words)
            value = _counted(match["number"]) if match else 0
            if (
                match
                and value
                and not self._is_pit(match["word"].strip() or "*")
                and match["word"].strip() not in ("S", "N")
            ):
                counted.append((line, value, match["word"].casefold(), line[0].start + match.end()))
            if end and (_counted(words[:1]) == 0 or self._has_only_turns(words[end:]) or ":" in words[:end]):
                stamped.append((line, line[0].start + end))
        counted = [one for one in counted if one[2] == counted[0][2]]
        if len(counted) > 2 and [value for _, value, _, _ in counted] == [*range(1, len(counted) + 1)]:
            for line, value, _, stop in counted:
                number = LineToken("number", str(value), line[0].start, stop)
                line[:] = [number, *(token for token in line if token.start >= stop)]
        for line, stop in stamped if len(stamped) > 2 else ():
            stamp = LineToken("remark", self.folded[line[0].start : stop], line[0].start, stop)
            line[:] = [stamp, *(token for token in line if token.start >= stop)]

    def _is_run(self, token: LineToken) -> bool:
        """Whether a word may be several turns without spaces: of two, or of both sides in turn."""
        word = token.text
        if token.kind != "word" or not len(word) >= 2 or not all(map(self._is_pit, word)):
            return False
        return len(word) == 2 or all(one.islower() != two.islower() for one, two in pairwise(word))

    def name(self, side: Side) -> str:
        value = self.given.get(str(side)) or self.tags.get(str(side)) or self.label_names.get(str(side), "")
        return "" if value == "?" else value

    @property
    def names(self) -> list[str]:
        return [self.name(side) for side in Side]

    def _side_of(self, words: str) -> Side | None:
        """The side that words name, and nothing else."""
        words = words.strip(" .:-()")
        side, end = self._side_at(words, 0)
        return side if end == len(words) else None

    def _side_at(self, words: str, at: int) -> tuple[Side | None, int]:
        """The side that is named at a place in words, and where what names it ends: by the word of the side, or the
        player's name or one word of it."""
        if self.names != self.side_names:
            self.side_names, self.side_words = self.names, self._find_side_words()
        rest = words[at : at + MAX_WORDS].casefold()
        fitting = [
            word
            for word in self.side_words
            if rest.startswith(word) and not re.match(r"[^\W\d]|'" if word in "sn" else r"\w|'", rest[len(word) :])
        ]
        if not fitting:
            return None, at
        best = max(fitting, key=len)
        return self.side_words[best], at + len(best)

    def _find_side_words(self) -> dict[str, Side]:
        """What names a side: a name of one letter only before a colon, S and N only if they are no pits."""
        found: dict[str, Side] = {**SIDE_WORDS, **self.labels}
        for side in Side:
            name, other = (self.name(one).casefold().strip(" .") for one in (side, side.other))
            found |= {word: side for word in (name, *name.split()) if len(word) > 1 and word not in other.split()}
            found |= {f"{name}:": side} if len(name) == 1 and name != other else {}
            if ascii_letters.index("sn"[side]) >= self.rules.row:
                found["sn"[side]] = side
        return found

    def _find_labels(self) -> dict[str, Side]:
        """The two names that stand before turns, if nothing else says who they are: the first of them begins."""
        found = []
        for line in self.lines:
            start = next((token.start for token in line if token.kind not in ("remark", "gap", "number")), 0)
            words = self.folded[start : line[-1].end] if line else ""
            match = _BEFORE_TURNS.fullmatch(" ".join(words.split()))
            label = match["label"].strip() if match else ""
            is_pit = re.fullmatch(r"[a-z]|[A-Za-z][<>]+", label)
            if (
                match
                and not is_pit
                and not {*label.casefold().split()} & _KNOWN
                and self._has_only_turns(re.sub(r"\+\s?\d+", " ", match["turns"]))
            ):
                found.append(label)
        return self._take_players(found)

    def _take_players(self, found: Sequence[str]) -> dict[str, Side]:
        """Who two players are, of whom the first one began; nobody if names are given, or these are not two."""
        starter, names = self.rules.start().to_move, [*dict.fromkeys(name.casefold() for name in found)]
        if len(names) != 2 or any(self.given.get(str(side), "?") != "?" for side in Side):
            return {}
        for side, name in zip((starter, starter.other), names, strict=True):
            said = next(one for one in found if one.casefold() == name)
            if not said[0].islower() and (_is_name(said) or re.fullmatch(_LETTER, said)):
                self.label_names[str(side)] = said[:MAX_VALUE]
        return {names[0]: starter, names[1]: starter.other}

    def keep_order(self) -> None:
        """Let no line wait for the other side's, where each line has one turn: they stand in order."""
        turns = [(item.system, item.side) for item in self.items if item.system > 0 and item.meaning in TURNS]
        if len({*turns}) == len(turns) > 2:
            for item in self.items:
                item.system = min(item.system, 0)

    def drop_repeated(self) -> None:
        """Make a comment of a line of turns that stands there twice, where the sheet says so."""
        lines: dict[int, list[int]] = {}
        for at, item in enumerate(self.items):
            if item.meaning in ("number", *TURNS):
                lines.setdefault(self.text.count("\n", 0, item.start), []).append(at)
        for first, again in reversed([*pairwise(lines.values())]):
            one, two = (
                [(self.items[at].number, self.items[at].pit, self.items[at].rest) for at in line]
                for line in (first, again)
            )
            begin, last = self.items[again[0]].start, again[-1]
            while last + 1 < len(self.items) and "\n" not in self.text[begin : self.items[last + 1].end]:
                last += 1
            words = self.folded[self.items[first[-1]].end : self.items[last].end].casefold()
            if len(one) > 1 and one[0][0] and one == two and REPEATED.search(words) and not UNSURE.search(words):
                self.items[again[0] : last + 1] = [SheetItem("remark", begin, self.items[last].end)]

    def verify_names(self) -> None:
        """Mark what stands as a name and is nobody's, or has the word of a side in it."""
        self.found.tags = self.tags = self.label_names | self.tags
        names = [*(self.tags.get(str(side), "") for side in Side), *self.given.values()]
        words = {*re.findall(_WORDS, fold(" ".join(names)).casefold())}
        wrong = {word for side in Side for word in re.findall(_WORDS, fold(self.tags.get(str(side), "")).casefold())}
        wrong &= SIDE_WORDS.keys()
        for item in self.items:
            said = {*re.findall(_WORDS, self.folded[item.start : item.end].casefold())}
            if item.meaning == "name" and (said - words - _BESIDE_NAMES or (len(said) > 1 and said & wrong)):
                item.meaning, item.note = "wrong", ErrorText("whose name is this?")
                item.readings = (comment_reading(self.text, item.start, item.end),)

    def _tokens(self, start: int, end: int) -> list[LineToken]:
        return [
            LineToken(one.kind, one.text, start + one.start, start + one.end) for one in _tokens(self.folded[start:end])
        ]

    # Items.

    def _add(self, meaning: str, start: int, end: int, **more: object) -> SheetItem:
        item = SheetItem(meaning, start, end, **more)  # type: ignore[arg-type]
        self.items.append(item)
        return item

    def _ask(
        self, start: int, end: int, note: str, *readings: SheetReading, stops: bool = False, doubt: int = ASKED
    ) -> None:
        """Mark a part that must be answered. That it is a comment can always be said."""
        text = self.text[start:end]
        start, end = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        readings = (*readings, comment_reading(self.text, start, end))
        self._add("wrong", start, end, note=note, readings=readings, stops=stops, doubt=doubt)

    def add_line(self, line: list[LineToken], at: int) -> None:
        """Add what a line says."""
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        tag = _TAG.fullmatch(words)
        if _RULED.fullmatch(words) or self._add_across(line):
            pass
        elif line[0].kind == "remark" and len(line) > 1 and not self.columns:
            self._add("remark", start, line[0].end)
            self.add_line(line[1:], at)
        elif not self.has_turns and self._is_game(words):
            self._add("remark", start, end)
        elif not any(token.kind not in ("gap", "dash") for token in line) and not (
            self.has_turns and self._add_row(line)
        ):
            if self.has_turns and words.strip():
                self._ask(start, end, ErrorText("is a turn missing here?"), stops=True)
        elif tag:
            self._add_fact(start, end, tag["label"], self.text[start + tag.start("value") : start + tag.end("value")])
        elif self._add_row(line) or (len(words) <= MAX_WORDS and self._add_heading(line, at)):
            pass
        elif not self.has_turns and (split := self._first_number(line)):
            self.add_line(line[:split], at)
            self.add_line(line[split:], at)
        elif (
            not self.has_turns
            and len(words) <= MAX_WORDS
            and find_date(words)
            and not any(token.kind == "position" for token in line)
        ):
            self._add_preface(start, end)
        elif (
            not self.has_turns
            and re.fullmatch(r"\s*[A-Z][a-z]+\s+[-–—]\s+[A-Z][a-z]+\s*", words)
            and self._ask_pair(start, end)
        ):
            pass
        elif not (
            (not self.has_turns and len(words) <= MAX_WORDS and self._add_players_before_turns(line, at))
            or self._add_turns(line, at)
        ):
            number = next((i for i, token in enumerate(line) if i and token.kind == "number"), len(line))
            if self.has_turns and number < len(line) and self._turns(line[number:])[1] > 1:
                self._add_words(line[:number])
                self.add_line(line[number:], at)
            else:
                self._add_words(line)

    def _first_number(self, line: Line) -> int:
        """Where the first turn of a game begins in a line that has other words before it; 0 if none does."""
        for at, token in enumerate(line):
            if (
                at
                and token.kind == "number"
                and self._owner(line)[0] is None
                and int(re.sub(r"\D", "", token.text)) == 1
            ):
                items, _ = self._turns(line[at:])
                return at if any(item.pit for item in items) and not self._turns(line[:at])[0] else 0
        return 0

    def _is_game(self, words: str) -> bool:
        """Whether words are nothing but the name of the game, in any spelling."""
        plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().casefold()
        return re.sub(r"[\W_]", "", plain) == re.sub(r"\W", "", self.given["Game"])

    def _add_across(self, line: Line) -> bool:
        """Add the numbers of rounds that stand in a row above the turns of each side."""
        words = [token for token in line if token.kind != "gap"]
        numbers = [int(token.text) for token in words[1:] if token.kind == "digits"]
        due = self.across[1] if self.across else 1
        below = next((other for other in self.lines if other and line and other[0].start > line[-1].start), [])
        if words and words[0].kind == "digits" and below and self._owner(below)[0] is not None:
            numbers = [int(words[0].text), *numbers]
        elif not words or words[0].word not in TURN_WORDS or len(words) != len(numbers) + 1:
            return False
        if (
            len(numbers) < 2
            or numbers != [*range(due, due + len(numbers))]
            or any(one.kind != "digits" for one in words[1:])
        ):
            return False
        self.across = (len(numbers), due + len(numbers))
        for token in words:
            is_number = token.kind == "digits"
            self._add("number" if is_number else "gap", token.start, token.end, system=-1)
        return True

    def _add_players_before_turns(self, line: list[LineToken], at: int) -> bool:
        """Add a line that has the names of both players, a colon, and turns."""
        colon = next((i for i, token in enumerate(line) if token.kind == "gap" and ":" in token.text), len(line))
        head, turns = line[:colon], line[colon:]
        if not head or not turns or not self._has_only_turns(self.folded[turns[0].start : turns[-1].end]):
            return False
        if not self._names_in(self.text[head[0].start : head[-1].end]):
            return False
        self.add_line(head, at)
        self.add_line(turns, at)
        return True

    # Headings: facts, names, an end.

    def _add_heading(self, line: list[LineToken], at: int) -> bool:
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        parts = [match.span() for match in _PARTS.finditer(words) if re.search(r"\w", match[0])]
        labelled = [
            (part, match) for part in parts if (match := _LABEL.fullmatch(words, *part)) and self._tag_of(match)
        ]
        if labelled and len(labelled) == len(parts):
            for part, match in labelled:
                value = self.text[start + match.start("value") : start + match.end("value")].strip(' "')
                self._add_fact(start + part[0], start + part[1], self._tag_of(match), value)
            return True
        below = self.lines[at + 1] if at + 1 < len(self.lines) else []
        is_head = bool(below) and _RULED.fullmatch(self.folded[below[0].start : below[-1].end]) is not None
        names = None if self.has_turns else self._names_in(self.text[start:end], is_head)
        counted = _COUNTED.fullmatch(words)
        label = counted["label"].casefold() if counted else ""
        ended = find_end(words, self.names)
        if names is not None:
            self._add_names(start, names)
            self._add("name", start, end)
        elif counted and LABELS.get(label) in ("Round", "Board") and self.folded.casefold().count(label) == 1:
            self._add_fact(start, end, LABELS[label], counted["value"])
        elif ended.is_all and (ended.is_said or (self.found.has_letters and not self._has_move(line))):
            self._add("result", start, end, ended=ended)
        else:
            return False
        return True

    def _has_move(self, line: Line) -> bool:
        return any(token.kind in ("move", "bracket") for token in line)

    def _tag_of(self, match: re.Match[str]) -> str:
        """The tag that a label means; empty if it is none, or stands before turns."""
        label = re.sub(r"^(?:player|mchezaji) | \(?(?:player|mchezaji|side)\)?$", "", match["label"].casefold())
        tag, value = LABELS.get(label, ""), match["value"]
        is_turns = self._has_only_turns(value)
        if tag == "Round" and is_turns and not value.isdecimal():
            return ""
        is_name = not (is_turns or self.has_turns) and _is_name(value)
        if tag in ("South", "North") and not is_name and (self.has_turns or self.sides_label_turns):
            return ""
        return tag

    def _are_labels_of_turns(self) -> bool:
        """Whether sides with a colon stand before turns, and not before names: some line would have turns else."""
        own = [
            line for line in self.lines if line and self._owner(line[line[0].kind == "remark" :] or line)[0] is not None
        ]
        others = [(*self._turns(line), len(line)) for line in self.lines if line and line not in own]
        has_others = any(stop == end and any(item.pit for item in items) for items, stop, end in others)
        return len(own) > 2 or not has_others

    def _add_fact(self, start: int, end: int, tag: str, value: str) -> None:
        """Add what has a label, such as ``Date: 3 May 1974``."""
        value = " ".join(value.split())
        meaning = "fact"
        if value != self.tags.get(tag, value) and tag not in ("Date", "Pits", "First"):
            self._ask(start, end, ErrorText("the sheet says %(value)s before", value=self.tags[tag]))
            return
        if tag in ("Result", "Score", "Termination"):
            ended = find_end(fold(value), self.names)
            if not ended.is_all:
                self._ask(start, end, ErrorText("how did the game end?"))
            else:
                self._add("result", start, end, rest=tag, ended=ended)
            return
        if tag == "Date":
            self._add_date(start, end, value, find_date(fold(value)))
            return
        if tag == "Pits":
            value = (
                value
                if not set(value.split()) - {*PITS, "any-case"}
                else pits_said(f"pits {value}", self.rules.start().to_move) or NOT_SURE
            )
            if value == NOT_SURE:
                readings = [SheetReading(says, start, end, f'[Pits "{name}"]') for name, says in PITS.items()]
                self._ask(start, end, ErrorText("how are the pits named?"), *readings)
                return
            self.found.pits = value
        elif tag == "Players":
            spans = self._names_in(value, is_said=True)
            if not spans:
                self._ask(start, end, ErrorText("who are the players?"))
                return
            meaning = "name"
            self._add_names(self.text.index(value, start), spans)
        elif tag == "First":
            side = self._side_of(value)
            if side is None:
                self._ask(start, end, ErrorText("which side begins?"))
                return
            if not {"Setup", "Race"} & self.given.keys():
                self.tags.setdefault(tag, str(side))
        else:
            meaning = "name" if tag in ("South", "North") else "fact"
            value = re.sub(r"\.{2,}$", ".", value)
            place = re.search(r"\s(?:in|from|kutoka|à|aus|de)\s", value) if meaning == "name" else None
            if place:
                stop = self.text.index(place[0].strip(), start + self.text[start:end].index(value.split()[0]))
                self.tags.setdefault(tag, value[: place.start()][:MAX_VALUE])
                self._add("name", start, stop)
                self._add("remark", stop, end)
                return
            self.tags.setdefault(tag, value[:MAX_VALUE])
        self._add(meaning, start, end)

    def _add_date(self, start: int, end: int, value: str, day: Day | None) -> None:
        if day is not None and len(day.dates) == 1:
            self.tags.setdefault("Date", day.dates[0])
            self._add("fact", start, end, note=ErrorText("read as: %(what)s", what=day.dates[0]))
        elif day is not None:
            readings = [SheetReading(one, start, end, f'[Date "{one}"]') for one in day.dates]
            self._ask(start, end, ErrorText("%(text)s: which day is it?", text=value.strip()), *readings)
        elif (known := read_day(value)) is not None:
            self.tags.setdefault("Date", ".".join([*known.split("-"), "??", "??"][:3]))
            self._add("fact", start, end)
        elif value == UNKNOWN_DATE:
            self._add("fact", start, end)
        else:
            self._ask(start, end, ErrorText("%(text)s is no day of the calendar", text=value.strip()))

    def _add_names(self, start: int, spans: Mapping[Side, tuple[int, int]]) -> None:
        for side, (begin, end) in spans.items():
            name = " ".join(self.text[start + begin : start + end].split()).strip(" :")
            name = re.sub(r"(?<=\w{3})\.$|(?<=\.)\.$", "", name)  # the end of a sentence, behind no initial
            self.named_last = side
            if name.casefold() not in SIDE_WORDS:
                self.tags.setdefault(str(side), name[:MAX_VALUE])

    def _names_in(self, text: str, is_said: bool = False) -> dict[Side, tuple[int, int]] | None:
        """Where the names of the players stand in a text that says nothing else, by side. `is_said`: they are said to
        be names, so that they may stand in any way."""
        words = fold(text)
        if find_date(words):
            return None
        for pattern in (r"\s{2,}|[,;|\t/]", NAMES_APART, rf"\s+(?=(?i:(?:{_SIDES})\b|[sn]\s*[:=]))", r"(?<=\))\s+"):
            spans = _split(pattern, text)
            sided = dict(filter(None, (self._sided_name(words, *span) for span in spans)))
            is_clear = len(spans) == 2 or re.search(r"[:=(]|\s-\s|\w\s+(?:is|plays|has|as|ni|anacheza|waa)\s", words)
            is_turns = all(self._has_only_turns(words[slice(*span)]) for span in sided.values())
            if len(sided) == len(spans) in (1, 2) and is_clear and not is_turns:
                return sided
            texts = [words[slice(*span)].strip(" .:").casefold() for span in spans]
            if len(spans) == 2 and all(text in SIDE_WORDS for text in texts):
                return dict(zip([SIDE_WORDS[text] for text in texts], spans, strict=True))
            if is_said and len(spans) == 2 and all(self._may_be_name(words[slice(*span)]) for span in spans):
                return dict(zip(Side, spans, strict=True))
        pair = _split(BETWEEN_NAMES, text)
        if len(pair) == 2 and all(self._is_capital_name(text[slice(*span)]) for span in pair):
            is_versus = text[pair[0][1] : pair[1][0]].strip(" -–—")
            if is_versus or not all(self._has_only_turns(words[slice(*span)]) for span in pair):
                return dict(zip(Side, pair, strict=True))
        return {} if words.strip(" .:").casefold() in {name.casefold() for name in self.names if name} else None

    def _sided_name(self, words: str, begin: int, end: int) -> tuple[Side, tuple[int, int]] | None:
        """The side and the name in words such as ``South: Amina`` or ``Amina (South)``."""
        if end - begin > 120:
            return None
        match = _SIDED.fullmatch(words, begin, end) or _NAMED.fullmatch(words, begin, end)
        side = self._side_of(match["side"]) if match else None
        if self.sides_label_turns and match and len(match["name"].strip(" .")) == 1:
            return None  # a turn
        if match is None or side is None or {*re.findall(r"\w+", match["name"].casefold())} & _KNOWN:
            return None
        is_name = re.search(_LETTER, match["name"]) and (
            not self._has_only_turns(match["name"]) or re.fullmatch(r"[A-Z][a-z]+|(?:[A-Z]\.\s?)+", match["name"])
        )
        return (side, match.span("name")) if is_name else None

    def _is_capital_name(self, text: str) -> bool:
        """Whether a text is a name as names are written, and no word that stands at the head of sheets."""
        words = re.findall(r"[\w']+", text)
        is_written = bool(words) and not text.strip()[0].islower() and not any(
            word[0].isdecimal() or (word[0].islower() and word not in NAME_PARTICLES) for word in words
        )  # fmt: skip
        known = {word.casefold() for word in words} & (NO_NAMES | _KNOWN - NAME_PARTICLES)
        is_name = _is_name(text) or re.fullmatch(rf"\s*{_LETTER}\.?\s*", text)
        return is_written and bool(is_name) and not known and not find_end(fold(text), ["", ""]).is_said

    def _ask_pair(self, start: int, end: int) -> bool:
        """Ask about two parts of a line before the turns, which may be names."""
        text = self.text[start:end]
        for pattern in (BETWEEN_NAMES, NAMES_APART, r"[,;|\t/]"):
            spans = _split(pattern, text)
            parts = [fold(text[slice(*span)]).strip() for span in spans]
            if len(parts) == 2 and all(map(self._is_capital_name, parts)):
                one, other = (" ".join(text[slice(*span)].split()) for span in spans)
                names, place = f"{_tag('South', one)}\n{_tag('North', other)}", _tag("Site", " ".join(text.split()))
                readings = [
                    SheetReading(ErrorText("the names of the players"), start, end, names),
                    SheetReading(ErrorText("the place"), start, end, place),
                ]
                self._ask(start, end, ErrorText("who are the players?"), *readings)
                return True
        return False

    def _may_be_name(self, words: str) -> bool:
        """Whether words may be a name, and hold neither a turn nor an end; an initial has its dot."""
        known = {*re.findall(r"\w+", words.casefold())} & _KNOWN - SIDE_WORDS.keys()
        pits = [letter for letter in re.findall(r"(?<![\w'])[A-Za-z](?![\w'.])", words + " ") if self._is_pit(letter)]
        return _is_name(words) and not (
            known or pits or self._has_only_turns(words) or find_end(words, ["", ""]).is_said
        )

    def _has_only_turns(self, words: str) -> bool:
        """Whether words may be nothing but turns; initials such as ``K. L.`` are none."""
        tokens = [token for token in _tokens(fold(words)) if token.kind not in ("gap", "dash", "arrow", "glyph")]
        turns = all(token.kind in ("move", "digits", "number", "laid") or self._is_run(token) for token in tokens)
        code = re.fullmatch(r"\W*([A-Za-z])\d+\W*", words)
        is_code = code is not None and ascii_letters.index(code[1].lower()) >= self.rules.row
        return bool(tokens) and turns and not is_code and not re.fullmatch(rf"\W*{_LETTER}\.\s*{_LETTER}\.?\W*", words)

    def _owner(self, line: Line) -> tuple[Side | None, int]:
        """Whose line it is, by the words at its beginning, and where what follows begins."""
        words = self.folded[line[0].start : line[-1].end]
        begin = len(words) - len(words.lstrip())
        side, end = self._side_at(words, begin)
        label = re.compile(rf"(?P<word>\w+)?\s*\((?P<side>{_SIDES}|[SN])\)", re.IGNORECASE).match(
            words, end if side is not None else begin
        )
        if label:
            side, end = self._side_of(label["side"]), label.end()
        gap = re.compile(r"[\s.:=,-]*").match(words, end)
        return side, line[0].start + (gap.end() if gap else end)

    def _begin_system(self, side: Side) -> None:
        """Begin a line of a side; one that has such a line already begins the next lines that belong together."""
        if self.system == 0 or side in self.in_system:
            self.system += 1
            self.in_system.clear()
        self.in_system.add(side)

    # Tables.

    def _cells(self, line: Line, separator: str) -> list[tuple[int, int]]:
        if separator == " ":  # two or more stand between the cells
            words = self.folded[line[0].start : line[-1].end]
            return [(line[0].start + begin, line[0].start + end) for begin, end in _split(r"\s{2,}|\t", words)]
        spans, begin, is_quoted = [], line[0].start, False
        for at in range(begin, line[-1].end):
            if self.folded[at] == separator and not is_quoted:
                spans.append((begin, at))
                begin = at + 1
            elif self.folded[at] == '"' and separator != "\t":  # between tabs it is a ditto mark
                is_quoted = not is_quoted
        return [*spans, (begin, line[-1].end)]

    def _cell(self, span: tuple[int, int]) -> str:
        return self.folded[slice(*span)].strip(' "\t*.:')

    def _add_row(self, line: list[LineToken]) -> bool:
        """Add a row of a table, or its head."""
        if self.columns:
            cells = self._cells(line, self.separator)
            if self.separator == " " and len(cells) == len(self.columns) + 1:
                self.columns = ["number", *self.columns]
            if self.separator == " " and len(cells) != len(self.columns):
                return False
            if 1 < len(cells) <= len(self.columns) + 1:
                self._add_cells(line, cells)
                return True
        for separator in () if self.has_turns else ("\t", "|", ";", ",", " "):
            cells = self._cells(line, separator)
            columns = self._columns([self._cell(cell).casefold().replace("_", " ") for cell in cells])
            sides = [column for column in columns if column in ("South", "North")]
            if separator == " " and sides != [str(self.rules.start().to_move.other), str(self.rules.start().to_move)]:
                continue  # its rows are read as lines
            if columns:
                for side in Side:
                    span = cells[columns.index(str(side))] if str(side) in columns else (0, 0)
                    sided = self._sided_name(self.folded, *span)
                    name = self._cell(span)
                    is_name = _is_name(name) or re.fullmatch(_LETTER, name)
                    if sided or (is_name and self._side_of(name) is None):
                        span = sided[1] if sided else span
                        self.tags.setdefault(str(side), self.text[slice(*span)].strip(' "\t*')[:MAX_VALUE])
                self.columns, self.separator, self.has_turns = columns, separator, True
                if "side" in columns:
                    self._find_column_names(columns.index("side"), line[-1].end)
                self._add("name", line[0].start, line[-1].end)
                return True
        return False

    def _find_column_names(self, column: int, below: int) -> None:
        """The names in the column of a table that says whose turn it is, if it has nothing else."""
        rows = [self._cells(line, self.separator) for line in self.lines if line and line[0].start > below]
        found = [self._cell(row[column]) for row in rows if len(row) == len(self.columns)]
        if not any(self._side_of(name) is not None for name in found):
            self.labels |= self._take_players([name for name in found if name])
            self.side_names = None

    def _columns(self, heads: Sequence[str]) -> list[str]:
        """What the columns below these heads are; empty if they are no heads."""
        columns = [
            COLUMNS.get(head)
            or (str(side) if (side := self._side_of(head)) is not None else "")
            or (str(sided[0]) if (sided := self._sided_name(head, 0, len(head))) else "")
            for head in heads
        ]
        if "" in heads[: next((at for at, one in enumerate(columns) if one), 0)]:
            columns = ["number" if not head and not any(columns[:at]) else columns[at] for at, head in enumerate(heads)]
        unknown = [at for at, head in enumerate(heads) if head and not columns[at]]
        if len(unknown) == 2 and {"number", "turn"} & {*columns} and not {"pit", "side"} & {*columns}:
            for side, at in zip(Side, unknown, strict=True):
                columns[at] = str(side) if _is_name(heads[at]) or re.fullmatch(_LETTER, heads[at]) else ""
        sides = {"South", "North"} <= {*columns}
        turns = [at for at, one in enumerate(columns) if one in ("number", "turn")]
        for at in turns:  # the last one is the pit, if nothing else is
            is_pit = not sides and "pit" not in columns and at == turns[-1] and len(turns) > ("number" in columns)
            columns[at] = "pit" if is_pit and (columns[at] == "turn" or len(turns) > 1) else "number"
        is_head = len([head for head in heads if head]) > 1 and all(
            one or not head for one, head in zip(columns, heads, strict=True)
        )
        return columns if is_head and (sides or "pit" in columns) else []

    def _add_cells(self, line: list[LineToken], cells: Sequence[tuple[int, int]]) -> None:
        count, side = len(self.items), None
        texts = [self._cell(cell).casefold() for cell in cells]
        if any({*text.split()} & TOTALS for text in texts):
            numbers = [int(number) for text in texts for number in re.findall(r"\d+", text)]
            if len(numbers) == 2 and all(
                re.fullmatch(r"[\d\s]*", re.sub("|".join(TOTALS), "", text)) for text in texts
            ):
                self._add(
                    "result", line[0].start, line[-1].end, ended=Ended(score=f"{numbers[0]}-{numbers[1]}", is_all=True)
                )
            else:
                self._ask(line[0].start, line[-1].end, ErrorText("how did the game end?"))
            return
        for column, (start, end) in zip((*self.columns, ""), cells, strict=False):
            tokens, text = [token for token in line if start <= token.start < end], self._cell((start, end))
            is_turn, marks = column in ("South", "North", "pit"), self.folded[start:end].strip()
            if is_turn and not text and marks not in ("", '""'):
                self._ask(start, end, ErrorText("is a turn missing here?"), stops=True)
                continue
            if not text or (not text.strip("-") and not is_turn):
                continue
            if tokens and all(token.kind in ("remark", "gap") for token in tokens):
                self._add("remark", start, end)
            elif column == "side" and (side := self._side_of(text)) is not None:
                self._add("name", start, end)
            elif column == "number" and re.fullmatch(r"#?\d+\)?", text):
                self._add("number", start, end, number=int(re.sub(r"\D", "", text)))
            elif column in ("captured", "store") and re.fullmatch(r"[x+]?\d{1,4}", text, re.IGNORECASE):
                exact = "x" if column == "captured" else "store"
                self._add("claim", start, end, number=int(re.sub(r"\D", "", text)), rest=exact, side=side)
            elif column in ("remark", "time") and not (column == "remark" and self._doubt(text) > ROUND):
                self._add("remark", start, end)
            elif is_turn:
                side = Side[column.upper()] if column != "pit" else side
                items, stop = self._turns(tokens, side, is_cell=True)
                self.items += items
                if stop < len(tokens):
                    self._ask(tokens[stop].start, tokens[-1].end, ErrorText("what does this say?"), stops=True)
            else:
                self._ask(start, end, ErrorText("what does this say?"), stops=True)
        self.has_turns = True
        row, first = self.items[count:], self.rules.start().to_move
        if {"South", "North"} <= {*self.columns}:  # who begins may have the right column
            self.items[count:] = sorted(row, key=lambda item: 0 if item.side is None else 1 + (item.side is not first))

    # Turns.

    def _turns(self, line: Line, side: Side | None = None, is_cell: bool = False) -> tuple[list[SheetItem], int]:
        """The turns at the beginning of words, with what stands among them, and the index where these end.

        `side`: whose they are, in a line or a cell of its own."""
        items: list[SheetItem] = []
        owner, at, has_turn = side, 0, False  # since the last number
        while at < len(line):
            token, follows = line[at], _after(line, at)
            after = line[follows] if follows < len(line) else _NOTHING
            kind, word, stop = token.kind, token.word, at + 1
            named, end = self._side_at(self.folded, token.start) if owner is None else (None, 0)
            is_claim = after.kind == "digits" or after.word in NUMBERS or re.fullmatch(r"\d+\.", after.text)
            made: list[SheetItem] = []
            made_last = items[-1].meaning if items else ""
            if kind in ("gap", "arrow") or (token.text in ("+", "&") and has_turn and after.kind == "move"):
                pass
            elif has_turn and word == "and" and after.word == "again":
                stop = follows + 1
                made = [SheetItem("gap", token.start, after.end)]
            elif kind == "word" and (
                (word in FILLERS and not self._is_run(token))
                or (word in TURN_WORDS and made_last == "number" and not has_turn)
            ):
                made = [SheetItem("gap", token.start, token.end)]
            elif kind == "number" or (
                kind == "bracket" and not has_turn and re.fullmatch(r"\W\s*\d+\s*\W", token.text)
            ):
                made = [_number(token.start, token)]
            elif kind == "word" and word in NUMBERS and after.word in TURN_WORDS and not has_turn:
                stop = follows + 1
                made = [SheetItem("number", token.start, after.end, number=NUMBERS[word], rest=token.text)]
            elif word in TURN_WORDS and after.word in ("ya", "no", "nr", "number", "la") and not has_turn:
                stop = follows
                made = [SheetItem("gap", token.start, token.end)]
            elif word in TURN_WORDS and (after.kind == "number" or (after.kind == "digits" and not has_turn)):
                stop = follows + 1
                made = [_number(token.start, after)]
            elif kind in ("remark", "struck", "clock"):
                made = [SheetItem("remark", token.start, token.end)]
            elif kind == "glyph" and has_turn and line[at - 1].kind in ("move", "laid", "word"):
                made = [SheetItem("glyph", token.start, token.end, rest=token.text)]
            elif kind == "bracket" and (bracket := self._bracket(token)) is not None:
                made = [bracket]
            elif (
                named is not None
                and kind in ("word", "move")
                and (
                    self._leads_to_turn(
                        line, stop := next((i for i in range(at, len(line)) if line[i].start >= end), len(line))
                    )
                )
            ):
                made = [SheetItem("name", token.start, end)]
            elif kind in ("move", "laid"):
                made = [self._turn(token.start, token.end, token.text, side)]
            elif kind == "word" and word in PASSES:
                made = [SheetItem("move", token.start, token.end, pit="--", side=side)]
            elif kind == "digits" or (kind == "word" and word in NUMBERS and not self.found.has_letters):
                pit = str(NUMBERS.get(word, token.text))
                made = [SheetItem("digits", token.start, token.end, pit=pit, number=int(pit[:6]), side=side)]
            elif kind == "pair" and not self.found.has_letters:
                pits = re.finditer(r"\d+", token.text)
                made = [
                    SheetItem(
                        "digits",
                        token.start + one.start(),
                        token.start + one.end(),
                        one[0],
                        side=side,
                        number=int(one[0]),
                    )
                    for one in pits
                ]
            elif self._is_run(token):
                places = enumerate(token.text, token.start)
                made = [self._turn(start, start + 1, letter, side) for start, letter in places]
            elif made_last == "name" and word in CAPTURES and after.kind == "move":
                made = [SheetItem("gap", token.start, token.end)]
            elif has_turn and is_claim and (word in CAPTURES or token.text == "+"):
                stop, seeds = follows + 1, _after(line, follows)
                stop = seeds + 1 if seeds < len(line) and line[seeds].word in SEEDS else stop
                number = NUMBERS.get(after.word) or int(after.text.strip("."))
                made = [SheetItem("claim", token.start, line[stop - 1].end, number=number, rest="x")]
            elif kind in ("pair", "sign") and has_turn and self.has_stores and re.fullmatch(r"\d+\D+\d+", token.text):
                score = "-".join(str(int(one)) for one in re.findall(r"\d+", token.text))
                made = [SheetItem("claim", token.start, token.end, rest=score)]
            elif word in ("makes", "made", "has") and items and after.word in BULLS and follows + 1 < len(line):
                bull = next((one for one in line[follows + 1 :] if one.kind != "gap"), _NOTHING)
                if bull.kind != "move" or len(bull.text) != 1 or items[-1].meaning != "move":
                    break
                stop = line.index(bull) + 1
                items[-1].rest += f"={bull.text}"
                made = [SheetItem("gap", token.start, bull.end)]
            elif kind in ("dash", "dots"):
                made = [SheetItem(kind, token.start, token.end, side=side, rest="cell" if is_cell else "")]
            else:
                break
            items += made
            if made and made[0].meaning in ("name", *TURNS):
                side = named if made[0].meaning == "name" else owner
            if made and made[0].meaning in ("number", *TURNS):
                has_turn = made[0].meaning != "number"
            at = stop
        return items, at

    def _leads_to_turn(self, line: Line, at: int) -> bool:
        """Whether what follows on a name may be a turn."""
        at = _after(line, at - 1)
        after = line[at] if at < len(line) else _NOTHING
        is_turn = after.kind in ("move", "laid", "digits") or self._is_run(after)
        return is_turn or after.word in {*FILLERS, *NUMBERS, *PASSES, *CAPTURES}

    def _turn(self, start: int, end: int, text: str, side: Side | None) -> SheetItem:
        if re.search(r"\s[→⇒➔➜]$", self.text[start:end]):  # it leads to the next turn
            text = text[:-1]
        text = re.sub(r"\s", "", text)
        if "@" in text or "~" in text:
            return SheetItem("move", start, end, pit=text, side=side)
        return SheetItem("move", start, end, pit=text[0], rest=re.sub(r"^([<>]*)X(?=\d)", r"\1x", text[1:]), side=side)

    def _bracket(self, token: LineToken) -> SheetItem | None:
        """A claim or a comment in brackets; None if it must be asked."""
        inner = token.text[1:-1].strip()
        claim = re.fullmatch(
            rf"(?P<sign>[x+]|(?:{'|'.join(CAPTURES)})\s)?\s*(?P<count>\d{{1,4}})(?P<seeds> seeds?)?",
            inner,
            re.IGNORECASE,
        )
        laps = re.fullmatch(r"(\d{1,3}) laps?", inner)
        score = re.fullmatch(r"(\d{1,3})\s?-\s?(\d{1,3})", inner)
        if score:
            return SheetItem("claim", token.start, token.end, rest=f"{int(score[1])}-{int(score[2])}")
        if laps:
            return SheetItem("claim", token.start, token.end, number=int(laps[1]), rest="laps")
        if claim:
            exact = "x" if claim["sign"] or claim["seeds"] else ""
            return SheetItem("claim", token.start, token.end, number=int(claim["count"]), rest=exact)
        is_clock = re.fullmatch(r"\d{1,2}:\d\d(:\d\d)?", inner)
        return SheetItem("remark", token.start, token.end) if is_clock or self._doubt(inner, True) == SURE else None

    def _add_turns(self, line: list[LineToken], at: int) -> bool:
        """Add a line that begins with turns."""
        owner, begin = self._owner(line)
        behind = self._tokens(begin, line[-1].end)
        whole, stop = self._turns(behind, owner)
        is_whole = stop == len(behind) and any(item.meaning in TURNS for item in whole)
        named = {self._side_at(self.folded, token.start)[0] for token in behind}
        if owner is not None and is_whole and owner.other not in named:
            self._begin_system(owner)
            count, is_last = sum(item.meaning in TURNS for item in whole), at >= self.last - 1
            if self.across and (count > self.across[0] or (count < self.across[0] and not is_last)):
                self._ask(line[0].start, line[-1].end, ErrorText("is a turn missing here?"), stops=True)
                return True
            self._add("name", line[0].start, begin)
            self._place(whole)
            return True
        rest, words = line, self.folded[line[0].start : line[-1].end].casefold()
        while rest:
            items, stop = self._turns(rest)
            turns = [item for item in items if item.meaning in TURNS]
            number = any(item.meaning == "number" for item in items)
            is_first = rest is line and not self.has_turns
            if is_first and not number and _VERSUS_SAID.search(words):
                return False
            if stop < len(rest) and rest is line and not ((turns and number) or len(turns) > 1):
                return False
            if rest is line and ((not turns and not number) or (stop < len(rest) and rest[0].word in ("he", "be"))):
                return False
            self._place(items)
            rest = rest[stop:]
            if rest:
                end = next(
                    (i for i, token in enumerate(rest) if i and token.kind in ("number", "remark", "struck")), len(rest)
                )
                others, stop = self._turns(rest[1:end])
                end = 1 if stop == end - 1 and any(item.meaning in TURNS for item in others) else end
                self._add_tail(
                    rest[:end], at == self.last and end == len(rest), end < len(rest) and rest[end].kind != "number"
                )
                rest = rest[end:]
        return True

    def _place(self, items: list[SheetItem]) -> None:
        """Add the items of a line; those of a side's own line wait for its turns."""
        is_owned = self.in_system and any(item.side is not None for item in items)
        sides = {item.side for item in items if item.meaning in TURNS}
        for item in items:
            item.system = self.system if is_owned and len(sides) == 1 else 0
        self.items += items
        self.has_turns |= any(item.meaning in TURNS for item in items)

    def _add_tail(self, line: Line, is_last: bool, is_between: bool) -> None:
        """Add words after turns, maybe before others in the line: the end, a comment, or what must be asked."""
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        last = next((item for item in reversed(self.items) if item.meaning in TURNS), None)
        ended = find_end(words, self.names)
        end_reading = [SheetReading(ErrorText("how the game ended"), start, end, f"\n{self.text[start:end].strip()}")]
        if last and words.split()[0].casefold() in DIRECTIONS and self.items[-1] is last:
            self.items.pop()
            text = self.text[last.start : last.end]
            readings = [SheetReading(text + sign, last.start, end, text + sign) for sign in ("", "<", ">")]
            self._ask(last.start, end, ErrorText("which way was it sown?"), *readings, stops=True)
        elif ended.is_all and is_last and line[0].kind in ("sign", "pair") and self.found.has_letters:
            self._add("result", start, end, ended=ended)
        else:
            is_after_a = last is not None and last.pit.lower() == "a" and self.items[-1] is last
            why = ErrorText("does this hold a turn, or the end?")
            doubt = self._doubt(words)
            doubt = ASKED if is_after_a or (is_between and doubt and line[0].kind != "bracket") else doubt
            self._add_remark(start, end, doubt, why, *(end_reading if ended.is_all and is_last else []))

    # Words.

    def _doubt(self, words: str, is_bracketed: bool = False) -> int:
        """How far words may be more than a comment. Behind turns words of other languages could hold one."""
        folded, has_turns = _NO_TURN.sub("", words).casefold(), self.has_turns or is_bracketed
        ended = find_end(words, self.names)
        has_turn = self._has_turn(words, has_turns)
        if re.search(r"\w", words) and not re.search(r"\w", folded):
            return SURE
        said = {*re.findall(r"\w+", folded)}
        if (
            UNSURE.search(folded)
            or has_turn
            or CHANGED.search(folded)
            or (not has_turns and said & _AGAIN and not DITTO.search(folded))
        ):
            return ASKED
        is_telling = (ended.is_said and ended.result != "*") or ENDING.search(folded) or PLAYING.search(folded)
        if has_turns and (is_telling or self._names_side(words)):
            return BETWEEN
        is_unknown = has_turns and not is_bracketed and not said & PLAIN
        is_unknown |= has_turns and re.search(r"(?<!\w)a(?!\w)", folded) is not None
        if STOPPING.search(folded) or ended.is_said:
            return NUMBERED
        return ROUND if is_unknown else SURE

    def _names_side(self, words: str) -> bool:
        return any(
            self._side_at(words, match.start())[0] is not None for match in re.finditer(rf"\b{_LETTER}{{2}}", words)
        )

    def _has_turn(self, words: str, has_turns: bool) -> bool:
        """Whether something in words may be a turn, or says that one is missing."""
        tokens = [token for token in _tokens(fold(_NO_TURN.sub("", words))) if token.kind != "gap"]
        is_size = not has_turns and (self.found.has_letters or _SIZE.search(words))
        for at, token in enumerate(tokens):
            before = tokens[at - 1] if at else _NOTHING
            after = tokens[at + 1] if at + 1 < len(tokens) else _NOTHING
            if (
                token.word == "a"
                and after.kind == "word"
                and len(after.text) > 2
                and ((before.kind == "word" and before.word not in SIDE_WORDS) or not has_turns)
            ):
                continue  # the article
            if token.kind in ("digits", "number", "pair", "sign") and (is_size or len(token.text) == 4):
                continue  # a year; no pit
            if self._is_run(token):
                is_word = len(tokens) > 2 and (len(token.text) > 2 or token.text.islower())
                if has_turns and not is_word and token.word not in ("he", "be"):
                    return True
            elif token.kind == "bracket":
                if self._has_turn(token.text[1:-1], has_turns):
                    return True
            elif token.kind == "word":
                if has_turns and token.word in {*NUMBERS, *LOST, *PASSES, *DIRECTIONS}:
                    return True
                if len(token.text) == 1 and token.text.isascii():
                    return True
            elif token.kind == "move" and token.text == "I" and (after.kind == "word" or before.kind == "word"):
                continue  # who writes
            elif token.kind == "move" and not has_turns and not self._is_pit(token.text[0]):
                continue
            elif token.kind in ("move", "laid", "digits", "number", "pair", "sign", "position") or (
                has_turns and token.kind not in ("remark", "dash", "struck", "clock") and token.text not in _MARKS
            ):
                return True
        return False

    def _add_remark(self, start: int, end: int, doubt: int, why: str, *readings: SheetReading) -> None:
        """Add words that are a comment, or are asked about by how far they may be more."""
        if doubt == SURE:
            self._add("remark", start, end)
        else:
            self._ask(start, end, why, *readings, stops=True, doubt=doubt)

    def _add_words(self, line: Line) -> None:
        """Add a line of words: a comment, or what must be asked."""
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        position = next((token for token in line if token.kind == "position"), None)
        if position is not None:
            self._ask_position(start, end)
        elif all(token.kind in ("remark", "struck", "gap", "dash") for token in line):
            for token in line:
                if token.kind in ("remark", "struck"):
                    self._add("remark", token.start, token.end)
        elif self.sides_label_turns and self._owner(line)[0] is not None and re.match(r"\s*[^\s:]+\s*[:=]", words):
            self._ask(start, end, ErrorText("is this a turn, the end, or a comment?"), stops=True)
        elif not self.has_turns:
            self._add_preface(start, end)
        elif (
            not self.found.pits
            and not UNSURE.search(words.casefold())
            and (said := pits_said(words, self.rules.start().to_move))
        ):
            self._add_fact(start, end, "Pits", said)
        else:
            self._add_remark(start, end, self._doubt(words), ErrorText("is this a turn, the end, or a comment?"))

    # Before the turns.

    def _add_preface(self, start: int, end: int) -> None:
        """Add words before the turns: facts and names, sentence by sentence; what says neither is a comment."""
        words = self.folded[start:end]
        if len(words) > 2 * MAX_WORDS:
            self._ask(start, end, ErrorText("is this a turn, the end, or a comment?"), stops=True)
            return
        day = find_date(words)
        comment = re.search(r"\{[^{}]*\}", words)
        if comment:
            self._add_preface(start, start + comment.start())
            self._add("remark", start + comment.start(), start + comment.end())
            self._add_preface(start + comment.end(), end)
            return
        if day is not None:
            self._add_preface(start, start + day.start)
            self._add_date(start + day.start, start + day.end, words[day.start : day.end], day)
            self._add_preface(start + day.end, end)
            return
        masked = re.sub(rf"\((\s*(?:{_SIDES}|[SN])\s*)\)", r"<\1>", words, flags=re.IGNORECASE)
        for sentence in _split(_SENTENCE, masked):
            self._add_sentence(start + sentence[0], start + sentence[1])

    def _add_sentence(self, start: int, end: int) -> None:
        stripped = _STRIPPED.search(self.folded, start, end)
        if stripped is None:
            return
        start, end = stripped.span()
        words = self.folded[start:end]
        said = pits_said(words, self.rules.start().to_move)
        if UNSURE.search(words.casefold()):
            self._add_clause(start, end)
        elif said or CAPITALS_SOUTH.search(words.casefold()):
            self._add_fact(start, end, "Pits", said or "any-case")
        elif self._names_in(self.text[start:end]) or ((label := _LABEL.fullmatch(words)) and self._tag_of(label)):
            self._add_clause(start, end)
        else:
            last = start
            for begin, stop in _split(_CLAUSE, words):
                if re.search(r"\w", self.folded[last : start + begin]):
                    self._add("gap", last, start + begin)
                self._add_clause(start + begin, start + stop)
                last = start + stop

    def _add_clause(self, start: int, end: int) -> None:
        """Add a fact, names, or a comment that stand before the turns."""
        stripped = _STRIPPED.search(self.folded, start, end)
        if stripped is None:
            return
        start, end = stripped.span()
        words, text = self.folded[start:end], self.text[start:end]
        label, begins = _LABEL.fullmatch(words), BEGINS.fullmatch(words)
        tag = self._tag_of(label) if label else ""
        names = self._names_in(text)
        sides = {side for word, side in SIDE_WORDS.items() if re.search(rf"(?<!\w){word}(?!\w)", words.casefold())}
        if begins and not sides:
            said = [side for side in (self._side_of(begins["side"]), self.named_last) if side is not None]
            sides = {*said[:1]}
        is_sure = not UNSURE.search(words.casefold())
        if begins and len(sides) == 1 and is_sure:
            self._add_fact(start, end, "First", str(*sides))
        elif names is not None and is_sure:
            self._add_names(start, names)
            self._add("name", start, end)
        elif label and tag and is_sure:
            self._add_fact(start, end, tag, text[label.start("value") : label.end("value")].strip(' "'))
        elif _VERSUS_SAID.search(words.casefold()) or (sides and self._has_unknown_name(words)):
            self._ask(start, end, ErrorText("who are the players?"))
        elif not self._ask_pair(start, end):
            last = self.items[-1] if self.items else None
            doubt = SURE if self._is_game(words) else self._doubt(words)
            if doubt == SURE and last and last.meaning == "remark" and "\n" not in self.text[last.end : start]:
                last.end = end
            else:
                self._add_remark(start, end, doubt, ErrorText("is this a turn, the end, or a comment?"))

    def _has_unknown_name(self, words: str) -> bool:
        """Whether a word with a capital stands there that is none of those that sheets have."""
        said = {word.casefold() for word in re.findall(r"\b[^\W\d_a-z][\w']+", words)}
        return bool(said - NO_NAMES - _KNOWN - PLAIN - {"lower", "upper", "you"})

    def _ask_position(self, start: int, end: int) -> None:
        text = " ".join(self.text[start:end].split())
        readings = []
        try:
            Position.parse(text)
            readings.append(SheetReading(ErrorText("the game begins here"), start, end, f'[Setup "{text}"]'))
        except RecordsError:
            pass
        self._ask(start, end, ErrorText("what is this position?"), *readings)
