"""The position in which a game starts under its options."""

from __future__ import annotations

from collections.abc import Mapping

from .errors import OptionError, PositionError
from .position import ORDINARY, Position
from .ruleset import RuleSet, Value


def start_position(info: RuleSet, options: Mapping[str, Value]) -> Position:
    """The position that the options ask for.

    :raises OptionError: the rows of `setup` are not valid.
    """
    row = int(options["pits"])
    setup = str(options.get("setup", ""))
    rows_by_name = {named.name: named.rows for named in info.setups}
    if not setup:
        return Position((info.seeds_in_pit(options),) * 2 * row, (ORDINARY,) * 2 * row)
    try:
        position = Position.parse(f"{rows_by_name.get(setup, setup)} 0-0 s 0")
    except PositionError as error:
        raise OptionError(f"{info.id}: setup={setup}: {'; '.join(error.faults)}") from error
    south, north = sum(position.pits[:row]), sum(position.pits[row:])
    half = info.seeds // 2
    if (south, north) != (half, half):
        raise OptionError(
            f"{info.id}: setup={setup} has {south} seeds for South and {north} for North, not {half} a side"
        )
    return position
