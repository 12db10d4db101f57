"""Rule sets: one game a file in `rulesets/`, and the options a game is played under."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache, reduce
from pathlib import Path
from typing import Any

from records.errors import ErrorText, OptionError, either

from .families import FAMILIES

Value = bool | int | str

ROWS = re.compile(r"[0-9.]+/[0-9.]+")  # of a set-up that has no name
UNKNOWN_ID = re.compile(r"[A-Za-z0-9_-]{1,30}:[A-Za-z0-9_-]{1,30}")  # of a game whose rules are not known
EQUAL = "equal"  # the set-up with as many seeds in every pit

_FOLDER = Path(__file__).parents[1] / "rulesets"
_COMMON = "common"  # the file of options that several games share
_UNKNOWN = "unknown"  # the file of games whose rules are not known
_CLAUSES = "clauses"  # the file of the sources' sentences
LESSONS = "lessons"  # the file that `lessons` reads

# The keys of a rule set's file.
_REQUIRED = ("id", "name", "title", "family", "sources", "terms", "options")
_OPTIONAL = ("seeds", "each", "other_seeds", "setups", "remaining_seeds", "rules", "text", "clauses")
_TERMS = ("special", "specials", "pit", "pits", "seed", "nothing")
_OPTION_REQUIRED = ("default", "allowed", "says")
_SETUP_REQUIRED = ("pits", "south", "north")
_RULE_REQUIRED = ("says", "source")
_CLAUSE_REQUIRED = ("reading", "mark", "lesson")
_CLAUSE_OPTIONAL = ("quote", "options", "test")
_MARKS = ("attested", "decided", "silent")


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that clubs play differently.

    `attested`: the values that a sentence of the game's source bears. `decided`: why this project allows the others; ""
    if there are none. `needs` names options and the values they must have for any value but the default to mean
    something. An option of a game whose rules are not known has no `allowed` values, and takes any.
    """

    name: str
    default: Value
    allowed: tuple[Value, ...]
    says: str
    attested: tuple[Value, ...]
    decided: str
    needs: Mapping[str, tuple[Value, ...]] = field(default_factory=dict)

    @property
    def others(self) -> tuple[Value, ...]:
        """The values that no sentence bears."""
        return tuple(value for value in self.allowed if value not in self.attested)

    def read(self, value: Value, game: str) -> Value:
        """The option's value from text, a number or a truth value.

        :raises OptionError: the value is not allowed; lists those that are.
        """
        text = format_value(value)
        if not self.allowed:
            return text
        for allowed in self.allowed:
            if text == format_value(allowed):
                return allowed
        if self.name == "setup" and isinstance(value, str) and ROWS.fullmatch(value):
            return value
        expected: list[str] = [format_value(allowed) for allowed in self.allowed]
        if self.name == "setup":
            expected.append(ErrorText("rows such as 4.4.0/4.4.0"))
        raise OptionError(
            ErrorText(
                "%(game)s: option %(name)s=%(text)s is not possible: expected %(expected)s",
                game=game,
                name=self.name,
                text=text,
                expected=reduce(either, expected),
            )
        )


