"""Makes the parts of the pages of `docs/` that follow from the code or from stored figures.

A part stands between ``<!-- generated: name argument -->`` and ``<!-- end -->``; a code block whose language is one of
`BLOCKS` is generated too. ``python -m docs.generate`` writes all of them again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from . import api, benchmarks, games, lists, promises, protocol, routes, solved

Maker = Callable[[str], str]
DOCS = Path(__file__).parents[1]
MODULES = (api, benchmarks, games, lists, promises, protocol, routes, solved)
PARTS: dict[str, Maker] = {name: maker for module in MODULES for name, maker in module.PARTS.items()}
BLOCKS: dict[str, Maker] = games.BLOCKS
_PART = re.compile(r"^<!-- generated: (\S+)(?: ([^\n]*))? -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(rf"^```({'|'.join(BLOCKS)}) (.*)\n[^`]*```$", re.MULTILINE)


def pages() -> list[Path]:
    """Return the pages with generated parts."""
    return [path for path in sorted(DOCS.rglob("*.md")) if parts_of(path.read_text("utf-8"))]


def parts_of(text: str) -> list[tuple[str, str]]:
    """Return the name and the argument of each generated part."""
    return [(match[1], match[2] or "") for pattern in (_PART, _BLOCK) for match in pattern.finditer(text)]


def generated(text: str) -> str:
    """Return the page with all generated parts made again."""
    text = _PART.sub(lambda match: _part(match[1], match[2] or ""), text)
    return _BLOCK.sub(lambda match: f"```{match[1]} {match[2]}\n{BLOCKS[match[1]](match[2])}```", text)


def _part(name: str, argument: str) -> str:
    heading = f"{name} {argument}".strip()
    made = PARTS[name](argument).strip("\n")
    return f"<!-- generated: {heading} -->\n\n{made}\n\n<!-- end -->"
