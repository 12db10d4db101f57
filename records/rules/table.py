"""A game as a table: how a turn begins, how laps are sown, what the last seed of a lap does, how the game ends.

`SCHEMA` is what a file may say; `compile_table` makes of it what the kernel runs, lists of numbers. Tests hold the
kernel against a second runner of the same tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

from inkeek.records.errors import ErrorText
from inkeek.records.kernel import codes
from inkeek.records.kernel.codes import CAPTURES, MAX_ROWS, MAX_TESTS, REASONS, ROW, SITUATIONS

from . import schema
from .schema import Missing, Varies, below, flag, many, named, one_of, option_value, refused, varies, whole, word, wrong

# Families of games, and what is true of one: the kernel, the search, findings and tables follow from it. What a lap's
# last seed does in a family is `_end_<family>` in `inkeek.records.kernel.sowing`.


class CompiledTable(NamedTuple):
    """A table under fixed options, as the kernel reads it (`compile_table`).

    `rows` has `ROW` numbers for each row, `tests` has `SITUATIONS` for each test; where a number names a test, -1 is
    none. `settings` are what the table says in the words of the kernel's options.
    """

    rows: tuple[int, ...]
    tests: tuple[int, ...]
    settings: tuple[tuple[str, Any], ...]


OWN_CODE = {
    "enkeshui": codes.ENKESHUI,
    "anywoli": codes.ANYWOLI,
    "layli-goobalay": codes.LAYLI,
    "bof": codes.BOF,
    "oware": codes.OWARE,
    "kalah": codes.KALAH,
}
"""The families: games for which the kernel has its own code, and their numbers there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What follows from a table under fixed options (`family_of`).

    `number`: whose code the kernel runs. `captures`: what the end of a lap captures: the pit ``opposite``, the last pit
    (``four``), what lies ``beyond`` an empty pit, or the last pit and those before it (``backward``). `takes_last`: a
    capture takes the last seed too. `goes_on`: a capture goes on to the next pits. `banks`: laps sow the mover's own
    store. `specials`: how pits become special: two that lie ``opposite`` each other, or where a lap makes ``fours``; ""
    if none do. `feeds`: whose opponent has no seeds must play a turn that reaches that row in its first lap or, where
    the table says so, that leaves it seeds at its end. `ends_with_row`: the game is over as soon as either row is
    empty. `least_special`: seeds that a special pit has at least. `repeats`: whether a position can come up again: not
    where seeds that go round pass the own store. `table`: what the kernel runs, where it has no code for the family.
    """

    number: int
    captures: Literal["opposite", "four", "beyond", "backward"]
    takes_last: bool
    goes_on: bool
    banks: bool
    specials: Literal["", "fours", "opposite"]
    feeds: bool
    ends_with_row: bool
    least_special: int
    repeats: bool
    table: CompiledTable | None


# What a file may say.

PLACES = ("last", "opposite", "next", "beyond", "before")
THEN = ("stop", "relay", "relay-next", "relay-past", "again")
RELAYS = THEN[1:4]
CHOICES = ("none", "start", "after-opponent-row", "after-one-lap", "after-first-lap", "each-relay")

# The kinds of places that the words of a test name, as bits: an own pit that is ordinary, special of the mover, special
# of the opponent; the same of the opponent's row; the store. A word of counts names numbers of seeds.
PITS, STORE = 0b0111111, 0b1000000
UNMARKED = (0, 3, 6)  # the kinds of places that are not special, by their bits
WORDS = {
    "own": 0b0000111,
    "theirs": 0b0111000,
    "ordinary": 0b0001001,
    "special": 0b0110110,
    "mine": 0b0010010,
    "foes": 0b0100100,
    "store": STORE,
}
COUNTS = {"even": 0x5555555555555555, "odd": 0xAAAAAAAAAAAAAAAA}
MAX_COUNT = 61  # that a test names; the kernel's last two bits stand for all larger even and odd numbers
EXPECTED = ErrorText(
    "a test: words such as 'own 1' or 'theirs 2,theirs 3', of %(words)s, numbers up to %(most)s, and '2+' for two or "
    "more",
    words=", ".join([*WORDS, *COUNTS]),
    most=MAX_COUNT,
)

Test = tuple[int, ...]


def read_test(value: Any, where: str, faults: list[str]) -> Test:
    """A test: for each kind of place the numbers of seeds that pass, as bits."""
    test = [0] * SITUATIONS
    for alternative in value.split(",") if isinstance(value, str) else [""]:
        kinds, counts = PITS | STORE, codes.MASK
        words = alternative.split()
        for name in words:
            number = name.removesuffix("+")
            if name in WORDS:
                kinds &= WORDS[name]
            elif name in COUNTS:
                counts &= COUNTS[name]
            elif number.isdecimal() and number.isascii() and len(number) < 3 and int(number) <= MAX_COUNT:
                counts &= codes.MASK << int(number) if name.endswith("+") else 1 << int(number)
            else:
                words = []
                break
        if not words:
            wrong(value, where, EXPECTED, faults)
            return tuple(test)
        for kind in range(SITUATIONS):
            if kinds >> kind & 1 and (kind < SITUATIONS - 1 or "store" in words):
                test[kind] |= counts & codes.MASK
    if not any(test):
        wrong(value, where, ErrorText("a test that some place can pass, with a comma for or: '2,3'"), faults)
    return tuple(test)


def read_taken(value: Any, where: str, faults: list[str]) -> str | Test:
    """What is taken: the name of a place, or a test, for all pits that pass."""
    if isinstance(value, str) and value not in WORDS and get_close_matches(value, PLACES):
        word(*PLACES)(value, where, faults)
        return value
    return read_test(value, where, faults)


_TEST = (read_test, None)
_CHAIN = schema.table(
    way=(word("on", "back", "pairs"), Missing),
    pit=(read_test, Missing),
    opposite=_TEST,
    take=(word("pit", "opposite"), "pit"),
)
_ROW = schema.table(
    **dict.fromkeys(PLACES, _TEST),
    lap=(word("any", "first", "later"), "any"),
    turn=(varies(word("any", "later")), "any"),
    max=(varies(whole(1, 16)), None),
    not_pit=(varies(whole(1, 16)), None),
    not_mirror=(flag, False),
    **{"if": (named(schema.many(option_value, 20)), {})},
    then=(word(*THEN), "stop"),
    take=(many(read_taken, 4), ()),
    chain=(_CHAIN, None),
    slam=(varies(word("takes", "nothing")), "takes"),
    shift=(flag, False),
    mark=(many(word("last", "opposite", "before"), 3), ()),
    why=(schema.sentence, None),
)
_CONDITIONS = (*PLACES, "lap", "turn", "max", "not_pit", "not_mirror", "if")
SCHEMA = {
    "start": schema.table(
        least=(varies(whole(1, MAX_COUNT)), 1),
        first=(varies(word("any", "right-end")), "any"),
        feed=(varies(word("no", "first-lap", "turn")), "no"),
    ),
    "sow": schema.table(
        direction=(varies(word("ccw", "cw", "split")), "ccw"),
        store=(word("none", "own"), "none"),
        origin=(varies(word("sown", "skipped", "first-stays")), "sown"),
        choices=(varies(word(*CHOICES)), "none"),
        skip=_TEST,
        skip_from=(word("first", "later", "second-turn"), "first"),
        special=(word("stays", "store"), "stays"),
    ),
    "passing": schema.table(
        count=(read_test, Missing),
        to=(varies(word("owner", "mover")), "mover"),
    ),
    "last": many(_ROW, MAX_ROWS, 1),
    "end": schema.table(
        over=(varies(word("mover", "both", "row")), "mover"),
        majority=(varies(flag), False),
        last_seeds=(varies(whole(0, MAX_COUNT)), 0),
        rest=(word("row-owner", "nobody", "opponent"), "row-owner"),
    ),
}
_DEFAULTS: dict[str, Any] = {"start": {}, "sow": {}, "end": {}}


def as_lists(row: Any) -> Any:
    """A row whose `if` names values, with lists of one value for single ones."""
    if not isinstance(row, Mapping) or not isinstance(row.get("if"), Mapping):
        return row
    return {**row, "if": {key: value if isinstance(value, list) else [value] for key, value in row["if"].items()}}


def no_rows(where: str) -> ErrorText:
    return ErrorText("%(where)s: key 'last' is missing: what the last seed of a lap does", where=where)


def read_table(data: Mapping[str, Any], where: str, faults: list[str]) -> dict[str, Any] | None:
    """The parts of the table in a file; None if it has none."""
    if not any(key in data for key in SCHEMA):
        return None
    if "last" not in data:
        faults.append(no_rows(where))
        return None
    rows = data["last"]
    given = {**_DEFAULTS, **data, "last": [as_lists(row) for row in rows] if isinstance(rows, list) else rows}
    read: dict[str, Any] = {
        key: reader(given[key], below(where, key), faults) if key in given else None for key, reader in SCHEMA.items()
    }
    for number, row in enumerate(read["last"], 1):
        row["number"] = number
        _verify_row(row, number == len(read["last"]), f"{below(where, 'last')}[{number}]", faults)
    if read["end"]["last_seeds"] != 0 and any(row["mark"] for row in read["last"]):
        faults.append(
            ErrorText("%(where)s: end.last_seeds with mark: expected 0, as special pits are their owners'", where=where)
        )
    if not any(row["mark"] for row in read["last"]):
        for place, test in _tests(read, where):
            if any(test) and not any(test[kind] for kind in UNMARKED):
                faults.append(
                    ErrorText("%(where)s: no pit becomes special: expected a row of last with mark", where=place)
                )
    in_store = [row for row in read["last"] if row["last"] and row["last"][-1]]
    if read["sow"]["store"] == "own" and not in_store:
        wrong("own", below(where, "sow.store"), ErrorText("a row of last with last = 'store' besides"), faults)
    if read["sow"]["store"] == "none" and in_store:
        wrong("none", below(where, "sow.store"), ErrorText("'own', as a row of last has last = 'store'"), faults)
    return read


def _verify_row(row: Mapping[str, Any], is_last: bool, where: str, faults: list[str]) -> None:
    conditions = [key for key in _CONDITIONS if row[key] not in (None, "any", False, {})]
    if is_last and conditions:
        faults.append(
            ErrorText(
                "%(where)s: expected no %(condition)r in the last row, which decides where no other row fits",
                where=where,
                condition=conditions[0],
            )
        )
    if not is_last and not conditions:
        faults.append(
            ErrorText(
                "%(where)s: it fits always, so that no row after it is reached: expected a condition", where=where
            )
        )
    if row["mark"] and row["then"] in RELAYS:
        wrong(row["then"], below(where, "then"), ErrorText("stop with mark: such a turn is over"), faults)
    if (row["not_pit"] or row["not_mirror"] or row["max"]) and not row["mark"]:
        faults.append(
            ErrorText(
                "%(where)s: max, not_pit and not_mirror need mark: expected pits that become special", where=where
            )
        )


def _tests(read: Mapping[str, Any], where: str) -> Iterator[tuple[str, Test]]:
    for number, row in enumerate(read["last"], 1):
        for place in PLACES:
            if row[place] is not None:
                yield f"{below(where, 'last')}[{number}].{place}", row[place]


def varying(table: Any) -> Iterator[Varies]:
    """Every value of a table that depends on an option."""
    if isinstance(table, Varies):
        yield table
    elif isinstance(table, Mapping):
        for value in table.values():
            yield from varying(value)
    elif isinstance(table, tuple) and not all(isinstance(value, int) for value in table):
        for value in table:
            yield from varying(value)


def options_of(table: Mapping[str, Any]) -> set[str]:
    """The options that a table depends on."""
    return {value.option for value in varying(table)} | {name for row in table["last"] for name in row["if"]}


def verify_options(table: Mapping[str, Any], allowed: Mapping[str, tuple[Any, ...]], where: str) -> list[str]:
    """What is wrong with the options that a table names, of which these values are allowed."""
    faults: list[str] = []
    for name in sorted(options_of(table) - allowed.keys()):
        wrong(name, f"{where}: option", one_of(name, allowed), faults)
    for value in varying(table):
        for choice in allowed.get(value.option, ()):
            if value.cases and _as_text(choice) not in value.cases:
                place = f"{where}: cases of option {value.option}"
                wrong(list(value.cases), place, ErrorText("%(case)s too", case=_as_text(choice)), faults)
            elif not value.cases and value.reader is not None:
                value.reader(choice, f"{where}: option {value.option}", faults)
        for case in value.cases:
            texts = [_as_text(choice) for choice in allowed.get(value.option, ())]
            if texts and case not in texts:
                wrong(case, f"{where}: case of option {value.option}", one_of(case, texts), faults)
    for row in table["last"]:
        for name, values in row["if"].items():
            for value in values:
                if name in allowed and value not in allowed[name]:
                    texts = [_as_text(choice) for choice in allowed[name]]
                    wrong(value, f"{where}: if {name}", one_of(value, texts), faults)
    return faults


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def resolve_table(table: Any, options: Mapping[str, Any]) -> Any:
    """The table with the values that it has under these options, and the rows that apply."""
    if isinstance(table, Varies):
        value = options[table.option]
        return table.cases[_as_text(value)] if table.cases else value
    if isinstance(table, Mapping):
        found = {key: resolve_table(value, options) for key, value in table.items()}
        if (
            "last" in found
            and isinstance(found["last"], tuple)
            and found["last"]
            and isinstance(found["last"][0], dict)
        ):
            found["last"] = tuple(
                row for row in found["last"] if all(options[name] in values for name, values in row["if"].items())
            )
        return found
    if isinstance(table, tuple) and any(isinstance(v, Mapping) for v in table):
        return tuple(resolve_table(value, options) for value in table)
    return table


def compile_table(table: Mapping[str, Any], options: Mapping[str, Any], where: str) -> CompiledTable:
    """The numbers of a table under these options.

    :raises OptionError: it has more tests than the kernel has room for.
    """
    resolved = resolve_table(table, options)
    tests: dict[Test, int] = {}

    def number_of(test: Test | None) -> int:
        return -1 if test is None else tests.setdefault(test, len(tests))

    rows: list[int] = []
    for row, (reason, *why) in zip(resolved["last"], _reasons(resolved), strict=True):
        chain = row["chain"] or {"way": "", "pit": None, "opposite": None, "take": "pit"}
        taken = [PLACES.index(item) if item in PLACES else codes.ALL_THAT + number_of(item) for item in row["take"]]
        marked = [PLACES.index(item) for item in row["mark"]]
        numbers = [
            *(number_of(row[place]) for place in PLACES),
            ("any", "first", "later").index(row["lap"]),
            row["turn"] == "later",
            row["max"] or 0,
            row["not_pit"] or 0,
            row["not_mirror"],
            THEN.index(row["then"]),
            *(taken + [-1] * 4)[:4],
            ("", "on", "back", "pairs").index(chain["way"]),
            number_of(chain["pit"]),
            number_of(chain["opposite"]),
            chain["take"] == "opposite",
            row["slam"] == "nothing",
            row["shift"],
            *(marked + [-1] * 3)[:3],
            CAPTURES.index(reason) if reason else -1,
            *map(REASONS.index, why),
            row["number"],
        ]
        assert len(numbers) == ROW, f"{len(numbers)} numbers in a row, not {ROW}"
        rows += map(int, numbers)
    start, sow, passing, end = (resolved[part] for part in ("start", "sow", "passing", "end"))
    settings = {
        "direction": sow["direction"],
        "direction_choice": sow["choices"],
        "skip_origin": sow["origin"] == "skipped",
        "first_stays": sow["origin"] == "first-stays",
        "skip": number_of(sow["skip"]),
        "skip_later": sow["skip_from"] == "later",
        "skip_second": sow["skip_from"] == "second-turn",
        "drains": sow["special"] == "store",
        "passing": number_of(passing["count"]) if passing else -1,
        "passing_owner": passing is not None and passing["to"] == "owner",
        "passing_reason": CAPTURES.index("four-in-passing" if passing and _only(passing["count"], 4) else "in-passing"),
        "least": start["least"],
        "first_move": start["first"],
        "feeds_turn": start["feed"] == "turn",
        "bulls_on_first_move": not any(row["turn"] == "later" for row in resolved["last"]),
        "no_move": "pass" if end["over"] == "both" else "end",
        "majority_end": end["majority"],
        "last_seeds": end["last_seeds"],
    }
    if sow["choices"] != "none" and start["feed"] == "turn":
        raise refused(sow["choices"], below(where, "sow.choices"), ErrorText("'none' with feed 'turn'"))
    if sow["choices"] not in ("none", "start") and sow["direction"] == "split":
        expected = ErrorText("'none' with direction 'split', or 'start', for the pit in the middle")
        raise refused(sow["choices"], below(where, "sow.choices"), expected)
    if len(tests) > MAX_TESTS:
        raise refused(len(tests), below(where, "tests"), ErrorText("at most %(most)s", most=MAX_TESTS))
    flat = tuple(number for test in tests for number in test)
    return CompiledTable(tuple(rows), flat, tuple(settings.items()))


def _only(test: Test, *counts: int, kinds: int = PITS) -> bool:
    """Whether only places of these kinds pass, and only with these numbers of seeds (any, if none is given)."""
    most = sum(1 << count for count in counts) if counts else codes.MASK
    return not any(bits & ~(most if kinds >> kind & 1 else 0) for kind, bits in enumerate(test))


def _reasons(resolved: Mapping[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Of each row: why it captures ("": the kernel sees); and why the turn ends, where nothing was captured, where
    seeds were, and where a pit became special.

    Each is the most that is true of every last seed to which the row comes: of what its tests let through, and the rows
    before it do not take.
    """
    sow, rows = resolved["sow"], resolved["last"]
    some = codes.MASK - 1
    marked = codes.MASK if sow["special"] == "store" else some
    left = dict.fromkeys(PLACES, (*[codes.MASK] * (SITUATIONS - 1), 0))
    left["last"] = (some, marked, marked, some, marked, marked, codes.MASK if sow["store"] == "own" else 0)
    captures = False
    for row in rows:
        asked = [key for key in _CONDITIONS if key != "if" and row[key] not in (None, "any", False)]
        there = {place: _both(left[place], row[place]) for place in PLACES}
        if row["opposite"] or row["before"]:
            there["last"] = (*there["last"][:-1], 0)
        captures = captures or (bool(row["take"]) and row["lap"] != "first")
        nothing = _why_nothing(row, there, captures, any(other["mark"] for other in rows))
        yield _why_captured(row, there), nothing, _why_taken(row, there, nothing), "made-special"
        if len(asked) == 1 and asked[0] in PLACES:
            left[asked[0]] = tuple(bits & ~test for bits, test in zip(left[asked[0]], row[asked[0]], strict=True))


