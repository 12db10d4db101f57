"""Rule sets: one game a file in `rulesets/`, and the options a game is played under."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, reduce
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from inkeek.records.errors import ErrorText, OptionError, either, joined_texts, message_of
from inkeek.records.position import MAX_ROW, MAX_SEEDS

from . import schema
from .families import FAMILIES, Family
from .schema import Missing, as_given, flag, many, named, nearest, one_of, option_value, text, whole, word
from .table import SCHEMA, family_of, no_rows, options_of, read_table, verify_options

Value = bool | int | str

ROWS = re.compile(r"[0-9.]+/[0-9.]+")  # of a set-up that has no name
OTHER_ID = re.compile(r"[A-Za-z0-9_-]{1,30}:[A-Za-z0-9_-]{1,30}")  # of a game that is none of ours
EQUAL = "equal"  # the set-up with as many seeds in every pit

_FOLDER = Path(__file__).parents[1] / "rulesets"
_COMMON = "common"  # the file of options that several games share
_UNKNOWN = "unknown"  # the file of games whose rules are not known
_CLAUSES = "clauses"  # the file of the sources' sentences
LESSONS = "lessons"  # the file that `lessons` reads

MAX_COMBINATIONS = 2000  # of the options that a table names
MAX_FILE = 65_536  # characters of a file that is not one of ours

# Options that do not stand in tables: code outside the sowing knows them.
_ALWAYS = ("repetition", "match", "starter")  # of a game that is only a table
_OTHER_OPTIONS = (
    *("pits", "seeds", "setup", *_ALWAYS, "round_starter", "closing", "rearrangement", "rearrange_into_bulls"),
    *("race", "race_keeps_position", "race_won"),
)
_DECIDED = "as the rule set's file says"
_MARKS = ("attested", "decided", "silent")
_TERMS = ("special", "specials", "pit", "pits", "seed", "nothing")
_VALUES = many(option_value, 100, 1)
# What a rule set's file may say.
_FILE = schema.table(
    id=(text, Missing),
    name=(text, Missing),
    title=(text, ""),
    sources=(many(text, 20, 1), Missing),
    family=(word("", *FAMILIES), ""),
    pits=(whole(1, MAX_ROW), 0),
    seeds=(whole(1, MAX_SEEDS), 0),
    each=(whole(1, MAX_SEEDS // 2), 0),
    other_seeds=(flag, False),
    text=(text, ""),
    terms=(schema.table(**dict.fromkeys(_TERMS, (text, ""))), {}),
    options=(
        named(
            schema.table(
                default=(option_value, Missing),
                allowed=(_VALUES, Missing),
                says=(text, Missing),
                decided=(text, _DECIDED),
                needs=(named(_VALUES), {}),
            )
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
    `records.rules.families.FAMILIES` if the kernel has its own code for the same, else "". A game whose rules are not
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
        return not self.is_known or (bool(self.family) and FAMILIES[self.family].closes_pits)

    @property
    def remaining_seeds(self) -> str:
        """Who gets the seeds in ordinary pits at the end: ``row-owner``, ``nobody``, or the ``opponent`` of the side
        that is to move."""
        return "row-owner" if self.table is None else str(self.table["end"]["rest"])

    @property
    def least_special(self) -> int:
        """Seeds that a special pit has at least."""
        return FAMILIES[self.family].least_special if self.family else 0

    def family_under(self, options: Mapping[str, Value], by_table: bool = False) -> Family:
        """What is true of the game under these options. `by_table`: the kernel shall run the table even if it has code
        of its own for the game."""
        if self.family and not by_table:
            return FAMILIES[self.family]
        assert self.table is not None, "only a game that is known has facts"
        return family_of(self.table, options, f"rule set {self.id}", self.least_special)

    def verify_families(self) -> None:
        """Make sure that the table can be compiled under all options.

        :raises OptionError: it cannot.
        """
        if self.table is None:
            return
        named = sorted(options_of(self.table))
        if prod(len(self.option(name).allowed) for name in named) > MAX_COMBINATIONS:
            raise OptionError(
                ErrorText(
                    "rule set %(id)s: the options that the table names have too many combinations: expected at most "
                    "%(most)s",
                    id=self.id,
                    most=MAX_COMBINATIONS,
                )
            )
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
            if not fitting:
                raise OptionError(
                    ErrorText(
                        "%(id)s: no set-up of a board with pits=%(pits)s is attested: give setup=<south "
                        "row>/<north row> with %(pits)s pits and 24 seeds a side; the named ones are %(rows)s",
                        id=self.id,
                        pits=pits,
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
        raise OptionError(joined_texts(faults, "; "))
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
        if read["id"] != id or (read["seeds"] > 0) == (read["each"] > 0):
            faults.append(ErrorText("%(where)s: expected id = %(id)r, and either seeds or each", where=where, id=id))
        if table is None and not faults:
            faults.append(no_rows(where))
    if faults:
        raise OptionError(joined_texts(faults, "; "))
    clauses = tuple(_parse_clause(id, clause) for clause in read["clauses"])
    options = tuple(_parse_option(id, name, option, clauses) for name, option in read["options"].items())
    if table is not None:
        faults = verify_options(table, {option.name: option.allowed for option in options}, where)
    used = {*(options_of(table) if table is not None else ()), *_OTHER_OPTIONS}
    for option in options:
        if option.name not in used:
            faults.append(
                ErrorText(
                    "%(where)s: options.%(name)s: nothing depends on it: expected one that the table names, or "
                    "%(expected)s",
                    where=where,
                    name=option.name,
                    expected=one_of(option.name, _OTHER_OPTIONS),
                )
            )
    if table is not None and any(row["mark"] for row in table["last"]) and "special" not in read["terms"]:
        faults.append(
            ErrorText("%(where)s: terms: key 'special' is missing: the players' word for a special pit", where=where)
        )
    if faults:
        raise OptionError(joined_texts(faults, "; "))
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
    for setup in info.setups:
        info.option("pits").read(setup.pits, f"{where}: setups.{setup.name}")
    for clause in clauses:
        for name, values in clause.options.items():
            for value in values:
                info.option(name).read(value, f"{where}: the clause {clause.quote!r}")
    info.verify_families()
    return info


def _completed(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A file's tables with the common options, of which some are in every game, and the number of pits as an option."""
    options = data.get("options", {})
    if not isinstance(options, Mapping):
        return data
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
    if name == "pits" and not all(isinstance(value, int) and 1 <= value <= MAX_ROW for value in allowed):
        raise OptionError(
            ErrorText(
                "%(where)s: allowed = %(allowed)s: expected whole numbers from 1 to %(most)s",
                where=where,
                allowed=list(allowed),
                most=MAX_ROW,
            )
        )
    return parsed


