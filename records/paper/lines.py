"""The lines of a sheet: what each can be, word by word. Nothing is played here.

`read_lines` makes of the text the `Item`s of a sheet in their order. What it does not know becomes an item with the
meaning ``wrong``: it must be answered, with one of its readings or another text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_letters
from typing import NamedTuple

from records.errors import ErrorText, RecordsError
from records.notation.tags import MAX_VALUE
from records.position import Position, Side
from records.rules.play import Rules

from . import words as vocabulary
from .words import BEFORE_ARTICLE, CAPTURES, COLUMNS, DIRECTIONS, FILLERS, LABELS, LOST, NAMES_APART, NUMBERS, PASSES
from .words import PITS, SEEDS, SIDE_WORDS, STRUCK, TURN_WORDS, Day, Ended, find_date, find_end, fold, pits_said

MAX_WORDS = 400  # characters of a line in which names, labels and ends are looked for

_LETTER = r"[^\W\d_]"
_MOVE = (
    rf"~?[A-Za-z](?:\s?[<>])*(?:\s?[xX]\s?\d{{1,4}}(?:,\d{{1,4}})?)?(?:\s?=\s?[A-Pa-p]{{1,4}}(?!{_LETTER}))?(?!{_LETTER}|')"
)
_TOKEN = re.compile(
    rf"""(?P<newline>\r?\n|\r)
      | (?P<remark>\{{[^{{}}]*\}})
      | (?P<struck>~~.*?~~|<(?P<tag>s|del|strike)>.*?</(?P=tag)>|(?:\S\u0336)+)
      | (?P<bracket>\([^()\n]*\)|\[[^][\n]*\])
      | (?P<position>(?:(?:\d{{1,4}}[sn]?|x)\.){{3,}}\S*)
      | (?P<clock>\d{{1,2}}:\d\d(?::\d\d)?(?:\s?[ap]m\b)?(?![\d:]))
      | (?P<sign>(?:1/2|½)(?:\s?-\s?(?:1/2|½))?(?!\d)|\*(?=\s*$))
      | (?P<ordinal>\d{{1,4}}(?:st|nd|rd|th)\b)
      | (?P<number>\#?\d{{1,5}}\s?(?:\.|…|\)|:)+|\#\d{{1,5}}(?!\d))
      | (?P<pair>\d{{1,4}}\s?-\s?\d{{1,4}}(?![\d-]))
      | (?P<digits>\d+)
      | (?P<arrow>[-=]+>+|<+[-=]+)
      | (?P<laid>[A-Za-z]{{2}}@(?:[A-Za-z]\d{{1,4}})*)
      | (?P<move>{_MOVE})
      | (?P<glyph>[!?]+)
      | (?P<word>{_LETTER}+(?:'{_LETTER}+)*)
      | (?P<dots>\.{{2,}}|…)
      | (?P<dash>-+)
      | (?P<gap>[\s,;|/&.:_"•·✓>]+)
      | (?P<other>\S)""",
    re.VERBOSE,
)
_PIT = re.compile(r"(?P<pit>~?[A-Za-z])(?P<rest>.*)", re.DOTALL)
_TAG = re.compile(r"\s*\[(?P<label>[A-Za-z]\w*) \"(?P<value>[^\"]*)\"\]\s*")
_LABEL = re.compile(rf"\s*(?P<label>{_LETTER}+(?: \(?{_LETTER}+\)?)?)\s*[:=]\s*(?P<value>\S.*?)\s*")
_COUNTED = re.compile(rf"\s*(?P<label>{_LETTER}+)\s+(?:no\.?\s*)?(?P<value>\d{{1,4}})\s*")
_SIDES = "|".join(SIDE_WORDS)
_SIDED = re.compile(rf"\s*(?P<side>{_SIDES}|[SN])\s*(?:[:=(]|\s-\s)\s*(?P<name>[^:=()]+?)\)?\s*", re.IGNORECASE)
_NAMED = re.compile(
    rf"\s*(?P<name>[^:=()]+?)\s*(?:[:=(,]|\s-\s|\s(?:is|plays|has|as|ni|anacheza|waa)\s)\s*(?P<side>{_SIDES}|[SN])\)?\s*",
    re.IGNORECASE,
)
_TURNS_BEGIN = re.compile(rf"(?<!\S)\#?\d{{1,3}}\s?[.):]\s*(?:{_MOVE}|[A-Za-z]{{2}}(?!{_LETTER})|\d{{1,2}}\b)")
_SEPARATORS = ("\t", "|", ";", ",")
_CELL = re.compile(r'\s*"(?P<quoted>[^"]*)"\s*|(?P<plain>[^\t|;,]*)')


class Reading(NamedTuple):
    """An answer to a mark: what it `says`, and the `text` that then stands in place of the sheet's from `start` to
    `end`."""

    says: str
    start: int
    end: int
    text: str


@dataclass
class Item:
    """A part of the sheet from `start` to `end`, with its meaning.

    A turn has its `pit` as a letter or a number and what stands behind it (`rest`), in the notation; its `side`, if the
    sheet says it. Where a side's turns stand in lines of their own, `system` is the number of the lines that belong
    together, from 1. `number` is that of a number, or how many seeds a claim says. A result has what it says; one with
    a label (`rest`) may stand before the turns.
    """

    meaning: str
    start: int
    end: int
    pit: str = ""
    rest: str = ""
    side: Side | None = None
    system: int = 0
    number: int = 0
    ended: Ended = Ended()
    note: str = ""
    readings: tuple[Reading, ...] = ()


class Token(NamedTuple):
    kind: str
    text: str  # folded
    start: int
    end: int


@dataclass
class Lines:
    """What the lines of a sheet say: the `items`, in the order in which they are to be played, the tags, how pits are
    named."""

    text: str
    items: list[Item] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    pits: str = ""
    has_letters: bool = True
    tokens: int = 0


def read_lines(text: str, rules: Rules, given: Mapping[str, str]) -> Lines:
    """Read the lines of a sheet of a game by these rules. `given` are the tags that are known already."""
    return _Reader(text, rules, given).read()


class _Reader:
    def __init__(self, text: str, rules: Rules, given: Mapping[str, str]) -> None:
        self.text, self.rules, self.given = text, rules, given
        self.folded = fold(text)
        self.lines: list[list[Token]] = [[]]
        for match in _TOKEN.finditer(self.folded):
            if match.lastgroup == "newline":
                self.lines.append([])
            else:
                kind = "struck" if match["struck"] else str(match.lastgroup)
                self.lines[-1].append(Token(kind, match[0], *match.span()))
        self.found = Lines(text, tokens=sum(map(len, self.lines)))
        self.items = self.found.items
        self.columns: list[str] = []  # of a table, from its head on
        self.separator = ""
        self.owner: Side | None = None  # of the lines after its name alone
        self.system, self.in_system = 0, set[Side]()
        self.has_turns = False
        starter = rules.start().to_move
        tokens = [token for line in self.lines for token in line]
        pits = [one for one in tokens if one.kind == "move" and self._is_pit(one.text.lstrip("~")[0])]
        runs = sum(one.kind == "word" and self._is_run(one.text) for one in tokens)
        digits = sum(one.kind in ("digits", "pair") for one in tokens)
        self.found.has_letters = len(pits) + runs > 2 or 2 * (len(pits) + runs) >= digits
        self.labels = self._labels_of_turns(tokens, starter)
        counts = Counter(side for line in self.lines if (side := self._owner(line)[0]) is not None)
        self.sides_label_turns = any(count > 1 for count in counts.values()) or not any(
            line and self._owner(line)[0] is None and self._leads_with_turn(line) for line in self.lines
        )

    def read(self) -> Lines:
        for line in self.lines:
            if line:
                self._add_line(line)
        return self.found

    # What words are.

    def _is_pit(self, letter: str) -> bool:
        return ascii_letters.find(letter.lower()) in range(2 * self.rules.row)

    def _is_run(self, word: str) -> bool:
        """Whether a word may be several turns without spaces."""
        if not (word.isascii() and 2 <= len(word) and all(map(self._is_pit, word))):
            return False
        return len(word) == 2 or all(one.islower() != two.islower() for one, two in zip(word, word[1:], strict=False))

    def _is_side_letter(self, text: str) -> bool:
        return text in "SN" and not ascii_letters.index(text.lower()) < self.rules.row

    def name(self, side: Side) -> str:
        value = self.given.get(str(side)) or self.found.tags.get(str(side), "")
        return "" if value == "?" else value

    def _side_of(self, word: str) -> Side | None:
        """The side that a word names: by its own word, or a player's name or first name."""
        word = word.casefold().strip(" .:-")
        if word in SIDE_WORDS:
            return SIDE_WORDS[word]
        if len(word) == 1 and self._is_side_letter(word.upper()):
            return Side("sn".index(word))
        for side in Side:
            name = self.name(side).casefold()
            if word and (word == name or word in name.split()) and word not in self.name(side.other).casefold().split():
                return side
        return self.labels.get(word)

    def _labels_of_turns(self, tokens: Sequence[Token], starter: Side) -> dict[str, Side]:
        """The two names that stand before turns, if no line says which side each is: who is first begins."""
        found: Counter[str] = Counter()
        for at, token in enumerate(tokens):
            word = token.text.casefold()
            known = (*FILLERS, *TURN_WORDS, *CAPTURES, *LOST, *PASSES, *NUMBERS, *SIDE_WORDS, *LABELS, *COLUMNS)
            if token.kind != "word" or not token.text[0].isupper() or len(word) < 2 or word in known:
                continue
            after = (one for one in tokens[at + 1 :] if one.kind not in ("gap", "dash") and one.text.casefold() not in FILLERS)
            following = next(after, None)
            if following and following.kind in ("move", "digits", "laid") and "\n" not in self.text[token.end : following.start]:
                found[word] += 1
        if len(found) != 2 or any(self.given.get(str(side), "?") != "?" for side in Side):
            return {}
        return dict(zip(found, (starter, starter.other), strict=True)) if min(found.values()) > 1 or found.total() == 2 else {}

    # Lines.

    def _add(self, meaning: str, start: int, end: int, **more: object) -> Item:
        item = Item(meaning, start, end, **more)  # type: ignore[arg-type]
        self.items.append(item)
        return item

    def _ask(self, start: int, end: int, note: str, *readings: Reading) -> None:
        """Mark a part that must be answered. That it is a comment can always be said."""
        text = self.text[start:end]
        start, end = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        self._add("wrong", start, end, note=note, readings=(*readings, comment_reading(self.text, start, end)))

    def _add_line(self, line: list[Token]) -> None:
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        if not any(token.kind not in ("gap", "dash", "other") for token in line):
            if re.search(r"[^\W_]", words) or any(token.kind == "other" and token.text not in "=+*#" for token in line):
                self._ask(start, end, ErrorText("what does this say?"))
            elif len(words.strip()) in (1, 2) and "-" in words and self.has_turns:
                self._ask(start, end, ErrorText("is a turn missing here?"))
            return
        if (tag := _TAG.fullmatch(words)) is not None:
            self._add_tag(start, end, tag["label"], self.text[start + tag.start("value") : start + tag.end("value")])
        elif self._add_row(line) or self._add_owned(line):
            return
        elif len(words) <= MAX_WORDS and self._add_heading(start, words):
            return
        elif self._leads_with_turn(line):
            self._add_turns(line)
        else:
            begin = _TURNS_BEGIN.search(self.folded, start, end)
            at = next((at for at, token in enumerate(line) if begin and token.start >= begin.start()), len(line))
            if at and at < len(line):
                self._add_line(line[:at])
                self._add_turns(line[at:])
            else:
                self._add_words(line)

    def _add_heading(self, start: int, words: str) -> bool:
        """Add a line of what stands around the turns: facts, names, a date, an end."""
        parts = [match.span() for match in re.finditer(r"(?:(?!\s{2,}|[;|\t]|,\s*\w+\s*:)[^\n])+", words)]
        labelled = [(_LABEL.fullmatch(words, *part), part) for part in parts]
        if labelled and all(match and self._tag_of(match) for match, _ in labelled):
            for match, part in labelled:
                if match is not None:
                    value = self.text[start + match.start("value") : start + match.end("value")].strip(' "')
                    self._add_tag(start + part[0], start + part[1], self._tag_of(match), value)
            return True
        names = None if self.has_turns else self._names_in(words)
        if names is not None:
            for side, (begin, stop) in names.items():
                name = " ".join(self.text[start + begin : start + stop].split())
                if name.casefold() not in SIDE_WORDS:
                    self.found.tags.setdefault(str(side), name[:MAX_VALUE])
            self._add("name", start, start + len(words))
            return True
        counted = _COUNTED.fullmatch(words)
        if counted and LABELS.get(counted["label"].casefold()) in ("Round", "Board"):
            self._add_tag(start, start + len(words), LABELS[counted["label"].casefold()], counted["value"])
            return True
        begins = vocabulary.BEGINS.search(words.casefold())
        side = self._side_of(words[: begins.start()]) if begins else None
        if begins and side is not None and not words[begins.end() :].strip(" ."):
            self._add_first(start, start + len(words), side)
            return True
        said = pits_said(words)
        if said and not self.has_turns:
            self.found.pits = said
            self._add("fact", start, start + len(words), note=ErrorText("read as: %(what)s", what=PITS[said]))
            return True
        ended = find_end(words, [self.name(side) for side in Side])
        if ended.is_all and (ended.is_said or self.found.has_letters):
            self._add("result", start, start + len(words), ended=ended)
            return True
        return False

    def _tag_of(self, match: re.Match[str]) -> str:
        """The tag that a label means; empty if it is none, or the label of turns."""
        label = match["label"].casefold()
        tag = LABELS.get(label, "")
        if tag in ("South", "North") and self.sides_label_turns and self._pits_only(match["value"]):
            return ""
        return tag

    def _add_first(self, start: int, end: int, side: Side) -> None:
        if not {"Setup", "Race"} & self.given.keys():
            self.found.tags.setdefault("First", str(side))
        self._add("fact", start, end)

    def _add_tag(self, start: int, end: int, tag: str, value: str) -> None:
        """Add a line that says what it is about, such as ``Date: 3 May 1974``."""
        names = [self.name(side) for side in Side]
        if tag in ("Result", "Score", "Termination"):
            ended = find_end(value, names)
            if ended.is_all:
                self._add("result", start, end, rest=tag, ended=ended)
            else:
                self._ask(start, end, ErrorText("how did the game end?"))
        elif tag == "Date":
            self._add_date(start, end, value, find_date(fold(value)))
        elif tag == "First":
            side = self._side_of(value)
            if side is None:
                self._ask(start, end, ErrorText("which side begins?"))
            else:
                self._add_first(start, end, side)
        elif tag == "Pits":
            self.found.pits = value
            if set(value.split()) - {*PITS, "any-case"}:
                self._ask(start, end, ErrorText("how are the pits named?"))
            else:
                self._add("fact", start, end)
        elif tag == "Players":
            spans = self._names_in(value)
            for side, (begin, stop) in (spans or {}).items():
                self.found.tags.setdefault(str(side), value[begin:stop].strip()[:MAX_VALUE])
            if spans:
                self._add("name", start, end)
            else:
                self._ask(start, end, ErrorText("who are the players?"))
        else:
            self.found.tags.setdefault(tag, " ".join(value.split())[:MAX_VALUE])
            self._add("name" if tag in ("South", "North") else "fact", start, end)

    def _add_date(self, start: int, end: int, value: str, day: Day | None) -> None:
        if day is not None and len(day.dates) == 1:
            self.found.tags.setdefault("Date", day.dates[0])
            self._add("fact", start, end, note=ErrorText("read as: %(what)s", what=day.dates[0]))
        elif day is not None:
            readings = [Reading(one, start, end, f'[Date "{one}"]') for one in day.dates]
            self._ask(start, end, ErrorText("%(text)s: in which century?", text=value.strip()), *readings)
        elif re.fullmatch(r"[\d?]{4}(?:\.[\d?]{2}\.[\d?]{2})?", value):
            self.found.tags.setdefault("Date", value if "." in value else f"{value}.??.??")
            self._add("fact", start, end)
        else:
            self._ask(start, end, ErrorText("%(text)s is no day of the calendar", text=value.strip()))

    def _names_in(self, words: str) -> dict[Side, tuple[int, int]] | None:
        """Where the names of the players stand in a line of nothing else, by side."""
        for pattern in (r"\s{2,}|[,;|\t/]", NAMES_APART.pattern):
            spans, begin = [], 0
            for gap in re.finditer(pattern, words, re.IGNORECASE):
                spans.append((begin, gap.start()))
                begin = gap.end()
            spans = [span for span in (*spans, (begin, len(words))) if words[slice(*span)].strip()]
            sided = {}
            for begin, end in spans:
                match = _SIDED.fullmatch(words, begin, end) or _NAMED.fullmatch(words, begin, end)
                side = self._side_of(match["side"]) if match else None
                if match is None or side is None or self._is_turns(match["name"]) or not re.search(_LETTER, match["name"]):
                    break
                sided[side] = match.span("name")
            if len(sided) == len(spans) in (1, 2):
                return sided
            if len(spans) == 2 and all(_is_name(words[slice(*span)]) for span in spans):
                ends = [find_end(words[slice(*span)], ["", ""]) for span in spans]
                texts = [words[slice(*span)].strip(" .:").casefold() for span in spans]
                sides = [text in SIDE_WORDS for text in texts]
                if not any(one.is_said for one in ends) and sides[0] == sides[1] and not any(map(self._is_turns, texts)):
                    order = [SIDE_WORDS[text] for text in texts] if all(sides) else list(Side)
                    return dict(zip(order, spans, strict=True))
        if words.strip(" .:").casefold() in {self.name(side).casefold() for side in Side} - {""}:
            return {}
        return None

    def _pits_only(self, words: str) -> bool:
        """Whether words are nothing but turns."""
        kinds = {match.lastgroup for match in _TOKEN.finditer(fold(words))}
        return bool(kinds & {"move", "digits"}) and kinds <= {"move", "digits", "number", "gap", "dash", "arrow", "glyph"}

    def _is_turns(self, words: str) -> bool:
        found = [match for match in _TOKEN.finditer(fold(words)) if match.lastgroup not in ("gap", "dash")]
        return bool(found) and all(
            match.lastgroup in ("move", "digits", "number") or self._is_run(match[0]) for match in found
        ) and not re.fullmatch(r"\W*\w\.\s*\w\.\W*", words)

    def _owner(self, line: Sequence[Token]) -> tuple[Side | None, int]:
        """Whose line it is, by the word at its beginning, and the index of what follows."""
        at = next((at for at, token in enumerate(line) if token.kind != "gap"), 0)
        if not line or line[at].kind not in ("word", "move"):
            return None, 0
        end = at + 1
        while end < len(line) and line[end].kind in ("word", "gap") and ":" not in line[end].text and end < at + 6:
            if line[end].kind == "word" and self._side_of(self.folded[line[at].start : line[end].end]) is None:
                break
            end += 1
        side = self._side_of(self.folded[line[at].start : line[end - 1].end])
        if side is None and (match := re.match(rf"\s*(?P<label>\w+)\s*\((?P<side>{_SIDES}|[SN])\)", self.folded[line[0].start : line[-1].end], re.I)):
            side, end = self._side_of(match["side"]), at + 3
        while side is not None and end < len(line) and line[end].kind in ("gap", "dash"):
            end += 1
        return side, end

    def _add_owned(self, line: list[Token]) -> bool:
        """Add a line of the turns of one side, behind its name; or the name alone, before such lines."""
        side, begin = self._owner(line)
        if side is None:
            return False
        rest = line[begin:]
        if not rest:
            if not self._block_follows(line):
                return False
            self.owner = side
            self._begin_system(side)
            self._add("name", line[0].start, line[-1].end)
            return True
        kinds = [token.kind for token in rest]
        text = self.folded[rest[0].start : rest[-1].end]
        if not self._pits_only(text) or kinds.count("number") not in (0, kinds.count("move"), kinds.count("digits")):
            return False
        if not self.sides_label_turns and ":" in self.folded[line[0].start : rest[0].start]:
            return False
        self._add("name", line[0].start, line[begin - 1].end)
        self._begin_system(side)
        self._add_turns(rest, side, self.system)
        return True

    def _begin_system(self, side: Side) -> None:
        """Begin a line of a side; one that has such a line already begins the next lines that belong together."""
        if self.system == 0 or side in self.in_system:
            self.system += 1
            self.in_system.clear()
        self.in_system.add(side)

    def _block_follows(self, line: list[Token]) -> bool:
        """Whether turns follow a line with a name alone, and another such line after them."""
        after = [one for one in self.lines[self.lines.index(line) + 1 :] if one]
        names = [at for at, one in enumerate(after) if self._owner(one)[0] is not None and self._owner(one)[1] == len(one)]
        if self.owner is not None:
            return True
        return bool(names) and names[0] > 0 and all(map(self._leads_with_turn, after[: names[0]]))

    # Tables.

    def _cells(self, line: Sequence[Token], separator: str) -> list[tuple[int, int]]:
        start, end = line[0].start, line[-1].end
        spans, begin, quoted = [], start, False
        for at in range(start, end + 1):
            if at == end or (self.folded[at] == separator and not quoted):
                spans.append((begin, at))
                begin = at + 1
            elif self.folded[at] == '"':
                quoted = not quoted
        return spans

    def _cell(self, span: tuple[int, int]) -> str:
        return self.folded[slice(*span)].strip(' "\t*')

    def _add_row(self, line: list[Token]) -> bool:
        """Add a row of a table, or its head."""
        if self.columns:
            cells = self._cells(line, self.separator)
            if 1 < len(cells) <= len(self.columns) + 1:
                self._add_cells(line, cells)
                return True
        for separator in _SEPARATORS:
            cells = self._cells(line, separator)
            texts = [self._cell(cell).casefold().rstrip(".") for cell in cells]
            if len([text for text in texts if text]) < 2 or self.has_turns:
                continue
            columns = [COLUMNS.get(text) or (str(side) if (side := self._side_of(text)) is not None else "") for text in texts]
            names = [at for at, text in enumerate(texts) if text and not columns[at] and _is_name(text)]
            if len(names) == 2 and {"number", "turn"} & {*columns} and not {"pit", "side"} & {*columns}:
                for side, at in zip(Side, names, strict=True):
                    columns[at] = str(side)
                    name = self.text[slice(*cells[at])].strip(' "\t*')
                    self.found.tags.setdefault(str(side), name[:MAX_VALUE])
            sides = {"South", "North"} <= {*columns}
            columns = [("number" if sides or "pit" in columns or columns.index("turn") < at else "pit") if one == "turn" else one
                       for at, one in enumerate(columns)]  # fmt: skip
            if columns.count("number") > 1 and "pit" not in columns and not sides:
                columns[max(at for at, one in enumerate(columns) if one == "number")] = "pit"
            known = [one for one, text in zip(columns, texts, strict=True) if one or not text]
            if len(known) == len(columns) and (sides or "pit" in columns):
                self.columns, self.separator = columns, separator
                self._add("name", line[0].start, line[-1].end)
                return True
        return False

    def _add_cells(self, line: list[Token], cells: Sequence[tuple[int, int]]) -> None:
        side: Side | None = None
        count = len(self.items)
        for column, (start, end) in zip((*self.columns, ""), cells, strict=False):
            tokens = [token for token in line if start <= token.start < end]
            text = self._cell((start, end))
            if not re.search(r"[^\s\"*:-]", text) and not (column in ("South", "North", "pit") and "-" in text):
                continue
            if column == "side":
                side = self._side_of(text)
                if side is None:
                    self._ask(start, end, ErrorText("whose turn is this?"))
                else:
                    self._add("name", start, end)
            elif column == "number" and re.fullmatch(r"#?\d+[.):]?", text):
                self._add("number", start, end, number=int(re.sub(r"\D", "", text)))
            elif column == "captured" and re.fullmatch(r"[x+]?\d{1,4}", text, re.IGNORECASE):
                self._add("claim", start, end, number=int(re.sub(r"\D", "", text)), rest="x")
            elif column in ("remark", "time"):
                self._add("remark", start, end)
            elif column in ("South", "North"):
                self._add_turns(tokens, Side[column.upper()])
            elif column == "pit":
                self._add_turns(tokens, side)
            elif tokens:
                self._add_turns(tokens)
        row, first = self.items[count:], self.rules.start().to_move
        if {"South", "North"} <= {*self.columns}:  # who begins may have the right column
            numbers = [item for item in row if item.side is None and item.meaning == "number"]
            by_side = [item for side in (first, first.other) for item in row if item.side is side]
            others = [item for item in row if item not in numbers and item not in by_side]
            if not others:
                self.items[count:] = numbers + by_side

    # Turns.

    def _leads_with_turn(self, line: Sequence[Token]) -> bool:
        """Whether the first word that is not beside the matter is a turn."""
        tokens = [token for token in line if token.kind not in ("gap", "dash", "arrow", "clock", "remark", "struck", "dots")]
        for at, token in enumerate(tokens):
            word = token.text.casefold().rstrip(".")
            following = tokens[at + 1] if at + 1 < len(tokens) else None
            if token.kind in ("number", "ordinal") or (token.kind == "bracket" and re.fullmatch(r".\s*\d+\s*.", token.text)):
                if following is None:
                    return token.kind == "number"
                continue
            if token.kind == "digits":
                if following is None or following.kind in ("digits", "move", "laid", "pair", "glyph"):
                    return True
                continue
            if token.kind in ("move", "laid", "pair"):
                if self._is_side_letter(token.text[0]) and len(token.text) == 1 and following is not None:
                    continue
                plain = following is not None and following.kind == "word" and not self._among_turns(following.text)
                return not plain or at > 0
            if token.kind == "word" and (self._side_of(word) is not None or word in FILLERS):
                continue
            if token.kind == "word" and word in TURN_WORDS and following and following.kind in ("number", "digits", "ordinal"):
                continue
            if token.kind == "glyph":
                return at > 0
            if token.kind == "word" and self._is_run(token.text):
                return len(word) > 2 or following is None or following.kind != "word" or self._among_turns(following.text)
            return token.kind == "word" and (word in NUMBERS or word in PASSES) and (at > 0 or following is None)
        return False

    def _among_turns(self, word: str) -> bool:
        word = word.casefold()
        known = word in PASSES or word in CAPTURES or word in FILLERS or word in NUMBERS
        return known or self._side_of(word) is not None or self._is_run(word)

    def _add_turns(self, line: Sequence[Token], owner: Side | None = None, system: int = 0) -> None:
        """Add the words of a line of turns. `owner`: whose they all are, in a line of a `system`."""
        if owner is None and self.owner is not None:
            owner, system = self.owner, self.system
        side, at, has_turn = owner, 0, False  # a side is that of the next turn
        names = [self.name(one) for one in Side]
        before = len(self.items)
        while at < len(line):
            token = line[at]
            kind, text, word = token.kind, token.text, token.text.casefold()
            following = next((one for one in line[at + 1 :] if one.kind not in ("gap", "dash")), None)
            rest = self.text[token.start : line[-1].end]
            is_end = not self.text[line[-1].end :].strip()
            at += 1
            if kind in ("sign", "pair") and is_end and (kind == "sign" or has_turn and self._is_score(text)):
                ended = find_end(fold(rest), names)
                if ended.is_all:
                    self._add("result", token.start, line[-1].end, ended=ended)
                    break
            if kind in ("gap", "arrow") or (kind == "dots" and side is None and has_turn is False and following):
                continue
            if kind in ("number", "ordinal") or (kind == "bracket" and not has_turn and re.fullmatch(r"\W\s*\d+\s*\W", text)):
                self._add("number", token.start, token.end, number=int(re.sub(r"\D", "", text)), rest=text)
                side, has_turn = owner, False
            elif kind == "word" and word in TURN_WORDS and following and following.kind in ("number", "digits", "ordinal"):
                self._add("gap", token.start, token.end)
                if following.kind == "digits" and not has_turn:
                    at = line.index(following) + 1
                    self._add("number", following.start, following.end, number=int(following.text), rest="turn")
            elif kind == "remark":
                self._add("remark", token.start, token.end)
            elif kind == "clock":
                self._add("remark", token.start, token.end)
            elif kind == "struck":
                self._add("remark", token.start, token.end)
            elif kind == "glyph" and has_turn and self.folded[token.start - 1].strip():
                self._add("glyph", token.start, token.end, rest=text)
            elif kind == "bracket":
                self._add_bracket(token)
            elif kind in ("move", "word") and following and self._side_of(word) is not None and (kind == "word" or len(text) == 1) and (
                following.kind in ("move", "digits", "laid") or following.text.casefold() in FILLERS or following.text.casefold() in NUMBERS
            ):
                self._add("name", token.start, token.end)
                side = self._side_of(word)
            elif kind == "move" or kind == "laid":
                self._add_turn(token.start, token.end, text, side)
                side, has_turn = owner, True
            elif kind == "pair" and not self.found.has_letters:
                for match in re.finditer(r"\d+", text):
                    self._add_digits(token.start + match.start(), token.start + match.end(), match[0], side)
                side, has_turn = owner, True
            elif kind == "digits":
                self._add_digits(token.start, token.end, text, side)
                side, has_turn = owner, has_turn or not self.found.has_letters
            elif kind == "word" and word in NUMBERS and not self.found.has_letters:
                self._add_digits(token.start, token.end, str(NUMBERS[word]), side)
                side, has_turn = owner, True
            elif kind == "word" and word in PASSES:
                self._add("move", token.start, token.end, pit="--", side=side)
                side, has_turn = owner, True
            elif kind == "word" and word in FILLERS:
                self._add("gap", token.start, token.end)
            elif kind == "word" and self._is_run(text):
                for offset, letter in enumerate(text):
                    self._add_turn(token.start + offset, token.start + offset + 1, letter, side)
                side, has_turn = owner, True
            elif kind == "word" and word in CAPTURES and has_turn and following and (
                following.text.isdecimal() or following.text.casefold() in NUMBERS
            ):
                at = line.index(following) + 1
                seeds = next((one for one in line[at:] if one.kind != "gap"), None)
                if seeds and seeds.text.casefold() in SEEDS:
                    at = line.index(seeds) + 1
                number = NUMBERS.get(following.text.casefold()) or int(following.text)
                self._add("claim", token.start, line[at - 1].end, number=number, rest="x")
            elif kind == "dash":
                self._add("dash", token.start, token.end, side=side)
            elif kind == "word" and len(re.sub(r"x$", "", word)) == 1 and following and following.kind == "digits":
                at = line.index(following) + 1
                self._add_turn(token.start, following.end, f"{text}{following.text}", side)
            elif kind == "other" and text in "+*" and has_turn and following and following.kind == "digits":
                at = line.index(following) + 1
                self._add("claim", token.start, following.end, number=int(following.text), rest="x" if text == "+" else "")
            else:
                at = self._add_rest(line, at - 1, has_turn)
                side = owner
        for item in self.items[before:]:
            item.system = system
        self.has_turns |= any(item.meaning in ("move", "digits") for item in self.items[before:])

    def _is_score(self, text: str) -> bool:
        seeds = [int(number) for number in re.findall(r"\d+", text)]
        return self.found.has_letters or 0 in seeds or max(seeds) > 2 * self.rules.row

    def _add_turn(self, start: int, end: int, text: str, side: Side | None) -> None:
        match = _PIT.fullmatch(re.sub(r"\s", "", text))
        if match is None or "@" in text or "~" in text:
            self._add("move", start, end, pit=text, side=side)
            return
        rest = re.sub(r"^([<>]*)X(?=\d)", r"\1x", match["rest"])
        self._add("move", start, end, pit=match["pit"], rest=rest, side=side)

    def _add_digits(self, start: int, end: int, text: str, side: Side | None) -> None:
        self._add("digits", start, end, pit=text, number=int(text[:6]), side=side)

    def _add_bracket(self, token: Token) -> None:
        inner = token.text[1:-1].strip()
        claim = re.fullmatch(r"(?:[x+]|takes |captures )?\s*(\d{1,4})(?: seeds?)?", inner, re.IGNORECASE)
        laps = re.fullmatch(r"(\d{1,3}) laps?", inner)
        if claim or laps:
            number = int((claim or laps)[1])  # type: ignore[index]
            exact = "" if inner[0].isdigit() and "seed" not in inner else "x"
            self._add("claim", token.start, token.end, number=number, rest="laps" if laps else exact)
        elif STRUCK.search(inner.casefold()) and self.items and self.items[-1].meaning in ("move", "digits"):
            last = self.items.pop()
            text = self.text[last.start : last.end]
            struck = Reading(ErrorText("it was crossed out"), last.start, token.end, f"~~{text}~~")
            self._ask(last.start, token.end, ErrorText("was %(text)s crossed out?", text=text), struck,
                      Reading(ErrorText("it stands"), last.start, token.end, text))  # fmt: skip
        elif re.fullmatch(r"\d{1,2}:\d\d(:\d\d)?", inner) or not self._holds_turn(inner):
            self._add("remark", token.start, token.end)
        else:
            self._ask(token.start, token.end, ErrorText("is this a comment?"))

    def _add_rest(self, line: Sequence[Token], at: int, has_turn: bool) -> int:
        """Add words among turns, up to the next number or the next turn of a named side; return where they end."""
        end = at + 1
        while end < len(line) and line[end].kind not in ("number", "remark", "struck"):
            if self._side_of(line[end].text) is not None and end + 2 < len(line) and self.has_turns:
                following = next((one for one in line[end + 1 :] if one.kind not in ("gap", "dash")), None)
                if following and following.kind == "move":
                    break
            end += 1
        start, stop = line[at].start, line[end - 1].end
        words = self.folded[start:stop]
        last = self.items[-1] if self.items else None
        ended = find_end(words, [self.name(side) for side in Side])
        if has_turn and last and last.meaning == "move" and words.split()[0].casefold() in DIRECTIONS:
            self.items.pop()
            start = last.start
            text = self.text[last.start : last.end]
            readings = [Reading(f"{text}{sign}", start, stop, f"{text}{sign}") for sign in ("", "<", ">")]
            self._ask(start, stop, ErrorText("which way was it sown?"), *readings)
        elif has_turn and not ended.is_said and not self._holds_turn(words):
            self._add("remark", start, stop)
        else:
            is_last = not self.text[stop:].strip() and ended.is_all
            self._ask(start, stop, ErrorText("does this hold a turn, or the end?"), *([_result_reading(self.text, start, stop)] if is_last else []))
        return end

    def _holds_turn(self, words: str) -> bool:
        """Whether words could hold a turn, or say that one is missing."""
        tokens = [Token(str(match.lastgroup), match[0], *match.span()) for match in _TOKEN.finditer(fold(words))]
        before = ""
        has_plain = sum(token.kind == "word" and len(token.text) > 2 for token in tokens) > 1
        for at, token in enumerate(tokens):
            word = token.text.casefold()
            if token.kind in ("number", "ordinal", "laid", "position", "other", "dots") or "?" in token.text:
                return True
            if token.kind == "word" and len(token.text) == 1:
                return True
            if token.kind in ("digits", "pair") and len(token.text) < 4:
                return True
            if token.kind == "move" and not (word == "a" and before in BEFORE_ARTICLE and token.text == "a" and at + 2 < len(tokens)):
                return True
            if token.kind == "word":
                if word in NUMBERS or word in LOST or word in PASSES or (self._is_run(token.text) and not (has_plain and len(word) > 2)):
                    return not (has_plain and word in ("he", "be"))
                before = word
        return False

    def _add_words(self, line: Sequence[Token]) -> None:
        """Add a line of words: a date with a place, the player that it is about, a remark, or what must be asked."""
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        position = next((token for token in line if token.kind == "position"), None)
        names = [self.name(side) for side in Side]
        ended = find_end(words, names) if len(words) <= MAX_WORDS else Ended()
        day = find_date(words) if len(words) <= MAX_WORDS else None
        owner = self._owner(line)[0]
        if position is not None:
            self._ask_position(start, end)
        elif day is not None and not self._holds_turn(words[: day.start] + " " + words[day.end :]):
            for begin, stop in ((0, day.start), (day.end, len(words))):
                if re.search(r"\w", words[begin:stop]):
                    self._add("remark", start + begin, start + stop)
            self._add_date(start + day.start, start + day.end, words[day.start : day.end], day)
            self.items.sort(key=lambda item: item.start if item.start >= start else -1)
        elif ended.is_said or owner is not None or self._holds_turn(words):
            self._ask(start, end, ErrorText("is this a turn, the end, or a comment?"))
        else:
            self._add_plain(line)

    def _add_plain(self, line: Sequence[Token]) -> None:
        """Add words that hold no turn as comments, but what stands in braces by itself."""
        begin = None
        for token in (*line, Token("remark", "", line[-1].end, line[-1].end)):
            if token.kind in ("remark", "struck"):
                if begin is not None and self.folded[begin : token.start].strip(" ,.;:"):
                    self._add("remark", begin, token.start)
                begin = None
                if token.text:
                    self._add("remark", token.start, token.end)
            elif begin is None and token.kind != "gap":
                begin = token.start

    def _ask_position(self, start: int, end: int) -> None:
        text = " ".join(self.text[start:end].split())
        readings = []
        try:
            Position.parse(text)
            readings.append(Reading(ErrorText("the game begins here"), start, end, f'[Setup "{text}"]'))
        except RecordsError:
            pass
        self._ask(start, end, ErrorText("what is this position?"), *readings)


def _is_name(text: str) -> bool:
    return len(re.findall(_LETTER, text)) >= 2 and not re.search(r"\d", text) and len(text) <= 80


def comment_reading(text: str, start: int, end: int) -> Reading:
    """That a part of a sheet is a comment."""
    words = " ".join(text[start:end].translate(str.maketrans("{}", "()")).split())
    return Reading(ErrorText("a comment"), start, end, f"{{{words}}}")


def _result_reading(text: str, start: int, end: int) -> Reading:
    return Reading(ErrorText("how the game ended"), start, end, f"\n{text[start:end].strip()}")