def _both(left: Test, test: Test | None) -> Test:
    return left if test is None else tuple(bits & other for bits, other in zip(left, test, strict=True))


def _why_captured(row: Mapping[str, Any], there: Mapping[str, Test]) -> str:
    if row["take"] == ("beyond",) and _only(there["next"], 0) and not row["chain"]:
        return "beyond-empty"
    if row["take"] != ("last",):
        return ""
    if _only(there["last"], 4) and not row["chain"]:
        return "four"
    chained = [row["chain"]["pit"]] if row["chain"] else []
    return "two-or-three" if all(_only(test, 2, 3) for test in (there["last"], *chained)) else ""


def _why_nothing(row: Mapping[str, Any], there: Mapping[str, Test], captures: bool, has_specials: bool) -> str:
    """Why a turn ends by a row that captured nothing. `captures`: so far, later laps may capture."""
    last, opposite = there["last"], there["opposite"]
    if last[-1]:
        return "in-store" if row["then"] == "again" and not any(last[:-1]) else "stopped"
    if _only(last, kinds=WORDS["special"]):
        return "in-special"
    if _only(there["next"], 0) and _only(there["beyond"], 0):
        return "nothing-beyond"
    if _only(last, 1):
        if row["opposite"] and _only(opposite, kinds=WORDS["special"]):
            return "empty-special"
        if (row["opposite"] and _only(opposite, 0)) or ("opposite" in row["take"] and not has_specials):
            return "empty-nothing"
        if _only(last, kinds=WORDS["theirs"]):
            return "empty-theirs"
        return "no-capture-after-relay" if row["lap"] == "later" and not captures else "empty"
    return "in-occupied" if not any(bits & 0b11 for bits in last) else "stopped"


