"""The caller of a request."""

from __future__ import annotations

from dataclasses import dataclass

from service.storage import Limit

TOKEN, SESSION, LINK = "token", "session", "link"  # kinds of keys


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sent a request: `kind`, `id`, `name`, `scopes` and `limit` of their key, and the `hash` of the secret that
    they sent; empty without a key."""

    kind: str = ""
    id: str = ""
    name: str = ""
    scopes: frozenset[str] = frozenset()
    limit: Limit | None = None
    hash: str = ""

    def source(self, channel: str | None = None) -> str:
        """The source of an event: ``page`` for a signed-in browser, else ``api``, or another `channel`; then the name
        and the id of the key, as ``api:score desk:k3f9wm``."""
        channel = channel or ("page" if self.kind == SESSION else "api")
        return f"{channel}:{self.name}:{self.id}" if self.id else channel


NOBODY = Caller()
