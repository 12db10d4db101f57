"""Who asks: what the guard found out about the sender of a request. Pure."""

from __future__ import annotations

from dataclasses import dataclass

TOKEN, SESSION, LINK = "token", "session", "link"  # kinds of keys


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request. `kind` is the kind of the key shown, `id` and `name` its own; empty for nobody."""

    kind: str = ""
    id: str = ""
    name: str = ""
    scopes: frozenset[str] = frozenset()

    def source(self, way: str | None = None) -> str:
        """What stands as the source of an event: ``page`` for who signed in, else ``api``, or another `way`; then the
        name and the id of the key, as ``api:score desk:k3f9wm``."""
        said = way or ("page" if self.kind == SESSION else "api")
        return f"{said}:{self.name}:{self.id}" if self.id else said


NOBODY = Caller()
