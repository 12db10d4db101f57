"""A position of a game as a query names it: rule set, options and position as texts."""

from __future__ import annotations

from inkeek.records import Position, Rules, ruleset
from inkeek.records.notation.tags import parse_options
from inkeek.records.rules.play import rules_at

from .context import find_ruleset


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
