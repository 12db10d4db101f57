"""A position of a game as a query names it, and a sheet of paper, for the API and the pages."""

from __future__ import annotations

from collections.abc import Mapping

from inkeek.records import Position, Rules, ruleset
from inkeek.records.notation.tags import described, format_options, parse_options
from inkeek.records.paper.reading import PaperSheet, read_sheet
from inkeek.records.rules.play import rules_at
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


def read_position(game: str, options: str, position: str | None) -> tuple[Rules, Position]:
    """The rules, and the position; by default the start. `options` are those of the tag `Options`.

    :raises RecordsError: they do not fit together.
    """
    given = parse_options(options)
    if position is None:
        rules = ruleset(find_ruleset(game), **given)
        return rules, rules.start()
    parsed = Position.parse(position)
    return rules_at(find_ruleset(game), given, parsed), parsed
