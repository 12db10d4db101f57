"""Comments split into the words for people and the commands ``[%name …]``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# Takes time in proportion to the text: nothing is tried twice (`*+`), and a ``[%`` outside quotes ends the search for
# the bracket that closes an earlier command.
_COMMAND = re.compile(
    r"\[%(?P<name>[A-Za-z][A-Za-z0-9_]*+)"
    r'(?P<arguments>(?:\s(?:"(?:[^"\\]|\\.)*+"|\\(?!\[%)\S|[^\]\["\\]|\[(?!%))*+)?)\]',
    re.DOTALL,
)
_UNCLOSED = re.compile(r"\[%(?P<name>[A-Za-z][A-Za-z0-9_]*+)")


@dataclass(frozen=True, slots=True)
class RawCommand:
    """A command as it was written, known or not: its name, and the text after it without white space around it."""

    name: str
    arguments: str = ""

    def __str__(self) -> str:
        return f"[%{self.name} {self.arguments}]" if self.arguments else f"[%{self.name}]"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment: its words, with single spaces between them, and its commands in order."""

    text: str
    commands: tuple[RawCommand, ...]


def find_commands(comment: str) -> list[tuple[str, str]]:
    """The name of every command in a comment, and the text after the name."""
    return _COMMAND.findall(comment)


def replace_commands(comment: str, command: Callable[[str], str], words: Callable[[str], str]) -> str:
    """The comment with every command, and every text between them, replaced."""
    parts: list[str] = []
    at = 0
    for match in _COMMAND.finditer(comment):
        parts += [words(comment[at : match.start()]), command(match[0])]
        at = match.end()
    return "".join([*parts, words(comment[at:])])


def split_comment(comment: str) -> Comment:
    """Split a comment. A command that is not closed stays text."""
    if "[%" not in comment:
        return Comment(" ".join(comment.split()), ())
    commands = tuple(RawCommand(name, arguments.strip()) for name, arguments in find_commands(comment))
    return Comment(" ".join(_COMMAND.sub(" ", comment).split()), commands)


def unclosed_commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands that a comment's text (`Comment.text`) opens and never closes: the name, and some of the text after
    it."""
    for match in _UNCLOSED.finditer(text):
        yield match["name"], text[match.end() : match.end() + 40]
