"""Days, or what is known of them: ``1974-05-21``, ``1974-05``, ``1974``, and spans such as ``c. May 1974``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from itertools import takewhile


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_FORM = re.compile(r"([0-9]{4})(?:[.-]([0-9]{2}|\?\?)(?:[.-]([0-9]{2}|\?\?))?)?", re.ASCII)
_MONTHS = tuple(  # in English, Swahili, German, French, Portuguese, Italian, Spanish and Somali
    _set(words)
    for words in (
        "jan january januari januar janvier janeiro gennaio gen enero janaayo",
        "feb february februari februar février fev fevereiro febbraio febrero febraayo",
        "mar march machi märz mars março marzo maarso maaj",
        "apr april aprili avril avr abril abr aprile abriil",
        "may mei mai maio maggio mag mayo maajo",
        "jun june juni juin junho giugno giu junio juun juunyo",
        "jul july julai juli juillet julho luglio lug julio luulyo luuliyo",
        "aug august agosti août agosto ago agoosto ogosti ogosto",
        "sep sept september septemba septembre setembro settembre set septiembre sebtembar sebteembar",
        "oct october oktoba oktober octobre outubro out ottobre ott octubre oktoobar",
        "nov november novemba novembre novembro noviembre nofembar nofeembar noofembar",
        "dec december desemba dezember décembre dezembro dez dicembre dic diciembre diseembar",
    )
)
MONTHS = {name: number for number, names in enumerate(_MONTHS, 1) for name in names}
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
_WORDS = re.compile(r"(?:([0-9]{1,2})\.? )?([^\W\d_]+)\.?,? ([0-9]{4})|([^\W\d_]+)\.? ([0-9]{1,2}), ?([0-9]{4})")
_DECADE = re.compile(r"([0-9]{3})(?:0s|x)|([0-9]{2})(?:00s|xx)", re.IGNORECASE)
_OPEN = re.compile(r"(before|until|after|since|kabla ya|baada ya) (.+)", re.IGNORECASE)
_BETWEEN = re.compile(r"(?:between (.+) and|from (.+) to) (.+)", re.IGNORECASE)
_YEARS = re.compile(r"([0-9]{4})\s?-\s?([0-9]{4})|([0-9]{2})([0-9]{2})/(1[3-9]|[2-9][0-9])")
_EITHER = re.compile(r"\s+or\s+", re.IGNORECASE)
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
    in words, a season, a decade; from one to another: ``1974/1976``, ``1974/..``, ``between 1974 and 1976``,
    ``12-14 May 1974``; and one of several: ``1974-02-05 or 1974-05-02``.
    """
    text = " ".join(text.split())
    if len(parts := _EITHER.split(text)) > 1:
        spans = [span for part in parts if (span := read_span(part)) is not None]
        is_whole = len(spans) == len(parts) and all(span.first and span.last for span in spans)
        return Span(min(span.first for span in spans), max(span.last for span in spans)) if is_whole else None
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
        month = MONTHS.get(name.casefold())
        day = read_day(f"{year}-{month:02}" + (f"-{int(number):02}" if number else "")) if month else None
    if day:
        return Span(day, day)
    if match := _DECADE.fullmatch(text):
        start, zeros = (match[1], 1) if match[1] else (match[2], 2)
        return Span(start + "0" * zeros, start + "9" * zeros)
    return None


_ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
_WORD = r"([^\W\d_]{3,})\.?"
_NAMED_DAYS = (
    re.compile(
        rf"\b(?P<d>\d{{1,2}})(?:st|nd|rd|th|er)?\.?\s+(?:(?:of|de)\s+)?(?P<m>{_WORD}),?\s+(?:de\s+)?(?P<y>\d{{4}}|'?\d{{2}})(?!\d)"
    ),
    re.compile(rf"\b(?P<m>{_WORD})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,\s*|\s+)(?P<y>\d{{4}}|'?\d{{2}})(?!\d)"),
    re.compile(rf"\b(?P<m>{_WORD})\s+(?P<d>)(?P<y>\d{{4}})(?!\d)"),
    re.compile(r"(?P<y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日"),
    re.compile(r"\b(?P<d>\d{1,2})(?P<mark>[./ -])(?P<m>[IVX]+)(?P=mark)(?P<y>\d{4}|\d\d)(?!\d)"),
)
_DAY = re.compile(r"(?<![\d./-])(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?![./-]\d|\w)")


