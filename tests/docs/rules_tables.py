"""The parts of docs/rules.md that follow from the code: tables of options, terms and sources, boards, turns, races.

``python -m tests.docs.rules_tables`` writes them into the page again, after a rule set or a sentence has changed. A new
game needs its heading first, with a line ``| option | default |`` where its table is to be.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from typing import Any

from records import NORTH, SOUTH, Move, Position, Rules, ruleset, ruleset_ids
from records.race import run_race
from records.ruleset import format_value, load_ruleset
from tests.docs.pages import ROOT

TRADITIONAL = ("enkeshui", "enkeshui-wikipedia", "anywoli", "layli-goobalay", "bof")


def options_table(id: str) -> str:
    """Every option of a game."""
    lines = ["| option | default | allowed | | what |", "|---|---|---|---|---|"]
    for option in load_ruleset(id).options:
        allowed = " ".join(f"`{format_value(value)}`" for value in option.allowed)
        source = "attested" if option.attested else "resolved"
        only = "".join(
            "; only with " + " or ".join(f"`{name}={format_value(value)}`" for value in values)
            for name, values in option.needs.items()
        )
        lines.append(
            f"| `{option.name}` | `{format_value(option.default)}` | {allowed} | {source} | {option.says}{only} |"
        )
    return "\n".join(lines) + "\n"


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


def clauses() -> list[dict[str, Any]]:
    """The sentences of the sources that are rules, and the gaps in them."""
    found: list[dict[str, Any]] = tomllib.loads((ROOT / "records" / "clauses.toml").read_text("utf-8"))["clauses"]
    return found


def clauses_table() -> str:
    """Clause, source, reading, options and test, with how many are attested and silent."""
    lines = ["| clause | source | read here | options | test |", "|---|---|---|---|---|"]
    for clause in clauses():
        quote = clause["quote"] or f"({clause['mark']})"
        options = " ".join(f"`{name}`" for name in clause["options"])
        test = f"`{clause['test']}`" if clause["test"] else ""
        lines.append(f"| {quote} | {clause['source']} | {clause['reading']} | {options} | {test} |")
    marks = Counter(clause["mark"] for clause in clauses())
    decided = sum(not option.attested for id in TRADITIONAL for option in load_ruleset(id).options)
    lines.append(
        f"| {len(clauses())} clauses: {marks['attested']} attested, {marks['silent']} silent; {decided} options of the "
        f"{len(TRADITIONAL)} games decided here | | | | |"
    )
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
    for id in ruleset_ids():
        heading = re.search(rf"^## {id.replace('-', '[- ]')}$", text, re.MULTILINE | re.IGNORECASE)
        assert heading is not None, f"docs/rules.md has no heading for {id}"
        table = re.compile(r"^\| option \| default \|.*\n(\|.*\n)*", re.MULTILINE).search(text, heading.end())
        assert table is not None, f"docs/rules.md has no line '| option | default |' for {id}"
        text = text[: table.start()] + options_table(id) + text[table.end() :]
    for kind, make in (("board", board), ("turn", turn), ("race", race)):
        block = re.compile(rf"^```{kind} (.*)\n[^`]*```$", re.MULTILINE)
        text = block.sub(lambda match, kind=kind, make=make: f"```{kind} {match[1]}\n{make(match[1])}```", text)
    for lines in (terms_table(), sources_list(), clauses_table()):
        first = re.escape(lines.split("\n")[0].split("`: ")[0])
        text = re.sub(rf"^{first}.*\n([|*].*\n)*", lambda match, lines=lines: lines, text, flags=re.MULTILINE)
    return text


if __name__ == "__main__":
    PAGE = ROOT / "docs" / "rules.md"
    PAGE.write_text(rewritten(PAGE.read_text("utf-8")), "utf-8")
