"""The check of texts that are stored."""

from __future__ import annotations

import re
import unicodedata

from records.text import UNSEEN, barred_in_line
from service.errors import Invalid

_HIDDEN = re.compile(f"[{UNSEEN}]")
_JOINERS = "\u200c\u200d"  # which Persian, Hindi and pictures of people need
_ALPHABETS = ("LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "COPTIC", "CHEROKEE", "LISU")  # with letters that look alike


def check_text(where: str, text: str, limit: int, barred: str = "") -> None:
    """Check a text: its length, and that it has none of the `barred` characters, nor those that no text may hold."""
    if len(text) > limit:
        raise Invalid(
            "%(field)s: %(count)s characters; at most %(most)s are allowed", field=where, count=len(text), most=limit
        )
    bad = barred_in_line(text) or next((character for character in barred if character in text), None)
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