@dataclass(frozen=True, slots=True)
class Setup:
    """A named set-up; `rows` are written as in a position, each row from its owner's left."""

    name: str
    pits: int
    rows: str


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule of a game: `says` as it is read here, `quote` in the words of its `source`; "" where that has none."""

    id: str
    says: str
    quote: str
    source: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence of a game's source, or a gap in it, which has no `quote`.

    `mark`: ``attested`` if the sentence says what is read here, ``decided`` if `reading` chooses or adds, ``silent``
    where the source says nothing. `options`: those about it, each with the values that the sentence bears. `test`
    proves the reading; "" where there is nothing to prove. `lesson` is the id of the lesson that shows it, or why none
    does, a key of `records.rules.lessons.reasons_without_lesson`.
    """

    quote: str
    reading: str
    mark: str
    options: Mapping[str, tuple[Value, ...]]
    test: str
    lesson: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """One game, as its file describes it.

    `family` is a key of `records.rules.families.FAMILIES`, `terms` the players' words. The game has `seeds` on the
    board, or `each` in every pit at the start (the other is 0). `other_seeds`: whether the rows of a set-up may have
    another number of seeds. `remaining_seeds`: who gets the seeds in ordinary pits at the end, ``row-owner`` or
    ``nobody``. `rules`: by id, the rules that findings quote. `text`: the name of the source's text, whose sentences
    `clauses` are.
    """

    id: str
    name: str
    title: str
    family: str
    options: tuple[Option, ...]
    terms: Mapping[str, str]
    sources: tuple[str, ...]
    setups: tuple[Setup, ...] = ()
    seeds: int = 0
    each: int = 0
    other_seeds: bool = False
    remaining_seeds: str = "row-owner"
    rules: Mapping[str, RuleText] = field(default_factory=dict)
    text: str = ""
    clauses: tuple[Clause, ...] = ()

    @property
    def is_known(self) -> bool:
        """Whether the program knows the rules. Of another game it keeps what was laid out after each turn."""
        return self.family != ""

    @property
    def closes_pits(self) -> bool:
        """Whether a set-up may have closed pits."""
        return not self.is_known or FAMILIES[self.family].closes_pits

    def seeds_on_board(self, options: Mapping[str, Value]) -> int:
        """How many seeds the set-up of the options has."""
        setup = str(options.get("setup", ""))
        if self.other_seeds and ROWS.fullmatch(setup):
            return sum(int(count) for count in re.split(r"[./]", setup) if count)
        return self.seeds or 2 * int(options["pits"]) * self.seeds_in_pit(options)

    def seeds_in_pit(self, options: Mapping[str, Value]) -> int:
        """Seeds in every pit at the start, in games that begin with equal pits."""
        return int(options.get("seeds", self.each))

    def option(self, name: str) -> Option:
        """:raises OptionError: there is no such option in this game. One whose rules are not known may have any."""
        for option in self.options:
            if option.name == name:
                return option
        if not self.is_known:
            return Option(name, "", (), "", (), "")
        raise OptionError(
            ErrorText(
                "%(id)s has no option %(name)r: expected one of %(names)s",
                id=self.id,
                name=name,
                names=", ".join(option.name for option in self.options),
            )
        )

    def resolve(self, given: Mapping[str, Value], laid_out: bool = True) -> dict[str, Value]:
        """The values of all options: the `given` ones, and for the others what follows from these or the defaults.

        Without `laid_out` the start is given elsewhere, as a position: then no set-up is chosen.
        :raises OptionError: an unknown option, a value that is not allowed, or two that contradict each other.
        """
        values = {name: self.option(name).read(value, self.id) for name, value in given.items()}
        if laid_out:
            self._match_setup(values)
        whole = {**{option.name: option.default for option in self.options}, **values}
        for name in values:
            self._verify_needs(self.option(name), whole)
        return whole

    def _verify_needs(self, option: Option, values: Mapping[str, Value]) -> None:
        """:raises OptionError: the option means nothing beside the others."""
        if values[option.name] == option.default:
            return
        for needed, wanted in option.needs.items():
            value, allowed = format_value(values[needed]), [format_value(value) for value in wanted]
            if value not in allowed:
                given = f"{option.name}={format_value(values[option.name])}"
                needs = " or ".join(f"{needed}={value}" for value in allowed)
                raise OptionError(
                    ErrorText(
                        "%(id)s: %(given)s means nothing with %(needed)s=%(value)s: expected %(needs)s, or "
                        "%(name)s=%(default)s",
                        id=self.id,
                        given=given,
                        needed=needed,
                        value=value,
                        needs=needs,
                        name=option.name,
                        default=format_value(option.default),
                    )
                )

    def _match_setup(self, values: dict[str, Value]) -> None:
        """Make `setup` and `pits` agree: each follows from the other.

        :raises OptionError: they contradict each other, or no set-up is known for this size of board.
        """
        named = {setup.name: setup for setup in self.setups}
        rows = ", ".join(f"setup={setup.name} (2×{setup.pits})" for setup in self.setups)
        if self.setups and "setup" not in values:
            pits = values.get("pits", self.option("pits").default)
            fitting = [setup.name for setup in self.setups if setup.pits == pits]
            if not fitting:
                raise OptionError(
                    ErrorText(
                        "%(id)s: no set-up of a board with pits=%(pits)s is attested: give setup=<south "
                        "row>/<north row> with %(pits)s pits and 24 seeds a side; the named ones are %(rows)s",
                        id=self.id,
                        pits=pits,
                        rows=rows,
                    )
                )
            values["setup"] = fitting[0]
        setup = str(values.get("setup", EQUAL))
        if setup == EQUAL:
            return
        pits = named[setup].pits if setup in named else len(setup.split("/")[0].split("."))
        if values.setdefault("pits", pits) != pits:
            raise OptionError(
                ErrorText(
                    "%(id)s: setup=%(setup)s is for pits=%(pits)s, not pits=%(given)s; there are %(rows)s",
                    id=self.id,
                    setup=setup,
                    pits=pits,
                    given=values["pits"],
                    rows=rows,
                )
            )
        self.option("pits").read(pits, self.id)


