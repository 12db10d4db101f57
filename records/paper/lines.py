"""The lines of a sheet: what each can be, word by word. Nothing is played here.

`read_lines` makes of the text the `SheetItem`s of a sheet in their order. What it does not know becomes an item with
the meaning ``wrong``: it must be answered, with one of its readings or another text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import count, takewhile

from inkeek.records.errors import ErrorText
from inkeek.records.notation.dates import find_date, stamp_before_turn
from inkeek.records.position import Side
from inkeek.records.rules.play import Rules
from inkeek.records.text import fold

from . import words as known
from .heading import KNOWN, LABEL, MAX_WORDS, VERSUS_SAID, Heading, Lines, comment_reading, is_name, sentences
from .layouts import Layout
from .tokens import (
    ASKED,
    LETTER,
    MARKUP,
    NUMBERED,
    SHAPES,
    SURE,
    TURNS,
    Line,
    LineToken,
    SheetItem,
    SheetReading,
    code_of,
    is_run,
    number_of,
    split,
    tokenize,
)  # fmt: skip
from .words import Ended, find_end, pits_said

_RULED = re.compile(r"[\s|:+]*(?:(?:[-=_*`~#]{3,}|:-+|-+:)[\s|:+]*)+")  # a line under a head
_TAG = re.compile(r"\s*\[(?P<label>[A-Za-z]\w*) \"(?P<value>[^\"]*)\"\]\s*")
_PAIR = re.compile(r"\s*[A-Z][a-z]+\s+[-–—]\s+[A-Z][a-z]+\s*")
_COUNTING = re.compile(  # a Roman number, a number in words, or one behind a word or before a sign
    r"\s*(?P<word>(?:[^\W\d_]{1,10}\.?\s{0,2}(?=\d))?)(?P<number>[IVXL]+|[ivxl]+|\d+(?=\s*=)|"
    r"(?<=[^\W\d])\d+|(?<=[^\W\d]\s)\d+|[^\W\d_]{3,10})(?:\s*[.):=]+|(?<=\d)(?=\s))(?=\s)"
)
# What stands before turns and says whose they are: initials, a code, words, or a letter before a colon.
_OWNER = re.compile(
    rf"[^\w\s!-~]|(?:[A-Z]\.\s?)+(?:{LETTER}[\w']+)?|[A-Z]\d|{LETTER}[\w']+\.?(?:\s{LETTER}[\w'.]*){{0,3}}|{LETTER}(?=\s*:)"
)
_THEIRS = rf"(?:'s)?\s+(?:{'|'.join(known.TURN_WORDS)}|moves|turns)\b"  # Kassa's moves
_OF = re.compile(rf"{_THEIRS}\s*(?=:)", re.IGNORECASE)
_SIDE_BEHIND = re.compile(rf"(?P<name>(?-i:[^\W\d_a-z]{LETTER}+))?(?:{_THEIRS})?\s*\((?P<side>\w+)\)", re.IGNORECASE)
_LABELLED = re.compile(r"\s*[^\s:]+\s*(?:[:=]|-+\s)")
_NO_PIT = re.compile(r"(?<=[SN])\d|\.[^\S\n]*(?![SN]\b)[A-Z](?:\.|[a-z]{2})")  # behind an initial or a side
_CLAIM = re.compile(
    rf"(?P<sign>[x+]|(?:{'|'.join(known.CAPTURES)})\s)?\s*(?P<count>\d{{1,4}})(?P<seeds> seeds?)?|"
    r"(?P<laps>\d{1,3}) laps?|(?P<score>\d{1,3}\s?(?:-|:(?!\d\d))\s?\d{1,3})|(?P<clock>\d{1,2}:\d\d(?::\d\d)?)",
    re.IGNORECASE,
)  # fmt: skip
_BESIDE_NAMES = KNOWN | known.BESIDE_NAMES | {word for head in (*known.COLUMNS, *known.LABELS) for word in head.split()}


def read_lines(text: str, rules: Rules, given: Mapping[str, str], layout: Layout | None = None) -> Lines:
    """Read the lines of a sheet of a game by these rules. `given` are the tags that are known already; the turns may
    have a `layout`."""
    reader = _SheetReader(text, rules, given, layout)
    for at, line in enumerate(reader.lines):
        if layout and line and line[0].start >= layout.start and layout.items[0] not in reader.items:
            reader.add_layout(layout)
        if line and not layout:
            reader.add_line(line, at)
        elif layout and line and not layout.start <= line[0].start < layout.end:
            reader.add_outside(line)
    reader.keep_order()
    reader.verify_counts()
    reader.verify_names()
    reader.find_heading()
    said = " ".join([*reader.tags.values(), *given.values(), *reader.labels])
    reader.found.words = frozenset(re.findall(rf"{LETTER}+", fold(said).casefold()))
    reader.found.is_starter_said = bool({"First", "Setup", "Race"} & {*given, *reader.tags})
    return reader.found


def _counted(text: str) -> int:
    """The number that digits, a Roman number or a word mean; 0 if they mean none."""
    return (
        int(text)
        if text.isdecimal()
        else known.ROMAN_NUMBERS.get(text.upper()) or known.NUMBERS.get(text.casefold(), 0)
    )


def _has_turn(items: Sequence[SheetItem]) -> bool:
    return any(item.meaning in TURNS for item in items)


class _SheetReader(Heading):
    def __init__(self, text: str, rules: Rules, given: Mapping[str, str], layout: Layout | None) -> None:
        super().__init__(text, rules, given)
        if layout:  # its lines are read
            turns = re.sub(r"[^\n]", " ", self.folded[layout.start : layout.end])
            self.folded = self.folded[: layout.start] + turns + self.folded[layout.end :]
        self.lines: list[list[LineToken]] = [[]]
        for token in tokenize(self.folded):
            if token.kind == "newline":
                self.lines.append([])
            else:
                self.lines[-1].append(token)
        self.columns: list[str] = []  # of a table, from its head on
        self.separator = ""
        self.system, self.in_system = 0, set[Side]()
        self.block: Side | None = None  # whose turns stand below a line that names a side and nothing else
        self.last_owner: Side | None = None  # whose line stands above
        self.across: tuple[int, int] | None = None  # how many rounds stand in a row, and the next one
        self.has_stores = False
        self.slips = known.slipped_numbers(self.folded)
        self.fillers = self._frame()
        self._find_prefixes()
        tokens = [token for line in self.lines for token in line]
        pits = [token for token in tokens if token.kind == "move" and self.is_pit(token.text.lstrip("~")[0])]
        pits = [token for token in pits if not _NO_PIT.match(self.folded, token.end)]
        letters = len(pits) + sum(token.kind == "word" and is_run(token.text, rules.row) for token in tokens)
        spelled = sum(token.word in known.NUMBERS for token in tokens)
        digits = sum(token.kind in ("digits", "pair") for token in tokens) + sum(
            token.kind == "number" for line in self.lines for token in line[2:]
        )
        self.spells = spelled > digits  # its numbers, in words
        digits += spelled
        self.has_stores = 2 * sum(token.kind in ("pair", "sign") for token in tokens) > len(pits) > 0
        self.found.has_letters = (letters > 2 and 4 * letters >= digits) or 2 * letters >= digits
        bare = [text for line in self.lines if (text := self._bare(line))]
        self.has_staves = len(bare) > 1 and all(
            text.islower() if at % 2 == 0 else text.isupper() for at, text in enumerate(bare)
        )
        self._find_owners()
        owned = [
            line for line in self.lines if line and self._owner(line[line[0].kind == "remark" :] or line)[0] is not None
        ]
        others = [(*self._turns(line), len(line)) for line in self.lines if line and line not in owned]
        self.sides_label_turns = len(owned) > 2 or not any(stop == end and _has_turn(it) for it, stop, end in others)
        self.last = max(
            (at for at, line in enumerate(self.lines) if any(one.kind not in ("gap", "dash") for one in line)),
            default=0,
        )
        if layout:
            self.found.has_letters, self.sides_label_turns = layout.has_letters, True
            for side in Side:
                words = [word for word, of in layout.sides.items() if of is side and word.casefold() not in KNOWN]
                self.labels |= {word.casefold(): side for word in words}
                if len(words) == 1 and words[0][0].isupper() and len(words[0]) > 1:
                    self.label_names.setdefault(str(side), words[0])

    def add_layout(self, layout: Layout) -> None:
        """Add the turns that have a layout."""
        self.items += layout.items
        self.has_turns, self.found.has_letters = True, layout.has_letters

    def add_outside(self, line: list[LineToken]) -> None:
        """Add a line above or below turns that have a layout: what it says, but no turn."""
        tag = _TAG.fullmatch(self._words(line))
        if all(token.kind in ("gap", "dash") for token in line) or _RULED.fullmatch(self._words(line)):
            return
        if tag:
            begin, (start, end) = line[0].start, tag.span("value")
            self.add_fact(begin, line[-1].end, tag["label"], self.text[begin + start : begin + end])
        elif line[0].kind == "remark" and len(line) > 1:
            self.add("remark", line[0].start, line[0].end)
            self.add_outside(line[1:])
        elif not self.has_turns and self._add_row(line):
            self.columns, self.has_turns = [], False
        elif not (len(self._words(line)) <= MAX_WORDS and self._add_short(line)):
            self._add_words(line)

    def _bare(self, line: Line) -> str:
        """The letters of a line that has nothing else, and more than one of them."""
        kinds = {token.kind for token in line} - {"gap"}
        letters = "".join(token.text[0] for token in line if token.kind == "move")
        return letters if kinds == {"move"} and len(letters) > 1 else ""

    def _words(self, line: Line) -> str:
        return self.folded[line[0].start : line[-1].end] if line else ""

    # What stands before turns on many lines.

    def _frame(self) -> set[str]:
        """The words and signs that stand on so many lines of turns that they say nothing: a verb, a bracket."""
        lines = [line for line in self.lines if any(one.kind in (*TURNS, "word") for one in line)]
        tokens = [{token.word: token for token in line if self._may_frame(token)} for line in lines]
        times = Counter(word for found in tokens for word in found)
        names = {word for found in tokens for word, token in found.items() if token.text[0].isupper()}
        return {word for word in times if times[word] > max(2, len(lines) * (0.9 if word in names else 0.3))}

    def _may_frame(self, token: LineToken) -> bool:
        if token.kind == "bracket":
            return token.word[1:-1].strip() in ("", "x", "✓")  # a box
        is_sign = token.kind in ("word", "other") and token.text != "." and token.word not in known.SIDE_WORDS
        return is_sign and code_of(token, self.rules.row) in "w?f"

    def _find_prefixes(self) -> None:
        """Take for numbers what stands before lines and counts them in some way, for remarks days and times, and for
        layout dashes and stars that stand before all turns."""
        counted, stamped = [], []
        is_timed = len(re.findall(r"^\d\d?:\d\d[:\s]", self.text, re.MULTILINE)) > 2
        for line in self.lines if is_timed else ():
            line[:1] = [one._replace(kind="remark") if one.kind == "clock" else one for one in line[:1]]
        for line in self.lines:
            words = self._words(line)
            match, end = _COUNTING.match(words), stamp_before_turn(words)
            word = match["word"].strip() if match else ""
            if (
                match
                and (value := _counted(match["number"]))
                and word not in ("S", "N")
                and not self.is_pit(word or "*")
            ):
                counted.append((line, value, word.casefold(), line[0].start + match.end()))
            if end and (not _counted(words[:1]) or ":" in words[:end] or self.has_only_turns(words[end:])):
                stamped.append((line, line[0].start + end))
        counted = [one for one in counted if one[2] == counted[0][2]]
        if len(counted) > 2 and [value for _, value, _, _ in counted] == [*range(1, len(counted) + 1)]:
            for line, value, _, stop in counted:
                number = LineToken("number", str(value), line[0].start, stop)
                line[:] = [number, *(token for token in line if token.start >= stop)]
        bare = [line for line in self.lines if [one.kind for one in line if one.kind != "gap"][:2] == ["digits"] * 2]
        values = [self._number(next(one for one in line if one.kind != "gap")) for line in bare]
        for line in bare if len(bare) > 1 and values == [*range(values[0], values[0] + len(bare))] else ():
            at = next(at for at, one in enumerate(line) if one.kind != "gap")
            line[at] = line[at]._replace(kind="number")
        for line, stop in stamped if len(stamped) > 2 else ():
            stamp = LineToken("remark", self.folded[line[0].start : stop], line[0].start, stop)
            line[:] = [stamp, *(token for token in line if token.start >= stop)]

        led = []
        for line in self.lines:
            signs = [*takewhile(lambda one: one.kind in ("dash", "gap") or one.text == "*", line)]
            items, stop = self._turns(line[len(signs) :])
            if _has_turn(items) and stop == len(line) - len(signs):
                led.append((line, signs))
        if len(led) > 2 and all(any(one.text.strip() for one in signs) for _, signs in led):
            for line, signs in led:
                line[: len(signs)] = [token._replace(kind="gap") for token in signs]

    def _number(self, token: LineToken) -> int:
        """The number that a token means."""
        start = token.start + len(token.text) - len(token.text.lstrip("#("))
        return self.slips.get(start) or _counted(token.word) or number_of(token.text)

    def _is_before(self, token: LineToken) -> bool:
        """Whether a token may stand before the words that say whose a turn is."""
        is_clock = token.kind == "bracket" and re.fullmatch(r"[\d:]+", token.text[1:-1])
        return bool(is_clock) or token.kind in ("remark", "gap", "number", "digits", "clock")

    def _find_owners(self) -> None:
        """Find what stands before turns and says whose they are, if these are two: the first of them begins."""
        found: list[tuple[list[str], bool]] = []  # words, and whether a sign or a verb stands behind them
        for line in self.lines:
            start = next((one.start for one in line if not self._is_before(one)), -1)
            match = _OWNER.match(self.folded, start, line[-1].end) if start >= 0 else None
            ends = [start + word.end() for word in re.finditer(r"\S+", match[0])] if match else []
            is_initials = match is not None and re.fullmatch(r"(?:[A-Z]\.\s?){2,}|[A-Z]\d", match[0])
            for end in ends[-1:] if is_initials else ends:
                rest = [token for token in line if token.start >= end]
                behind = takewhile(lambda one: one.kind in ("gap", "dash") or self._is_filler(one), rest)
                signs = "".join(token.text for token in behind)
                rest = [token for token in rest if token.start >= end + len(signs)]
                items, stop = self._turns(rest)
                if _has_turn(items) and stop == len(rest):
                    found.append((self.folded[start:end].split(), bool(re.search(r"[:=\w]|-\s", signs))))
                    break
        owners = [(words, is_clear) for words, is_clear in found if not {word.casefold() for word in words} & KNOWN]
        names = [" ".join(words) for words, _ in owners]
        clear = {name.casefold() for name, (_, is_clear) in zip(names, owners, strict=True) if is_clear}
        folded = [name.casefold() for name in names]
        if all(name in clear or folded.count(name) > 1 for name in folded):
            self.labels |= self.take_players([one for one in names if not re.fullmatch(r"[a-z]|[SN]|\w[<>]+", one)])

    def _is_filler(self, token: LineToken) -> bool:
        return token.text in "=:" or code_of(token, self.rules.row) == "f"

    # Lines that belong together.

    def keep_order(self) -> None:
        """Let no line wait for the other side's, where each line has one turn: they stand in order."""
        turns = [(item.system, item.side) for item in self.items if item.system > 0 and item.meaning in TURNS]
        if len({*turns}) == len(turns) > 2:
            for item in self.items:
                item.system = min(item.system, 0)

    def verify_counts(self) -> None:
        """Mark numbers of one side's turns that do not count them one by one."""
        numbers: dict[Side | None, list[SheetItem]] = {}
        for at, item in enumerate(self.items):
            if item.meaning == "number" and item.system > 0:
                side = next((one.side for one in self.items[at:] if one.meaning in TURNS), None)
                numbers.setdefault(side, []).append(item)
        step = 2 if {found[0].number for found in numbers.values()} == {1, 2} else 1  # 2: all turns are counted
        for found in numbers.values():
            for due, item in zip(count(found[0].number if step == 2 else 1, step), found, strict=False):
                if item.number != due:
                    item.meaning, item.stops, item.doubt = "wrong", True, ASKED
                    why = ErrorText("turn %(number)s stands where %(wanted)s is due", number=item.number, wanted=due)
                    item.note, item.readings = why, (comment_reading(self.text, item.start, item.end),)
                    break

    def find_heading(self) -> None:
        """Find the line above turns that may say whose they all are: turns one a line, which nothing else gives to a
        side. The list of the other side may be on another sheet."""
        kinds = ("move",) if self.found.has_letters else TURNS
        turns = [item for item in self.items if item.meaning in kinds]
        lines = {self.text.count("\n", 0, item.start) for item in turns}
        cases = {item.pit.isupper() for item in turns if item.pit.isalpha()}
        sides = {item.side for item in turns}
        if len(lines) < len(turns) or len(sides) > 1 or len(cases) > 1 or self.columns:
            return
        above = [line for line in self.lines if line and turns and line[-1].end <= turns[0].start]
        above = [
            line for line in above if re.search(LETTER, self._words(line)) and not _RULED.fullmatch(self._words(line))
        ]
        if not above:
            return
        start, end = above[-1][0].start, above[-1][-1].end
        words = self.folded[start:end]
        named = [self.named_in(self._words(line)) for line in (*above[-2:-1], above[-1])]
        is_next = len(above) > 1 and self.text.count("\n", above[-2][-1].end, start) == 1
        is_pair = is_next and len({side for sides in named for side in sides}) > 1
        is_sentence = known.BEGINS.fullmatch(words) is not None and "(" not in words
        is_fact = any(item.meaning == "fact" for item in self.items if start <= item.start < end)
        is_short = len(words.split()) < 5 and not (is_fact or self.is_game(words.strip(" .:*-")))
        if len(named[-1]) < 2 and not is_pair and not is_sentence and (named[-1] or is_short):
            self.found.heading = start, end

    def verify_names(self) -> None:
        """Mark what stands as a name and is nobody's, or has the word of a side in it."""
        self.found.tags = self.tags = self.label_names | self.tags
        names = [*(self.tags.get(str(side), "") for side in Side), *self.given.values(), *self.labels]
        words = {*re.findall(rf"{LETTER}+", fold(" ".join(names)).casefold())}
        own = " ".join(self.tags.get(str(side), "") for side in Side)
        wrong = {*re.findall(rf"{LETTER}+", fold(own).casefold())} & known.SIDE_WORDS.keys()
        for item in self.items:
            said = {*re.findall(rf"{LETTER}+", self.folded[item.start : item.end].casefold())}
            initials = self.side_at(self.folded, item.start) if item.meaning == "name" else (None, 0)
            if initials[0] is not None and initials[1] >= item.end - 1 and not said & wrong:
                continue
            if item.meaning == "name" and (said - words - _BESIDE_NAMES or (len(said) > 1 and said & wrong)):
                self.ask(item.start, item.end, ErrorText("whose name is this?"))
                self.items[self.items.index(item)] = self.items.pop()

    def _owner(self, line: Line) -> tuple[Side | None, int]:
        """Whose line it is, by the words at its beginning, and where what follows begins."""
        if self.has_staves and line and (bare := self._bare(line)):
            return Side(bare.isupper()), line[0].start
        words = self._words(line)
        begin = len(words) - len(words.lstrip())
        side, end = self.side_at(words, begin)
        if same := re.match(r'\s*"[^\S\n]+', words):
            side, end = self.last_owner, same.end()
        label = _SIDE_BEHIND.match(words, end if side is not None else begin)
        if label and (said := self.side_of(label["side"])) is not None:
            side, end = said, label.end()
            if label["name"]:
                self.label_names.setdefault(str(side), label["name"])
        of = _OF.match(words, end)
        end = of.end() if side is not None and of else end
        gap = re.compile(r"[\s.:=,-]*").match(words, end)
        return side, line[0].start + (gap.end() if gap else end)

    def _begin_system(self, side: Side) -> None:
        """Begin a line of a side; one that has such a line already begins the next lines that belong together."""
        if self.system == 0 or side in self.in_system:
            self.system += 1
            self.in_system.clear()
        self.in_system.add(side)

    def _head_of(self, line: Line) -> Side | None:
        """Whose turns stand below a line that names a side and nothing else."""
        side, end = self._owner(line) if line else (None, 0)
        below = next(
            (one for one in self.lines if line and one and one[0].start > end and self._words(one).strip()), []
        )
        items, stop = self._turns(below)
        return side if line and end >= line[-1].end and stop == len(below) and _has_turn(items) else None

    def _add_block(self, line: Line) -> bool:
        """Begin the turns of a side that stand below its name, where both sides have such a line."""
        side = None if self.columns else self._head_of(line)
        if side is None or (self.block is None and {*map(self._head_of, self.lines)} < {*Side}):
            return False
        if not self.add_said(line[0].start, line[-1].end):
            self.add("name", line[0].start, line[-1].end)
        self.block = side
        self._begin_system(side)
        return True

    # A line.

    def add_line(self, line: list[LineToken], at: int) -> None:
        """Add what a line says."""
        start, end = line[0].start, line[-1].end
        words = self._words(line)
        tag, is_short = _TAG.fullmatch(words), len(words) <= MAX_WORDS
        is_layout = all(token.kind in ("gap", "dash") for token in line)
        if _RULED.fullmatch(words) or self._add_across(line):
            pass
        elif line[0].kind == "remark" and len(line) > 1 and not self.columns:
            self.add("remark", start, line[0].end)
            self.add_line(line[1:], at)
        elif not self.has_turns and (cut := self._game_at(line)):
            self.add("remark", start, line[cut - 1].end)
            if cut < len(line):
                self.add_line(line[cut:], at)
        elif is_layout and not (self.has_turns and self._add_row(line)):
            if self.has_turns and re.search(r"[^\s↓⇓>•]", re.sub(MARKUP, "", words)):
                self.ask(start, end, ErrorText("is a turn missing here?"), stops=True)
        elif tag:
            self.add_fact(start, end, tag["label"], self.text[start + tag.start("value") : start + tag.end("value")])
        elif self._add_row(line) or self._add_block(line) or (is_short and self._add_short(line)):
            pass
        elif not self.has_turns and (cut := self._first_turn(line)):
            self.add_line(line[:cut], at)
            self.add_line(line[cut:], at)
        elif not self.has_turns and is_short and (find_date(words) or _PAIR.fullmatch(words)):
            self._add_words(line)
        elif not self._add_turns(line, at):
            number = next((i for i, token in enumerate(line) if i and token.kind == "number"), len(line))
            if self.has_turns and number < len(line) and self._turns(line[number:])[1] > 1:
                self._add_words(line[:number])
                self.add_line(line[number:], at)
            else:
                self._add_words(line)

    def _game_at(self, line: Line) -> int:
        """How many of the first words are nothing but the name of the game, before nothing or names."""
        ends = [i for i in range(1, len(line) + 1) if line[i - 1].kind != "gap" and self.is_game(self._words(line[:i]))]
        rest = self.text[line[ends[-1] - 1].end : line[-1].end] if ends else ""
        return ends[-1] if ends and (not rest.strip() or self.names_in(rest.lstrip(" /:-"))) else 0

    def _first_turn(self, line: Line) -> int:
        """Where the turns of a game begin in a line that has other words before them: at the number 1, or behind names
        and a colon; 0 if they do not."""
        for at, token in enumerate(line if self._owner(line)[0] is None else ()):
            if at and token.kind in ("number", "digits") and number_of(token.text) == 1:
                turns = sum(item.meaning in TURNS for item in self._turns(line[at:])[0])
                is_first = turns > (0 if token.kind == "number" else 3)
                return at if is_first and not self._turns(line[:at])[0] else 0
            if at and token.kind == "gap" and ":" in token.text and self.has_only_turns(self._words(line[at:])):
                return at if self.names_in(self.text[line[0].start : token.start]) else 0
        return 0

    def _add_across(self, line: Line) -> bool:
        """Add the numbers of rounds that stand in a row above the turns of each side."""
        words = [token for token in line if token.kind != "gap"]
        numbers = [token for token in words if token.kind == "digits"]
        due = self.across[1] if self.across else 1
        below = next((other for other in self.lines if other and line and other[0].start > line[-1].start), [])
        if numbers == words and not (below and self._owner(below)[0] is not None):
            return False
        if len(numbers) < 2 or [int(one.text) for one in numbers] != [*range(due, due + len(numbers))]:
            return False
        if words != numbers and (words[1:] != numbers or words[0].word not in known.TURN_WORDS):
            return False
        self.across = (len(numbers), due + len(numbers))
        for token in words:
            self.add("number" if token.kind == "digits" else "gap", token.start, token.end, system=-1)
        return True

    def _add_short(self, line: Line) -> bool:
        """Add a line that says names or a fact, or how the game ended, and nothing else."""
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        below = next((one for one in self.lines if one and one[0].start > end), [])
        label, ended = LABEL.fullmatch(words), find_end(words, self.names)
        is_move = any(token.kind in ("move", "bracket") for token in line)
        if not self.has_turns and self.add_said(start, end, True, _RULED.fullmatch(self._words(below)) is not None):
            return True
        if self.has_turns and label and (tag := self.tag_of(label["label"], label["value"])):
            self.add_fact(start, end, tag, self.text[start + label.start("value") : start + label.end("value")])
            return True
        if self.has_turns and (shared := self._final_count(line)):
            self.add("result", start, end, ended=Ended(score=shared, is_all=True))
            return True
        if ended.is_all and (ended.is_said or (self.found.has_letters and not is_move)):
            self.add("result", start, end, ended=ended)
            return True
        return False

    def _final_count(self, line: Line) -> str:
        """The seeds of both at the end, if the last line of the sheet says nothing else: all that the board has, and at
        least one more than a pit's number can be, or sides before them."""
        words, start = self._words(line), self.rules.start()
        numbers = [int(number) for number in re.findall(r"\d+", words)]
        rest = re.findall(rf"{LETTER}+", words)
        sides = [side for word in rest if (side := self.side_of(word)) is not None]
        others = {word.casefold() for word in rest if self.side_of(word) is None}
        is_sure = sides in ([], [*Side], [*reversed(Side)]) and (sides or max(numbers, default=0) > 2 * self.rules.row)
        is_last = not any(one and one[0].start > line[-1].end for one in self.lines)
        is_whole = len(numbers) == 2 and sum(numbers) == sum(start.pits) + sum(start.stores)
        if not (is_last and is_whole and is_sure and others <= known.COUNT_WORDS):
            return ""
        return "-".join(map(str, reversed(numbers) if sides[:1] == [Side.NORTH] else numbers))

    # Tables.

    def _cells(self, line: Line, separator: str) -> list[tuple[int, int]]:
        if separator == " ":  # two or more stand between the cells
            return [
                (line[0].start + begin, line[0].start + end) for begin, end in split(r"\s{2,}|\t", self._words(line))
            ]
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
            if "pit" in self.columns and self.separator == " " and len(cells) != len(self.columns):
                return self._add_uneven(line)
            if 1 < len(cells) <= len(self.columns) + (self.separator != " ") and (
                self.separator != " " or len(cells) == len(self.columns)
            ):
                self._add_cells(line, cells)
                return True
        starter = self.rules.start().to_move
        for separator in () if self.has_turns else ("\t", "|", ";", ",", " "):
            cells = self._cells(line, separator)
            columns = self._columns([self._cell(cell).replace("_", " ") for cell in cells])
            sides = [column for column in columns if column in ("South", "North")]
            if not columns or (
                separator == " " and "pit" not in columns and sides != [str(starter.other), str(starter)]
            ):
                continue  # rows with who begins first are read as lines
            for side in Side:
                span = cells[columns.index(str(side))] if str(side) in columns else (0, 0)
                sided, name = self.sided_name(self.folded, *span), self._cell(span)
                if sided or ((is_name(name) or re.fullmatch(LETTER, name)) and self.side_of(name) is None):
                    self.add_names(0, {side: sided[1] if sided else span})
            self.columns, self.separator, self.has_turns = columns, separator, True
            rows = [self._cells(row, separator) for row in self.lines if row and row[0].start > line[-1].end]
            rows = [row for row in rows if len(row) == len(columns)]
            if "pit" in columns:
                pits = [self._cell(row[columns.index("pit")]) for row in rows]
                self.found.has_letters = 2 * sum(pit[:1].isalpha() for pit in pits) > len(pits)
            if "side" in columns:
                self._find_column_names([self._cell(row[columns.index("side")]) for row in rows])
            for column, cell in zip(columns, cells, strict=True):
                self.add("name" if column in ("South", "North") else "fact", *cell)
            return True
        return False

    def _add_uneven(self, line: list[LineToken]) -> bool:
        """Ask about a row in which a blank may be an empty cell, if it may hold a turn."""
        is_end = self._final_count(line) or find_end(self._words(line), self.names).is_all
        if is_end or not any(token.kind in ("digits", "number", "move") for token in line):
            return False
        self.ask(line[0].start, line[-1].end, ErrorText("is a turn missing here?"), stops=True)
        return True

    def _find_column_names(self, found: Sequence[str]) -> None:
        """The names in the column of a table that says whose turn it is, if it has nothing else."""
        if not any(self.side_of(name) is not None for name in found):
            self.labels |= self.take_players([name for name in found if name])

    def _columns(self, heads: Sequence[str]) -> list[str]:
        """What the columns below these heads are; empty if they are no heads."""
        columns = [
            known.COLUMNS.get(head.casefold())
            or self._store_column(head)
            or (str(side) if (side := self.side_of(head)) is not None else "")
            or (str(sided[0]) if (sided := self.sided_name(head, 0, len(head))) else "")
            for head in heads
        ]
        if "" in heads[: next((at for at, one in enumerate(columns) if one), 0)]:
            columns = ["number" if not head and not any(columns[:at]) else columns[at] for at, head in enumerate(heads)]
        unknown = [at for at, head in enumerate(heads) if head and not columns[at]]
        if len(unknown) == 2 and ({"number", "turn"} & {*columns} and not {"pit", "side"} & {*columns}):
            for side, at in zip(Side, unknown, strict=True):
                columns[at] = str(side) if is_name(heads[at]) or re.fullmatch(LETTER, heads[at]) else ""
        if columns.count("side") == 2:  # the second says who of the side
            columns[len(columns) - 1 - columns[::-1].index("side")] = "remark"
        if len(columns) == 3 and columns[0] == columns[2]:  # a number: "N."
            columns[0] = "number"
        sides = {"South", "North"} <= {*columns}
        turns = [at for at, one in enumerate(columns) if one in ("number", "turn")]
        for at in turns:  # the last one is the pit, if nothing else is
            is_pit = not sides and "pit" not in columns and at == turns[-1] and len(turns) > ("number" in columns)
            columns[at] = "pit" if is_pit and (columns[at] == "turn" or len(turns) > 1) else "number"
        is_head = len([head for head in heads if head]) > 1 and (
            all(one or not head for one, head in zip(columns, heads, strict=True))
            or (
                len({*columns} - {"", "remark"}) > 2
                and all(
                    one or (head.isalpha() and self.doubt(head) == SURE)
                    for one, head in zip(columns, heads, strict=True)
                )
            )
        )
        columns = [one or ("remark" if head else "") for one, head in zip(columns, heads, strict=True)]
        return columns if is_head and (sides or "pit" in columns) else []

    def _store_column(self, head: str) -> str:
        """The store of a side, by the head of a column such as ``Total N`` or ``score south``."""
        words = head.casefold().split()
        sides = [side for word in words if (side := self.side_of(word)) is not None]
        is_store = len(words) == 2 and "store" in map(known.COLUMNS.get, words)
        return f"store {sides[0] if sides else 'of one'}" if is_store else ""

    def _add_cells(self, line: list[LineToken], cells: Sequence[tuple[int, int]]) -> None:
        begin, side = len(self.items), None
        texts = [self._cell(cell).casefold() for cell in cells]
        if any({*text.split()} & known.TOTALS for text in texts):
            numbers = [int(number) for text in texts for number in re.findall(r"\d+", text)]
            rest = re.sub("|".join(known.TOTALS), "", " ".join(texts))
            if len(numbers) == 2 and re.fullmatch(r"[\d\s]*", rest):
                score = Ended(score=f"{numbers[0]}-{numbers[1]}", is_all=True)
                self.add("result", line[0].start, line[-1].end, ended=score)
            else:
                self.ask(line[0].start, line[-1].end, ErrorText("how did the game end?"))
            return
        said = (
            pits_said(self._words(line), self.rules.start().to_move, self.rules.row)
            if sum(map(bool, texts)) == 1
            else ""
        )
        if said:
            start, end = next(cell for cell, text in zip(cells, texts, strict=True) if text)
            self.add_fact(start, end, "Pits", said)
            return
        for column, (start, end) in zip((*self.columns, ""), cells, strict=False):
            tokens, text = [token for token in line if start <= token.start < end], self._cell((start, end))
            is_turn, marks = column in ("South", "North", "pit"), self.folded[start:end].strip()
            if is_turn and not text and marks not in ("", '""'):
                self.ask(start, end, ErrorText("is a turn missing here?"), stops=True)
            elif not text or (not text.strip("-") and not is_turn):
                pass
            elif tokens and all(token.kind in ("remark", "gap") for token in tokens):
                self.add("remark", start, end)
            elif column == "side" and (side := self.side_of(text)) is not None:
                self.add("name", start, end)
            elif column == "number" and re.fullmatch(r"#?(?:\d+|[①-⑳])(?:\)|st|nd|rd|th)?", text):
                digits = next(token for token in tokens if re.search(r"[\d①-⑳]", token.text))
                self.add("number", start, end, number=self._number(digits))
            elif column.split(" ")[0] in ("captured", "store") and re.fullmatch(r"[x+]?\d{1,4}", text, re.IGNORECASE):
                exact = "x" if column == "captured" else column
                self.add("claim", start, end, number=number_of(text), rest=exact, side=side)
            elif column == "store" and (counts := re.fullmatch(r"(\d{1,4})\s?[-:]\s?(\d{1,4})", text)):
                self.add("claim", start, end, rest=f"{int(counts[1])}-{int(counts[2])}")
            elif column == "time" or (column == "remark" and self.doubt(text) < ASKED):
                self.add("remark", start, end)
            elif is_turn:
                side = Side[column.upper()] if column != "pit" else side
                items, stop = self._turns(tokens, side, is_cell=True)
                self.items += items
                if stop < len(tokens):
                    self.ask(tokens[stop].start, tokens[-1].end, ErrorText("what does this say?"), stops=True)
            else:
                doubt = NUMBERED if column == "remark" and self._names_no_turn(text) else ASKED
                self.ask(start, end, ErrorText("what does this say?"), stops=True, doubt=doubt)
        self.has_turns = True
        first = self.rules.start().to_move
        if {"South", "North"} <= {*self.columns}:  # who begins may have the right column
            self.items[begin:] = sorted(
                self.items[begin:],
                key=lambda item: 3 * (item.meaning == "claim") if item.side is None else 1 + (item.side is not first),
            )

    def _names_no_turn(self, text: str) -> bool:
        """Whether words in a column of remarks name no pit and correct no turn, in a game whose pits are letters."""
        words = text.casefold()
        tokens = [token for token in tokenize(text) if token.kind != "gap"]
        is_doubtful = known.UNSURE.search(words) or known.CHANGED.search(words) or known.STOPPING.search(words)
        names_pit = any(
            token.kind not in ("word", "digits", "pair", "other", "dash", "glyph")
            or token.word in {*known.NUMBERS, *known.LOST, *known.PASSES, *known.DIRECTIONS, *known.AGAIN, "no", "not"}
            or (is_run(token.text, self.rules.row) and not (token.text.islower() and len(tokens) > 2))
            for token in tokens
        )
        return self.found.has_letters and not is_doubtful and not names_pit

    # Turns.

    def _codes(self, line: Line) -> str:
        """A letter for each token, as the grammar has it."""
        codes = [code_of(token, self.rules.row) for token in line]
        codes = ["f" if token.word in self.fillers else code for token, code in zip(line, codes, strict=True)]
        at = 0
        while at < len(line):
            token = line[at]
            side, end = self.side_at(self.folded, token.start) if token.kind in ("word", "move") else (None, 0)
            stop = next((i for i in range(at, len(line)) if line[i].start >= end), len(line)) if end else at
            after = "".join(codes[stop:]).lstrip(",->")
            if side is not None and re.match(r"[pdrP]|o|f|c", after):
                codes[at:stop] = ["S", *"s" * (stop - at - 1)]
            at = max(stop, at + 1)
        return "".join(codes)

    def _turns(self, line: Line, side: Side | None = None, is_cell: bool = False) -> tuple[list[SheetItem], int]:
        """The turns at the beginning of words, with what stands among them, and the index where these end.

        `side`: whose they are, in a line or a cell of its own."""
        items: list[SheetItem] = []
        codes, owner, at = self._codes(line), side, 0
        has_turn, is_named = False, False  # since the last number, and since the last turn
        while at < len(line) and (match := SHAPES[has_turn].match(codes, at)):
            shape, token, stop = match.lastgroup, line[at], match.end()
            start, end, text = token.start, line[stop - 1].end, token.text
            digits = next((one for one in line[at:stop] if codes[line.index(one)] in "don"), token)
            made: list[SheetItem] = []
            if shape == "number" and is_named and not self.found.has_letters and not is_cell and stop == at + 1:
                shape = "digits"
            if shape == "number":
                number = self._number(digits)
                made = [SheetItem("number", start, end, number=number, rest=digits.text)]
            elif shape == "name":
                named, end = self.side_at(self.folded, start)
                side = named
                made = [SheetItem("name", start, end)]
            elif shape == "turn":
                made = [
                    SheetItem("move", start, end, pit="--", side=side) if codes[at] == "P" else self._turn(token, side)
                ]
            elif shape == "run":
                made = [
                    self._turn(LineToken("move", one, start + i, start + i + 1), side) for i, one in enumerate(text)
                ]
            elif shape == "digits" and (
                codes[at] in "dn" or (not self.found.has_letters and codes[at] in "o2"[not self.spells :])
            ):
                if codes[at] == "2" and token.kind != "pair":
                    break
                for one in re.finditer(r"\d+" if codes[at] != "o" else r".+", text):
                    pit = str(known.NUMBERS.get(one[0].casefold(), one[0]))
                    span = start + one.start(), start + one.end()
                    number = self.slips.get(span[0], int(pit[:6]))
                    made.append(SheetItem("digits", *span, pit=pit, number=number, side=side))
            elif shape == "claim" and codes[at] == "2":
                if not (self.has_stores and re.fullmatch(r"\d+\D+\d+", text)):
                    break
                made = [
                    SheetItem("claim", start, end, rest="-".join(str(int(one)) for one in re.findall(r"\d+", text)))
                ]
            elif shape in ("claim", "told"):
                if codes[at] == "d" and not self.found.has_letters:
                    break
                rest = "x" if shape == "claim" else "told"
                made = [
                    SheetItem("claim", start, end, number=_counted(digits.word) or number_of(digits.text), rest=rest)
                ]
            elif shape == "bull" and items and len(line[stop - 1].text) == 1 and items[-1].meaning == "move":
                items[-1].rest += f"={line[stop - 1].text}"
                made = [SheetItem("gap", start, end)]
            elif shape == "special" and "special" in self.rules.info.terms:
                pit = line[stop - 1].text if codes[stop - 1] == "p" else ""
                made = [SheetItem("claim", start, end, rest=f"special {pit}")]
            elif shape == "bracket" and (bracket := self._bracket(token, has_turn)) is not None:
                made = [bracket]
            elif shape in ("remark", "filler", "glyph", "dash"):
                meaning = {"filler": "gap", "dash": "dots" if codes[at] == "." else "dash"}.get(shape, shape)
                is_told = codes[at] == "c" and not (items and items[-1].meaning == "name")
                if is_told or (codes[at] == "t" and (has_turn or not items)):
                    break
                made = [SheetItem(meaning, start, end, side=side, rest="cell" if is_cell else text)]
                if shape == "dash" and not is_cell:
                    made[0].rest = ""
            elif shape not in ("gap", "and"):
                break
            items += made
            is_named = shape == "name" or (is_named and shape in ("filler", "gap"))
            if made and made[0].meaning in ("number", *TURNS):
                side, has_turn = owner, made[0].meaning != "number"
            at = stop
        return items, at

    def _turn(self, token: LineToken, side: Side | None) -> SheetItem:
        text = token.text
        if re.search(r"\s[→⇒➔➜]$", self.text[token.start : token.end]):  # it leads to the next turn
            text = text[:-1]
        text = re.sub(r"\s", "", text)
        pit, rest = (
            (text, "") if "@" in text or "~" in text else (text[0], re.sub(r"^([<>]*)X(?=\d)", r"\1x", text[1:]))
        )
        return SheetItem("move", token.start, token.end, pit=pit, rest=rest, side=side)

    def _bracket(self, token: LineToken, has_turn: bool) -> SheetItem | None:
        """A number, a claim or a comment in brackets; None if it must be asked."""
        inner = token.text[1:-1].strip()
        if not has_turn and inner.isdecimal():
            return SheetItem("number", token.start, token.end, number=int(inner), rest=token.text)
        if inner.casefold() in known.AGAIN:  # whether the side moves again, the rules say
            return SheetItem("remark", token.start, token.end)
        claim = _CLAIM.fullmatch(inner)
        if claim is None or claim["clock"]:
            return SheetItem("remark", token.start, token.end) if claim or self.doubt(inner, True) == SURE else None
        exact = "x" if claim["sign"] or claim["seeds"] else "laps" if claim["laps"] else ""
        if claim["score"]:
            exact = "-".join(str(int(one)) for one in re.findall(r"\d+", inner))
        number = int(claim["count"] or claim["laps"] or 0)
        return SheetItem("claim", token.start, token.end, number=number, rest=exact)

    def _add_turns(self, line: list[LineToken], at: int) -> bool:
        """Add a line that begins with turns."""
        owner, begin = self._owner(line)
        behind = [token for token in line if token.start >= begin]
        if behind and behind[0].start > begin:
            behind = [*tokenize(self.folded, begin, line[-1].end)]
        if owner is None and self.block is not None:
            owner, begin, behind = self.block, line[0].start, line
        whole, stop = self._turns(behind, owner)
        named = {self.side_at(self.folded, token.start)[0] for token in behind}
        if owner is not None and stop == len(behind) and _has_turn(whole) and owner.other not in named:
            if self.block is None:
                self._begin_system(owner)
            turns, is_last = sum(item.meaning in TURNS for item in whole), at >= self.last - 1
            if self.across and (turns > self.across[0] or (turns < self.across[0] and not is_last)):
                self.ask(line[0].start, line[-1].end, ErrorText("is a turn missing here?"), stops=True)
                return True
            self.add("name", line[0].start, begin)
            self.last_owner = owner
            self._place(whole)
            return True
        items, stop = self._turns(line)
        number = any(item.meaning == "number" for item in items)
        turns = sum(item.meaning in TURNS for item in items)
        if not self.has_turns and not number and VERSUS_SAID.search(self._words(line)):
            return False
        is_named = bool(items) and items[0].meaning == "name"
        if turns + max(number, is_named and turns > 0) < (1 if stop == len(line) else 2):
            return False
        if stop < len(line) and line[0].word in ("he", "be"):
            return False
        rest = line
        while rest:
            items, stop = self._turns(rest)
            self._place(items)
            rest = rest[stop:]
            if rest:
                end = next(
                    (i for i, one in enumerate(rest) if i and one.kind in ("number", "remark", "struck")), len(rest)
                )
                others, stop = self._turns(rest[1:end])
                end = 1 if stop == end - 1 and _has_turn(others) else end
                is_between = end < len(rest) and rest[end].kind != "number"
                self._add_tail(rest[:end], at == self.last and end == len(rest), is_between)
                rest = rest[end:]
        return True

    def _place(self, items: list[SheetItem]) -> None:
        """Add the items of a line; those of a side's own line wait for its turns."""
        is_owned = self.in_system and any(item.side is not None for item in items)
        sides = {item.side for item in items if item.meaning in TURNS}
        for item in items:
            item.system = self.system if is_owned and len(sides) == 1 else 0
        self.items += items
        self.has_turns |= _has_turn(items)

    def _add_tail(self, line: Line, is_last: bool, is_between: bool) -> None:
        """Add words after turns, maybe before others in the line: the end, a comment, or what must be asked."""
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        last = next((item for item in reversed(self.items) if item.meaning in TURNS), None)
        ended = find_end(words, self.names)
        if last and words.split()[0].casefold() in known.DIRECTIONS and self.items[-1] is last:
            self.items.pop()
            text = self.text[last.start : last.end]
            readings = [SheetReading(text + sign, last.start, end, text + sign) for sign in ("", "<", ">")]
            self.ask(last.start, end, ErrorText("which way was it sown?"), *readings, stops=True)
        elif ended.is_all and is_last and line[0].kind in ("sign", "pair") and self.found.has_letters:
            self.add("result", start, end, ended=ended)
        else:
            is_after_a = last is not None and last.pit.lower() == "a" and self.items[-1] is last
            doubt = self.doubt(words)
            doubt = ASKED if line[0].kind != "bracket" and (is_after_a or (is_between and doubt)) else doubt
            says = SheetReading(ErrorText("how the game ended"), start, end, f"\n{self.text[start:end].strip()}")
            self.add_remark(start, end, doubt, *([says] if ended.is_all and is_last else []), is_behind=True)

    def _add_words(self, line: Line) -> None:
        """Add a line of words: what a heading says, a comment, or what must be asked."""
        start, end = line[0].start, line[-1].end
        words = self.folded[start:end]
        if any(token.kind == "position" for token in line):
            self.add_position(start, end)
        elif all(token.kind in ("remark", "struck", "gap", "dash") for token in line):
            for token in line:
                if token.kind in ("remark", "struck"):
                    self.add("remark", token.start, token.end)
        elif self.sides_label_turns and self._owner(line)[0] is not None and _LABELLED.match(words):
            self.ask(start, end, ErrorText("is this a turn, the end, or a comment?"), stops=True)
        elif not self.has_turns:
            self.add_head(start, end)
        elif (
            not self.found.pits
            and not known.UNSURE.search(words.casefold())
            and (said := pits_said(words, self.rules.start().to_move, self.rules.row))
        ):
            self.add_fact(start, end, "Pits", said)
        else:
            parts = [(start + begin, start + stop) for begin, stop in sentences(words)]
            ends = [find_end(self.folded[slice(*part)], self.names) for part in parts]
            if len(parts) < 2 or not all(
                (ended.is_all and ended.is_said) or self.doubt(self.folded[slice(*part)]) == SURE
                for part, ended in zip(parts, ends, strict=True)
            ):
                parts, ends = [(start, end)], [Ended()]
            for part, ended in zip(parts, ends, strict=True):
                if ended.is_all and ended.is_said:
                    self.add("result", *part, ended=ended)
                else:
                    self.add_remark(*part, self.doubt(self.folded[slice(*part)]))
