"""How Sphinx builds the site: `make docs`."""

import re
from typing import Any

from inkeek.service.reference import filled

project = "Inkeek"
extensions = ["myst_parser"]
exclude_patterns = ["README.md", "examples"]
html_theme = "furo"
html_title = "Inkeek"
html_copy_source = False
html_show_search_summary = False  # pages cannot be fetched from a folder
html_show_sphinx = False
myst_heading_anchors = 4
# The languages of some code blocks, such as `pmn` and `turn`, are ours.
suppress_warnings = ["misc.highlighting_failure"]
_OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./[^)]*\.md|examples/[^)]*/)\)")


def prepare(app: Any, page: str, source: list[str]) -> None:
    """Fill in a page, and turn links to pages and folders that are not in the site into their text."""
    source[0] = _OUTSIDE.sub(r"\1", filled(source[0]))


def setup(app: Any) -> None:
    app.connect("source-read", prepare)
