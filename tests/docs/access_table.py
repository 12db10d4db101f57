"""The routes of docs/access.md: what they need and who may use them, as the views declare.

After a change of routes ``python -m tests.docs.access_table`` prints the new lists.
"""

from __future__ import annotations

from collections.abc import Iterator

from flask import Flask

from service import create_app
from service.http.access import SCOPES, Need, need_of
from service.http.access.scopes import OPEN

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


def need_text(need: Need) -> str:
    """The scopes of which one is enough, and whether a local request needs none."""
    scopes = " or ".join(need.scopes)
    return f"{scopes}, or a local request" if need.open_locally and need.scope != OPEN else scopes


def access_table(app: Flask) -> str:
    """Return who meets each need by the result of `may`, and below that the routes with each need."""
    lines = [f"| needs | {' | '.join(HOLDERS)} |", "|---" * (len(HOLDERS) + 1) + "|"]
    requests: dict[str, list[str]] = {}
    for method, pattern, endpoint in routes(app):
        name = need_text(need_of(app.view_functions[endpoint]))
        if name not in requests:
            lines.append(f"| {name} | {' | '.join(may(app, endpoint, holder) for holder in HOLDERS)} |")
        requests.setdefault(name, []).append(f"`{method} {pattern}`")
    lists = [f"**{name}:**\n" + ",\n".join(these) + "\n" for name, these in requests.items()]
    return "\n".join([*lines, "", *lists])


if __name__ == "__main__":
    print(access_table(create_app()), end="")
