"""The caller of a request."""

from __future__ import annotations

from dataclasses import dataclass

TOKEN, SESSION, LINK = "token", "session", "link"  # kinds of keys


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: `kind`, `id`, `name` and `scopes` of their key; empty without one."""

    kind: str = ""
    id: str = ""
    name: str = ""
    scopes: frozenset[str] = frozenset()

    def source(self, channel: str | None = None) -> str:
        """The source of an event: ``page`` for a signed-in browser, else ``api``, or another `channel`; then the name
        and the id of the key, as ``api:score desk:k3f9wm``."""
        channel = channel or ("page" if self.kind == SESSION else "api")
        return f"{channel}:{self.name}:{self.id}" if self.id else channel


NOBODY = Caller()
