"""Rule sets: one game a file in `rulesets/`, and the options a game is played under."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, reduce
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from inkeek.records.errors import ErrorText, OptionError, PositionError, RecordsError, either, message_of
from inkeek.records.position import MAX_ROW, MAX_SEEDS, Position
from inkeek.records.text import decode_utf8

from . import schema
from .schema import (
    Missing,
    as_given,
    flag,
    line,
    many,
    named,
    nearest,
    one_of,
    option_name,
    option_value,
    refusal,
    refused,
    shown,
    text,
    verify_values,
    whole,
    word,
    wrong,
)
from .table import OWN_CODE, SCHEMA, Family, family_of, no_rows, options_of, read_table, verify_options

Value = bool | int | str

ROWS = re.compile(r"[0-9.]+/[0-9.]+")  # of a set-up that has no name
OTHER_ID = re.compile(r"[A-Za-z0-9_-]{1,30}:[A-Za-z0-9_-]{1,30}")  # of a game that is none of ours
EQUAL = "equal"  # the set-up with as many seeds in every pit
_ROW_SETUP = "row"  # the one with the row that `each` is

_FOLDER = Path(__file__).parents[1] / "rulesets"
_COMMON = "common"  # the file of options that several games share
_UNKNOWN = "unknown"  # the file of games whose rules are not known
_CLAUSES = "clauses"  # the file of the sources' sentences
LESSONS = "lessons"  # the file that `lessons` reads

MAX_COMBINATIONS = 200  # of the options that a table names
MAX_FILE = 65_536  # characters of a file that is not one of ours
MAX_DOTS = 200  # in a line of it: the time for a key of many parts grows with their square

# Options that do not stand in tables: code outside the sowing knows them.
_ALWAYS = ("repetition", "match", "starter")  # of a game that is only a table
_OTHER_OPTIONS = (
    *("pits", "seeds", "setup", *_ALWAYS, "round_starter", "closing", "rearrangement", "rearrange_into_bulls"),
    *("race", "race_keeps_position", "race_won"),
)
_DECIDED = "as the rule set's file says"
_MARKS = ("attested", "decided", "silent")
# Keys of a file that say nothing of how the game is played.
_ONLY_SAID = ("id", "name", "title", "sources", "terms", "rules", "family", "text", "clauses")
_TERMS = ("special", "specials", "pit", "pits", "seed", "nothing")
_VALUES = many(option_value, 100, 1)
_COUNTED = {"pits": whole(1, MAX_ROW), "seeds": whole(1, MAX_SEEDS // 2)}  # options that are numbers


def _read_each(value: Any, where: str, faults: list[str]) -> Any:
    """Seeds in every pit; a list of numbers has become a set-up (`_completed`)."""
    if isinstance(value, list):
        wrong(value, where, ErrorText("whole numbers, one for each pit of a row"), faults)
        return 0
    return _COUNTED["seeds"](value, where, faults)


# What a rule set's file may say.
_FILE = schema.table(
    id=(text, Missing),
    name=(line, Missing),
    title=(line, ""),
    sources=(many(text, 20, 1), Missing),
    family=(word("", *OWN_CODE), ""),
    pits=(_COUNTED["pits"], 0),
    seeds=(whole(1, MAX_SEEDS), 0),
    each=(_read_each, 0),
    other_seeds=(flag, False),
    text=(text, ""),
    terms=(schema.table(**dict.fromkeys(_TERMS, (line, ""))), {}),
    options=(
        named(
            schema.table(
                default=(option_value, Missing),
                allowed=(_VALUES, Missing),
                says=(text, Missing),
                decided=(text, _DECIDED),
                needs=(named(_VALUES), {}),
            ),
            name=option_name,
        ),
        {},
    ),
    setups=(named(schema.table(pits=(whole(1, MAX_ROW), Missing), south=(text, Missing), north=(text, Missing))), {}),
    rules=(
        named(schema.table(says=(text, Missing), quote=(text, ""), source=(whole(0, 20), Missing))),
        {},
    ),
    clauses=(
        many(
            schema.table(
                reading=(text, Missing),
                mark=(word(*_MARKS), Missing),
                lesson=(text, ""),
                quote=(text, ""),
                options=(named(many(option_value, 100)), {}),
                test=(text, ""),
            ),
            500,
        ),
        (),
    ),
    **dict.fromkeys(SCHEMA, (as_given, None)),
)


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
            ),
            f"options.{self.name}",
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
    does, a key of `inkeek.records.rules.lessons.reasons_without_lesson`.
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

    `table` says what a turn does, as `inkeek.records.rules.table.SCHEMA` has it; `family` is a key of
    `records.rules.table.OWN_CODE` if the kernel has its own code for the same, else "". A game whose rules are not
    known has no table. `terms` are the players'
    words. The game has `seeds` on the board, or `each` in every pit at the start (the other is 0). `other_seeds`:
    whether the rows of a set-up may have another number of seeds. `rules`: by id, the rules that findings quote.
    `text`: the name of the source's text, whose sentences `clauses` are. `data`: the file's tables, whole.
    """

    id: str
    name: str
    title: str
    family: str
    options: tuple[Option, ...]
    terms: Mapping[str, str]
    sources: tuple[str, ...]
    table: Mapping[str, Any] | None
    setups: tuple[Setup, ...] = ()
    seeds: int = 0
    each: int = 0
    other_seeds: bool = False
    rules: Mapping[str, RuleText] = field(default_factory=dict)
    text: str = ""
    clauses: tuple[Clause, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def is_known(self) -> bool:
        """Whether the program knows the rules. Of another game it keeps what was laid out after each turn."""
        return self.table is not None

    @property
    def closes_pits(self) -> bool:
        """Whether a set-up may have closed pits."""
        return not self.is_known or any(option.name == "closing" for option in self.options)

    @property
    def remaining_seeds(self) -> str:
        """Who gets the seeds in ordinary pits at the end: ``row-owner``, ``nobody``, or the ``opponent`` of the side
        that is to move."""
        return "row-owner" if self.table is None else str(self.table["end"]["rest"])

    @property
    def least_special(self) -> int:
        """Seeds that a special pit has at least."""
        return 2 if self.family else 0

    def family_under(self, options: Mapping[str, Value], by_table: bool = False) -> Family:
        """What is true of the game under these options. `by_table`: the kernel shall run the table even if it has code
        of its own for the game."""
        if self.family and not by_table:
            return _own_family(self.family, tuple(options.items()))
        assert self.table is not None, "only a game that is known has facts"
        return family_of(self.table, options, f"rule set {self.id}", least_special=self.least_special)

    def verify_families(self) -> None:
        """Make sure that the table can be compiled under all options.

        :raises OptionError: it cannot.
        """
        if self.table is None:
            return
        named = sorted(options_of(self.table))
        if prod(len(self.option(name).allowed) for name in named) > MAX_COMBINATIONS:
            expected = ErrorText("options with at most %(most)s combinations of values", most=MAX_COMBINATIONS)
            raise refused(", ".join(named), f"rule set {self.id}: options", expected)
        for values in product(*(self.option(name).allowed for name in named)):
            family_of(self.table, dict(zip(named, values, strict=True)), f"rule set {self.id}")

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
            ),
            f"options.{name}",
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
                    ),
                    f"options.{option.name}",
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
            if (usual := str(self.option("setup").default)) in (EQUAL, *fitting):
                fitting = [usual]
            if not fitting:
                raise OptionError(
                    ErrorText(
                        "%(id)s: no set-up of a board with pits=%(pits)s is attested: give setup=<south "
                        "row>/<north row> with %(pits)s pits and %(seeds)s seeds a side; the named ones are %(rows)s",
                        id=self.id,
                        pits=pits,
                        seeds=self.seeds_on_board({**values, "pits": pits}) // 2,
                        rows=rows,
                    ),
                    "options.pits",
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
                ),
                "options.setup",
            )
        self.option("pits").read(pits, self.id)


