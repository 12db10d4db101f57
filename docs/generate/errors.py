"""The table of types of problems in docs/api.md."""

from __future__ import annotations

from service.http.problems import problem_types

from .tables import table


def problems_table(_: str) -> str:
    """Every type of problem with its status and its title."""
    found = sorted((kind.status, slug, kind.title) for slug, kind in problem_types().items())
    return table(
        ("status", "type", "title"), [(str(status), f"`/problems/{slug}`", title) for status, slug, title in found]
    )


PARTS = {"problems": problems_table}
