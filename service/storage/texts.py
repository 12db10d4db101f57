"""What texts may hold that are stored."""

from __future__ import annotations

import re

from service.errors import Invalid

# Control characters but for those that are white space, and explicit bidirectional formatting.
_NEVER = r"\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069"
_BREAKS = r"\x0a-\x0d\x1c-\x1f\x85\u2028\u2029"  # white space that ends a line, or may
BARRED = _NEVER + _BREAKS
_BARRED = re.compile(rf"[{BARRED}\ud800-\udfff]")  # and half pairs, which are no text at all
LINE = f"[^{BARRED}]*"  # what `check_text` takes, as a pattern
NOTE = f"[^{_NEVER}]*"  # what `check_note` makes one line of
NAME = rf"{NOTE}[^\s{_NEVER}]{NOTE}"  # what `check_name` takes: a note that is not empty


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