@lru_cache(64)
def _own_family(id: str, options: tuple[tuple[str, Value], ...]) -> Family:
    """What is true of a game for which the kernel has its own code: all that have its code have its table."""
    info = load_ruleset(id)
    assert info.table is not None
    return family_of(info.table, dict(options), f"rule set {id}", OWN_CODE[id], info.least_special)


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
    if id not in ruleset_ids() and not OTHER_ID.fullmatch(id):
        raise OptionError(
            ErrorText(
                "no rule set %(id)r: expected one of %(ruleset_ids)s; or, for a game whose rules are not known, a "
                "place and a name, such as konso:lamlameta",
                id=id,
                ruleset_ids=nearest(id.lower(), ruleset_ids()),
            ),
            "game",
        )


@cache
def load_ruleset(id: str) -> RuleSet:
    """The rule set with this id. One with a colon, such as ``konso:lamlameta``, is a game whose rules are not known.

    :raises OptionError: there is no such rule set; lists those there are.
    """
    verify_ruleset_id(id)
    if OTHER_ID.fullmatch(id):
        return replace(parse_ruleset(_UNKNOWN, read_file(_UNKNOWN)), id=id, name=id)
    return parse_ruleset(id, _whole(id, read_file(id), _clauses().get(id, {})))


def parse_ruleset(id: str, data: Mapping[str, Any]) -> RuleSet:
    """The rule set that the tables of a file describe.

    :raises OptionError: keys or values are unknown, missing or contradict each other; says what is wrong, and where.
    """
    where, faults = f"rule set {id}", list[str]()
    data = _completed(data)
    read = _FILE(data, where, faults)
    if faults:
        raise refusal(faults)
    read["terms"] = {name: word for name, word in read["terms"].items() if word}
    table = read_table({key: read[key] for key in SCHEMA if read[key] is not None}, where, faults)
    if "pits" not in read["options"]:
        faults.append(ErrorText("%(where)s: key 'pits' is missing: how many a row has", where=where))
    if read["pits"]:
        faults.append(
            ErrorText(
                "%(where)s: pits = %(pits)s beside options.pits: expected one of them", where=where, pits=read["pits"]
            )
        )
    if id != _UNKNOWN:
        if (read["seeds"] > 0) == (read["each"] > 0):
            expected = ErrorText(
                "either each, the seeds in every pit or those of a row such as [4, 4, 0], or seeds, all of them, with "
                "setups"
            )
            faults.append(ErrorText("%(where)s: expected %(expected)s", where=where, expected=expected))
        if table is None and not faults:
            faults.append(no_rows(where))
    if faults:
        raise refusal(faults)
    clauses = tuple(_parse_clause(id, clause) for clause in read["clauses"])
    options = tuple(_parse_option(id, name, option, clauses) for name, option in read["options"].items())
    if table is not None:
        faults = verify_options(table, {option.name: option.allowed for option in options}, where)
    used = {*(options_of(table) if table is not None else ()), *_OTHER_OPTIONS}
    for option in options:
        if option.name not in used:
            expected = ErrorText(
                "an option that the table names, or %(expected)s", expected=one_of(option.name, _OTHER_OPTIONS)
            )
            wrong(option.name, f"{where}: options", expected, faults)
    if table is not None and any(row["mark"] for row in table["last"]) and "special" not in read["terms"]:
        faults.append(
            ErrorText("%(where)s: terms: key 'special' is missing: the players' word for a special pit", where=where)
        )
    if faults:
        raise refusal(faults)
    kept = {
        key: read[key] for key in ("id", "name", "terms", "seeds", "each", "other_seeds", "family", "text", "sources")
    }
    info = RuleSet(
        **kept,
        title=read["title"] or read["name"],
        options=options,
        clauses=clauses,
        table=table,
        setups=tuple(
            Setup(name, setup["pits"], f"{setup['south']}/{setup['north']}") for name, setup in read["setups"].items()
        ),
        rules={name: _parse_rule(id, name, rule, read["sources"]) for name, rule in read["rules"].items()},
        data=data,
    )
    for option in info.options:
        for needed, values in option.needs.items():
            for value in values:
                info.option(needed).read(value, f"{where}: options.{option.name}.needs")
    if faults := _start_faults(info, where):
        raise refusal(faults)
    for clause in clauses:
        for name, values in clause.options.items():
            for value in values:
                info.option(name).read(value, f"{where}: the clause {clause.quote!r}")
    info.verify_families()
    return info


