"""The check of texts that are stored."""

from __future__ import annotations

from inkeek.records.text import ALPHABETS, alphabet_of, barred_in_line, character_name, hidden_in
from inkeek.service.errors import Invalid


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
    at = next(hidden_in(text), None)
    if at is not None:
        code = character_name(text[at])
        raise Invalid("%(field)s: the character %(code)s cannot be seen: leave it out", field=where, code=code)
    for word in text.split():
        seen: dict[str, str] = {}
        for character in word:
            if character.isalpha() and (alphabet := alphabet_of(character)) in ALPHABETS:
                seen.setdefault(alphabet, character)
        if len(seen) > 1:
            raise Invalid(
                "%(field)s: the word %(word)r mixes letters of alphabets that look alike: %(letters)s. Write it in one",
                field=where,
                word=word[:80],
                letters=", ".join(f"{letter} ({alphabet.title()})" for alphabet, letter in seen.items()),
            )