def format_value(value: Value) -> str:
    """An option's value as text, the way `Options` tags and the command line write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@cache
def ruleset_ids() -> tuple[str, ...]:
    """The ids of all rule sets, sorted."""
    return tuple(sorted({file.stem for file in _FOLDER.glob("*.toml")} - {_COMMON, _UNKNOWN, _CLAUSES, LESSONS}))


def verify_ruleset_id(id: str) -> None:
    """:raises OptionError: there is no such rule set, and the id is none of a game whose rules are not known; lists all
    there are, the nearest first."""
    if id not in ruleset_ids() and not UNKNOWN_ID.fullmatch(id):
        near = get_close_matches(id[:80].lower(), ruleset_ids())
        expected = ", ".join([*near, *(other for other in ruleset_ids() if other not in near)])
        raise OptionError(
            ErrorText(
                "no rule set %(id)r: expected one of %(ruleset_ids)s; or, for a game whose rules are not known, a "
                "place and a name, such as konso:lamlameta",
                id=id,
                ruleset_ids=expected,
            )
        )


@cache
def load_ruleset(id: str) -> RuleSet:
    """The rule set with this id. One with a colon, such as ``konso:lamlameta``, is a game whose rules are not known.

    :raises OptionError: there is no such rule set; lists those there are.
    """
    verify_ruleset_id(id)
    if UNKNOWN_ID.fullmatch(id):
        return replace(parse_ruleset(_UNKNOWN, read_file(_UNKNOWN)), id=id, name=id)
    data, read = read_file(id), _clauses().get(id, {})
    if "extends" in data:
        base = data.pop("extends")
        data, read = _extend(read_file(base), data), read or _clauses().get(base, {})
    return parse_ruleset(id, {**data, **read})


def parse_ruleset(id: str, data: Mapping[str, Any]) -> RuleSet:
    """The rule set that the tables of a file describe.

    :raises OptionError: a key is unknown or missing, or values contradict each other; says where.
    """
    _verify_keys(f"rule set {id}", data, _REQUIRED, _OPTIONAL)
    _verify_keys(f"rule set {id}: terms", data["terms"], (), _TERMS)
    if data["id"] != id or ("seeds" in data) == ("each" in data):
        raise OptionError(f"rule set {id}: expected id = {id!r}, and either seeds or each")
    if data["family"] not in FAMILIES and id != _UNKNOWN:
        raise OptionError(f"rule set {id}: family = {data['family']!r}: expected one of {', '.join(FAMILIES)}")
    if data.get("remaining_seeds", "row-owner") not in ("row-owner", "nobody"):
        raise OptionError(f"rule set {id}: expected remaining_seeds = 'row-owner' or 'nobody'")
    parsed = ("options", "setups", "sources", "rules", "clauses")
    plain = {key: value for key, value in data.items() if key not in parsed}
    clauses = tuple(_parse_clause(id, table) for table in data.get("clauses", ()))
    info = RuleSet(
        **plain,
        sources=tuple(data["sources"]),
        options=tuple(_parse_option(id, name, table, clauses) for name, table in data["options"].items()),
        clauses=clauses,
        setups=tuple(_parse_setup(id, name, table) for name, table in data.get("setups", {}).items()),
        rules={name: _parse_rule(id, name, table, data["sources"]) for name, table in data.get("rules", {}).items()},
    )
    for option in info.options:
        for needed, values in option.needs.items():
            for value in values:
                info.option(needed).read(value, f"rule set {id}: options.{option.name}.needs")
    for setup in info.setups:
        info.option("pits").read(setup.pits, f"rule set {id}: setups.{setup.name}")
    for clause in clauses:
        for name, values in clause.options.items():
            for value in values:
                info.option(name).read(value, f"rule set {id}: the clause {clause.quote!r}")
    return info


def _parse_option(id: str, name: str, table: Mapping[str, Any], clauses: Sequence[Clause]) -> Option:
    where = f"rule set {id}: options.{name}"
    table = {**_common_options().get(name, {}), **table}
    _verify_keys(where, table, _OPTION_REQUIRED, ("decided", "needs"))
    needs = {needed: tuple(values) for needed, values in table.get("needs", {}).items()}
    borne = {format_value(value) for clause in clauses for value in clause.options.get(name, ())}
    attested = tuple(value for value in table["allowed"] if format_value(value) in borne)
    decided = "" if len(attested) == len(table["allowed"]) else table.get("decided", "")
    if len(attested) < len(table["allowed"]) and not decided:
        raise OptionError(f"{where}: no clause bears every value: expected a reason for the others as 'decided'")
    option = Option(name, table["default"], tuple(table["allowed"]), table["says"], attested, decided, needs)
    option.read(option.default, where)
    return option


def _parse_setup(id: str, name: str, table: Mapping[str, Any]) -> Setup:
    _verify_keys(f"rule set {id}: setups.{name}", table, _SETUP_REQUIRED)
    return Setup(name, table["pits"], f"{table['south']}/{table['north']}")


def _parse_clause(id: str, table: Mapping[str, Any]) -> Clause:
    where = f"rule set {id}: the clause {table.get('quote') or table.get('reading')!r}"
    _verify_keys(where, table, _CLAUSE_REQUIRED, _CLAUSE_OPTIONAL)
    quote, mark = table.get("quote", ""), table["mark"]
    if mark not in _MARKS or (mark != "silent" and not quote):
        raise OptionError(f"{where}: mark = {mark!r}: expected one of {', '.join(_MARKS)}; without a quote, silent")
    options = {name: tuple(values) for name, values in table.get("options", {}).items()}
    return Clause(quote, table["reading"], mark, options, table.get("test", ""), table["lesson"])


def _parse_rule(id: str, name: str, table: Mapping[str, Any], sources: Sequence[str]) -> RuleText:
    where = f"rule set {id}: rules.{name}"
    _verify_keys(where, table, _RULE_REQUIRED, ("quote",))
    if not 0 <= table["source"] < len(sources):
        raise OptionError(f"{where}: source = {table['source']}: expected 0 to {len(sources) - 1}")
    return RuleText(name, table["says"], table.get("quote", ""), sources[table["source"]])


def _verify_keys(
    where: str, table: Mapping[str, Any], required: Collection[str], optional: Collection[str] = ()
) -> None:
    """:raises OptionError: the table has an unknown key, or lacks a required one."""
    for key in table:
        if key not in (*required, *optional):
            raise OptionError(f"{where}: unknown key {key!r}: expected one of {', '.join((*required, *optional))}")
    for key in required:
        if key not in table:
            raise OptionError(f"{where}: key {key!r} is missing")


def read_file(name: str) -> dict[str, Any]:
    """A file of the folder of rule sets."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


@cache
def _clauses() -> dict[str, Any]:
    """What the sources say of each game: by far the largest file."""
    return read_file(_CLAUSES)


@cache
def _common_options() -> dict[str, dict[str, Any]]:
    """The options that several games share; a game names those it has and repeats only what differs."""
    options: dict[str, dict[str, Any]] = read_file(_COMMON)["options"]
    return options


def _extend(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """A rule set laid over the one it extends, which extends no other. The sources of both count, its own first.

    Unless it has clauses, those of the other apply.
    """
    options = {name: {**table, **own.get("options", {}).get(name, {})} for name, table in base["options"].items()}
    own_sources = len(own["sources"])
    rules = {name: {**rule, "source": rule["source"] + own_sources} for name, rule in base.get("rules", {}).items()}
    return {
        **base,
        **own,
        "rules": {**rules, **own.get("rules", {})},
        "terms": {**base["terms"], **own.get("terms", {})},
        "options": {**options, **{k: v for k, v in own.get("options", {}).items() if k not in options}},
        "sources": own["sources"] + base["sources"],
    }