def _parse_clause(id: str, clause: Mapping[str, Any]) -> Clause:
    quote, mark = clause["quote"], clause["mark"]
    if mark != "silent" and not quote:
        raise OptionError(
            ErrorText(
                "rule set %(id)s: the clause %(reading)r: mark = %(mark)r: expected silent where it has no quote",
                id=id,
                reading=clause["reading"],
                mark=mark,
            )
        )
    return Clause(quote, clause["reading"], mark, clause["options"], clause["test"], clause["lesson"])


def _parse_rule(id: str, name: str, rule: Mapping[str, Any], sources: Sequence[str]) -> RuleText:
    if rule["source"] >= len(sources):
        raise OptionError(
            ErrorText(
                "%(where)s = %(value)s: expected %(expected)s",
                where=f"rule set {id}: rules.{name}.source",
                value=rule["source"],
                expected=ErrorText("a whole number from %(low)s to %(high)s", low=0, high=len(sources) - 1),
            )
        )
    return RuleText(name, rule["says"], rule["quote"], sources[rule["source"]])


def read_ruleset(text: str) -> RuleSet:
    """The rule set of a file that is not one of ours.

    :raises OptionError: it is not TOML, or not a rule set; says what is wrong, and where.
    """
    if len(text) > MAX_FILE:
        raise OptionError(
            ErrorText(
                "the rule set has %(count)s characters: expected at most %(most)s", count=len(text), most=MAX_FILE
            )
        )
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise OptionError(ErrorText("the rule set is not TOML: %(error)s", error=str(error))) from error
    return ruleset_of(data)


def ruleset_of(data: Mapping[str, Any]) -> RuleSet:
    """The rule set of a file's tables; what it extends is one of ours.

    :raises OptionError: it is not a rule set; says what is wrong, and where.
    """
    id = data.get("id")
    if not isinstance(id, str) or not OTHER_ID.fullmatch(id):
        raise OptionError(
            ErrorText("id = %(id)s: expected a place and a name, such as 'konso:lamlameta'", id=f"{id!r:.60}")
        )
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
    files = {id: read_file(id) for id in FAMILIES}
    return {id: [file.get(key) for key in SCHEMA] for id, file in files.items()}


class RuleSetFile(NamedTuple):
    """A file of a folder of rule sets: its rule set, or what is wrong with it."""

    path: Path
    info: RuleSet | None
    error: str = ""


def read_rulesets(folder: Path) -> list[RuleSetFile]:
    """The rule sets of a folder's files, sorted by name; one that cannot be read says why, and hides no other."""
    found: list[RuleSetFile] = []
    for path in sorted(folder.glob("*.toml")):
        try:
            info = read_ruleset(path.read_text("utf-8"))
            if other := next((file for file in found if file.info and file.info.id == info.id), None):
                raise OptionError(
                    ErrorText(
                        "id = %(id)r: %(file)s has this id already: expected another", id=info.id, file=other.path.name
                    )
                )
            found.append(RuleSetFile(path, info))
        except (OptionError, OSError, UnicodeDecodeError) as error:
            found.append(RuleSetFile(path, None, message_of(error)))
    return found


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


def _whole(id: str, data: Mapping[str, Any], clauses: Mapping[str, Any]) -> dict[str, Any]:
    """A file's tables, over those of the rule set that it extends, and the sentences of its source.

    :raises OptionError: it extends no rule set of ours.
    """
    own = {key: value for key, value in data.items() if key != "extends"}
    if "extends" in data:
        verify_ruleset_id(str(data["extends"]))
        base = read_file(str(data["extends"]))
        if "extends" in base:
            raise OptionError(
                ErrorText(
                    "rule set %(id)s: extends = %(extends)r: expected one that extends no other",
                    id=id,
                    extends=data["extends"],
                )
            )
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
