"""The contents of the site, docs/index.md, from the tables of docs/README.md."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def contents(group: str) -> str:
    """The pages of a group, as a directive that Sphinx reads."""
    text = README.read_text("utf-8").partition(f"\n## {group}\n")[2].partition("\n## ")[0]
    pages = re.findall(r"^\| \[([\w-]+)\.md\]", text, re.MULTILINE)
    return "\n".join(["```{toctree}", ":maxdepth: 1", f":caption: {group}", "", *pages, "```"]) + "\n"


PARTS = {"contents": contents}
