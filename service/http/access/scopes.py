"""Scopes: what a route needs and what a key allows.

A view declares its scope with ``@needs("record")``, an operation of the API with ``scope="record"``. A view without a
scope keeps the application from starting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from inkeek.service.errors import gettext_later as later

SCOPES = ("read", "record", "board", "attach", "arbiter", "invite", "metrics", "admin")
SAYS = {
    "read": later("reads everything except keys and metrics"),
    "record": later("creates games, plays turns, annotates games, changes tags, ends and imports games"),
    "board": later("binds boards to games, also at ports of the service's machine, calibrates and releases them"),
    "attach": later("attaches remote boards: binds them to games and delivers their events"),
    "arbiter": later(
        "rules on disputes, appeals, sees and releases photographs, makes events, pairs their rounds, sets their "
        "rules, changes ends of games, corrects and joins names of players; with `record`, changes annotations of "
        "others"
    ),
    "invite": later(
        "invites people to events with no more than it has itself, sees who came, hands tables over and ends guests' "
        "sessions"
    ),
    "metrics": later("watches the service: reads `/metrics` and `/readyz`, and nothing else"),
    "admin": later("everything, creates and revokes keys, shows players by initials and takes them out"),
}
METRICS = "metrics"
OPEN = "open"  # needs no key: health check, style sheets, the sign-in page
_NEED = "__inkeek_need__"
View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Need:
    """The scope that a route needs, one of `SCOPES` or ``open``; its view is declared with ``@needs(…)``.

    `open_locally`: requests from this machine need none; by default for ``read`` and ``open``.
    `limited`: for keys with a limit too, although the path names no game: the view keeps to the limit, or is not about
    games. `own`: the argument of the path with the id of a key that needs no scope. `also`: another scope that is
    enough; empty: none. `current`: only for the current secret of a key, not for one in its grace: what is about keys.
    `max_body`: the bytes of a body, if they are others than the setting. `waits`: for a board or a calculation, so that
    it may hold a thread for seconds.

    :raises ValueError: an unknown scope.
    """

    scope: str
    _: KW_ONLY
    open_locally: bool | None = None
    limited: bool = False
    own: str = ""
    also: str = ""
    current: bool = False
    max_body: int | None = None
    waits: bool = False

    def __post_init__(self) -> None:
        for name in self.scopes:
            if name not in (*SCOPES, OPEN):
                raise ValueError(f"needs({name!r}): expected {OPEN} or one of {', '.join(SCOPES)}")
        if self.open_locally is None:
            object.__setattr__(self, "open_locally", self.scope in ("read", OPEN))

    def __call__(self, view: View) -> View:
        """Declare this for a view."""
        setattr(view, _NEED, self)
        return view

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes of which one is enough."""
        return (self.scope, self.also) if self.also else (self.scope,)

    def is_met_by(self, held: Collection[str]) -> bool:
        """Whether a holder of these scopes may use the route."""
        return any(allows(held, scope) for scope in self.scopes)


needs = Need  # the name as a decorator


def need_of(view: Callable[..., Any]) -> Need:
    """The scope that `needs` declared for a view.

    :raises LookupError: none was declared.
    """
    need = getattr(view, _NEED, None)
    if not isinstance(need, Need):
        name = f"{view.__module__}.{getattr(view, '__qualname__', view)}"
        raise LookupError(f"The view {name} declares no scope. Decorate it with @needs(…): {OPEN} or a scope.")
    return need


def allows(held: Collection[str], scope: str) -> bool:
    """Whether a holder of these scopes may use a route that needs `scope`: admin may all, any scope but metrics may
    read, and board includes attach."""
    if scope == OPEN or scope in held or "admin" in held:
        return True
    return bool({*held} - {METRICS}) if scope == "read" else scope == "attach" and "board" in held
