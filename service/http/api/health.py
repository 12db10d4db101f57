"""``/healthz`` (the process responds), ``/readyz`` (the service can do its work) and ``/metrics``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response

from records.version import __version__
from service.errors import Damaged, ServiceError
from service.http.access import needs
from service.http.context import current_services
from service.http.services import Services
from service.processes.heartbeats import check_heartbeats, seconds_since_beats
from service.processes.metrics import MEDIA_TYPE, Gauge
from service.storage.database.files import free_bytes

CHECK_SECONDS = 0.02  # seconds in which games are checked

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
@needs("open")
def healthz() -> dict[str, Any]:
    return {"ok": True, "version": __version__}


@blueprint.get("/readyz")
@needs("read", limited=True)
def readyz() -> dict[str, Any]:
    return {"ok": True, "revision": _check_ready(current_services())}


@blueprint.get("/metrics")
@needs("admin", open_locally=True)
def metrics() -> Response:
    """The metrics of all web processes, for Prometheus."""
    services = current_services()
    return Response(services.metrics.text(_gauges(services)), content_type=MEDIA_TYPE)


def _check_ready(services: Services) -> str:
    """The revision of the database.

    :raises ServiceError: the service cannot do all of its work; says why.
    """
    revision = services.store.check_revision(tables=False)  # the watch below compares them
    fault = services.watch.look(CHECK_SECONDS)
    if fault is not None:
        raise Damaged(fault)
    services.store.check_room()
    services.store.check_ledger()
    check_heartbeats()
    return revision


def _gauges(services: Services) -> Iterator[Gauge]:
    """What is so in this moment, also while there is no database."""
    yield Gauge("inkeek_info", "The version that runs.", "version", {__version__: 1})
    try:
        _check_ready(services)
        ready = 1
    except ServiceError:
        ready = 0
    yield Gauge("inkeek_ready", "1 if /readyz answers 200.", "", {"": ready})
    beats = seconds_since_beats()
    yield Gauge("inkeek_part_idle_seconds", "Seconds since a part said that it goes on.", "part", beats)
    free = {} if services.store.file is None else {"": free_bytes(services.store.file)}
    yield Gauge("inkeek_disk_free_bytes", "Bytes left on the disk of an SQLite file.", "", free)
