"""Rule sets: what each game's file in `rulesets/` says, and the options a game is played under."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from .errors import OptionError

Value = bool | int | str

_ROWS = re.compile(r"[0-9.]+/[0-9.]+")

# What a rule set's file may say, and what it must.
_MUST = ("id", "name", "title", "family", "sources", "terms", "options")
_MAY = ("seeds", "each", "setups", "remaining_seeds", "closes_pits")
_TERMS = ("special", "specials", "pit", "pits", "seed", "nothing")
_OPTION_MUST = ("default", "allowed", "attested", "says")
_SETUP_MUST = ("pits", "south", "north")


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that clubs play differently. `attested` tells whether a source says so, or this project resolved it.

    `needs` names options and the values they must have for another value than the default to mean anything.
    """

    name: str
    default: Value
    allowed: tuple[Value, ...]
    says: str
    attested: bool
    needs: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)

    def read(self, value: Value, game: str) -> Value:
        """The option's value from text, a number or a truth value.

        :raises OptionError: it is none of `allowed`.
        """
        text = format_value(value)
        for allowed in self.allowed:
            if text == format_value(allowed):
                return allowed
        if self.name == "setup" and isinstance(value, str) and _ROWS.fullmatch(value):
            return value
        raise OptionError(
            f"{game}: option {self.name}={text} is not possible: expected "
            + " or ".join(format_value(allowed) for allowed in self.allowed)
            + (" or rows such as 4.4.0/4.4.0" if self.name == "setup" else "")
        )


@dataclass(frozen=True, slots=True)
class Setup:
    """A named lay-out of the seeds, in coordinates: each row from its owner's left."""

    name: str
    pits: int
    rows: str


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One game as its file tells it. `family` names the sowing in `records.kernel.sowing`; `terms` what players call
    things; `seeds` how many are on the board, or `each` how many in every pit at the start (the other is 0)."""

    id: str
    name: str
    title: str
    family: str
    options: tuple[Option, ...]
    setups: tuple[Setup, ...]
    terms: Mapping[str, str]
    sources: tuple[str, ...]
    seeds: int
    each: int
    remaining_seeds: str = "row-owner"
    closes_pits: bool = False

    def seeds_on_board(self, options: Mapping[str, Value]) -> int:
        """How many seeds the game is played with: a fixed number, or so many in each pit."""
        return self.seeds or 2 * int(options["pits"]) * self.seeds_in_pit(options)

    def seeds_in_pit(self, options: Mapping[str, Value]) -> int:
        """Seeds in every pit at the start, in games that start so."""
        return int(options.get("seeds", self.each))

    def option(self, name: str) -> Option:
        """:raises OptionError: there is no such option in this game."""
        for option in self.options:
            if option.name == name:
                return option
        raise OptionError(
            f"{self.id} has no option {name!r}: expected one of {', '.join(option.name for option in self.options)}"
        )

    def resolve(self, given: Mapping[str, Value], laid_out: bool = True) -> dict[str, Value]:
        """Every option's value where `given` ones are as given and the others follow from them or are the defaults.

        Without `laid_out` the start is told elsewhere, as a position: then no set-up is looked for.
        :raises OptionError: an unknown option, an impossible value, or two that contradict each other.
        """
        values = {name: self.option(name).read(value, self.id) for name, value in given.items()}
        if self.setups and laid_out:
            self._match_setup(values)
        whole = {option.name: values.get(option.name, option.default) for option in self.options}
        for name in values:
            self._verify_needs(self.option(name), whole)
        return whole

    def _verify_needs(self, option: Option, values: Mapping[str, Value]) -> None:
        """An option that says something only beside others must stand beside these."""
        if values[option.name] == option.default:
            return
        for needed, wanted in option.needs.items():
            told, allowed = format_value(values[needed]), [format_value(value) for value in wanted]
            if told not in allowed:
                given = f"{option.name}={format_value(values[option.name])}"
                needs = " or ".join(f"{needed}={value}" for value in allowed)
                raise OptionError(
                    f"{self.id}: {given} means nothing with {needed}={told}: "
                    f"expected {needs}, or {option.name}={format_value(option.default)}"
                )

    def _match_setup(self, values: dict[str, Value]) -> None:
        """A set-up belongs to a size of board: each follows from the other, and they must not contradict."""
        named = {setup.name: setup for setup in self.setups}
        rows = ", ".join(f"setup={setup.name} (2×{setup.pits})" for setup in self.setups)
        if "setup" not in values:
            pits = values.get("pits", self.option("pits").default)
            fitting = [setup.name for setup in self.setups if setup.pits == pits]
            if not fitting:
                raise OptionError(
                    f"{self.id}: no set-up of a board with pits={pits} is attested: give setup=<south row>/<north row> "
                    f"with {pits} pits and 24 seeds a side; the named ones are {rows}"
                )
            values["setup"] = fitting[0]
        setup = str(values["setup"])
        pits = named[setup].pits if setup in named else len(setup.split("/")[0].split("."))
        if values.setdefault("pits", pits) != pits:
            raise OptionError(
                f"{self.id}: setup={setup} is for pits={pits}, not pits={values['pits']}; there are {rows}"
            )
        self.option("pits").read(pits, self.id)


def format_value(value: Value) -> str:
    """An option's value as text, the way `Options` tags and the command line write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def ruleset_ids() -> tuple[str, ...]:
    """The ids of all rule sets, sorted."""
    files = resources.files("records").joinpath("rulesets").iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml")))


