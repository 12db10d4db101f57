"""Reading the documentation: its blocks of code and its tables."""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^```(.*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: the word after the fence, the text, and the number of its first line."""

    kind: str
    text: str
    line: int


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text("utf-8")


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    found: list[Block] = []
    kind: str | None = None
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        fence = _FENCE.match(line)
        if fence is None:
            lines.append(line)
        elif kind is None:
            kind, lines = fence[1], []
        else:
            found.append(Block(kind, "".join(line + "\n" for line in lines), number - len(lines)))
            kind = None
    assert kind is None, "a fenced block is not closed"
    return found


def rows(section: str) -> Iterator[list[str]]:
    """Yield the cells of every table row in a text, without headings."""
    lines = section.splitlines()
    for number, line in enumerate(lines):
        next_line = lines[number + 1] if number + 1 < len(lines) else ""
        if line.startswith("|") and not line.startswith("|--") and not next_line.startswith("|--"):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def section(text: str, title: str) -> str:
    """Return the text under a heading, up to the next heading of its level."""
    match = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^\1 |\Z)", text, re.MULTILINE | re.DOTALL)
    assert match is not None, f"no heading {title!r}"
    return match[2]


def quoted(cell: str) -> list[str]:
    """Return the words in backticks."""
    return re.findall(r"`([^`]+)`", cell)


def commands(text: str) -> list[list[str]]:
    """Return the words of every indented line, without comments."""
    return [shlex.split(line, comments=True) for line in text.splitlines() if line.startswith("    ")]


def client_command(generator: str) -> list[str]:
    """Return the words that docs/api.md gives to a generator of clients."""
    found = commands(section(page("api.md"), "Generate a client"))
    return next(words[words.index(generator) + 1 :] for words in found if generator in words)


def client_config() -> str:
    """Return the `config.yml` of docs/api.md."""
    text = section(page("api.md"), "Generate a client")
    return textwrap.dedent(re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)[-1])
