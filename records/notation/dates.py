"""Days, or what is known of them: ``1974-05-21``, ``1974-05``, ``1974``, and spans such as ``c. May 1974``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from itertools import takewhile

_FORM = re.compile(r"([0-9]{4})(?:[.-]([0-9]{2}|\?\?)(?:[.-]([0-9]{2}|\?\?))?)?", re.ASCII)
_MONTHS = (
    ("january", "jan", "januari"),
    ("february", "feb", "februari"),
    ("march", "mar", "machi"),
    ("april", "apr", "aprili"),
    ("may", "mei"),
    ("june", "jun", "juni"),
    ("july", "jul", "julai"),
    ("august", "aug", "agosti"),
    ("september", "sep", "sept", "septemba"),
    ("october", "oct", "oktoba"),
    ("november", "nov", "novemba"),
    ("december", "dec", "desemba"),
)
_MONTH_NUMBERS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
_ABOUT = re.compile(
    r"(?:(?:c\.|ca\.?|circa|about|around|approximately|perhaps|probably|early|mid|late|kama|karibu|yapata)[\s-]*|c\s+)+",
    re.IGNORECASE,
)
_QUALIFIERS = "?~%"  # of EDTF: uncertain, approximate, both
# A season or another part of a year, in English, Swahili and Somali.
_SEASON = re.compile(
    r"(?:the )?(?:spring|summer|autumn|fall|winter|(?:dry|rainy|wet|cold|hot) season|(?:long |short )?rains?|year"
    r"|(?:msimu|majira|wakati) wa [a-z]+|mwaka|masika|vuli|kiangazi|kipupwe|mvua"
    r"|sanadk[ai]i?|gu['’]?|jilaa?l|xagaa|hagaa|d[ae]yr|ramad[ah]*ni?)"
    r",?(?: of| in| ya| wa)? ([0-9]{4})(?:[/–-]([0-9]{2}|[0-9]{4}))?|([0-9]{4})[.-]2[1-4]",
    re.IGNORECASE,
)
_WORDS = re.compile(
    r"(?:([0-9]{1,2})\.? )?([a-z]+)\.?,? ([0-9]{4})|([a-z]+)\.? ([0-9]{1,2}), ?([0-9]{4})", re.IGNORECASE
)
_DECADE = re.compile(r"([0-9]{3})(?:0s|x)|([0-9]{2})(?:00s|xx)", re.IGNORECASE)
_OPEN = re.compile(r"(before|until|after|since|kabla ya|baada ya) (.+)", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:between (.+) and|from (.+) to) (.+)", re.IGNORECASE)
_YEARS = re.compile(r"([0-9]{4})\s?-\s?([0-9]{4})|([0-9]{2})([0-9]{2})/(1[3-9]|[2-9][0-9])")
_RANGE = re.compile(
    r"\s*(?:/|\.\.|[–—]|\s(?:-|to|hadi|or|au|ama)\s|(?<=\b[0-9]{2})-(?=[0-9]{1,2} [a-z])|"
    r"(?<=\b[0-9])-(?=[0-9]{1,2} [a-z])|(?<=[a-z])-(?=[a-z]+ [0-9]))\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Span:
    """The first and the last day that a text may mean, each as `read_day` gives it; empty where it is open."""

    first: str
    last: str


def read_day(text: str) -> str | None:
    """Return a day in the form of ISO 8601, shorter if its day or month is not known; None for a text that is none and
    for a day that the calendar does not have. A Date tag has dots between its parts, and ``??`` for what is not known.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    known = list(takewhile(lambda part: part not in (None, "??"), match.groups()))
    try:
        date(*map(int, [*known, "01", "01"][:3]))
    except ValueError:
        return None
    return "-".join(known)


def whole_day(text: str) -> date | None:
    """Return the day if its month and its day are known."""
    day = read_day(text)
    return date.fromisoformat(day) if day is not None and len(day) == len("1974-05-21") else None


def read_span(text: str) -> Span | None:
    """Return what days a date as sources give it may mean; None for a text that is no date.

    That is a day (`read_day`), with ``about`` and the like before it or EDTF's ``?``, ``~``, ``%`` behind it; a month
    in words, a season, a decade; and from one to another: ``1974/1976``, ``1974/..``, ``between 1974 and 1976``,
    ``12-14 May 1974``.
    """
    text = " ".join(text.split())
    found = _read_one(text)
    if found is not None:
        return found
    if match := _OPEN.fullmatch(text):
        end = _read_one(match[2])
        if end is None:
            return None
        is_before = match[1].casefold() in ("before", "until", "kabla ya")
        return Span("", end.last) if is_before else Span(end.first, "")
    if match := _BETWEEN.fullmatch(text):
        parts = [match[1] or match[2], match[3]]
    elif match := _YEARS.fullmatch(text):
        parts = [match[1], match[2]] if match[1] else [match[3] + match[4], match[3] + match[5]]
    else:
        parts = _RANGE.split(re.sub(r"^\.\./|/\.\.$", "/", text))
    if len(parts) != 2 or not any(parts):
        return None
    if all(parts) and _read_one(parts[0]) is None:  # 12 to 14 May 1974
        words = parts[1].split()
        whole = (" ".join([parts[0], *words[at:]]) for at in range(1, len(words)))
        parts[0] = next((text for text in whole if _read_one(text)), parts[0])
    ends = [_read_one(part) if part else Span("", "") for part in parts]
    if ends[0] is None or ends[1] is None:
        return None
    first, last = ends[0].first, ends[1].last
    known = min(len(first), len(last))
    return Span(first, last) if first[:known] <= last[:known] else None


def _read_one(text: str) -> Span | None:
    if read_day(text) is None:
        text = _ABOUT.sub("", text, count=1).rstrip(_QUALIFIERS)
    text = re.sub(r"(?<=[.-])xx(?![^.-])", "??", text, flags=re.IGNORECASE)
    day = read_day(text)
    if day is None and (match := _SEASON.fullmatch(text)):
        day = read_day(match[1] or match[3])
        if day and match[2]:
            last = day[: -len(match[2])] + match[2]
            return Span(day, last) if int(last) == int(day) + 1 else None
    if day is None and (match := _WORDS.fullmatch(text)):
        number, name, year = match.groups()[:3] if match[2] else (match[5], match[4], match[6])
        month = _MONTH_NUMBERS.get(name.casefold())
        day = read_day(f"{year}-{month:02}" + (f"-{int(number):02}" if number else "")) if month else None
    if day:
        return Span(day, day)
    if match := _DECADE.fullmatch(text):
        start, zeros = (match[1], 1) if match[1] else (match[2], 2)
        return Span(start + "0" * zeros, start + "9" * zeros)
    return None
