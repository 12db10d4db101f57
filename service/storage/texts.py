"""What texts may hold that are stored."""

from __future__ import annotations

import re
import unicodedata

from service.errors import Invalid

# Control characters but for those that are white space, and explicit bidirectional formatting.
_NEVER = r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069"
_BREAKS = r"\x0a-\x0d\x1c-\x1f\x85\u2028\u2029"  # white space that ends a line, or may
BARRED = _NEVER + _BREAKS
_BARRED = re.compile(rf"[{BARRED}\ud800-\udfff]")  # and half pairs, which are no text at all
# What nobody sees, besides other format characters.
_UNSEEN = r"\xad\u115f\u1160\u17b4\u17b5\u200b-\u200f\u2060-\u206f\u2800\u3164\ufeff\uffa0"
LINE = f"[^{BARRED}]*"  # what `check_text` takes, as a pattern
NOTE = f"[^{_NEVER}]*"  # what `check_note` makes one line of
NAME = rf"{NOTE}[^\s{_NEVER}{_UNSEEN}]{NOTE}"  # what `check_name` takes: a note that is not empty
_HIDDEN = re.compile(f"[{_UNSEEN}]")
_JOINERS = "\u200c\u200d"  # which Persian, Hindi and pictures of people need
_ALPHABETS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU")  # with letters that look alike


def check_text(where: str, text: str, limit: int, barred: str = "") -> None:
    """Check a text: its length, and that it has none of the `barred` characters, nor those that control a terminal or
    reorder text."""
    if len(text) > limit:
        raise Invalid(
            "%(field)s: %(count)s characters; at most %(most)s are allowed", field=where, count=len(text), most=limit
        )
    found = _BARRED.search(text)
    bad = found[0] if found else next((character for character in barred if character in text), None)
    if bad is not None:
        raise Invalid("%(field)s: the character %(bad)r is not allowed here", field=where, bad=bad)


def check_shown_name(where: str, text: str, limit: int, barred: str = "") -> None:
    """Check the name of a person, an event or a key: as `check_text`, and that it cannot be taken for another one
    because of characters that nobody sees, or words that mix alphabets whose letters look alike."""
    check_text(where, text, limit, barred)
    if text.isascii():
        return
    for word in text.split():
        seen: dict[str, str] = {}
        previous, alphabet = " ", ""
        for character in word:
            joins = character in _JOINERS and not previous.isascii() and alphabet not in _ALPHABETS
            if not joins and (_HIDDEN.match(character) or unicodedata.category(character) == "Cf"):
                code = f"U+{ord(character):04X}"
                raise Invalid("%(field)s: the character %(code)s cannot be seen: leave it out", field=where, code=code)
            previous, alphabet = character, unicodedata.name(character, "").partition(" ")[0]
            if alphabet in _ALPHABETS and character.isalpha():
                seen.setdefault(alphabet, character)
        if len(seen) > 1:
            raise Invalid(
                "%(field)s: the word %(word)r mixes letters of alphabets that look alike: %(letters)s. Write it in one",
                field=where,
                word=word[:80],
                letters=", ".join(f"{letter} ({alphabet.title()})" for alphabet, letter in seen.items()),
            )
