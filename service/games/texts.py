"""The check of texts that are stored."""

from __future__ import annotations

from records.text import barred_in_line
from service.errors import Invalid


def check_text(where: str, text: str, limit: int, barred: str = "") -> None:
    """Check a text: its length, and that it has none of the `barred` characters, nor those that no text may hold."""
    if len(text) > limit:
        raise Invalid(
            "%(field)s: %(count)s characters; at most %(most)s are allowed", field=where, count=len(text), most=limit
        )
    bad = barred_in_line(text) or next((character for character in barred if character in text), None)
    if bad is not None:
        raise Invalid("%(field)s: the character %(bad)r is not allowed here", field=where, bad=bad)
