"""Text that is markup already, and the escaping of text that is not; templates know both by `__html__`."""

from __future__ import annotations

from html import escape as escape_text


class Markup(str):
    """Markup: never escaped again."""

    def __html__(self) -> str:
        return self


def escape(value: object) -> Markup:
    """A value as markup: markup stays, everything else is escaped."""
    if type(value) is int:
        return Markup(value)
    return Markup(value.__html__() if hasattr(value, "__html__") else escape_text(str(value)))
