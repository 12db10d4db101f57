"""What stands above the turns of a sheet: names, days, labels, and how pits are named."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from string import ascii_letters

from inkeek.records.errors import ErrorText, RecordsError
from inkeek.records.notation.dates import DAY_OF_MONTH, Day, find_date, read_span, without_date
from inkeek.records.notation.tags import MAX_VALUE
from inkeek.records.position import Position, Side
from inkeek.records.rules.play import Rules
from inkeek.records.text import fold

from . import words as known
from .tokens import (
    ASKED,
    BETWEEN,
    JUDGED,
    LETTER,
    NAMED,
    NUMBERED,
    SURE,
    TAIL,
    SheetItem,
    SheetReading,
    is_run,
    split,
    tokenize,
)
from .words import find_end, pits_said

MAX_WORDS = 400  # characters of a line in which names, labels and ends are looked for
SIDES = "|".join(known.SIDE_WORDS)
LABEL = re.compile(rf"\s*(?P<label>{LETTER}+(?: \([^()]*\)| {LETTER}+)?)\s*\.*\s*[:=]\s*(?P<value>\S.*?)\s*")
_BARE_TAG = re.compile(rf"(?P<label>{LETTER}+) (?P<value>\S.*)")  # in brackets
_COUNTED = re.compile(rf"\s*(?P<label>{LETTER}+)\s+(?:no\.?\s*)?(?P<value>\d{{1,4}})\s*")
_STOP = (  # the end of a sentence, behind no initial and no title
    r"(?<!\bMrs)(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bvs)(?<!(?-i:'[A-Z]))(?<=[\w'][\w'])\.(?=\s|$)"
)
_SENTENCE = re.compile(rf"{_STOP}\s*|[!;](?:\s+|$)|\s{{2,}}(?=\()", re.IGNORECASE)
# What stands between the parts of a heading, that are taken apart as far as they must be.
_APART = [re.compile(pattern, re.IGNORECASE) for pattern in (
    rf"[;|\t\[\]*\n]|\s-{{2,}}\s|{_STOP}|\s{{3,}}|[,\s]\s*(?=(?:{SIDES})\s*[:=])",
    rf"\((?!\s*(?:{SIDES}|[sn])\s*\))|(?<!\()\)(?<!south\))(?<!north\))(?<!\([sn]\))",
    r",\s+|\s*:\s+|\s/\s|\s{2,}|\s+and\s+",
)]  # fmt: skip
VERSUS_SAID = re.compile(r"(?<!\w)(?:v|vs|versus|against|dhidi ya)\.?(?!\w)", re.IGNORECASE)
_PAIRED = re.compile(rf"\w\W+{VERSUS_SAID.pattern}\W+\w", re.IGNORECASE)
_NO_TURN = re.compile(  # the number of a page, the size of a board
    r"\b(?:(?:continued|cont\.?|goes on)\W+)?(?:on\s+)?(?:sheet|page|karatasi|ukurasa|bog)\s+\d+(?: (?:of|/) \d+)?\b|"
    rf"\bcontinued\b|\b\d+\s*[x×/]\s*\d+\b|\byour (?:move|turn)\b|{DAY_OF_MONTH}", re.IGNORECASE
)  # fmt: skip
_SIZE = re.compile(
    r"\b(?:pits?|holes?|houses?|seeds?|stones?|board|mashimo|god|kete|a side|rows?|each|"
    r"trous|cases|graines|mulden|samen|kuilen|zaden|casas|hoyos|semillas|sementes)\b",
    re.IGNORECASE,
)
_MARKS = ("!", ".", "'", ",", '"', "#", "*", "`")
_STRIPPED = re.compile(r"[\w\"'{\[](?:.*[^\s,;(])?")
_IS = r"is|was|plays|has|as|ni|anacheza|waa"
_SIDED = re.compile(
    rf"\s*(?P<side>{SIDES}|[SN])(?:\s*[:=(]|\s-\s|\s(?:{_IS})\s|\s)\s*(?P<name>[^:=()]+?)\)?\s*", re.IGNORECASE
)
_NAMED = re.compile(
    rf"\s*(?P<name>[^:=()]+?)\s*(?:[:=(,]|\s-\s|\s(?:{_IS})\s|\s)\s*(?P<side>{SIDES}|[SN])(?:\)\.?)?\s*", re.IGNORECASE
)
_BETWEEN_SIDED = (
    r"\s{2,}|[,;|\t/]", known.NAMES_APART, rf"\s+(?=(?i:(?:{SIDES})\b|[sn]\s*[:=]))",
    rf"(?<=\))\s+(?:{VERSUS_SAID.pattern}\s+)?",
)  # fmt: skip
_BY_TURN = re.compile(  # Player 1: Amina  Player 2: Babu
    rf"\s*(?:(?:(?:{known.PLAYER})\s+(?:1|I|one|wa kwanza)|(?:first|1st)(?:\s+(?:{known.PLAYER}))?)"
    r"(?:\s*[:=]|\s)\s*(?P<first>[^:=\d]+?))?[\s,;.]*"
    rf"(?:(?:(?:{known.PLAYER})\s+(?:2|II|two|wa pili)|(?:second|2nd)(?:\s+(?:{known.PLAYER}))?)"
    r"(?:\s*[:=]|\s)\s*(?P<second>[^:=\d]+?))?[\s.]*",
    re.IGNORECASE,
)
_LEGEND = re.compile(r"(?:[A-Z]\.?\s?){1,3}=\s*")
_CODED = re.compile(  # K = South (Amina); player I is South
    rf"(?<![\w'.])(?P<code>[A-Z]{{1,2}}|[a-z](?=\s*=))\s*(?:=|is)\s*(?P<side>(?i:{SIDES}))\b(?:\s*\((?P<name>[^()\n]+)\))?"
)
IN_WORDS = ("Source", "License", "Consent")  # tags whose values are sentences
_PLACE = re.compile(r"\s(?:in|from|kutoka|à|aus|de)\s")
_HEADS = {word for word in (*known.NUMBERS, *known.SIDE_WORDS, *known.LABELS, *known.COLUMNS) if len(word) > 1}
_TOLD = (known.FILLERS, known.TURN_WORDS, known.CAPTURES, known.LOST, known.PASSES, known.SEEDS)
KNOWN = _HEADS.union(*_TOLD) - {"player"}


@dataclass
class Lines:
    """What the lines of a sheet say: the `items` in their order, the tags, how pits are named."""

    text: str
    items: list[SheetItem] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    pits: str = ""
    has_letters: bool = True
    is_starter_said: bool = False
    words: frozenset[str] = frozenset()  # of the tags and the names
    heading: tuple[int, int] | None = None  # of turns that may be one side's only


def comment_reading(text: str, start: int, end: int) -> SheetReading:
    """That a part of a sheet is a comment."""
    words = " ".join(text[start:end].translate(str.maketrans("{}", "()")).split())
    return SheetReading(ErrorText("a comment"), start, end, f"{{{words}}}")


def sentences(words: str) -> list[tuple[int, int]]:
    """Where the sentences of words stand, each with the sign at its end."""
    ends = [match.end() for match in _SENTENCE.finditer(words)]
    spans = pairwise([0, *(end for end in ends if end < len(words)), len(words)])
    return [span for span in spans if words[slice(*span)].strip()]


def is_name(text: str) -> bool:
    words = re.fullmatch(r"[^\W\d_](?:[\w.'\s-]*[\w.])", text.strip(" :"))
    return words is not None and not re.search(r"\d\s|\d{2}", text) and len(text) <= 80


class Heading:
    """Reads what stands above the turns; knows who the sides are and what is asked."""

    def __init__(self, text: str, rules: Rules, given: Mapping[str, str]) -> None:
        self.text, self.rules, self.given, self.folded = text, rules, given, fold(text)
        self.found = Lines(text)
        self.items, self.tags = self.found.items, self.found.tags
        self.has_turns = False
        self.sides_label_turns = False  # sides with a colon stand before turns, not before names
        self.labels: dict[str, Side] = {}  # what names a side on this sheet alone
        self.label_names: dict[str, str] = {}  # by side; names elsewhere count more
        self._named: tuple[list[str], dict[str, Side]] = ([], {})
        for match in _CODED.finditer(self.folded):
            side = known.SIDE_WORDS[match["side"].casefold()]
            self.labels[match["code"].casefold()] = side
            if match["name"]:
                self.label_names[str(side)] = match["name"]

    # Who is who.

    def name(self, side: Side) -> str:
        value = self.tags.get(str(side)) or self.given.get(str(side)) or self.label_names.get(str(side), "")
        return "" if value == "?" else value

    @property
    def names(self) -> list[str]:
        return [self.name(side) for side in Side]

    def side_of(self, words: str) -> Side | None:
        """The side that words name, and nothing else."""
        words = words.strip(" .:-()")
        side, end = self.side_at(words, 0)
        return side if end == len(words) or words[end:] == "." else None

    def side_at(self, words: str, at: int) -> tuple[Side | None, int]:
        """The side that is named at a place in words, and where what names it ends: by the word of the side, or the
        player's name, one word of it, or its initials."""
        if self._named[0] != [*self.names, *self.labels]:
            self._named = [*self.names, *self.labels], self._side_words()
        rest = words[at : at + MAX_WORDS].casefold()
        fitting = [word for word in self._named[1] if rest.startswith(word) and self._is_whole(word, rest[len(word) :])]
        best = max(fitting, key=len, default="")
        return self._named[1].get(best), at + len(best)

    def _is_whole(self, word: str, behind: str) -> bool:
        """Whether what names a side ends where `behind` begins: S and N may have a number at once, and the first letter
        of a name must have one."""
        if len(word) == 1 and word not in (*"sn", *self.labels):
            return re.match(r"\s?\d", behind) is not None
        return re.match(r"[^\W\d]|'" if word in "sn" else r"\w|'", behind) is None

    def _side_words(self) -> dict[str, Side]:
        """What names a side: a name of one letter only before a colon, S and N only if they are no pits."""
        found: dict[str, Side] = {**known.SIDE_WORDS, **self.labels}
        for side in Side:
            name, other = (self.name(one).casefold().strip(" .") for one in (side, side.other))
            parts, others = re.findall(r"\w+", name), re.findall(r"\w+", other)
            found |= {word: side for word in (name, *name.split()) if len(word) > 1 and word not in other.split()}
            found |= {f"{name}:": side} if len(name) == 1 and name != other else {}
            initials = [word[0] for word in parts]
            if len(parts) > 1 and initials != [word[0] for word in others]:
                found |= {sign.join(initials): side for sign in (".", ". ", "")} | {". ".join(initials) + ".": side}
                found[".".join(initials) + "."] = side
            letters = {"sn"[side], *({*name[:1]} - {*other[:1], *"sn"})}  # before a number also the name's: J6
            found |= {one: side for one in letters if one.isascii() and ascii_letters.find(one) >= self.rules.row}
        return found

    def named_in(self, words: str) -> set[Side]:
        """The sides that words name, among others."""
        found = (self.side_at(words, match.start())[0] for match in re.finditer(rf"{LETTER}+", words))
        return {side for side in found if side is not None}

    def take_players(self, found: Sequence[str]) -> dict[str, Side]:
        """Who two players are, of whom the first one began; nobody if names are given, or these are not two."""
        starter, names = self.rules.start().to_move, [*dict.fromkeys(name.casefold() for name in found)]
        if len(names) != 2 or any(self.given.get(str(side), "?") != "?" for side in Side):
            return {}
        for side, name in zip((starter, starter.other), names, strict=True):
            said = next(one for one in found if one.casefold() == name)
            if not said[0].islower() and (is_name(said) or re.fullmatch(LETTER, said)):
                self.label_names[str(side)] = said[:MAX_VALUE]
        return {names[0]: starter, names[1]: starter.other}

    # Items.

    def add(self, meaning: str, start: int, end: int, **more: object) -> SheetItem:
        item = SheetItem(meaning, start, end, **more)  # type: ignore[arg-type]
        self.items.append(item)
        return item

    def ask(
        self, start: int, end: int, note: str, *readings: SheetReading, stops: bool = False, doubt: int = ASKED
    ) -> None:
        """Mark a part that must be answered. That it is a comment can always be said."""
        text = self.text[start:end]
        start, end = start + len(text) - len(text.lstrip()), end - len(text) + len(text.rstrip())
        readings = (*readings, comment_reading(self.text, start, end))
        self.add("wrong", start, end, note=note, readings=readings, stops=stops, doubt=doubt)

    def add_remark(self, start: int, end: int, doubt: int, *readings: SheetReading, is_behind: bool = False) -> None:
        """Add words that are a comment, or are asked about by how far they may be more."""
        last = self.items[-1] if self.items else None
        if doubt != SURE:
            why = ErrorText("is this a turn, the end, or a comment?")
            why = ErrorText("does this hold a turn, or the end?") if is_behind else why
            self.ask(start, end, why, *readings, stops=True, doubt=doubt)
        elif last and not self.has_turns and last.meaning == "remark" and "\n" not in self.text[last.end : start]:
            last.end = end
        else:
            self.add("remark", start, end)

    # Words.

    def doubt(self, words: str, is_bracketed: bool = False) -> int:
        """How far words may be more than a comment. Behind turns words of other languages could hold one."""
        written, words = words, known.HARMLESS.sub("", without_date(words))
        folded, has_turns = _NO_TURN.sub("", words).casefold(), self.has_turns or is_bracketed
        if self.has_turns and known.says_stop(words) and not self.named_in(words):
            return SURE
        if not re.search(r"\w", folded) and re.search(r"\w", written):
            return SURE
        ended, said = find_end(words, self.names), {*re.findall(r"\w+", folded)}
        is_again = not has_turns and said & known.AGAIN and not known.DITTO.search(folded)
        if known.UNSURE.search(folded) or known.CHANGED.search(folded) or is_again or self._has_turn(words, has_turns):
            return ASKED
        if known.STOPPING.search(folded) or ended.is_said:
            is_telling = has_turns and ended.is_said and ended.result != "*"
            return BETWEEN if is_telling else NUMBERED
        return TAIL if has_turns else SURE

    def _has_turn(self, words: str, has_turns: bool) -> bool:
        """Whether something in words may be a turn, or says that one is missing."""
        tokens = [token for token in tokenize(fold(_NO_TURN.sub("", words))) if token.kind != "gap"]
        is_size = not has_turns and (self.found.has_letters or _SIZE.search(words))
        for at, token in enumerate(tokens):
            kind, word, text = token.kind, token.word, token.text
            is_beside = [0 <= i < len(tokens) and tokens[i].kind == "word" for i in (at - 1, at + 1)]
            if word == "a" and is_beside[1] and len(tokens[at + 1].text) > 2 and (
                not has_turns or (is_beside[0] and tokens[at - 1].word not in known.SIDE_WORDS)
            ):  # fmt: skip
                continue  # the article
            if kind in ("digits", "number", "pair", "sign") and (is_size or len(text) == 4):
                continue  # a year; no pit
            if kind == "word" and is_run(text, self.rules.row):
                is_word = len(tokens) > 2 and (len(text) > 2 or text.islower())
                if has_turns and not is_word and word not in ("he", "be"):
                    return True
            elif kind == "bracket":
                if self._has_turn(text[1:-1], has_turns):
                    return True
            elif kind == "word":
                if (has_turns and word in {*known.NUMBERS, *known.LOST, *known.PASSES, *known.DIRECTIONS}) or (
                    len(text) == 1 and text.isascii()
                ):
                    return True
            elif kind == "move" and ((text == "I" and any(is_beside)) or not (has_turns or self.is_pit(text[0]))):
                continue  # who writes
            elif kind in ("move", "laid", "digits", "number", "pair", "sign", "position") or (
                has_turns and kind not in ("remark", "dash", "struck", "clock") and text not in _MARKS
            ):
                return True
        return False

    def is_pit(self, letter: str) -> bool:
        return letter.isascii() and ascii_letters.find(letter.lower()) in range(2 * self.rules.row)

    def has_only_turns(self, words: str) -> bool:
        """Whether words may be nothing but turns; initials such as ``K. L.`` are none."""
        row = self.rules.row
        tokens = [token for token in tokenize(fold(words)) if token.kind not in ("gap", "dash", "arrow", "glyph")]
        code = re.fullmatch(r"\W*([A-Za-z])\d+\W*", words)
        is_code = code is not None and ascii_letters.index(code[1].lower()) >= row
        is_turns = all(
            one.kind in ("move", "digits", "number", "laid") or (one.kind == "word" and is_run(one.text, row))
            for one in tokens
        )
        return bool(tokens) and is_turns and not is_code and not re.fullmatch(rf"\W*{LETTER}\.\s*{LETTER}\.?\W*", words)

    def is_game(self, words: str) -> bool:
        """Whether words are nothing but the name of the game, in any spelling."""
        plain = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode().casefold()
        written, known_as = re.sub(r"[\W_]", "", plain), re.sub(r"\W", "", self.given["Game"])
        is_near = len(known_as) > 4 and SequenceMatcher(None, written, known_as).ratio() > 0.58  # in any spelling
        return written == known_as or is_near

    # Headings.

    def add_head(self, start: int, end: int, level: int = 0) -> None:
        """Add what stands above the turns, in as large parts as say something; what says nothing is a comment."""
        stripped = _STRIPPED.search(self.folded, start, end)
        if stripped is None or not re.search(r"\w", stripped[0]):
            return
        start, end = stripped.span()
        words = self.folded[start:end]
        day = find_date(words, self.folded) if level == 0 else None
        comment = re.search(r"\{[^{}]*\}", words)
        label = LABEL.fullmatch(words) if level == 0 else None
        if len(words) > 2 * MAX_WORDS:
            self.ask(start, end, ErrorText("is this a turn, the end, or a comment?"), stops=True)
        elif label and (tag := known.LABELS.get(label["label"].casefold())) in IN_WORDS:
            self.add_fact(start, end, tag, self.text[start:end][slice(*label.span("value"))])
        elif comment:
            self.add_head(start, start + comment.start())
            self.add("remark", start + comment.start(), start + comment.end())
            self.add_head(start + comment.end(), end)
        elif day is not None:
            self.add_head(start, start + day.start)
            self.add_date(start + day.start, start + day.end, words[day.start : day.end], day)
            self.add_head(start + day.end, end)
        elif level == 0 or not self.add_said(start, end):
            parts = split(_APART[level], words) if level < len(_APART) else []
            if parts:
                last = parts[0][0]
                for begin, stop in parts:
                    if re.search(LETTER, words[last:begin]):
                        is_remark = self.items and self.items[-1].meaning == "remark"
                        self.add_remark(start + last, start + begin, SURE) if is_remark else self.add(
                            "gap", start + last, start + begin
                        )
                    self.add_head(start + begin, start + stop, level + 1)
                    last = stop
            elif (VERSUS_SAID.search(words) or self._sides_in(words)) and (
                _PAIRED.search(words) or self._has_unknown_name(words)
            ):
                self.ask(start, end, ErrorText("who are the players?"), doubt=NAMED)
            elif self.is_game(words) or not self.ask_pair(start, end):
                self.add_remark(start, end, SURE if self.is_game(words) else self.doubt(words))

    def _sides_in(self, words: str) -> set[Side]:
        return {
            side for word, side in known.SIDE_WORDS.items() if re.search(rf"(?<!\w){word}(?!\w)", words, re.IGNORECASE)
        }  # fmt: skip

    def add_said(self, start: int, end: int, is_line: bool = False, is_head: bool = False) -> bool:
        """Add a part of a heading, if all of it says one thing: how pits are named, who begins, names, or a label.

        `is_line`: a line, which may have more than one part; `is_head`: one that is underlined."""
        words, text = self.folded[start:end], self.text[start:end]
        if known.UNSURE.search(words.casefold()):
            return False
        said = pits_said(_CODED.sub(" ", words), self.rules.start().to_move, self.rules.row)
        begins = known.BEGINS.fullmatch(words)
        sides = self._sides_in(begins["side"]) if begins else set()
        if begins and not sides:
            side = self.side_of(begins["side"])
            last = next((item for item in reversed(self.items) if item.meaning == "name"), None)
            last_side = last.side if last and not begins["side"].strip(" ,;") else None
            sides = {one for one in (side, last_side) if one is not None}
        is_bracketed = self.text[start - 1 : start] == "[" and self.text[end : end + 1] == "]"
        label = LABEL.fullmatch(words) or (_BARE_TAG.fullmatch(words) if is_bracketed else None)
        legend, counted = _LEGEND.match(words), _COUNTED.fullmatch(words)
        if not label and self._add_pair(start, text, start, end):
            return True
        tag = self.tag_of(label["label"], label["value"]) if label else ""
        names = self.names_in(text, is_head)
        if is_line and names is None and len(split(_APART[0], words)) > 1:
            return False
        if tag in ("South", "North") and label and _PLACE.search(label["value"]):
            self.add_fact(start, end, tag, text[label.start("value") : label.end("value")])
        elif said or known.CAPITALS_SOUTH.search(words.casefold()):
            self.add_fact(start, end, "Pits", said or "any-case")
        elif begins and len(sides) == 1:
            self.add_fact(start, end, "First", str(*sides))
        elif _CODED.search(words) and {*re.findall(r"\w+", _CODED.sub("", words).casefold())} <= {"player"}:
            self.add("name", start, end)
        elif legend and self.names_in(text[legend.end() :]):  # the initials of a name that follows
            self.add("gap", start, start + legend.end())
            return self.add_said(start + legend.end(), end)
        elif names is not None:
            self.add_names(start, names)
            self.add("name", start, end, side=next(reversed(names), None))
        elif label and tag:
            begin = start + label.start("value") if "(" in label["label"] else start
            if begin > start:  # Kusini (herufi ndogo)
                self.add("remark", start, begin)
            self.add_fact(begin, end, tag, text[label.start("value") : label.end("value")].strip(' ",'))
        elif (
            counted
            and known.LABELS.get(name := counted["label"].casefold()) in ("Round", "Board")
            and self.folded.casefold().count(name) == 1
        ):
            self.add_fact(start, end, known.LABELS[name], counted["value"])
        else:
            return False
        return True

    def _has_unknown_name(self, words: str) -> bool:
        """Whether a word with a capital stands there that is none of those that sheets have."""
        said = {word.casefold() for word in re.findall(r"\b[^\W\d_a-z][\w']+", words)}
        return bool(said - known.NO_NAMES - KNOWN - {"lower", "upper", "you"})

    def add_position(self, start: int, end: int) -> None:
        text = " ".join(self.text[start:end].split())
        readings = []
        try:
            Position.parse(text)
            readings.append(SheetReading(ErrorText("the game begins here"), start, end, f'[Setup "{text}"]'))
        except RecordsError:
            pass
        self.ask(start, end, ErrorText("what is this position?"), *readings)

    def tag_of(self, label: str, value: str) -> str:
        """The tag that a label means; empty if it is none, or stands before turns."""
        label = re.sub(r"^(?:player|mchezaji) | (?:player|mchezaji|side|\(.*\))$", "", label.casefold())
        tag, is_turns = known.LABELS.get(label, ""), self.has_only_turns(value)
        if tag == "Round" and is_turns and not value.isdecimal():
            return ""
        is_player = not (is_turns or self.has_turns) and is_name(value)
        return "" if tag in ("South", "North") and not is_player and (self.has_turns or self.sides_label_turns) else tag

    def add_fact(self, start: int, end: int, tag: str, value: str) -> None:
        """Add what has a label, such as ``Date: 3 May 1974``."""
        value = " ".join(value.split())
        if value != self.tags.get(tag, value) and tag not in ("Date", "Pits", "First"):
            self.ask(start, end, ErrorText("the sheet says %(value)s before", value=self.tags[tag]))
        elif tag in ("Result", "Score", "Termination"):
            ended = find_end(fold(value), self.names)
            if ended.is_all:
                self.add("result", start, end, rest=tag, ended=ended)
            else:
                self.ask(start, end, ErrorText("how did the game end?"))
        elif tag == "Date":
            value = re.sub(r"(?<=\d)\s*([./-])\s*(?=\d)", r"\1", value)
            day = find_date(fold(value), self.folded)
            is_whole = day is None or (day.start, day.end) == (0, len(value)) or read_span(value) is None
            self.add_date(start, end, value, day if is_whole else None)
        elif tag == "Pits":
            if {*value.split()} - {*known.PITS, "any-case"}:
                value = pits_said(f"pits {value}", self.rules.start().to_move, self.rules.row) or known.NOT_SURE
            if value == known.NOT_SURE:
                said = comment_reading(self.text, start, end).text  # the answer takes the place of the words
                readings = [
                    SheetReading(says, start, end, f'[Pits "{name}"]\n{said}\n') for name, says in known.PITS.items()
                ]
                self.ask(start, end, ErrorText("how are the pits named?"), *readings, doubt=JUDGED)
            else:
                self.found.pits = value
                self.add("fact", start, end)
        elif tag == "Players":
            at_value = self.text.index(value, start)
            if not self._add_pair(at_value, value, start, end, is_said=True):
                self.ask(start, end, ErrorText("who are the players?"), doubt=NAMED)
        elif tag == "First":
            side = self.side_of(value)
            if side is None:
                self.ask(start, end, ErrorText("which side begins?"))
            else:
                if not {"Setup", "Race"} & self.given.keys():
                    self.tags.setdefault(tag, str(side))
                self.add("fact", start, end)
        else:
            is_side, stop = tag in ("South", "North"), end
            value = re.sub(r"\.{2,}$", ".", value)
            place = _PLACE.search(value) if is_side else None
            if place:
                value = value[: place.start()]
                stop = self.text.index(place[0].strip(), start + self.text[start:end].index(value.split()[0]))
                self.add("remark", stop, end)
            self.tags.setdefault(tag, value[:MAX_VALUE])
            self.add("name" if is_side else "fact", start, stop, side=Side[tag.upper()] if is_side else None)

    def add_date(self, start: int, end: int, value: str, day: Day | None) -> None:
        if day is not None and len(day.dates) == 1:
            self.tags.setdefault("Date", day.dates[0])
            self.add("fact", start, end, note=ErrorText("read as: %(what)s", what=day.dates[0]))
        elif day is not None:  # a question that holds up nobody: the record can have all of them
            given = self.given.get("Date")
            dates = (given,) if given in day.dates else day.dates
            readings = tuple(SheetReading(one, start, end, f'[Date "{one}"]') for one in dates)
            self.tags.setdefault(
                "Date", " or ".join(one.replace(".", "-") for one in sorted(dates)) if len(dates) > 1 else dates[0]
            )
            why = ErrorText("%(text)s: which day is it?", text=value.strip())
            self.add("fact", start, end, note=why, readings=readings if len(dates) > 1 else ())
        elif (span := read_span(value)) is not None:
            is_day = re.fullmatch(r"[\d.-]+", value) and span.first == span.last
            self.tags.setdefault("Date", ".".join([*span.first.split("-"), "??", "??"][:3]) if is_day else value)
            self.add("fact", start, end)
        elif value == "????.??.??":
            self.add("fact", start, end)
        else:
            self.ask(start, end, ErrorText("%(text)s is no day of the calendar", text=value.strip()))

    def add_names(self, start: int, spans: Mapping[Side, tuple[int, int]]) -> None:
        for side, (begin, end) in spans.items():
            name = " ".join(self.text[start + begin : start + end].split())
            name = re.sub(r"^\W+|[^\w.)']+$", "", name)
            name = re.sub(r"(?<=\w{3})\.$|(?<=\.)\.$", "", name)  # the end of a sentence, behind no initial
            if name.casefold() not in known.SIDE_WORDS:
                self.tags.setdefault(str(side), name[:MAX_VALUE])

    def _add_pair(self, at_value: int, value: str, start: int, end: int, is_said: bool = False) -> bool:
        """Add the names of the players, if a value says nothing else but which of them begins, behind the name."""
        begins = re.search(r"\s*\((?:who )?(?:begins|began|starts|started|first)\)", value)
        if begins:
            value = value[: begins.start()] + " " * len(begins[0]) + value[begins.end() :]
        spans = self.names_in(value, is_said)
        if not spans or (begins is None and not is_said):
            return False
        if begins and not {"Setup", "Race"} & self.given.keys():
            at = begins.start()
            first = min(spans, key=lambda side: abs(len(value[: spans[side][1]].rstrip()) - at))
            self.tags.setdefault("First", str(first))
        self.add_names(at_value, spans)
        self.add("name", start, end)
        return True

    def names_in(self, text: str, is_said: bool = False) -> dict[Side, tuple[int, int]] | None:
        """Where the names of the players stand in a text that says nothing else, by side. `is_said`: they are said to
        be names, so that they may stand in any way."""
        words = fold(text)
        if find_date(words):
            return None
        if by_turn := _BY_TURN.fullmatch(words):
            starter = self.rules.start().to_move
            sides = {"first": starter, "second": starter.other}
            found = {side: by_turn.span(name) for name, side in sides.items() if by_turn[name]}
            if found and all(self.is_capital_name(text[slice(*span)]) for span in found.values()):
                return found
        for pattern in _BETWEEN_SIDED:
            spans = split(pattern, text)
            sided = dict(filter(None, (self.sided_name(words, *span) for span in spans)))
            is_clear = len(spans) == 2 or re.search(rf"[:=(]|\s-\s|\w\s+(?:{_IS})\s", words)
            named = [self.side_of(words[slice(*span)]) for span in sided.values()]
            if (
                len(sided) == len(spans) in (1, 2)
                and (is_clear or named == [*sided])
                and not all(self.has_only_turns(words[slice(*span)]) for span in sided.values())
            ):
                return sided
            texts = [words[slice(*span)].strip(" .:").casefold() for span in spans]
            if len(spans) == 2 and all(text in known.SIDE_WORDS for text in texts):
                return dict(zip([known.SIDE_WORDS[text] for text in texts], spans, strict=True))
            if is_said and len(spans) == 2 and all(self._may_be_name(words[slice(*span)]) for span in spans):
                return dict(zip(Side, spans, strict=True))
        pair = split(known.BETWEEN_NAMES, text)
        sided = dict(filter(None, (self.sided_name(words, *span) for span in pair)))
        others = [span for span in pair if not self.sided_name(words, *span)]
        if len(sided) == len(others) == 1 and self.is_capital_name(text[slice(*others[0])]):  # me (south) v Dad
            return {**sided, next(iter(sided)).other: others[0]}
        if len(pair) == 2 and all(self.is_capital_name(text[slice(*span)]) for span in pair):
            is_versus = text[pair[0][1] : pair[1][0]].strip(" -–—/")
            if is_versus or not all(self.has_only_turns(words[slice(*span)]) for span in pair):
                return dict(zip(Side, pair, strict=True))
        return {} if words.strip(" .:").casefold() in {name.casefold() for name in self.names if name} else None

    def sided_name(self, words: str, begin: int, end: int) -> tuple[Side, tuple[int, int]] | None:
        """The side and the name in words such as ``South: Amina`` or ``Amina (South)``."""
        match = end - begin <= 120 and (_SIDED.fullmatch(words, begin, end) or _NAMED.fullmatch(words, begin, end))
        side = self.side_of(match["side"]) if match else None
        if not match or side is None or {*re.findall(r"\w+", match["name"].casefold())} & (KNOWN | {*_IS.split("|")}):
            return None
        if self.sides_label_turns and len(match["name"].strip(" .")) == 1:
            return None  # a turn
        is_player = re.search(LETTER, match["name"]) and (
            not self.has_only_turns(match["name"]) or re.fullmatch(r"[A-Z][a-z]+|(?:[A-Z]\.\s?)+", match["name"])
        )
        return (side, match.span("name")) if is_player and not _PLACE.search(match["name"]) else None

    def is_capital_name(self, text: str) -> bool:
        """Whether a text is a name as names are written, and no word that stands at the head of sheets."""
        words = re.findall(r"[\w']+", text)
        others = {word.casefold() for word in words} & (known.NO_NAMES | KNOWN - known.NAME_PARTICLES)
        return (
            bool(words)
            and not text.strip()[0].islower()
            and not any(word[0].isdecimal() or word[0].islower() for word in {*words} - known.NAME_PARTICLES)
            and bool(is_name(text) or re.fullmatch(rf"\s*{LETTER}\.?\s*", text))
            and not others
            and not find_end(fold(text), ["", ""]).is_said
        )

    def ask_pair(self, start: int, end: int) -> bool:
        """Ask about two parts of a line before the turns, which may be names."""
        text = self.text[start:end]
        for pattern in (known.BETWEEN_NAMES, known.NAMES_APART, r"[,;|\t/]"):
            parts = [" ".join(text[slice(*span)].split()) for span in split(pattern, text)]
            if len(parts) == 2 and all(self.is_capital_name(fold(part)) for part in parts):
                names = "\n".join(
                    f'[{side} "{part.replace(chr(34), "")}"]' for side, part in zip(Side, parts, strict=True)
                )
                place = f'[Site "{" ".join(text.split()).replace(chr(34), "")}"]'
                readings = [
                    SheetReading(ErrorText("the names of the players"), start, end, names),
                    SheetReading(ErrorText("the place"), start, end, place),
                ]
                self.ask(start, end, ErrorText("who are the players?"), *readings, doubt=NAMED)
                return True
        return False

    def _may_be_name(self, words: str) -> bool:
        """Whether words may be a name, and hold neither a turn nor an end; an initial has its dot."""
        others = {*re.findall(r"\w+", words.casefold())} & KNOWN - known.SIDE_WORDS.keys()
        pits = [letter for letter in re.findall(r"(?<![\w'])[A-Za-z](?![\w'.])", words + " ") if self.is_pit(letter)]
        is_told = self.has_only_turns(words) or find_end(words, ["", ""]).is_said
        return is_name(words) and not (others or pits or is_told)
