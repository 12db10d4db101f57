"""The types of problems in docs/api.md, and the codes of errors and limits in docs/notation-implementation.md."""

from __future__ import annotations

import re
from pathlib import Path

from inkeek.records.errors import ERROR_CODES
from inkeek.service.http.problems import problem_types
from inkeek.service.reference.tables import table

RECORDS = Path(__file__).parents[2] / "records"
LIMITING = ("splitter", "reader", "movetext", "tags")
MODULES = (*(f"notation/{name}" for name in LIMITING), "record", "moves", "position", "replay", "errors")


def problems_table(_: str) -> str:
    """Every type of problem with its status and its title."""
    found = sorted((kind.status, slug, kind.title) for slug, kind in problem_types().items())
    return table(
        ("status", "type", "title"), [(str(status), f"`/problems/{slug}`", title) for status, slug, title in found]
    )


def codes_table(_: str) -> str:
    """Every code of an error of a record."""
    rows = [(f"`{name}`", code.kind, code.severity, code.says) for name, code in ERROR_CODES.items()]
    return table(("code", "kind", "severity", "when"), rows)


def limits_table(_: str) -> str:
    """The limits of records, from the comments beside them: the compiled kernel shows none of its numbers."""
    rows = []
    for module in MODULES:
        text = (RECORDS / f"{module}.py").read_text("utf-8")
        for name, most, what in re.findall(r"^((?:MAX|LAPS)_\w+) = ([\d_]+)  # (.+)$", text, re.MULTILINE):
            rows.append((what, most.replace("_", ""), f"`inkeek.records.{module.replace('/', '.')}.{name}`"))
    return table(("what", "at most", "where in the code"), rows)


PARTS = {"problems": problems_table, "error_codes": codes_table, "limits": limits_table}
