"""The tables of docs/access.md: what each scope allows, and what each route needs, as the views declare."""

from __future__ import annotations

from collections.abc import Iterator

from flask import Flask

from inkeek.service import create_app
from inkeek.service.http.access import SCOPES, Need, need_of
from inkeek.service.http.access.scopes import OPEN, SAYS
from inkeek.service.reference.tables import table

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
    rows, requests = [], dict[str, list[str]]()
    for method, pattern, endpoint in routes(app):
        name = need_text(need_of(app.view_functions[endpoint]))
        if name not in requests:
            rows.append((name, *(may(app, endpoint, holder) for holder in HOLDERS)))
        requests.setdefault(name, []).append(f"`{method} {pattern}`")
    lists = [f"**{name}:**\n" + ",\n".join(these) + "\n" for name, these in requests.items()]
    return "\n".join([table(("needs", *HOLDERS), rows), *lists])


def scopes_table(_: str) -> str:
    """Every scope with what it allows."""
    return table(("scope", "allows"), [(f"`{scope}`", says) for scope, says in SAYS.items()])


PARTS = {"routes": lambda _: access_table(create_app()), "scopes": scopes_table}
