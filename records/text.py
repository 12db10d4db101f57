"""What texts may hold: those of a record, and all that the service stores."""

from __future__ import annotations

import re
import unicodedata
from codecs import BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from .errors import ErrorText, RecordsError

# Control characters but for those that are white space, explicit bidirectional formatting, and two code points that
# XML, and so a drawing, cannot hold.
_NEVER = r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff"
_BREAKS = r"\x0a-\x0d\x1c-\x1f\x85\u2028\u2029"  # white space that ends a line, or may
BARRED = _NEVER + _BREAKS  # from one line
LINE = f"[^{BARRED}]*"  # a text of one line, as a pattern
NOTE = f"[^{_NEVER}]*"  # what becomes one line
# What nobody sees, besides other format characters.
UNSEEN = r"\xad\u115f\u1160\u17b4\u17b5\u200b-\u200f\u2060-\u206f\u2800\u3164\ufeff\uffa0"
NAME = rf"{NOTE}[^\s{_NEVER}{UNSEEN}]{NOTE}"  # a note that is not empty

HAS_VISIBLE = re.compile(rf"[^\s{_NEVER}{UNSEEN}]")

_HALVES = r"\ud800-\udfff"  # of surrogate pairs, which are no text, and which patterns of other languages take apart
_IN_LINE = re.compile(f"[{BARRED}{_HALVES}]")
_IN_NOTE = re.compile(f"[{_NEVER}{_HALVES}]")
_HIDDEN = re.compile(rf"[{_NEVER}{UNSEEN}\u061c\u180b-\u180f\ufff9-\ufffb\U000e0001-\U000e007f]")
_JOINERS = "\u200c\u200d\u180b\u180c\u180d\u180f"  # which Persian, Hindi, Mongolian and pictures of people need
ALPHABETS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU")  # with letters that look alike
# As ALPHABETS, and with letters that look like a Latin l or o.
STROKES = (*ALPHABETS, "ARABIC", "HEBREW", "TIFINAGH", "NKO", "GEORGIAN", "OLD", "UGARITIC", "EGYPTIAN")
_UTF_16 = re.compile(rb"(?:[^\0]\0){3}|(?:\0[^\0]){3}")  # without a mark
_OTHER_ALPHABET = re.compile(rb"[\x80-\xff]{3}")  # in an encoding of one byte a letter


def barred_in_line(text: str) -> str | None:
    """The first character that a text of one line may not hold."""
    found = _IN_LINE.search(text)
    return found and found[0]


def barred_in_note(text: str) -> str | None:
    """The first character that a comment may not hold, which is one line once its white space is."""
    found = _IN_NOTE.search(text)
    return found and found[0]


def hidden_in(text: str) -> Iterator[int]:
    """The offsets of characters that nobody sees, but for joiners in scripts that need them."""
    for found in _HIDDEN.finditer(text):
        before = text[: found.start()][-1:]
        if found[0] not in _JOINERS or not before or before.isascii() or alphabet_of(before) in ALPHABETS:
            yield found.start()


def alphabet_of(character: str) -> str:
    return unicodedata.name(character, "").partition(" ")[0]


def character_name(character: str) -> str:
    """The code of a character with its name, if it has one: ``U+200B ZERO WIDTH SPACE``."""
    return f"U+{ord(character):04X} {unicodedata.name(character, '')}".rstrip()


def decode_utf8(data: bytes) -> str:
    """The text of a file, without a byte order mark.

    :raises RecordsError: it is not UTF-8; says where.
    """
    at = utf8_fault(data)
    if at is None:
        return data.decode("utf-8-sig")
    begin = data.rfind(b"\n", 0, at) + 1
    line = data[begin:].partition(b"\n")[0]
    place = {"line": data.count(b"\n", 0, at) + 1, "column": at - begin + 1}
    raise RecordsError(
        ErrorText("line %(line)s, column %(column)s: %(fault)s", **place, fault=utf8_error(line, at - begin))
    )


