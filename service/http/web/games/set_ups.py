"""How a game looks: the set-ups that its options give."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from inkeek.records import Position, ruleset, ruleset_ids
from inkeek.records.rules.ruleset import RuleSet, load_ruleset
from inkeek.service.errors import gettext_later as later
from inkeek.service.http.context import all_rulesets
from inkeek.service.http.language import gettext

SET_UPS = {
    "triples": later("three seeds in each pit, and every third pit empty"),
    "fours-right": later("four seeds in each pit, and the two pits at each player’s left empty"),
    "fours-left": later("four seeds in each pit, and the two pits at each player’s right empty"),
}
PICTURED = 4  # starts of a game that forms show as pictures


@dataclass(frozen=True, slots=True)
class SetUp:
    """A start: the `field` of the form for a new game, and its `value`, that give it; whether forms have a picture."""

    field: str
    value: str
    position: Position
    is_pictured: bool

    @property
    def title(self) -> str:
        """Its name, in the language of the page, and its size."""
        size = f"2×{self.position.row}"
        return size if self.field == "pits" else f"{gettext(self.value)}, {size}"

    @property
    def says(self) -> str:
        """Where its seeds lie, in the language of the page; empty where the size says all."""
        return gettext(SET_UPS[self.value]) if self.value in SET_UPS else ""


def default_set_ups() -> list[tuple[RuleSet, SetUp]]:
    """Every rule set with its default set-up."""
    return [(info, set_ups(info)[0]) for info in all_rulesets()]


def set_ups(info: RuleSet) -> tuple[SetUp, ...]:
    """The starts that the options of a game give, the default first; none if its rules are not known."""
    return _our_set_ups(info.id) if info.id in ruleset_ids() else _set_ups(info)


@cache
def _our_set_ups(id: str) -> tuple[SetUp, ...]:
    return _set_ups(load_ruleset(id))


def _set_ups(info: RuleSet) -> tuple[SetUp, ...]:
    if not info.is_known:
        return ()
    field: str
    values: list[Any]
    field, values = "pits", list(info.option("pits").allowed)
    if info.setups:
        field, values = "setup", [setup.name for setup in info.setups]
    default = info.option(field).default
    found = [(value, ruleset(info, **{field: value}).start()) for value in values]
    found.sort(key=lambda one: one[0] != default)
    return tuple(SetUp(field, str(value), start, at < PICTURED) for at, (value, start) in enumerate(found))