def _completed(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A file's tables with the common options, of which some are in every game, the number of pits as an option, and
    the row of a side, if `each` is one, as a set-up."""
    options = data.get("options", {})
    if not isinstance(options, Mapping):
        return data
    if isinstance(row := data.get("each"), list) and row and all(type(count) is int for count in row):
        said = {"says": "where the seeds are at the start", "decided": _DECIDED}
        options = {"setup": {"default": _ROW_SETUP, "allowed": [_ROW_SETUP], **said}, **options}
        rows = dict.fromkeys(("south", "north"), ".".join(map(str, row)))
        data = {key: value for key, value in data.items() if key != "each"}
        data = {"pits": len(row), "seeds": 2 * sum(row), "setups": {_ROW_SETUP: {"pits": len(row), **rows}}, **data}
    if type(pits := data.get("pits")) is int and 1 <= pits <= MAX_ROW and "pits" not in options:
        data = {key: value for key, value in data.items() if key != "pits"}
        says = {"says": "pits in a row", "decided": _DECIDED}
        options = {"pits": {"default": pits, "allowed": [pits], **says}, **options}
    options = {**options, **{name: {} for name in _ALWAYS if name not in options}}
    common = _common_options()
    merged = {
        name: {**common.get(name, {}), **option} if isinstance(option, Mapping) else option
        for name, option in options.items()
    }
    return {**data, "options": merged}


def _parse_option(id: str, name: str, option: Mapping[str, Any], clauses: Sequence[Clause]) -> Option:
    where = f"rule set {id}: options.{name}"
    allowed = option["allowed"]
    borne = {format_value(value) for clause in clauses for value in clause.options.get(name, ())}
    attested = tuple(value for value in allowed if format_value(value) in borne)
    decided = "" if len(attested) == len(allowed) else option["decided"]
    if len(attested) < len(allowed) and not decided:
        raise OptionError(
            ErrorText(
                "%(where)s: no clause bears every value: expected a reason for the others as 'decided'", where=where
            )
        )
    parsed = Option(name, option["default"], allowed, option["says"], attested, decided, option["needs"])
    parsed.read(parsed.default, where)
    faults: list[str] = []
    for value in allowed:
        if name in _COUNTED:
            _COUNTED[name](value, f"{where}.allowed", faults)
    if len({format_value(value) for value in allowed}) < len(allowed):
        expected = ErrorText("values that are not written alike")
        faults.append(ErrorText("%(where)s: expected %(expected)s", where=f"{where}.allowed", expected=expected))
    if faults:
        raise refusal(faults)
    return parsed


def _start_faults(info: RuleSet, where: str) -> list[str]:
    """What is wrong with the positions in which games can begin.

    :raises OptionError: a game without options has none.
    """
    faults: list[str] = []
    values = {option.name: option.allowed for option in info.options}
    names = [setup.name for setup in info.setups]
    if not info.is_known:
        return faults
    for value in values.get("setup", ()):
        if value not in (EQUAL, *names) and not ROWS.fullmatch(str(value)):
            wrong(value, f"{where}: options.setup.allowed", one_of(value, (EQUAL, *names)), faults)
    if names and "setup" not in values:
        faults.append(ErrorText("%(where)s: setups need options.setup, whose values name them", where=where))
    for setup in info.setups:
        place = f"{where}: setups.{setup.name}"
        info.option("pits").read(setup.pits, place)
        try:
            position = Position.parse(f"{setup.rows} 0-0 s 0")
        except PositionError as error:
            faults += [ErrorText("%(where)s: %(message)s", where=place, message=fault) for fault in error.faults]
            continue
        seeds = info.seeds_on_board({**info.resolve({}, laid_out=False), "pits": setup.pits})
        if (position.row, position.seeds) != (setup.pits, seeds):
            expected = ErrorText("rows of %(pits)s pits with %(seeds)s seeds in all", pits=setup.pits, seeds=seeds)
            wrong(setup.rows, place, expected, faults)
        elif any(position.marks) and not info.closes_pits:
            wrong(setup.rows, place, ErrorText("numbers of seeds"), faults)
    if not (info.each or names or info.other_seeds):
        expected = ErrorText("each, the seeds in every pit, or setups")
        wrong(info.seeds, f"{where}: seeds", expected, faults)
    pits, each = max(map(int, values["pits"])), max(map(int, values.get("seeds", (info.each,))))
    if 2 * pits * each > MAX_SEEDS:
        expected = ErrorText("at most %(most)s seeds on a board of %(pits)s pits a row", most=MAX_SEEDS, pits=pits)
        wrong(each, f"{where}: seeds in a pit", expected, faults)
    if not faults:
        info.resolve({})
    return faults


def _parse_clause(id: str, clause: Mapping[str, Any]) -> Clause:
    quote, mark = clause["quote"], clause["mark"]
    if mark != "silent" and not quote:
        where = f"rule set {id}: the clause {shown(clause['reading'])}: mark"
        raise refused(mark, where, ErrorText("silent where it has no quote"))
    return Clause(quote, clause["reading"], mark, clause["options"], clause["test"], clause["lesson"])


def _parse_rule(id: str, name: str, rule: Mapping[str, Any], sources: Sequence[str]) -> RuleText:
    whole(0, len(sources) - 1)(rule["source"], f"rule set {id}: rules.{name}.source", faults := list[str]())
    if faults:
        raise refusal(faults)
    return RuleText(name, rule["says"], rule["quote"], sources[rule["source"]])


def read_ruleset(text: str) -> RuleSet:
    """The rule set of a file that is not one of ours.

    :raises OptionError: it is not TOML, or not a rule set; says what is wrong, and where.
    """
    if len(text) > MAX_FILE:
        raise refused(len(text), "rule set: characters", ErrorText("at most %(most)s", most=MAX_FILE))
    for number, row in enumerate(text.split("\n"), 1):
        if (dots := row.count(".")) > MAX_DOTS:
            expected = ErrorText(
                "at most %(most)s; a text between three quotation marks may have many lines", most=MAX_DOTS
            )
            raise refused(dots, f"rule set: dots in line {number}", expected)
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))  # which editors put before UTF-8
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line ([0-9]+)", str(error))
        quoted = [shown(text.split("\n")[int(line[1]) - 1].strip())] if line else []
        told = ": ".join([str(error), *quoted])
        says: str = ErrorText("%(error)s; texts stand between quotation marks", error=told)
    except RecursionError:
        says = ErrorText("too many lists in each other")
    except ValueError:  # of `int`
        says = ErrorText("a number has too many digits")
    else:
        return ruleset_of(data)
    raise OptionError(ErrorText("the rule set is not TOML: %(error)s", error=says))


def ruleset_of(data: Mapping[str, Any]) -> RuleSet:
    """The rule set of a file's tables; what it extends is one of ours.

    :raises OptionError: it is not a rule set; says what is wrong, and where.
    """
    verify_values(data, "rule set")
    id = data.get("id")
    if not isinstance(id, str) or not OTHER_ID.fullmatch(id):
        expected = ErrorText("a place and a name of letters from a to z, digits, - and _, such as 'konso:lamlameta'")
        raise refused("" if id is None else id, "id", expected)
    if "family" in data:
        raise OptionError(
            ErrorText("rule set %(id)s: unknown key 'family': only games of this project have code of their own", id=id)
        )
    whole = _whole(id, data, {})
    return parse_ruleset(id, {**whole, "family": _family_with(whole)})


def write_ruleset_json(info: RuleSet) -> str:
    """How a game is played, as a record carries it: the file's tables with all that they extend, on one line."""
    told = {key: value for key, value in info.data.items() if key not in ("family", "text", "clauses")}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


@lru_cache(64)  # the games of a file, or of a village, are mostly of one kind
def read_ruleset_json(text: str) -> RuleSet:
    """The rule set that `write_ruleset_json` wrote.

    :raises OptionError: it is not JSON, or not a rule set; says what is wrong, and where.
    """
    try:
        data = json.loads(text, object_pairs_hook=_without_twins)
    except json.JSONDecodeError as error:
        near = text[max(0, error.pos - 20) : error.pos + 20]
        raise OptionError(f"{error.msg} at character {error.pos + 1}, in {near!r}: expected JSON") from error
    except (ValueError, RecursionError) as error:
        raise OptionError(f"{text[:40]!r}… is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise OptionError(f'{text[:40]!r} is no JSON object: expected one such as {{"id":"konso:lamlameta",…}}')
    return ruleset_of(data)


@lru_cache(64)
def rules_key(told: str) -> str:
    """A key of how a game is played by the rules that a record carries, 12 hexadecimal digits.

    Names, sources, sentences and the order of keys make no difference; any other way to write the same does.
    """
    try:
        data = read_ruleset_json(told).data
    except OptionError:  # who reads the record names the fault
        data = {"options": {}, "last": [], "told": told}
    options = {name: (option["default"], option["allowed"]) for name, option in data["options"].items()}
    rows = [{key: value for key, value in row.items() if key != "why"} for row in data["last"]]
    played = {key: value for key, value in data.items() if key not in _ONLY_SAID} | {"options": options, "last": rows}
    return hashlib.sha256(json.dumps(played, sort_keys=True).encode()).hexdigest()[:12]


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise OptionError(f"the key {key[:60]!r} appears twice in {{{', '.join(found)[:60]}}}: remove one")
        found[key] = value
    return found


def _family_with(data: Mapping[str, Any]) -> str:
    """The family whose code in the kernel does what the tables of a file say; "" if none does."""
    parts = [data.get(key) or None for key in SCHEMA]
    return next((id for id, tables in _family_tables().items() if parts == tables), "")


@cache
def _family_tables() -> dict[str, list[Any]]:
    """The tables of each family's file, in the order of the schema: those that a file is compared with."""
    files = {id: read_file(id) for id in OWN_CODE}
    return {id: [file.get(key) for key in SCHEMA] for id, file in files.items()}


class RuleSetFile(NamedTuple):
    """A file of a folder of rule sets: its rule set, or what is wrong with it. Files of one `id` have no rule set."""

    path: Path
    info: RuleSet | None
    error: str = ""
    id: str = ""


def read_rulesets(folder: Path, read: Callable[[str], RuleSet] = read_ruleset) -> list[RuleSetFile]:
    """The rule sets of a folder's files, sorted by name; one that cannot be read says why, and hides no other."""
    found: list[RuleSetFile] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            info = read(decode_utf8(path.read_bytes()))
            found.append(RuleSetFile(path, info, id=info.id))
        except (RecordsError, OSError) as error:
            found.append(RuleSetFile(path, None, message_of(error)))
    for at, (path, _, _, id) in enumerate(found):
        if twins := [file.path.name for file in found if id and file.id == id and file.path != path]:
            says = ErrorText("id = %(id)r: %(files)s has this id too: expected another", id=id, files=", ".join(twins))
            found[at] = RuleSetFile(path, None, says, id)
    return found


def read_file(name: str) -> dict[str, Any]:
    """A file of the folder of rule sets."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text("utf-8"))


@cache
def _clauses() -> dict[str, Any]:
    return read_file(_CLAUSES)


@cache
def _common_options() -> dict[str, dict[str, Any]]:
    options: dict[str, dict[str, Any]] = read_file(_COMMON)["options"]
    return options


def _whole(id: str, data: Mapping[str, Any], clauses: Mapping[str, Any]) -> dict[str, Any]:
    """A file's tables, over those of the rule set that it extends, and the sentences of its source.

    :raises OptionError: it extends no rule set of ours.
    """
    own = {key: value for key, value in data.items() if key != "extends"}
    if "extends" in data:
        if data["extends"] not in ruleset_ids():
            raise refused(data["extends"], f"rule set {id}: extends", one_of(data["extends"], ruleset_ids()))
        base = read_file(str(data["extends"]))
        if "extends" in base:
            raise refused(data["extends"], f"rule set {id}: extends", ErrorText("one that extends no other"))
        return _extend({**base, **_clauses().get(str(data["extends"]), {})}, {**own, **clauses})
    return {**own, **clauses}


def _names_in(part: Any) -> set[str]:
    """The options that a part of a table names, as it stands in the file."""
    if isinstance(part, list):
        return {name for value in part for name in _names_in(value)}
    if not isinstance(part, dict):
        return set()
    own = {part["option"]} if isinstance(part.get("option"), str) else set()
    return own | set(part["if"] if isinstance(part.get("if"), dict) else ()) | _names_in(list(part.values()))


def _extend(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """A rule set laid over the one it extends. The sources of both count, its own first.

    What the other says of its source applies where nothing contradicts it: no sentence about an option that differs,
    and none at all, nor its code in the kernel, nor options that nothing names any more, where the table differs.
    """
    if not all(isinstance(own.get(key, {}), dict) for key in ("options", "rules", "terms", "start", "sow", "end")):
        return own  # the schema says what is wrong
    own_sources, own_options = own.get("sources", []), own.get("options", {})
    for told, instead in (("pits", ("pits",)), ("each", ("each", "seeds")), ("seeds", ("each", "seeds"))):
        if told in own:
            options_left = {name: option for name, option in base["options"].items() if name not in instead}
            base = {**{key: value for key, value in base.items() if key not in instead}, "options": options_left}
    differs = any(key in own for key in SCHEMA)
    parts = {key: {**base.get(key, {}), **own.get(key, {})} for key in ("start", "sow", "end")}
    named = {*own_options, *_OTHER_OPTIONS, *_names_in([*parts.values(), own.get("last", base["last"])])}
    names = {**{name: 0 for name in base["options"] if name in named or not differs}, **own_options}
    options = {name: {**base["options"].get(name, {}), **own_options.get(name, {})} for name in names}
    rules = {
        name: {**rule, "source": rule["source"] + len(own_sources)} for name, rule in base.get("rules", {}).items()
    }
    clauses = [
        clause
        for clause in base.get("clauses", [])
        if not differs and not own_options.keys() & clause.get("options", {}).keys()
    ]
    return {
        **base,
        "clauses": clauses,
        **own,
        **parts,
        **({"family": ""} if differs else {}),
        "terms": {**base["terms"], **own.get("terms", {})},
        "rules": {**({} if differs else rules), **own.get("rules", {})},
        "options": options,
        "sources": [*own_sources, *base["sources"]],
    }
