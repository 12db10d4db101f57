"""The table of docs/access.md: what each route needs and who may use it, as the views declare.

After a change of routes ``python -m tests.docs.access_table`` prints the new table.
"""

from __future__ import annotations

from collections.abc import Iterator

from flask import Flask

from service import create_app
from service.http.access import SCOPES, need_of

HOLDERS = ("none", *SCOPES)
AUTOMATIC = {"HEAD", "OPTIONS"}  # handled like GET or by the framework


def routes(app: Flask) -> Iterator[tuple[str, str, str]]:
    """Yield method, pattern and endpoint of every route, sorted by pattern."""
    found = [
        (rule.rule, method, rule.endpoint)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - AUTOMATIC
    ]
    return ((method, pattern, endpoint) for pattern, method, endpoint in sorted(found))


def may(app: Flask, endpoint: str, holder: str) -> str:
    """Whether a key with that scope may use the route: ``yes``, ``here`` (on this machine only) or ``no``."""
    need = need_of(app.view_functions[endpoint])
    if need.is_met_by(() if holder == "none" else (holder,)):
        return "yes"
    return "here" if need.open_locally else "no"


def access_table(app: Flask) -> str:
    """Return every route with its need and, for each scope, the result of `may`."""
    lines = [f"| request | needs | {' | '.join(HOLDERS)} |", "|---" * (len(HOLDERS) + 2) + "|"]
    for method, pattern, endpoint in routes(app):
        need = need_of(app.view_functions[endpoint])
        cells = " | ".join(may(app, endpoint, holder) for holder in HOLDERS)
        lines.append(f"| `{method} {pattern}` | {' or '.join(need.scopes)} | {cells} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(access_table(create_app()), end="")
