"""The long parts of the manual that follow from the code: made where it is read, never stored.

In a page of `docs/`, ``<!-- built: name argument -->`` stands for such a part.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from . import commands, fields

PARTS: dict[str, Callable[[str], str]] = {**commands.PARTS, **fields.PARTS}
_PART = re.compile(r"^<!-- built: (\S+)(?: (.*))? -->$", re.MULTILINE)


def parts_of(text: str) -> list[tuple[str, str]]:
    """Return the name and the argument of each part of a page."""
    return [(match[1], match[2] or "") for match in _PART.finditer(text)]


def filled(text: str) -> str:
    """Return the page with its parts."""
    return _PART.sub(lambda match: PARTS[match[1]](match[2] or "").strip("\n"), text)
