"""``/healthz`` (the process responds), ``/readyz`` (the service can do its work) and ``/metrics``."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from flask import Blueprint, Response

from inkeek.records.version import __version__
from inkeek.service.boards.quarantine import QUARANTINED
from inkeek.service.errors import ServiceError
from inkeek.service.http.access import needs
from inkeek.service.http.context import current_services
from inkeek.service.http.services import Services
from inkeek.service.http.timed_calls import TimedCalls
from inkeek.service.processes.heartbeats import check_heartbeats, restarts, seconds_since_beats
from inkeek.service.processes.metrics import MEDIA_TYPE, Values
from inkeek.service.settings import DESK, JOBS
from inkeek.service.storage.database.files import free_bytes

CHECK_SECONDS = 0.02  # seconds in which games are checked

blueprint = Blueprint("health", __name__)


def _timed_calls(services: Services) -> TimedCalls:
    return TimedCalls()


@blueprint.get("/healthz")
@needs("open")
def healthz() -> dict[str, Any]:
    return {"ok": True, "version": __version__}


@blueprint.get("/readyz")
@needs("metrics", also="read", open_locally=True, limited=True)
def readyz() -> dict[str, Any]:
    services = current_services()
    return {"ok": True, "revision": services.once(_timed_calls).run(lambda: _check_ready(services))}


@blueprint.get("/metrics")
@needs("metrics", open_locally=True)
def metrics() -> Response:
    """The metrics of all processes, for Prometheus. There are some while the database does not answer."""
    services = current_services()
    values: dict[str, Mapping[str, float]] = {
        "inkeek_info": {__version__: 1},
        "inkeek_part_idle_seconds": seconds_since_beats(),
        "inkeek_part_restarts_total": restarts(),
        "inkeek_disk_free_bytes": {} if services.store.file is None else {"": free_bytes(services.store.file)},
        "inkeek_ready": {"": 0},
        "inkeek_ledger_age_seconds": {},
        "inkeek_boards": {},
        "inkeek_jobs": {},
    }
    with suppress(ServiceError):
        values |= services.once(_timed_calls).run(lambda: _stored_values(services))
    return Response(services.metrics.text(values), content_type=MEDIA_TYPE)


def _check_ready(services: Services) -> str:
    """The revision of the database. :raises ServiceError: the service cannot do all of its work."""
    revision = services.store.check_revision(tables=False)  # the watch below compares them
    fault = services.watch.look(CHECK_SECONDS)
    if fault is not None:
        raise fault.with_traceback(None)  # it may be raised many times
    services.store.check_room()
    if services.settings.parts & {DESK, JOBS}:  # else other machines extend it
        services.store.check_ledger()
    check_heartbeats()
    return revision


def _stored_values(services: Services) -> Values:
    """:raises ServiceError: the database says nothing."""
    try:
        _check_ready(services)
        is_ready = True
    except ServiceError:
        is_ready = False
    with services.store.reading() as transaction:
        jobs = transaction.jobs.count()
        boards = [row.status.get("state") in ("failed", QUARANTINED) for row in transaction.boards.open()]
    return {
        "inkeek_ready": {"": is_ready},
        "inkeek_ledger_age_seconds": {"": services.store.ledger_age().total_seconds()},
        "inkeek_boards": {"open": boards.count(False), "faulty": boards.count(True)},
        "inkeek_jobs": jobs,
    }
