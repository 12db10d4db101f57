"""Parts that follow from one list each: options, errors, kinds, metrics, rooms, counts, and the pages of the site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import click

from inkeek.firmware_sim import cli, flash
from inkeek.firmware_sim.hands.mistakes import MISTAKES
from inkeek.records.errors import ERROR_CODES
from inkeek.records.findings import KINDS
from inkeek.records.notation.tags import format_options
from inkeek.service.http.problems import problem_types
from inkeek.service.processes.metrics import FIGURES
from inkeek.service.reference.commands import options_table
from inkeek.service.reference.tables import table
from inkeek.service.room import PLACES
from inkeek.service.rooms import BUILT_IN
from tests.faults.__main__ import main as faults
from tests.faults.sessions import KINDS as FAULTS
from tests.records.perft_tables import load

ROOT = Path(__file__).parents[2]
PROGRAMS = {"firmware_sim": cli.main, "firmware_sim.flash": flash.main, "tests.faults": faults}
LIMITING = ("splitter", "reader", "movetext", "tags")
MODULES = (*(f"notation/{name}" for name in LIMITING), "record", "moves", "position", "replay", "errors")


def contents(group: str) -> str:
    """The pages of a group of docs/README.md, as a directive that Sphinx reads."""
    text = (ROOT / "docs/README.md").read_text("utf-8").partition(f"\n## {group}\n")[2].partition("\n## ")[0]
    pages = re.findall(r"^\| \[([\w-]+)\.md\]", text, re.MULTILINE)
    return "\n".join(["```{toctree}", ":maxdepth: 1", f":caption: {group}", "", *pages, "```"]) + "\n"


def program_options(module: str) -> str:
    """The options of a program that runs as `python -m MODULE`."""
    return options_table(PROGRAMS[module], click.Context(PROGRAMS[module]))


def limits_table(_: str) -> str:
    """The limits of records, from the comments beside them: the compiled kernel shows none of its numbers."""
    rows = []
    for module in MODULES:
        text = (ROOT / f"records/{module}.py").read_text("utf-8")
        for name, most, what in re.findall(r"^((?:MAX|LAPS)_\w+) = ([\d_]+)  # (.+)$", text, re.MULTILINE):
            rows.append((what, most.replace("_", ""), f"`inkeek.records.{module.replace('/', '.')}.{name}`"))
    return table(("what", "at most", "where in the code"), rows)


def problems_table(_: str) -> str:
    found = sorted((str(kind.status), f"`/problems/{slug}`", kind.title) for slug, kind in problem_types().items())
    return table(("status", "type", "title"), found)


def codes_table(_: str) -> str:
    rows = [(f"`{name}`", code.kind, code.severity, code.says) for name, code in ERROR_CODES.items()]
    return table(("code", "kind", "severity", "when"), rows)


def slips_table(_: str) -> str:
    """Every kind of slip, the rule that it breaks, and how often it is taken to happen."""
    rows = []
    for id, kind in KINDS.items():
        rule = f"`{kind.rule}`" if kind.rule else "none"
        rows.append((f"`{id}`", kind.title % {"special": "bull or uur"}, rule, f"{1000 * kind.rate:g}"))
    return table(("kind", "what happened", "the rule", "of 1,000 turns"), rows, right=[3])


def metrics_table(_: str) -> str:
    rows = [(f"`{name}`", figure.kind, quoted(figure.labels), figure.says) for name, figure in FIGURES.items()]
    return table(("name", "kind", "labels", "what"), rows)


def rooms_table(_: str) -> str:
    """The rooms of this project that can be left out, with their commands."""
    rooms = [room for room in BUILT_IN if room.optional]
    rows = [(f"`{room.name}`", room.says, ", ".join(f"`inkeek {name}`" for name in room.commands)) for room in rooms]
    return table(("room", "what it is", "commands"), rows)


def places_table(_: str) -> str:
    """The places of pages, with the arguments that a room's function gets."""
    rows = [(f"`{name}`", quoted(place.gets, ", "), place.says) for name, place in PLACES.items()]
    return table(("place", "arguments", "where"), rows)


def quoted(names: Iterable[str], between: str = " ") -> str:
    return between.join(f"`{name}`" for name in names)


def mistakes_table(_: str) -> str:
    """What the simulated hands can do wrong."""
    rows = [(f"`{name}`", (kind.variants.__doc__ or "").removesuffix(".")) for name, kind in MISTAKES.items()]
    return table(("mistake", "what the hands do"), rows)


def faults_table(_: str) -> str:
    return table(("kind", "what goes wrong"), [(f"`{kind}`", what) for kind, what in FAULTS.items()])


def perft_tables(_: str) -> str:
    """The counts of each game, a row for each start or position."""
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for counted in load():
        options = format_options(counted.options)
        counts = " ".join(f"{count:,}" for count in counted.counts)
        rows.setdefault(counted.game, []).append((f"`{counted.position}`", f"`{options}`" if options else "", counts))
    heads = ("position", "options", "sequences of 1, 2, 3 … turns")
    return "\n".join(f"## {game}\n\n{table(heads, counts)}" for game, counts in rows.items())


PARTS = {
    "contents": contents,
    "error_codes": codes_table,
    "fault-kinds": faults_table,
    "kinds-of-slips": slips_table,
    "limits": limits_table,
    "metrics": metrics_table,
    "mistakes": mistakes_table,
    "optional-rooms": rooms_table,
    "perft": perft_tables,
    "problems": problems_table,
    "program": program_options,
    "room-places": places_table,
}