@cache
def load_ruleset(id: str) -> RuleSet:
    """The rule set with this id.

    :raises OptionError: there is none; lists those there are.
    """
    if id not in ruleset_ids():
        raise OptionError(f"no rule set {id!r}: expected one of {', '.join(ruleset_ids())}")
    return parse_ruleset(id, _read(id))


def parse_ruleset(id: str, data: Mapping[str, Any]) -> RuleSet:
    """The rule set that the tables of a file describe.

    :raises OptionError: a key that is unknown or missing, or values that contradict each other; says where.
    """
    _verify_keys(f"rule set {id}", data, _MUST, _MAY)
    _verify_keys(f"rule set {id}: terms", data["terms"], (), _TERMS)
    if data["id"] != id or ("seeds" in data) == ("each" in data):
        raise OptionError(f"rule set {id}: expected id = {id!r}, and either seeds or each")
    info = RuleSet(
        id=id,
        name=data["name"],
        title=data["title"],
        family=data["family"],
        options=tuple(_parse_option(id, name, told) for name, told in data["options"].items()),
        setups=tuple(_parse_setup(id, name, told) for name, told in data.get("setups", {}).items()),
        terms=data["terms"],
        sources=tuple(data["sources"]),
        seeds=data.get("seeds", 0),
        each=data.get("each", 0),
        remaining_seeds=data.get("remaining_seeds", "row-owner"),
        closes_pits=data.get("closes_pits", False),
    )
    for option in info.options:
        for needed, wanted in option.needs.items():
            for value in wanted:
                info.option(needed).read(value, f"rule set {id}: options.{option.name}.needs")
    for setup in info.setups:
        info.option("pits").read(setup.pits, f"rule set {id}: setups.{setup.name}")
    return info


def _parse_option(id: str, name: str, told: Mapping[str, Any]) -> Option:
    where = f"rule set {id}: options.{name}"
    _verify_keys(where, told, _OPTION_MUST, ("needs",))
    needs = {needed: tuple(wanted) for needed, wanted in told.get("needs", {}).items()}
    option = Option(name, told["default"], tuple(told["allowed"]), told["says"], told["attested"], needs)
    option.read(option.default, where)
    return option


def _parse_setup(id: str, name: str, told: Mapping[str, Any]) -> Setup:
    _verify_keys(f"rule set {id}: setups.{name}", told, _SETUP_MUST)
    return Setup(name, told["pits"], f"{told['south']}/{told['north']}")


def _verify_keys(where: str, table: Mapping[str, Any], must: Collection[str], may: Collection[str] = ()) -> None:
    """:raises OptionError: a key of the table is neither of `must` nor of `may`, or one of `must` is missing."""
    for key in table:
        if key not in (*must, *may):
            raise OptionError(f"{where}: unknown key {key!r}: expected one of {', '.join((*must, *may))}")
    for key in must:
        if key not in table:
            raise OptionError(f"{where}: there is no {key!r}")


def _read(id: str) -> dict[str, Any]:
    """A rule set's file, over the one it extends; that one extends no other."""
    data = _read_file(id)
    if "extends" in data:
        data = _over(_read_file(data.pop("extends")), data)
    return data


def _read_file(id: str) -> dict[str, Any]:
    return tomllib.loads(resources.files("records").joinpath("rulesets", f"{id}.toml").read_text("utf-8"))


def _over(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    """`above` laid over `below`; the sources of both stand, the own ones first."""
    merged = dict(below)
    for key, value in above.items():
        old = below.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            merged[key] = _over(old, value)
        elif isinstance(value, list) and isinstance(old, list):
            merged[key] = value + old
        else:
            merged[key] = value
    return merged
