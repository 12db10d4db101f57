"""``/healthz`` (the process answers) and ``/readyz`` (the database does, and has the tables this version needs)."""

from __future__ import annotations

from typing import Any

from flask import Blueprint

from ..current import parts
from ..errors import StorageError

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> dict[str, Any]:
    return {"ok": True}


@blueprint.get("/readyz")
def readyz() -> dict[str, Any]:
    found, needed = parts().store.revisions()
    if found != needed:
        raise StorageError(f"the database is at revision {found}, this version needs {needed}: run 'inkeek db upgrade'")
    return {"ok": True, "revision": found}
