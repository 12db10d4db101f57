"""The words that players write on sheets, in English and Swahili: sides, labels, dates, results and reasons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from records.notation.endings import ENDINGS
from records.position import Side

SIDE_WORDS = {"south": Side.SOUTH, "kusini": Side.SOUTH, "north": Side.NORTH, "kaskazini": Side.NORTH}
_LABELS = {  # tags, with the words before a colon that mean them
    "South": "south kusini",
    "North": "north kaskazini",
    "Event": "event tournament mashindano",
    "Site": "site place mahali",
    "Date": "date tarehe",
    "Round": "round raundi",
    "Board": "table board meza",
    "Recorder": "recorder mwandishi",
    "Arbiter": "arbiter mwamuzi",
    "Result": "result matokeo",
    "Termination": "termination reason sababu",
}
LABELS = {word: tag for tag, words in _LABELS.items() for word in words.split()}
PASSES = ("pass", "pita", "anapita")
NAMES_APART = re.compile(r"\s+(?:v|vs|versus|against|dhidi ya)\.?\s+|\s*[-–—]\s*|\s*[\t|]\s*|\s{2,}", re.IGNORECASE)

_WRITTEN = [
    (ending, re.compile(rf"\b(?:{'|'.join(map(re.escape, ending.written))})", re.IGNORECASE))
    for ending in ENDINGS
    if ending.written
]
_WON = re.compile(r"\b(?:won|wins?|winner|beats?|ameshinda|alishinda|anashinda|mshindi)\b", re.IGNORECASE)
_LOST = re.compile(r"\b(?:lost|loses|loser|ameshindwa|alishindwa|anashindwa|amepoteza)\b", re.IGNORECASE)
_DRAW = re.compile(r"\b(?:draw|drawn|tie|sare)\b", re.IGNORECASE)
_UNFINISHED = re.compile(r"\b(?:unfinished|not finished|adjourned|no result|haijaisha|haukuisha)\b", re.IGNORECASE)
_SIGN = re.compile(r"(?<![\d/])(?:(1\s?[-–—:]\s?0)|(0\s?[-–—:]\s?1)|(?:1/2|½))(?![\d/])")
_MONTHS = (
    ("jan", "januari"), ("feb", "februari"), ("mar", "machi"), ("apr", "aprili"), ("may", "mei"), ("jun", "juni"),
    ("jul", "julai"), ("aug", "agosti"), ("sep", "septemba"), ("oct", "oktoba"), ("nov", "novemba"), ("dec", "desemba"),
)  # fmt: skip
_NAMED_DAY = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?\.?\s+([^\W\d_]{3,})\.?,?\s+(\d{4})\b")
_DAY = re.compile(r"(?<!\d)(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})(?!\d)")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a game ended by the words of a sheet; empty where these do not say."""

    result: str = ""
    termination: str = ""

    def __bool__(self) -> bool:
        return bool(self.result or self.termination)

    def joined(self, other: Ended) -> Ended:
        """Both together; the later one counts more."""
        return Ended(other.result or self.result, other.termination or self.termination)


def find_end(words: str, names: Sequence[str]) -> Ended:
    """How a game ended by words such as ``Amina wins on time`` or ``sare kwa makubaliano``. `names`: South's and
    North's."""
    found = ((ending, pattern.search(words)) for ending, pattern in _WRITTEN)
    ending, written = next(((ending, match) for ending, match in found if match), (None, None))
    reason = ending.name if ending else ""
    sign = _SIGN.search(words)
    if sign:
        return Ended("1-0" if sign[1] else "0-1" if sign[2] else "1/2-1/2", reason)
    if _DRAW.search(words):
        return Ended("1/2-1/2", reason)
    if _UNFINISHED.search(words):
        return Ended("*", reason)
    won = _WON.search(words)
    verb = won or _LOST.search(words) or (written if ending and ending.by_loser else None)
    side = None if verb is None else _side_at(verb.start(), names, words)
    if side is None:
        return Ended("", reason)
    winner = side if won else side.other
    return Ended("1-0" if winner is Side.SOUTH else "0-1", reason)


def _side_at(verb: int, names: Sequence[str], words: str) -> Side | None:
    """The side that is named last before the verb, or else first after it."""
    places = []
    for side in Side:
        texts = [word for word, of in SIDE_WORDS.items() if of is side]
        texts += [names[side], *names[side].split()[:1]] if names[side].strip() else []
        for text in texts:
            found = re.finditer(rf"\b{re.escape(text)}\b", words, re.IGNORECASE)
            places += [(match.start(), side) for match in found]
    before = [place for place in places if place[0] < verb]
    return max(before)[1] if before else min(places)[1] if places else None


def read_date(words: str) -> str | None:
    """The first day in the words, as a tag has it; the day stands before the month."""
    named, numbers = _NAMED_DAY.search(words), _DAY.search(words)
    if named:
        month = next((at for at, names in enumerate(_MONTHS, 1) if named[2].casefold().startswith(names)), 0)
        return _date(int(named[3]), month, int(named[1]))
    if numbers is None:
        return None
    first, month, last = map(int, numbers.groups())
    year, day = (first, last) if first > 31 else (last, first)
    if month > 12:
        day, month = month, day
    return _date(year + 2000 if year < 100 else year, month, day)


def _date(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).strftime("%Y.%m.%d")
    except ValueError:
        return None