@dataclass(frozen=True, slots=True)
class Day:
    """A date in a text: where it stands, and what it can be, as a tag has it; several if the century is not said, or
    whether the day or the month stands first."""

    start: int
    end: int
    dates: tuple[str, ...]


def find_date(words: str, text: str = "") -> Day | None:
    """The first date in the words, with the days that it can be: in a `text`, by its weekday, by the other dates there
    and by the language. Between dots, the day stands before the month; else either may."""
    day = _first_date(words)
    return _decide(day, words, text) if day and text else day


def _first_date(words: str) -> Day | None:
    for pattern in _NAMED_DAYS:
        for match in pattern.finditer(words):
            said = match["m"].casefold()
            month = MONTHS.get(said.rstrip("."), 0)
            month = _ROMAN.index(match["m"]) + 1 if match["m"] in _ROMAN else month
            month = int(said) if said.isdecimal() else month
            if month:
                year = match["y"].replace("'", "20") if match["y"] <= f"'{date.today():%y}" else match["y"].strip("'")
                return _with_first(words, _day(match, year, month, match["d"]))
    numbers = _DAY.search(words)
    if numbers is None:
        return None
    first, month, last = numbers[1], int(numbers[3]), numbers[4]
    is_year_first = len(first) == 4 or int(first) > 31
    year, day = (first, last) if is_year_first else (last, first)
    if month > 12 and int(day) <= 12:
        day, month = str(month), int(day)
    found = _day(numbers, year, month, day)
    if found and not is_year_first and numbers[2] != "." and int(day) <= 12 and int(day) != month:
        other = _day(numbers, year, int(day), str(month))
        return Day(found.start, found.end, found.dates + (other.dates if other else ()))
    return found


def without_date(words: str) -> str:
    day = find_date(words)
    return words[: day.start] + words[day.end :] if day else words


_WEEKDAYS = tuple(
    _set(words)
    for words in (
        "mon monday jumatatu isniin lundi montag maandag lunes segunda",
        "tue tues tuesday jumanne talaado salaasa mardi dienstag dinsdag martes terça",
        "wed wednesday jumatano arbaco mercredi mittwoch woensdag miércoles quarta",
        "thu thur thurs thursday alhamisi khamiis jeudi donnerstag donderdag jueves quinta",
        "fri friday ijumaa jimce vendredi freitag vrijdag viernes sexta",
        "sat saturday jumamosi sabti samedi samstag zaterdag sábado",
        "sun sunday jumapili axad dimanche sonntag zondag domingo",
    )
)
# Words of sheets in languages in which the day stands before the month.
_DAY_FIRST = _set(
    "tarehe mchezo mchezaji wachezaji zamu shimo mashimo kusini kaskazini kete mshindi matokeo taariikh ciyaar "
    "ciyaaryahan ciyaartoy god godka koonfur waqooyi woqooyi guuleyste natiijo datum spiel spieler spielt zug "
    "mulde mulden weiß weiss schwarz gegen partij speler zet beurt kuil wit zwart fecha jugada jugador hoyo hoyos "
    "blancas negras capturas partie coup joueur trou trous graines blancs noirs lance jogo jogador casas brancas "
    "pretas hamle tarih"
)


