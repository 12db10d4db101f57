"""Text that is markup already, and the escaping of text that is not; templates know both by `__html__`."""

from __future__ import annotations

import re
from html import escape as escape_text

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Markup(str):
    """Markup: never escaped again."""

    def __html__(self) -> str:
        return self


def escape(value: object) -> Markup:
    """A value as markup: markup stays, everything else is escaped."""
    if type(value) is int:
        return Markup(value)
    if hasattr(value, "__html__"):
        return Markup(value.__html__())
    return Markup(escape_text(_NOT_XML.sub("\ufffd", str(value))))
