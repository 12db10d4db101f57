"""A second reading of the turns, for ways of writing that no list of words knows: the game says what each value means.

A value is a letter that stands alone, or a number. Values that stand alike (behind the same word or sign, or in the
same column) have the same role: a pit, or one of `ROLES`. A layout gives each value of some lines a role. It is a
reading only if every role is true of the game that its pits play: a number counts, a side is to move, a capture was
captured. No value is left out, so that a layout explains all of its lines but words, and these may be none that must be
asked about.

A layout is proved if its turns could hardly be legal by chance (`SURE_CHANCE`), or if the sheet numbers them and says
how pits are named. A sheet is taken without a question only if its one layout is proved.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import ascii_letters
from types import MappingProxyType
from typing import NamedTuple

from inkeek.records.errors import Budget, RecordsError
from inkeek.records.moves import PASS, IllegalMove, Move, Turn
from inkeek.records.notation.dates import without_date
from inkeek.records.position import Position, Side, pit_letter
from inkeek.records.rules.play import Rules
from inkeek.records.text import fold

from . import words as known
from .tokens import LETTER, STRUCK, SheetItem, split
from .words import PITS, Ended, find_end

MAX_TURNS, MAX_STEPS = 6_000, 36_000  # different turns that are tried for a sheet, and values that are tried in all
MAX_STARTS, MAX_ENDS = 10, 6  # lines where the turns may begin and end
MIN_TURNS = 8  # of a game that proves its layout
FREQUENT = 3  # a word that stands so often is layout
# That the turns of a side are legal by chance. Below `SURE_CHANCE` a layout is proved: a tenth, for all orders at once.
# Below `CHANCE` it is where the numbers of the turns prove their order.
CHANCE = 0.1
SURE_CHANCE = CHANCE / 8
_PIT = "pit"
# What a value may be besides a pit, each with how an item says it; the first that is true of all counts.
ROLES = {
    "round": "number", "ply": "number", "visit": "number", "side": "name", "side before": "name", "x": "claim",
    "x of other": "claim", "store": "claim", "store south": "claim", "store north": "claim", "laps": "claim",
    "any": "claim", "store of one": "claim", "last pit": "remark",
}  # fmt: skip
_NAMES = frozenset(role for role, kind in ROLES.items() if kind == "name")
_ATOM = re.compile(
    rf"""(?P<newline>\n)|(?P<space>[^\S\n]+)|(?P<remark>\{{[^{{}}]*\}})|(?P<struck>{STRUCK})
    |(?P<date>\d\d?(?P<dot>[./-])\d\d?(?P=dot)\d{{4}}(?![\d,])|\d{{4}}-\d\d-\d\d(?![\d,]))
    |(?P<stamp>(?:\d{{1,4}}[./-]\d\d?[./-]\d{{1,4}},?\s+)?\d\d?:\d\d(?::\d\d)?)
    |(?P<times>[xX](?=\s?\d))|(?P<digits>\d+|[①-⑳])|(?P<letter>[A-Za-z](?=[xX]\d|(?!{LETTER}|')))
    |(?P<word>{LETTER}+(?:'{LETTER}+|·{LETTER})*)|(?P<choice>(?<=[A-Za-z\d\s])(?:[<>][^\S\n]?)+(?<!\s))|(?P<sign>.)""",
    re.VERBOSE,
)
_VALUES = ("digits", "letter", "pass")
_PUNCTUATION = ".,;:!()[]\"'-/&+=|"
_SEPARATORS = "\t|;,"
_TAB = 24  # characters, as wide as a cell
_CELLS = r"\s{2,}|\s*\|\s*"
# A range of letters, and what a heading may say that is never of a turn.
_HARMLESS = re.compile(r"(?<=\w)…(?=\w)|\bso on\b")
# Words that may take back or replace a turn, where they are no part of the layout.
_REFUSED = (known.LOST - {"turn"}) | {"no", "not", "sorry", "wrong", "instead", "tried", "said", "recounted", "or"}


class _Atom(NamedTuple):
    kind: str
    text: str
    start: int
    end: int
    line: int
    number: int = 0


class _Value(NamedTuple):
    atom: int
    is_letter: bool
    text: str
    number: int
    key: tuple[object, ...]
    rest: str = ""  # which way is chosen

    @property
    def pit(self) -> int:
        """Of the pit that it would name, from 0."""
        return ascii_letters.index(self.text.lower()) if self.is_letter else self.number - 1


class _Way(NamedTuple):
    """An order in which the atoms of some lines may be read, with their values."""

    order: Sequence[int]
    values: list[_Value]
    is_by_rows: bool = False  # a side's turns stand together, in rows or a list of its own
    labels: Mapping[str, Side] = MappingProxyType({})  # the words above the list of one side only


@dataclass
class Layout:
    """Turns from `start` to `end` of a sheet, as items for all that is said there.

    `pits` is how the pits are named, and `turns` are the moves. `sides` are the words that stand before turns of one
    side only, and `labels` all that names a side. `scores` are South's and North's seeds at the end, as they may be
    counted.
    """

    start: int
    end: int
    pits: str
    is_cased: bool
    has_own_case: bool  # capitals are South's
    has_letters: bool
    items: list[SheetItem]
    turns: tuple[str, ...]
    sides: dict[str, Side]
    is_proved: bool
    is_ordered: bool  # it would be proved if the sheet said how pits are named
    chance: float  # that the turns of a side are legal though they mean nothing
    starter: Side
    scores: tuple[tuple[int, int], ...]
    is_over: bool
    is_whole: bool  # its last line has as many turns as others
    labels: Mapping[str, Side]
    above: str  # what stands above the turns

    @property
    def says_sides(self) -> bool:
        """Whether it says by itself which turns are South's. Capitals alone do not: where North begins in the notation,
        South may begin with capitals of its own."""
        has_initials = {"s", "n"} <= self.labels.keys()
        return self.has_own_case or has_initials or any(label in known.SIDE_WORDS for label in self.labels)

    def score_in(self, said: str) -> str:
        """The seeds of both at the end, if words have these numbers and no others; empty if they have not."""
        numbers = [int(number) for number in re.findall(r"\d+", re.sub(r"\d+(?::\d\d)+", "", self._named(said)))]
        score = next((one for one in self.scores if sorted(one) == sorted(numbers)), None)
        return f"{score[0]}-{score[1]}" if score else ""

    def _named(self, said: str) -> str:
        """Words with the sides in place of their labels, of words that begin with an initial, and of ``player 1``."""
        initials = {label for label in self.labels if len(label) == 1 and label.isalpha()}
        labels = {**self.labels}
        for label, side in self.labels.items():  # WEST = Ardo
            for found in re.finditer(rf"(?<!\w){re.escape(label)}\s*=\s*({LETTER}+)", self.above, re.IGNORECASE):
                labels.setdefault(found[1].casefold(), side)

        def name(found: re.Match[str]) -> str:
            word = found[0].casefold()
            is_name = word[0] in initials and re.search(rf"\b{found[0].capitalize()}\b", self.above)
            label = word if word in labels else word[0] if is_name else ""
            return str(labels[label]) if label else found[0]

        numbers = "|".join(label for label in self.labels if label.isdecimal())
        if numbers:
            said = re.sub(rf"[^\W\d_]+ ({numbers})(?!\d)", lambda found: str(self.labels[found[1]]), said)
        return re.sub(r"[^\W\d_]+", name, said)

    def names_fit(self, names: Mapping[Side, str]) -> bool | None:
        """Whether labels that are the name or the initial of one player only stand at that player's turns; None if
        there is no such label."""
        fits = None
        for label, side in self.labels.items():
            named = [
                one
                for one, name in names.items()
                if any(word == label or word[0] == label for word in re.findall(r"[^\W\d_]+", name.casefold()))
            ]
            if len(named) == 1 and not {"s", "n"} <= self.labels.keys():  # fmt: skip
                fits = fits is not False and named[0] is side
        return fits

    def end_in(self, said: str) -> Ended:
        """How the game ended by words with these names of the sides."""
        return find_end(self._named(said), ["", ""])

    def has_names(self, said: str) -> bool:
        """Whether words are these names of the sides, in full or by their initials, and say no other side of one."""
        named, sides = [], []
        for word in re.findall(r"[^\W\d_]+", said.casefold()):
            label = word if word in self.labels else word[0]
            if label in self.labels:
                if known.SIDE_WORDS.get(word, self.labels[label]) is not self.labels[label]:
                    return False
                named.append(self.labels[label])
            elif word in known.SIDE_WORDS:
                sides.append(known.SIDE_WORDS[word])
        return bool(named) and sides in ([], named) and not re.search(r"\d", said)

    def may_mean_more(self, said: str, line: str, is_above: bool) -> bool:
        """Whether words of a line above or below the turns may be more than a comment: an end, who begins, or another
        turn."""
        said = known.HARMLESS.sub("", without_date(said))
        folded = said.casefold()
        if not is_above and known.says_stop(said) and not {*re.findall(r"[^\W\d_]+", folded)} & self.labels.keys():
            return False
        score, ended = self.score_in(said), find_end(folded, ["", ""])
        is_open = ended.result in ("", "*") and ended.termination in ("", "abandoned", "time") and not self.is_over
        if ended.is_said and not (score and is_open):
            return True
        if is_above:
            begins = known.BEGINS.fullmatch(folded)
            if begins is not None:
                return not self._is_first(begins["side"])
            is_short = len(line.split()) <= 3 and self._has_pit(folded)
            plain = _HARMLESS.sub("", folded)
            return bool(is_short or known.UNSURE.search(plain) or known.CHANGED.search(plain))
        if known.DITTO.search(folded):
            return False
        if known.UNSURE.search(folded) or known.CHANGED.search(folded):
            return True
        if (begins := known.BEGINS.fullmatch(folded)) and self._is_first(begins["side"]):
            return False
        if not (self.is_whole or self.is_over or score or known.STOPPING.search(folded)):
            return True
        numbers = {int(one) for one in re.findall(r"\d+", folded)}
        if self.is_over and numbers <= {*self.scores[0], *self.scores[1]}:
            return False
        words = {*re.findall(r"\w+", folded)} & {*known.NUMBERS, *known.LOST, *known.PASSES} - {"continued"}
        has_pit = bool(numbers) or (self.has_letters and self._has_pit(folded))
        return bool((has_pit and not score) or words)

    def _is_first(self, said: str) -> bool:
        words = {*re.findall(r"\w+", said)}
        return bool(words & {"i", "me"}) or any(self.labels.get(word) is self.starter for word in words)

    def _has_pit(self, folded: str) -> bool:
        return bool(re.search(r"(?<!\w)[a-z](?!\w)" if self.has_letters else r"\d", folded))


@dataclass
class _Play:
    """A game so far, with what each kind of value may still be."""

    positions: list[Position]
    roles: dict[tuple[object, ...], str | frozenset[str]] = field(default_factory=dict)
    moves: list[Move] = field(default_factory=list)
    turn: Turn | None = None
    sides: dict[tuple[str, tuple[object, ...], str], Side] = field(default_factory=dict)  # by role, key and text
    movers: dict[int, Side] = field(default_factory=dict)  # by atom: who plays there
    chances: tuple[float, float] = (1.0, 1.0)
    rounds: int = 1
    visits: int = 1
    numbers: int = 0
    claims: list[tuple[int, tuple[object, ...], int]] = field(default_factory=list)  # behind which move, key, number

    @property
    def last_move(self) -> Move | None:
        return self.moves[-1] if self.moves else None

    def copy(self) -> _Play:
        return replace(
            self, positions=[*self.positions], roles={**self.roles}, moves=[*self.moves], sides={**self.sides},
            movers={**self.movers}, claims=[*self.claims],
        )  # fmt: skip


def pit_of(text: str, index: int, naming: str, row: int, mover: Side, starter: Side, is_cased: bool) -> str:
    """The letter of a pit in the notation, of one that is named by a letter or a number, from 0; empty if there is no
    such pit."""
    is_round = naming.startswith("round")
    if not 0 <= index < (2 * row if is_round else row):
        return ""
    if is_round:
        pit = (index if naming == "round-left" else row - 1 - index) + row * starter
        return pit_letter(pit % (2 * row), row)
    side = Side(text.isupper()) if is_cased and text.isalpha() else mover
    is_turned = naming in ("right", ("columns", "columns-north")[side.other])
    return pit_letter(row * side + (row - 1 - index if is_turned else index), row)


class LayoutReader:
    """Finds the layouts of a sheet."""

    def __init__(self, text: str, rules: Rules) -> None:
        self.text, self.rules, self.folded = text, rules, fold(text)
        self.starter = rules.start().to_move
        self.has_south_capitals = known.has_south_capitals(text)
        self.steps = 0
        self.budget = Budget(MAX_TURNS)
        self._turns: dict[tuple[Position, str, Move | None], tuple[Turn | None, bool]] = {}
        self.atoms: list[_Atom] = []
        line, slips = 0, known.slipped_numbers(self.folded)
        for match in _ATOM.finditer(self.folded):
            kind, said = match.lastgroup or "sign", match[0]
            kind = next((name for name in ("struck", "date") if match[name]), kind)
            kind = "sign" if text[match.start()] in "ºª°" else kind  # of an ordinal number
            number = 0
            if kind == "digits":
                number = slips.get(match.start()) or int(said[:6]) if said.isdecimal() else ord(said) - ord("①") + 1
            elif kind == "word" and said.casefold() in known.NUMBERS:
                kind, number = "digits", known.NUMBERS[said.casefold()]
            elif kind == "word" and said.casefold() in known.PASSES:
                kind = "pass"
            self.atoms.append(_Atom(kind, said, *match.span(), line, number))
            line += kind == "newline"
        self._count_in_roman()
        for at, atom in enumerate(self.atoms[:-2]):  # the article, and who writes
            after = self.atoms[at + 2]
            if atom.text in ("A", "I") and after.kind == "word" and after.text.islower() and self._is_rare(after.text):
                self.atoms[at] = atom._replace(kind="word")
        letters = {atom.text.casefold() for atom in self.atoms if atom.kind == "letter"}
        self.has_initials = {"s", "n"} <= letters  # of South and North
        self.words = Counter(atom.text.casefold() for atom in self.atoms if atom.kind == "word")

    def _count_in_roman(self) -> None:
        """Take for numbers what counts the lines in Roman numerals."""
        begins = [at for at, atom in enumerate(self.atoms) if atom.kind in ("letter", "word") and self._is_first(at)]
        found = [(at, self.atoms[at]._replace(kind="digits", number=value)) for at in begins
                 if (value := known.ROMAN_NUMBERS.get(self.atoms[at].text, 0))]  # fmt: skip
        if len(found) >= FREQUENT and [atom.number for _, atom in found] == [*range(1, len(found) + 1)]:
            for at, atom in found:
                self.atoms[at] = atom

    def _is_rare(self, word: str) -> bool:
        return word not in known.CAPTURES and sum(atom.text == word for atom in self.atoms) == 1

    def _heads(self, play: _Play, line: int) -> dict[str, Side]:
        """The words at the head of the two columns in which the pits of each side stand, above their first line."""
        texts = self.folded.split("\n")[:line]
        head = next((text for text in reversed(texts) if re.search(LETTER, text)), "").expandtabs(_TAB)
        cells, first = split(_CELLS, head), self.folded.split("\n")[line].expandtabs(_TAB)
        if head.count("|") != first.count("|") or ("|" not in head and len(cells) != len(split(_CELLS, first))):
            return {}
        found: dict[int, set[Side]] = {}
        for at, side in play.movers.items():
            begin = self._begin_of(at)
            column = len(self.folded[begin : self.atoms[at].start].expandtabs(_TAB))
            cell = max((i for i, (start, _) in enumerate(cells) if start <= column), default=-1)
            found.setdefault(cell, set()).add(side)
        sides = {cell: next(iter(said)) for cell, said in found.items() if cell >= 0 and len(said) == 1}
        if len(found) != 2 or {*sides.values()} != {*Side}:
            return {}
        words = {
            side: {*re.findall(rf"{LETTER}{{2,}}", head[slice(*cells[cell])].casefold())}
            for cell, side in sides.items()
        }
        return {word: side for side in Side for word in words[side] - words[side.other]}

    def _is_first(self, at: int) -> bool:
        before = next((one for one in reversed(self.atoms[:at]) if one.kind != "space"), None)
        return before is None or before.kind == "newline"

    def read(self, namings: Sequence[str]) -> list[Layout]:
        """The readings of the most lines, each with other turns than the others."""
        lines = sorted({atom.line for atom in self.atoms if atom.kind in ("digits", "letter")})
        namings = namings if len(namings) == 1 else ()  # whose end is meant, the game must say
        for last in reversed(lines[-MAX_ENDS:]):
            found: dict[tuple[str, ...], Layout] = {}
            for first in lines[:MAX_STARTS]:
                for layout in self._layouts(first, last, namings):
                    found.setdefault(layout.turns, layout)
            if self._is_spent:  # other readings were not tried
                return []
            if found:  # what leaves lines out, and is not proved, is no rival of what does not
                proved = [one for one in found.values() if one.is_proved]
                whole = min(found.values(), key=lambda one: one.start)
                rivals = [one for one in found.values() if one.start <= whole.start or one.is_proved]
                return [whole] if proved == [whole] and len(rivals) == 1 else [*found.values()]
        return []

    @property
    def _is_spent(self) -> bool:
        return self.steps >= MAX_STEPS or len(self._turns) >= MAX_TURNS

    def _layouts(self, first: int, last: int, namings: Sequence[str]) -> Iterator[Layout]:
        span = [at for at, atom in enumerate(self.atoms) if first <= atom.line <= last]
        if not span:
            return
        letters = {self.atoms[at].text for at in span if self.atoms[at].kind == "letter"}
        is_mixed = len({letter.isupper() for letter in letters}) > 1
        for way in self._ways(span) if self._is_plain(span) else self._lists(span):
            values = way.values
            if not self._is_plain(way.order):
                continue
            for has_letters in (True, False):
                if sum(value.is_letter is has_letters for value in values) < MIN_TURNS:
                    continue
                if not way.is_by_rows and not self._is_even(values, has_letters):
                    continue
                # Letters name pits as the notation does, if that fits.
                for naming in namings or (("left", *PITS) if has_letters else PITS):
                    found = False
                    for is_cased in (True, False) if has_letters and is_mixed else (False,):
                        for play in self._search(values, has_letters, naming, is_cased):
                            layout = self._layout(way, play, naming, has_letters, is_cased, bool(namings))
                            if layout is not None:
                                found = True
                                yield layout
                        if found:
                            break
                    if found and has_letters and not namings:
                        break

    def _ways(self, span: Sequence[int]) -> Iterator[_Way]:
        yield _Way(span, self._context_keys(span))
        for way in (
            _Way(span, self._column_keys(span)),
            _Way(halves := self._halves(span), self._column_keys(halves)),
            *self._lists(span),
            self._on_its_side(span),
        ):
            if FREQUENT * len({value.key for value in way.values}) <= len(way.values):
                yield way
        values = self._context_keys(span, has_two=True)
        if 2 * FREQUENT * len({value.key for value in values}) <= len(values):  # so many keys could fit by chance
            yield _Way(span, values)

    def _is_even(self, values: Sequence[_Value], has_letters: bool) -> bool:
        """Whether the first and the last line may have a turn that is written as others are."""
        lines: dict[int, set[object]] = {}
        for value in values:
            if value.is_letter is has_letters:
                lines.setdefault(self.atoms[value.atom].line, set()).add(value.key)
        ends = {min(lines), max(lines)}
        counts = Counter(key for keys in lines.values() for key in keys)
        return len(lines) == 1 or all(any(counts[key] > 1 for key in lines[line]) for line in ends)

    def _is_plain(self, span: Sequence[int]) -> bool:
        """Whether the words among the turns say nothing that must be asked."""
        lines = {self.atoms[at].line for at in span}
        texts = self.folded.split("\n")
        for line in lines:
            said = texts[line].casefold()
            rare = (word for word in re.findall(r"\w+|\W+", said) if self.words[word] < FREQUENT)
            ended = find_end("".join(rare), ["", ""])
            is_legend = known.pits_said(texts[line], self.starter, self.rules.row) or known.DITTO.search(said)
            is_end = ended.is_said and (ended.is_all or find_end(re.sub(r"\d", " ", said), ["", ""]).is_said)
            if is_legend or is_end or known.UNSURE.search(said) or known.CHANGED.search(said):
                return False
        stamps = [self.atoms[at] for at in span if self.atoms[at].kind == "stamp"]
        if stamps and len(stamps) < FREQUENT:
            return False
        signs = Counter(self.atoms[at].text for at in span if self.atoms[at].kind in ("sign", "word"))
        for at in span:  # a letter or a sign may be a turn that is not readable
            atom = self.atoms[at]
            is_letter = atom.kind == "word" and len(atom.text) == 1 and not atom.text.isascii()
            is_last = atom.text == "-" and self.folded[atom.end :].lstrip(" \t")[:1] in ("", "\n")
            is_odd = atom.kind == "sign" and (atom.text not in _PUNCTUATION or is_last)
            if (is_letter or is_odd) and signs[atom.text] < FREQUENT:
                return False
        words = {self.atoms[at].text.casefold() for at in span if self.atoms[at].kind == "word"}
        return not any(self.words[word] < FREQUENT for word in words & _REFUSED)

    # What stands alike.

    def _rest_of(self, at: int) -> str:
        """The ways chosen behind a value."""
        behind = [one for one in self.atoms[at + 1 : at + 3] if one.kind != "space"][:1]
        return re.sub(r"\s", "", behind[0].text) if behind and behind[0].kind == "choice" else ""

    def _context_keys(self, span: Sequence[int], has_two: bool = False) -> list[_Value]:
        """Values by what stands before them (`has_two`: and the word before that), and the sign at once behind them; a
        ditto mark says what stands above."""
        found = []
        above: dict[tuple[object, ...], _Value] = {}
        for at in span:
            atom = self.atoms[at]
            is_ditto = atom.text == '"' and self._is_alone(at)
            if atom.kind not in _VALUES and not is_ditto:
                continue
            around = [one for one in self.atoms[max(0, at - 8) : at] if one.kind not in ("space", "choice")]
            around = [one for one in around if one.line == atom.line and one.kind not in ("newline", "stamp")]
            left = self._left_of(around)
            before = around[-2].text.casefold() if has_two and len(around) > 1 and around[-2].kind == "word" else ""
            after = re.match(r"[):º°=]|\.(?![ \t]*(?:\n|$))", self.folded[atom.end :])  # a sentence ends with a dot
            key = (left, before, after[0] if after else "", "digits" if is_ditto else atom.kind)
            if not is_ditto:
                above[key] = _Value(at, atom.kind == "letter", atom.text, atom.number, key, self._rest_of(at))
                found.append(above[key])
            elif key in above:
                found.append(above[key]._replace(atom=at))
        return found

    def _left_of(self, around: Sequence[_Atom]) -> str:
        """What stands before a value in its line: a sign, a word that is frequent, or what kind of value."""
        if not around:
            return "^"
        before = around[-1]
        if before.kind in _VALUES:
            return before.kind
        left = before.text.casefold()
        return left if before.kind != "word" or self.words[left] > 1 else "word"

    def _column_keys(self, span: Sequence[int]) -> list[_Value]:
        """Values by where they stand in their line; a ditto mark says what stands above."""
        counts = Counter(self.atoms[at].text for at in span if self.atoms[at].text in tuple(_SEPARATORS))
        lines = len({self.atoms[at].line for at in span})
        separator = next((sign for sign in _SEPARATORS if counts[sign] >= lines), "")
        found: list[_Value] = []
        above: dict[tuple[object, ...], _Value] = {}
        line, cell, index = -1, 0, 0
        for at in span:
            atom = self.atoms[at]
            if atom.line != line:
                line, cell, index = atom.line, 0, 0
            if separator and atom.text == separator:
                cell, index = cell + 1, 0
            elif atom.kind in _VALUES:
                key = (cell, index, atom.kind)
                value = _Value(at, atom.kind == "letter", atom.text, atom.number, key, self._rest_of(at))
                above[cell, index] = value
                found.append(value)
                index += 1
            elif atom.text == '"' and (cell, index) in above and (separator or self._is_alone(at)):
                found.append(above[cell, index]._replace(atom=at))
                index += 1
        return found

    def _lines_of(self, span: Sequence[int]) -> dict[int, list[int]]:
        """The values of each line that has any."""
        lines: dict[int, list[int]] = {}
        for at in span:
            if self.atoms[at].kind in _VALUES:
                lines.setdefault(self.atoms[at].line, []).append(at)
        return lines

    def _lists(self, span: Sequence[int]) -> Iterator[_Way]:
        """The lines of two lists in turn, each of a player, with lines that have no turns between them."""
        texts = self.folded.split("\n")
        lines = [
            line for line in self._lines_of(span) if not known.pits_said(texts[line], self.starter, self.rules.row)
        ]
        half = len(lines) // 2
        if half < FREQUENT:
            return
        for one, two in ((lines[: len(lines) - half], lines[len(lines) - half :]), (lines[half:], lines[:half])):
            between = range(min(one[-1], two[-1]) + 1, max(one[0], two[0]))
            if not between or any(known.UNSURE.search(texts[line].casefold()) for line in between):
                continue
            due = {line: 2 * at + (line in two) for part in (one, two) for at, line in enumerate(part)}
            listed = [at for at in span if self.atoms[at].line not in between]
            order = sorted(listed, key=lambda at: due.get(self.atoms[at].line, len(due)))
            heads = [self._head_above(texts[: part[0]]) for part in (one, two)]
            sides = (self.starter, self.starter.other)
            labels = {word: side for side, head in zip(sides, heads, strict=True)
                      for word in head if (word in heads[0]) != (word in heads[1])}  # fmt: skip
            yield _Way(order, self._context_keys(order), is_by_rows=True, labels=labels)

    def _head_above(self, lines: Sequence[str]) -> set[str]:
        """The words of the last line that has any."""
        said = next((line for line in reversed(lines) if re.search(LETTER, line)), "")
        return {*re.findall(rf"{LETTER}{{2,}}", said.casefold())}

    def _on_its_side(self, span: Sequence[int]) -> _Way:
        """The columns of a table whose rows are the turns' numbers and each side's turns, in blocks of lines."""
        blocks: list[list[list[int]]] = []
        last = -2
        for line, values in self._lines_of(span).items():
            blocks += [[]] if line > last + 1 else []
            blocks[-1].append(values)
            last = line
        rows = len(blocks[0]) if blocks else 0
        longest = max((len(row) for block in blocks for row in block), default=0)
        if not 1 < rows < 6 or longest < FREQUENT or any(len(block) != rows for block in blocks):
            return _Way((), [])
        found = []
        for block in map(self._in_columns, blocks):
            for column in range(longest):
                for place, row in enumerate(block):
                    if column in row:
                        atom = self.atoms[row[column]]
                        found.append(
                            _Value(row[column], atom.kind == "letter", atom.text, atom.number, (place, atom.kind),
                                   self._rest_of(row[column]))
                        )  # fmt: skip
        if len(found) < sum(len(row) for block in blocks for row in block):
            return _Way((), [])
        values = [value.atom for value in found]
        return _Way([*values, *sorted({*span} - {*values})], found, is_by_rows=True)

    def _in_columns(self, block: Sequence[Sequence[int]]) -> list[dict[int, int]]:
        """The values of each row by the column of the longest one, with whose cells others are flush."""
        longest = max(block, key=len)

        def edges(at: int) -> set[tuple[int, int]]:
            begin = self._begin_of(at)
            return {(0, self.atoms[at].start - begin), (1, self.atoms[at].end - begin)}

        found = []
        for row in block:
            flush = ((i, at) for at in row for i, one in enumerate(longest) if edges(at) & edges(one))
            found.append(dict(enumerate(row) if len(row) == len(longest) else flush))
        return found

    def _halves(self, span: Sequence[int]) -> Sequence[int]:
        """The left halves of all lines, then their right halves, where each line has the same values twice."""
        lines = self._lines_of(span)
        most = max(map(len, lines.values()))
        whole = [line for line in lines.values() if len(line) == most]
        if most % 2 or len(whole) < FREQUENT or most < 4:
            return ()
        columns = [self.atoms[line[most // 2]].start - self._begin_of(line[0]) for line in whole]
        left = [at for at in span if self.atoms[at].start - self._begin_of(at) < min(columns)]
        return [*left, *sorted({*span} - {*left})]

    def _begin_of(self, at: int) -> int:
        return self.folded.rfind("\n", 0, self.atoms[at].start) + 1

    def _is_alone(self, at: int) -> bool:
        around = [self.atoms[i] for i in (at - 1, at + 1) if 0 <= i < len(self.atoms)]
        return all(one.kind in ("space", "newline") for one in around)

    # The game.

    def _search(self, values: Sequence[_Value], has_letters: bool, naming: str, is_cased: bool) -> Iterator[_Play]:
        """The games that the values are true of. Where a kind of value first stands, it is taken for a pit, then for
        all else that is true of it."""
        stack = [(0, _Play([self.rules.start()]))]
        while stack and not self._is_spent:
            at, play = stack.pop()
            while at < len(values):
                value = values[at]
                role = play.roles.get(value.key, _PIT if self.atoms[value.atom].kind == "pass" else None)
                if role is None:
                    if value.is_letter is has_letters:
                        other = play.copy()
                        other.roles[value.key] = frozenset(ROLES)
                        stack.append((at, other))
                        role = _PIT
                    else:
                        role = frozenset(ROLES)
                    play.roles[value.key] = role
                if role == _PIT:
                    if not self._play(play, value, naming, is_cased):
                        break
                else:
                    self.steps += 1
                    true = self._true_roles(play, value, role, naming, is_cased)  # type: ignore[arg-type]
                    if not true:
                        break
                    play.roles[value.key] = true
                    if not value.is_letter and play.moves:
                        play.claims.append((len(play.moves), value.key, value.number))
                at += 1
            else:
                if len(play.moves) >= MIN_TURNS:
                    yield play

    def _play(self, play: _Play, value: _Value, naming: str, is_cased: bool) -> bool:
        position, row = play.positions[-1], self.rules.row
        if self.atoms[value.atom].kind == "pass":
            if self.rules.is_legal(position, PASS):
                self._add(play, self.rules.play(position, PASS, play.last_move, self.budget))
                return True
            return False
        index = value.pit
        for rest in dict.fromkeys((value.rest, value.rest.removesuffix(">"))):
            pit = pit_of(value.text, index, naming, row, position.to_move, self.starter, is_cased)
            if not pit:
                return False
            turn, must_pass = self._turn(position, pit + rest, play.last_move)
            if must_pass and (not play.moves or play.moves[-1] != PASS):
                self._add(play, self.rules.play(position, PASS, play.last_move, self.budget))
                return self._play(play, value, naming, is_cased)
            if turn is None:
                continue
            play.movers[value.atom] = position.to_move
            mover = position.to_move
            share = sum(map(bool, position.pits[row * mover :][:row])) / row
            south, north = play.chances
            play.chances = (south * share, north) if mover is Side.SOUTH else (south, north * share)
            self._add(play, turn)
            return True
        return False

    def _turn(self, position: Position, move: str, last: Move | None) -> tuple[Turn | None, bool]:
        """A turn, if it is legal; and whether the side must pass instead."""
        self.steps += 1
        key = (position, move, last)
        if key not in self._turns:
            try:
                self._turns[key] = self.rules.play(position, Move.parse(move), last, self.budget), False
            except IllegalMove as error:
                self._turns[key] = None, error.legal == (PASS,)
            except RecordsError:
                self._turns[key] = None, False
        return self._turns[key]

    def _add(self, play: _Play, turn: Turn) -> None:
        before, position = turn.before, turn.position
        play.turn = turn
        play.moves.append(turn.move)
        play.positions.append(position)
        if position.to_move is not before.to_move:
            play.visits += 1
            play.rounds += position.to_move is self.starter

    def _true_roles(
        self, play: _Play, value: _Value, roles: frozenset[str], naming: str, is_cased: bool
    ) -> frozenset[str]:
        """Those of some roles that are true of a value where it stands."""
        turn, number = play.turn, value.number
        true = {role for role in roles & _NAMES if self._is_side(play, value, role)}
        if turn is not None and "last pit" in roles and self._is_last(turn, value, naming, is_cased):
            true.add("last pit")
        if not value.is_letter:
            due = {"round": play.rounds, "ply": len(play.moves) + 1, "visit": play.visits}
            counted = {role for role in roles & due.keys() if due[role] == number}
            play.numbers = max(play.numbers, number) if counted else play.numbers
            true |= counted | (roles & self._true_claims(turn, number) if turn else set())
        return frozenset(true)

    def _true_claims(self, turn: Turn, number: int) -> set[str]:
        """The roles of a claim that are true of a number beside a turn."""
        position, mover, pit = turn.position, turn.before.to_move, turn.move.pit
        stores, gained = position.stores, position.stores[mover] - turn.before.stores[mover]
        counts = {
            "x": (turn.captured[mover], gained),
            "x of other": (turn.captured[mover.other],),
            "laps": (turn.laps,),
            "store": (stores[mover],),
            "store south": (stores[0],),
            "store north": (stores[1],),
            "store of one": stores,
            "any": (turn.before.pits[turn.move.pit_index(self.rules.row)],) if pit and pit.isalpha() else (),
        }
        return {role for role, numbers in counts.items() if number in numbers}

    def _is_side(self, play: _Play, value: _Value, role: str) -> bool:
        """Whether a value may name who is to move, or who moved last: a value a side; S and N together are no
        other's."""
        if role == "side before":
            if play.turn is None:
                return False
            mover = play.turn.before.to_move
        else:
            mover = play.positions[-1].to_move
        said = value.text.casefold()
        known_side = {"s": Side.SOUTH, "n": Side.NORTH}.get(said, mover) if self.has_initials else mover
        by = (role, value.key)
        others = [one for (*which, word), one in play.sides.items() if (*which,) == by and word != said]
        if known_side is not mover or play.sides.get((*by, said), mover) is not mover or mover in others:
            return False
        play.sides[*by, said] = mover
        return True

    def _is_last(self, turn: Turn, value: _Value, naming: str, is_cased: bool) -> bool:
        """Whether the last seed of a turn fell in a pit, or the turn made it special."""
        index, row = value.pit, self.rules.row
        pits = {*turn.special, *([pit_letter(turn.last_pit, row)] if turn.last_pit >= 0 else [])}
        return any(pit_of(value.text, index, naming, row, one, self.starter, is_cased) in pits for one in Side)

    # What was found.

    def _layout(
        self, way: _Way, play: _Play, naming: str, has_letters: bool, is_cased: bool, is_said: bool
    ) -> Layout | None:
        """The reading by a game; None if it begins or ends with a line without a turn, or its words contradict it."""
        span, values = way.order, way.values
        lines = sorted(self.atoms[at].line for at in span)
        played = {self.atoms[at].line for at in play.movers}
        if not way.is_by_rows and not {lines[0], lines[-1]} <= played:
            return None
        for line in {lines[0], lines[-1]} & played:  # they are written as others are
            here = {value.key for value in values if self.atoms[value.atom].line == line}
            others = {value.key for value in values if self.atoms[value.atom].line != line}
            if len(played) > 1 and not way.is_by_rows and not any(play.roles.get(key) == _PIT for key in here & others):
                return None
        cases = {(play.movers[value.atom], value.text.isupper())
                 for value in values if value.is_letter and value.atom in play.movers}  # fmt: skip
        has_own_case = cases == {(Side.SOUTH, True), (Side.NORTH, False)} and self.has_south_capitals
        if len({case for _, case in cases}) > 1 and not (is_cased or has_own_case):
            return None  # capitals that mean nothing are asked about
        sides = self._sides(way, play)
        if sides is None:
            return None
        by_atom = {value.atom: value for value in values}
        alike = Counter(value.key for value in values)
        items: list[SheetItem] = []
        for at in span:
            atom = self.atoms[at]
            value = by_atom.get(at)
            role = play.roles.get(value.key, _PIT) if value else ""
            said = next((one for one in ROLES if one in role), "") if role != _PIT else ""
            is_rare = value is not None and alike[value.key] < FREQUENT
            if value and said and ROLES[said] == "name" and alike[value.key] == 1:  # a name stands more than once
                said = next((one for one in ROLES if one in role and ROLES[one] == "claim"), said)
            before, behind = self.atoms[at - 1] if at else atom, self.atoms[min(at + 1, len(self.atoms) - 1)]
            if value and before.kind == "times" and role != _PIT:  # what a turn captured, and nothing else
                said = next((one for one in ("x", "x of other") if one in role), "")
                if not said:
                    return None
            if value and atom.kind == "pass":
                items.append(SheetItem("move", atom.start, atom.end, pit="--"))
            elif value and role == _PIT:
                pit = value.text if has_letters else str(value.number)
                end = behind.end if behind.kind == "choice" else atom.end
                items.append(SheetItem("move" if has_letters else "digits", atom.start, end, pit=pit,
                                       rest=value.rest, number=value.number))  # fmt: skip
            elif value and not (
                (ROLES[said] == "name" and alike[value.key] == 1)
                or (is_rare and (ROLES[said] == "remark" or self._may_be_turn(at, has_letters)))
            ):
                meaning = ROLES[said]
                rest = atom.text if meaning == "number" else said
                begin = before.start if before.kind == "times" else atom.start
                items.append(SheetItem(meaning, begin, atom.end, number=value.number, rest=rest))
            elif (
                value
                or atom.kind in ("remark", "struck", "stamp", "date")
                or (atom.kind == "word" and self.words[atom.text.casefold()] < FREQUENT)
            ):
                last = items[-1] if items else None
                if last and last.meaning == "remark" and not re.search(r"[\n|;\t]", self.folded[last.end : atom.start]):
                    last.end = atom.end
                else:
                    items.append(SheetItem("remark", atom.start, atom.end))
            elif atom.text in tuple("ºª°o") and atom.kind == "sign" and items:
                items[-1].end = atom.end
            elif atom.kind == "word":
                items.append(SheetItem("gap", atom.start, atom.end))
        texts = self.folded.split("\n")
        for line in range(lines[0], lines[-1]):  # between lists
            if line not in lines and re.search(r"\w", texts[line]):
                legend = known.pits_said(texts[line], self.starter, self.rules.row)
                if legend not in ("", known.NOT_SURE) and naming not in legend.split():
                    return None
                begin = sum(map(len, texts[:line])) + line
                items.append(SheetItem("remark", begin, begin + len(texts[line])))
        # Every value has a role: none was left out.
        assert all(at in by_atom for at in span if self.atoms[at].kind in _VALUES)
        start, end = self.atoms[min(span)].start, self.atoms[max(span)].end
        turns = tuple(move.choice_text for move in play.moves)
        counts = [
            role for role in play.roles.values() if isinstance(role, frozenset) and role & {"round", "ply", "visit"}
        ]
        numbered = {self.atoms[value.atom].line for value in values if play.roles.get(value.key) in counts}
        above = played - {lines[-1]}
        if lines[-1] in played - numbered and above and above <= numbered:  # with words, its numbers may be seeds
            begin = sum(map(len, texts[: lines[-1]])) + lines[-1]
            if any(one.meaning == "remark" and one.start >= begin for one in items):
                return None
        is_counted = bool(counts) and play.numbers >= min(play.rounds, play.visits, len(play.moves)) - 1
        chances = self._chances(play)
        is_named = is_said or (has_letters and naming == "left")
        is_in_order = is_counted and not way.is_by_rows and not has_letters  # only the pits' names are open
        is_ordered = (is_counted or chances[0] * chances[1] < SURE_CHANCE) and not way.is_by_rows  # whose is first?
        is_proved = max(chances) < (CHANCE if is_in_order else SURE_CHANCE) or (is_named and is_ordered)
        final = play.positions[-1]
        scores = ((final.stores[0], final.stores[1]), self.rules.final_score(final))
        is_over = self.rules.outcome(final, self.budget) is not None
        # What may name both who is to move and who moved last names nobody.
        labels = {word: side for (role, key, word), side in play.sides.items()
                  if {one for one in play.roles[key] if ROLES[one] == "name"} == {role}}  # fmt: skip
        labels |= {**{word.casefold(): side for word, side in sides.items()}, **way.labels}
        labels = {**(self._heads(play, lines[0]) if not way.is_by_rows else {}), **labels}
        pits = Counter(self.atoms[at].line for at in play.movers)
        is_whole = way.is_by_rows or pits[lines[-1]] >= Counter(pits.values()).most_common(1)[0][0]
        return Layout(start, end, naming, is_cased, has_own_case, has_letters, items, turns, sides,
                      is_proved, is_ordered, max(chances), self.starter, scores, is_over, is_whole, labels,
                      self.folded[:start])  # fmt: skip

    def _may_be_turn(self, at: int, has_letters: bool) -> bool:
        """Whether nothing but its role says that a value which is written as pits are is no pit."""
        before = next((one for one in reversed(self.atoms[:at]) if one.text != " "), None)
        is_alike = self.atoms[at].kind == ("letter" if has_letters else "digits")
        return is_alike and (before is None or before.kind in ("newline", *_VALUES))

    def _chances(self, play: _Play) -> list[float]:
        """For each side, that its turns are legal by chance, and have all that stands beside them."""
        chances, row = [*play.chances], self.rules.row
        claims: dict[int, list[tuple[frozenset[str], int]]] = {}
        for at, key, number in play.claims:
            roles = play.roles[key]
            if isinstance(roles, frozenset) and all(ROLES[one] == "claim" for one in roles):
                claims.setdefault(at, []).append((roles, number))
        for at, said in claims.items():
            before, last = play.positions[at - 1], play.moves[at - 2] if at > 1 else None
            pits = (pit_letter(row * before.to_move + index, row) for index in range(row))
            turns = [turn for pit in pits if (turn := self._turn(before, pit, last)[0]) is not None]
            fitting = sum(all(roles & self._true_claims(turn, number) for roles, number in said) for turn in turns)
            chances[before.to_move] *= max(1, fitting) / max(1, len(turns))
        return chances

    def _sides(self, way: _Way, play: _Play) -> dict[str, Side] | None:
        """The words that stand before turns of one side only, if the sheet tells sides by words; None if they are on a
        turn of the other side too."""
        movers: dict[str, list[Side]] = {}
        before: str | None = None
        span = sorted(way.order)
        if way.is_by_rows:  # the name above the first row
            lines = self.folded[: self.atoms[span[0]].start].rstrip().split("\n")
            above = re.fullmatch(r"\W*(\w+)\W*", lines[-1])
            before = above[1] if above else None
        line = self.atoms[span[0]].line
        for at in span:
            atom = self.atoms[at]
            if atom.line != line:
                before, line = before if way.is_by_rows else None, atom.line
            if atom.kind == "word" and (before is None or way.is_by_rows):
                before = atom.text
            elif at in play.movers:
                if before is not None:
                    movers.setdefault(before, []).append(play.movers[at])
                before = before if way.is_by_rows else None
        found = {}
        if way.labels:  # what stands in the lines of a list says nothing of sides
            is_said = all(known.SIDE_WORDS.get(word, side) is side for word, side in way.labels.items())
            return {} if is_said else None
        for word, sides in movers.items():
            side, times = Counter(sides).most_common(1)[0]
            said = known.SIDE_WORDS.get(word.casefold())
            if said is not None and {*sides} != {said}:
                return None
            if way.is_by_rows and len({*sides}) > 1:
                return None
            if len({*sides}) == 1 and times > 1:
                found[word] = side
            elif len(sides) > 3 and times / len(sides) >= 0.75 and len(sides) - times < len(sides) / 3:
                return None
        return found
