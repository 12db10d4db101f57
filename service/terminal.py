"""Text for a terminal, which obeys some characters instead of showing them."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

# Control characters but tabs and line ends, separators of lines, overrides of the direction, and no characters at all.
_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]|\r(?!\n)")


def visible(text: str) -> str:
    r"""The text with what a terminal would obey as escapes: ``\u001b``, as in JSON, where they mean the same."""
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class VisibleStream:
    """A text stream that shows what a terminal would obey. `terminal` is the stream below it, for escapes of ours."""

    def __init__(self, stream: TextIO) -> None:
        self.terminal = stream

    def write(self, text: str) -> int:
        return self.terminal.write(visible(text))

    def writelines(self, lines: Iterable[str]) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.terminal, name)


def show_escapes() -> None:
    """From now on, standard output and standard error show what a terminal would obey, whoever writes it.

    A standard stream that is closed is empty, and takes everything.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOBase):
            if isinstance(stream, io.TextIOWrapper):
                is_ascii = codecs.lookup(stream.encoding).name == "ascii"
                stream.reconfigure(encoding="utf-8" if is_ascii else None, errors="backslashreplace")
            setattr(sys, name, VisibleStream(cast(TextIO, stream)))


def terminal(stream: TextIO) -> TextIO:
    """The stream itself, to which escapes of ours can be written."""
    return stream.terminal if isinstance(stream, VisibleStream) else stream
