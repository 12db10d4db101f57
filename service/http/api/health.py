"""``/healthz`` (the process responds), ``/readyz`` (the service can do its work) and ``/metrics``."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from service.errors import Damaged
from service.http.access import needs
from service.http.context import current_services
from service.processes.heartbeats import check_heartbeats
from service.processes.metrics import MEDIA_TYPE

CHECK_SECONDS = 0.02  # seconds in which games are checked

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
@needs("open")
def healthz() -> dict[str, Any]:
    return {"ok": True}


@blueprint.get("/readyz")
@needs("read", limited=True)
def readyz() -> dict[str, Any]:
    services = current_services()
    revision = services.store.check_revision()
    fault = services.watch.look(CHECK_SECONDS)
    if fault is not None:
        raise Damaged(fault)
    services.store.check_room()
    services.store.check_ledger()
    check_heartbeats()
    return {"ok": True, "revision": revision}


@blueprint.get("/metrics")
@needs("admin", open_locally=True)
def metrics() -> Response:
    """The metrics of all web processes, for Prometheus."""
    return Response(current_services().metrics.text(), content_type=MEDIA_TYPE)
