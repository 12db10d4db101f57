"""What texts may hold: those of a record, and all that the service stores."""

from __future__ import annotations

import re

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

_HALVES = r"\ud800-\udfff"  # of surrogate pairs, which are no text, and which patterns of other languages take apart
_IN_LINE = re.compile(f"[{BARRED}{_HALVES}]")
_IN_NOTE = re.compile(f"[{_NEVER}{_HALVES}]")


def barred_in_line(text: str) -> str | None:
    """The first character that a text of one line may not hold."""
    found = _IN_LINE.search(text)
    return found and found[0]


def barred_in_note(text: str) -> str | None:
    """The first character that a comment may not hold, which is one line once its white space is."""
    found = _IN_NOTE.search(text)
    return found and found[0]
