"""Commands in comments: ``[%name …]``. What is not known is kept as it came."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_COMMAND = re.compile(r'\[%([a-z]+)((?:\s+(?:"[^"]*"|[^\s\]"]+(?:"[^"]*")?))*)\s*\]')
_ARGUMENT = re.compile(r'(?:([a-z]+)=)?(?:"([^"]*)"|([^\s"]+))')


def commands_in(comments: Iterable[str]) -> Iterator[tuple[str, list[str], dict[str, str]]]:
    """Every command in the comments: its name, its plain arguments, and those with a name."""
    for comment in comments:
        for match in _COMMAND.finditer(comment):
            plain: list[str] = []
            named: dict[str, str] = {}
            for key, quoted, word in _ARGUMENT.findall(match[2]):
                if key:
                    named[key] = quoted or word
                else:
                    plain.append(quoted or word)
            yield match[1], plain, named


def after_position(comments: Iterable[str]) -> str | None:
    """The text of ``[%after "<position>"]``, None if there is none."""
    for name, plain, _ in commands_in(comments):
        if name == "after" and plain:
            return plain[0]
    return None
