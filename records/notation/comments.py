"""A comment, taken apart: what people read in it, and its commands ``[%name …]`` as they were written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

# Takes time in proportion to the text: nothing is tried twice (`*+`), and a ``[%`` outside quotes ends the search for
# the bracket that closes an earlier one.
_COMMAND = re.compile(
    r"\[%(?P<name>[A-Za-z][A-Za-z0-9_]*+)"
    r'(?P<arguments>(?:\s(?:"(?:[^"\\]|\\.)*+"|\\(?!\[%)\S|[^\]\["\\]|\[(?!%))*+)?)\]',
    re.DOTALL,
)
_BEGUN = re.compile(r"\[%(?P<name>[A-Za-z][A-Za-z0-9_]*+)")


@dataclass(frozen=True, slots=True)
class Written:
    """A command as it was written, known or not: its name, and all that stands after it, white space around cut off."""

    name: str
    arguments: str = ""

    def __str__(self) -> str:
        return f"[%{self.name} {self.arguments}]" if self.arguments else f"[%{self.name}]"


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment without its commands, single spaces between the words; and these, in order."""

    text: str
    commands: tuple[Written, ...]


def find_commands(comment: str) -> list[tuple[str, str]]:
    """The name and all that stands after it of every command in a comment."""
    return _COMMAND.findall(comment)


def replace_commands(comment: str, command: Callable[[str], str], words: Callable[[str], str]) -> str:
    """The comment with every command, and all that stands between them, as these make it."""
    made: list[str] = []
    at = 0
    for match in _COMMAND.finditer(comment):
        made += [words(comment[at : match.start()]), command(match[0])]
        at = match.end()
    return "".join([*made, words(comment[at:])])


def split_comment(comment: str) -> Comment:
    """What people read in a comment, and its commands. What is no command, or is never closed, stays text."""
    if "[%" not in comment:
        return Comment(" ".join(comment.split()), ())
    commands = tuple(Written(name, arguments.strip()) for name, arguments in find_commands(comment))
    return Comment(" ".join(_COMMAND.sub(" ", comment).split()), commands)


def begun_in(text: str) -> Iterator[tuple[str, str]]:
    """The commands that a comment's text (`Comment.text`) begins and never closes: the name, and some of what follows
    it."""
    for match in _BEGUN.finditer(text):
        yield match["name"], text[match.end() : match.end() + 40]
