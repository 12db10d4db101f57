"""The parts of docs/rules.md that follow from the code: tables of options, terms and sources, boards, turns, races.

``python -m tests.docs.rules_tables`` writes them into the page again, after a rule set or a sentence has changed. A new
game needs its heading first, with a line ``| option | default |`` where its table is to be.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from records import NORTH, SOUTH, Move, Position, Rules, ruleset, ruleset_ids
from records.race import run_race
from records.ruleset import Option, Value, format_value, load_ruleset
from tests.docs.pages import ROOT

TRADITIONAL = ("enkeshui", "enkeshui-wikipedia", "anywoli", "layli-goobalay", "bof")
MARKS = ("attested", "decided", "silent")


def options_table(id: str) -> str:
    """The options of a game that not all games have just so."""
    return _options_table(id, [option for option in load_ruleset(id).options if option not in common_options()])


def common_options() -> list[Option]:
    """The options that most games have, as they have them."""
    options = load_ruleset("anywoli").options
    return [option for option in options if option.name in ("skip_origin", "repetition", "match", "starter")]


def common_table() -> str:
    return _options_table("", common_options())


def _options_table(id: str, options: list[Option]) -> str:
    base = load_ruleset(load_ruleset(id).family) if id else None
    known = {option.name: (option.says, option.needs) for option in base.options} if base and base.id != id else {}
    lines = ["| option | default | attested | decided | what |", "|---|---|---|---|---|"]
    for option in options:
        what = option.says + "".join(
            "; only with " + " or ".join(f"`{name}={format_value(value)}`" for value in values)
            for name, values in option.needs.items()
        )
        if base and known.get(option.name) == (option.says, option.needs):
            what = f"as in {base.name}"
        if option.decided:
            what += f". *Decided:* {option.decided}"
        lines.append(
            f"| `{option.name}` | `{format_value(option.default)}` | {values_text(option.attested)} "
            f"| {values_text(option.others)} | {what} |"
        )
    return "\n".join(lines) + "\n"


def values_text(values: Iterable[Value]) -> str:
    return " ".join(f"`{format_value(value)}`" for value in values)


def terms_table() -> str:
    lines = ["| rule set | words |", "|---|---|"]
    for id in ruleset_ids():
        words = ", ".join(f"{word}: *{name}*" for word, name in load_ruleset(id).terms.items())
        if words:
            lines.append(f"| `{id}` | {words} |")
    return "\n".join(lines) + "\n"


def sources_list() -> str:
    lines = [f"* `{id}`: {'; '.join(load_ruleset(id).sources)}." for id in ruleset_ids()]
    return "\n".join(lines) + "\n"


def clauses_table(id: str) -> str:
    """The sentences of a game's source, how they are read, the options about them, and the tests of the readings."""
    info = load_ruleset(id)
    lines = [f"| {info.name}: `{info.text}.txt` | read here | mark | options | test |", "|---|---|---|---|---|"]
    for clause in info.clauses:
        options = [f"`{name}={format_value(value)}`" for name, values in clause.options.items() for value in values]
        options += [f"`{name}`" for name, values in clause.options.items() if not values]
        test = f"`{clause.test}`" if clause.test else ""
        lines.append(f"| {clause.quote} | {clause.reading} | {clause.mark} | {' '.join(options)} | {test} |")
    return "\n".join(lines) + "\n"


def marks_table() -> str:
    """How many sentences of each game are attested, decided and silent, and how many values of options."""
    lines = [
        "| game | sentences attested | decided | silent | values attested | decided |",
        "|---|---|---|---|---|---|",
    ]
    for id in TRADITIONAL:
        info = load_ruleset(id)
        marks = Counter(clause.mark for clause in info.clauses)
        attested = sum(len(option.attested) for option in info.options)
        decided = sum(len(option.allowed) for option in info.options) - attested
        lines.append(f"| `{id}` | {' | '.join(str(marks[mark]) for mark in MARKS)} | {attested} | {decided} |")
    return "\n".join(lines) + "\n"


def rules_of(words: list[str]) -> Rules:
    """A game's id, then options as key=value."""
    return ruleset(words[0], **dict(word.split("=") for word in words[1:]))


def board(setting: str) -> str:
    """The set-up of a game as a diagram, North on the far side; `setting` is its id and options."""
    position = rules_of(setting.split()).start()
    north = list(position.pits_of(NORTH))[::-1]
    south = list(position.pits_of(SOUTH))
    lines = [
        [position.letter(pit) for pit in north],
        [str(position.pits[pit]) for pit in north],
        [str(position.pits[pit]) for pit in south],
        [position.letter(pit) for pit in south],
    ]
    return "".join(" " + " ".join(line) + "\n" for line in lines)


def turn(title: str) -> str:
    """A turn in words; `title` is a game with options, or with a position, then a colon and the move."""
    setting, move = title.split(" : ")
    id, _, rest = setting.partition(" ")
    if "/" in rest and "=" not in rest:
        position = Position.parse(rest)
        rules = ruleset(id, pits=position.row)
    else:
        rules = rules_of(setting.split())
        position = rules.start()
    played = rules.play(position, Move.parse(move)).move
    return "\n".join([f"{played}:", *rules.explain(position, Move.parse(move))]) + "\n"


def race(title: str) -> str:
    """A race in lock step; `title` is a game and options, then a colon and the pits of South and North."""
    setting, pits = title.split(" : ")
    south, north = pits.split()
    ran = run_race(rules_of(setting.split()), south, north)
    lines = [f"{name}: {value}" for name, value in ran.tags.items()]
    return "\n".join([*lines, f"beats: {ran.beats}"]) + "\n"


def rewritten(text: str) -> str:
    """The page with every part that follows from the code made again."""
    headings = {rf"## {id.replace('-', '[- ]')}": options_table(id) for id in ruleset_ids()}
    for heading, made in {"## What all games share": common_table(), **headings}.items():
        found = re.search(rf"^{heading}$", text, re.MULTILINE | re.IGNORECASE)
        assert found is not None, f"docs/rules.md has no heading for {heading}"
        table = re.compile(r"^\| option \| default \|.*\n(\|.*\n)*", re.MULTILINE).search(text, found.end())
        assert table is not None, f"docs/rules.md has no line '| option | default |' for {heading}"
        text = text[: table.start()] + made + text[table.end() :]
    for kind, make in (("board", board), ("turn", turn), ("race", race)):
        block = re.compile(rf"^```{kind} (.*)\n[^`]*```$", re.MULTILINE)
        text = block.sub(lambda match, kind=kind, make=make: f"```{kind} {match[1]}\n{make(match[1])}```", text)
    for lines in (terms_table(), sources_list(), marks_table(), *(clauses_table(id) for id in TRADITIONAL)):
        first = re.escape(lines.split("\n")[0].split("`: ")[0])
        text = re.sub(rf"^{first}.*\n([|*].*\n)*", lambda match, lines=lines: lines, text, flags=re.MULTILINE)
    return text


if __name__ == "__main__":
    PAGE = ROOT / "docs" / "rules.md"
    PAGE.write_text(rewritten(PAGE.read_text("utf-8")), "utf-8")
    print(marks_table(), end="")
