"""A position of a game as a query names it: rule set, options and position as texts."""

from __future__ import annotations

from records import Position, Rules
from records.notation.tags import parse_options
from records.rules.ruleset import load_ruleset


def read_position(game: str, options: str, position: str | None) -> tuple[Rules, Position]:
    """The rules, and the position; by default the start. `options` are those of the tag `Options`.

    :raises RecordsError: they do not fit together.
    """
    info, given = load_ruleset(game), parse_options(options)
    if position is None:
        rules = Rules(info, info.resolve(given))
        return rules, rules.start()
    parsed = Position.parse(position)
    # The position is given, so the options need not name a set-up.
    resolved = info.resolve({"pits": parsed.row, **given}, laid_out=False)
    return Rules(info, resolved, parsed).starting_from(parsed), parsed