def _why_taken(row: Mapping[str, Any], there: Mapping[str, Test], nothing: str) -> str:
    if there["last"][-1]:
        return nothing
    if row["take"] == ("last",) and _only(there["last"], 4):
        return "four"
    beyond = row["take"] == ("beyond",) and not row["chain"] and _only(there["next"], 0)
    return "took-beyond" if beyond else "captured"


def family_of(
    table: Mapping[str, Any], options: Mapping[str, Any], where: str, number: int = codes.TABLE, least_special: int = 0
) -> Family:
    """What is true of a game with this table. `number`: whose code the kernel runs."""
    resolved = resolve_table(table, options)
    rows = resolved["last"]
    taken = [item for row in rows for item in row["take"]]
    back = any(row["chain"] and row["chain"]["way"] == "back" for row in rows)
    special = any(row["mark"] for row in rows)
    return Family(
        number=number,
        captures="backward"
        if back
        else "beyond"
        if "beyond" in taken
        else "opposite"
        if "opposite" in taken
        else "four",
        takes_last="last" in taken or "beyond" in taken,
        goes_on=any(row["chain"] for row in rows),
        banks=resolved["sow"]["store"] == "own",
        specials=("opposite" if any(row["shift"] for row in rows) else "fours") if special else "",
        feeds=resolved["start"]["feed"] != "no",
        ends_with_row=resolved["end"]["over"] == "row",
        least_special=least_special,
        repeats=not _passes_store(resolved),
        table=compile_table(table, options, where) if number == codes.TABLE else None,
    )


def _passes_store(resolved: Mapping[str, Any]) -> bool:
    """Whether no seed leaves a row without that its owner's store gets one, so that no position comes up again."""
    sow = resolved["sow"]
    if sow["store"] == "none" or sow["choices"] != "none" or sow["direction"] == "split":
        return False
    return not any(row["shift"] or row["then"] in ("relay-next", "relay-past") for row in resolved["last"])
