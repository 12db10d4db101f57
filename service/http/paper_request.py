"""Reading a sheet of paper, for the API and the page."""

from __future__ import annotations

from collections.abc import Mapping

from inkeek.records.notation.tags import described, format_options
from inkeek.records.paper.reading import PaperSheet, read_sheet
from inkeek.records.rules.ruleset import Value

from .context import find_ruleset


def read_paper(
    text: str, game: str, options: Mapping[str, Value], tags: Mapping[str, str], setup: str | None
) -> PaperSheet:
    """Read a sheet of a game with these options, from its set-up or from a position.

    :raises RecordsError: they do not fit together, or the text is too long.
    """
    rules = {**described(find_ruleset(game)), "Options": format_options(options), "Setup": setup}
    return read_sheet(text, {**tags, **{name: value for name, value in rules.items() if value}})