def utf8_fault(data: bytes) -> int | None:
    """The offset of the first byte that is not UTF-8, or of text in UTF-16; None if there is none."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    found = _UTF_16.search(data)
    return None if found is None else found.start()


def is_utf16(text: str) -> bool:
    """Whether UTF-16 was read as UTF-8."""
    return _UTF_16.search(text.encode("utf-8", "replace")) is not None


def utf8_error(line: bytes, at: int) -> ErrorText:
    """Why the byte of a line is not UTF-8, with the encoding that was probably meant."""
    byte = f"0x{line[at]:02x}"
    if line.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        encoding = "UTF-32"
    elif line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or _UTF_16.search(line):
        encoding = "UTF-16"
    elif line.decode("utf-8", "ignore").isascii() and not _OTHER_ALPHABET.search(line):
        encoding = "Windows-1252"
    else:
        return ErrorText("the byte %(byte)s is not UTF-8: save the file as UTF-8", byte=byte)
    return ErrorText(
        "the byte %(byte)s is not UTF-8, but probably %(encoding)s: save the file as UTF-8",
        byte=byte,
        encoding=encoding,
    )


def hidden_error(character: str) -> ErrorText:
    return ErrorText("%(character)s cannot be seen: leave it out", character=character_name(character))


# Reading a time of RFC 3339.

_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:)([0-9]{2})(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_LAST = timedelta(microseconds=1)


def read_instant(text: str) -> datetime:
    """A time, of which six digits of a fraction of a second are kept. A leap second, ``23:59:60`` UTC at the end of a
    month, becomes the microsecond before the next day: a `datetime` has none.

    :raises ValueError: the text is none. :raises OverflowError: it is after the year 9999 in UTC.
    """
    match = _INSTANT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a time of RFC 3339")
    if match[2] != "60":
        return datetime.fromisoformat(text)
    moment = datetime.fromisoformat(f"{match[1]}59.999999{match[4]}")
    following = moment.astimezone(UTC) + _LAST
    if (following.day, following.hour, following.minute) != (1, 0, 0):
        raise ValueError(f"{text!r} is no leap second: expected 23:59:60 UTC on the last day of a month")
    return moment


# Letters of other alphabets and signs, each before what it looks like.
_LOOK_ALIKE = (
    "аa сc ԁd еe һh іi јj ӏl оo рp кk ԛq ѕs хx уy АA ВB СC ЕE НH ІI ЈJ КK МM ОO РP ЅS ТT ХX "
    "αa εe ιi κk οo ρp υu χx ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΧX "
    '–- —- −- ‒- “" ”" „" ×x ✕x ✖x ∗x ←< →> ⇐< ⇒> ➔> ➜> «< »> ’\' ‘\''
)
_LOOKS = {ord(pair[0]): pair[1] for pair in _LOOK_ALIKE.split()}


def fold(text: str) -> str:
    """The text with look-alikes as plain letters, digits and signs, each in its place."""
    return "".join(map(_fold, text))


def _fold(letter: str) -> str:
    if letter.isascii() or letter == "ª":
        return letter
    plain = unicodedata.normalize("NFKC", letter).translate(_LOOKS)
    digit = unicodedata.digit(letter, None)
    return str(digit) if digit is not None else plain if len(plain) == 1 else letter


_DIGITS = str.maketrans("lIOoSZzBbgq", "11005228699")  # letters that a scanner takes digits for
_LETTERS = str.maketrans("01I", "oll")
_SCANNED = re.compile(r"(?<![^\W_])[xX+]?(?=\d*[lIOoSZzBbgq])[\dlIOoSZzBbgq]{1,4}(?![^\W_])")
_SCANNED_WORD = re.compile(
    r"(?<![^\W_])(?=[A-Za-z]*[01I])(?:[01][A-Za-z]{2}|[A-Za-z]{2}|[A-Z][01][A-Za-z]|N(?=0(?!\w)))[A-Za-z01]+(?![^\W_])"
)


def as_scanned(text: str) -> str:
    """The text with digits for letters that look like them, where most pits are digits, as a scanner mistakes them."""
    clear = len(re.findall(r"(?<!\w)\d{1,2}(?!\w)", text))
    if clear < len(_SCANNED.findall(text)):
        return text
    words = _SCANNED_WORD.sub(lambda word: word[0].translate(_LETTERS), text)
    return _SCANNED.sub(lambda found: found[0].translate(_DIGITS), words)
