"""What a route needs and what a key is good for, in the same words. Pure.

A route says what it needs with one word: ``@needs("record")`` on its function (``@blueprint.needs("record")`` in the
API, which tells the OpenAPI document too). A route that says nothing keeps the application from starting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, TypeVar

SCOPES = ("read", "record", "board", "arbiter", "admin")
SAYS = {
    "read": "reads all there is, but for keys and figures",
    "record": "makes games, plays turns, changes tags, ends and imports games",
    "board": "binds boards to games, calibrates and releases them, delivers what far boards say",
    "arbiter": "rules on disputes",
    "admin": "all of it, and makes and revokes keys",
}
OPEN = "open"  # what is no secret anywhere: that the service is there, style sheets, the page to sign in on
_NEED = "__inkeek_need__"
View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Need:
    """The scope that a route asks for. `open_locally`: on this machine it asks for none."""

    scope: str
    open_locally: bool


def needs(scope: str, *, open_locally: bool | None = None) -> Callable[[View], View]:
    """Declare the scope of a view: one of `SCOPES`, or ``open``. What needs only ``read`` is open on this machine.

    :raises ValueError: there is no such scope.
    """
    if scope not in (*SCOPES, OPEN):
        raise ValueError(f"needs({scope!r}): expected {OPEN} or one of {', '.join(SCOPES)}")
    need = Need(scope, scope in ("read", OPEN) if open_locally is None else open_locally)

    def declare(view: View) -> View:
        setattr(view, _NEED, need)
        return view

    return declare


def need_of(view: Callable[..., Any]) -> Need:
    """What `needs` declared of the view, through whatever wraps it.

    :raises LookupError: nothing was declared.
    """
    need = getattr(view, _NEED, None)
    if not isinstance(need, Need):
        name = f"{view.__module__}.{getattr(view, '__qualname__', view)}"
        raise LookupError(f"the view {name} declares no scope: put @needs(…) on it, with {OPEN} or a scope")
    return need


def allows(held: Collection[str], scope: str) -> bool:
    """Whether who holds these scopes may do what needs `scope`: admin is good for all, any for reading."""
    return scope == OPEN or scope in held or "admin" in held or (scope == "read" and bool(held))
