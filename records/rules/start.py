"""The position that the options of a game ask for."""

from __future__ import annotations

from collections.abc import Mapping

from inkeek.records.errors import ErrorText, OptionError, PositionError, joined_texts
from inkeek.records.position import ORDINARY, Position

from .rearrangement import is_rearranged
from .ruleset import EQUAL, RuleSet, Value


def standard_start(info: RuleSet, options: Mapping[str, Value]) -> Position:
    """The position before the first turn.

    :raises OptionError: the rows of `setup` are not valid.
    """
    size, setup = 2 * int(options["pits"]), str(options.get("setup", EQUAL))
    if setup == EQUAL:
        return Position((info.seeds_in_pit(options),) * size, (ORDINARY,) * size)
    named = {named.name: _position(info, setup, named.rows) for named in info.setups if 2 * named.pits == size}
    if setup in named:
        return named[setup]
    position = _position(info, setup, setup)
    south, north = sum(position.pits[: position.row]), sum(position.pits[position.row :])
    usual = ErrorText("as many on both sides")
    if not info.other_seeds:
        usual = ErrorText("%(half)s on both sides", half=info.seeds // 2)
    if south != north or not south or not (info.other_seeds or 2 * south == info.seeds):
        raise OptionError(
            ErrorText(
                "%(id)s: setup=%(setup)s has %(south)s seeds for South and %(north)s for North: expected %(usual)s",
                id=info.id,
                setup=setup,
                south=south,
                north=north,
                usual=usual,
            ),
            "options.setup",
        )
    is_new = named and not any(is_rearranged(before, position) for before in named.values())
    if options.get("rearrangement") == "setup" and is_new:
        raise OptionError(
            ErrorText(
                "%(id)s: setup=%(setup)s does not follow from a named set-up (%(names)s), as rearrangement=setup asks: "
                "expected both rows of one of these, each with at most two pits that have fewer seeds there",
                id=info.id,
                setup=setup,
                names=", ".join(named),
            ),
            "options.setup",
        )
    return position


def _position(info: RuleSet, setup: str, rows: str) -> Position:
    try:
        return Position.parse(f"{rows} 0-0 s 0")
    except PositionError as error:
        raise OptionError(
            ErrorText(
                "%(id)s: setup=%(setup)s: %(faults)s",
                id=info.id,
                setup=setup,
                faults=joined_texts(error.faults, "; "),
            ),
            "options.setup",
        ) from error