def _decide(day: Day, words: str, sheet: str) -> Day:
    dates = day.dates
    weekday = re.search(r"([^\W\d_]+)[.,]?\s*$", words[: day.start]) or re.match(
        r"\s*[,(]?\s*([^\W\d_]+)", words[day.end :]
    )
    number = next((at for at, names in enumerate(_WEEKDAYS) if weekday and weekday[1].casefold() in names), -1)
    dates = tuple(one for one in dates if _weekday(one) == number) or dates
    if len(dates) > 1:
        years = {match[0] for match in re.finditer(r"(?<![\d.])(?:19|20)\d\d(?!\d)", sheet)}
        dates = tuple(one for one in dates if one[:4] in years) or dates
    numbers = _DAY.match(words, day.start)
    if len(dates) > 1 and numbers:
        others = [(int(one[1]), int(one[3])) for one in _DAY.finditer(sheet) if len(one[1]) < 3]
        orders = {second <= 12 for first, second in others if max(first, second) > 12 >= min(first, second)}
        is_foreign = len({*re.findall(r"[^\W\d_]+", sheet.casefold())} & _DAY_FIRST) > 1
        if len(orders) == 1 or (is_foreign and not orders):
            month = int(numbers[3] if True in orders or not orders else numbers[1])
            dates = tuple(one for one in dates if int(one[5:7]) == month) or dates
    return Day(day.start, day.end, dates)


def _weekday(day: str) -> int:
    """The weekday of a date as a tag has it, from 0; -2 if it is no single day."""
    parts = day.split(".")
    return date(*map(int, parts)).weekday() if all(map(str.isdecimal, parts)) else -2


def _with_first(words: str, last: Day | None) -> Day | None:
    """The days up to a day, if the first of them stands before it: ``12-14 May 1974``."""
    first = (
        re.search(r"(?<![\w.-])(\d{1,2})(?:st|nd|rd|th)?\s?(?:-|to|and|&)\s?$", words[: last.start]) if last else None
    )
    if last and not first and re.search(r"[^\W\d_]\s?-\s?$", words[: last.start]):  # of another month
        return None
    if last is None or first is None or not last.dates[0][-2:].isdecimal() or int(first[1]) >= int(last.dates[0][-2:]):
        return last
    ends = [one.replace(".", "-") for one in last.dates]
    return Day(first.start(), last.end, tuple(f"{one[:-2]}{int(first[1]):02}/{one}" for one in ends))


def _day(match: re.Match[str], year: str, month: int, day: str) -> Day | None:
    years = (
        [int(year)]
        if len(year) == 4
        else [1900 + int(year)]
        if int(year) >= 50
        else [2000 + int(year), 1900 + int(year)]
    )
    try:
        dates = tuple(
            f"{one:04}.{month:02}." + (f"{date(one, month, int(day)).day:02}" if day else "??") for one in years
        )
    except ValueError:
        return None
    return Day(*match.span(), dates) if dates else None


DAY_OF_MONTH = rf"\b\d{{1,2}}\.?\s+(?:{'|'.join(sorted(MONTHS))})\b"
_MONTH_WORD = r"[^\W\d_]{3,}\.?"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]m)?"
_DIGIT_DAY = r"(?:\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})"
_SHORT_DAY = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?P<m>{_MONTH_WORD})(?:\s+\d{{4}})?|(?P<n>{_MONTH_WORD})\s+\d{{1,2}}(?!\d))"
)
_STAMP = re.compile(
    rf"\s*[\[(]?{_DIGIT_DAY},?\s+{_CLOCK}[\])]?\s*[-–:]?\s*|\s*[\[(]?{_CLOCK},?\s+{_DIGIT_DAY}[\])]?\s*[-–:]?\s*"
)
_DAY_BEFORE = re.compile(rf"\s*(?:[^\W\d_]+\s+)?{_SHORT_DAY}\s*[:,;–—-]*\s*")


def stamp_before_turn(words: str) -> int:
    """Where a day, with its time or what else stands before it, ends at the beginning of a line such as
    ``posted 3 May: b``; 0 if none does."""
    stamp, day = _STAMP.match(words), _DAY_BEFORE.match(words)
    if stamp:
        return stamp.end()
    return day.end() if day and (day["m"] or day["n"]).rstrip(".").casefold() in MONTHS else 0
