"""The types of problems in docs/api.md, and the codes of errors in docs/notation-implementation.md."""

from __future__ import annotations

from records.errors import ERROR_CODES
from service.http.problems import problem_types

from .tables import table


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


PARTS = {"problems": problems_table, "error_codes": codes_table}
