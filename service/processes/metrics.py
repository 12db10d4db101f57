"""Metrics for Prometheus.

Several processes share them through the folder ``PROMETHEUS_MULTIPROC_DIR``, which `service.processes.supervisor`
creates; each process answers for all.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead
from prometheus_client.registry import Collector

from inkeek.service.errors import Damaged, StorageError, StorageFull
from inkeek.service.settings import METRICS_FOLDER
from inkeek.service.storage.store import Meter

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PATCH", "PUT", "DELETE")
PROBLEMS = (StorageError.slug, StorageFull.slug, Damaged.slug)
MEDIA_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # upper bounds of the buckets


class Figure(NamedTuple):
    """What `/metrics` has under a name: its kind, what it is, and its labels."""

    kind: str
    says: str
    labels: tuple[str, ...] = ()


FIGURES = {
    "inkeek_requests_total": Figure(COUNTER, "requests; `route` is a pattern", ("method", "route", "status")),
    "inkeek_request_seconds": Figure(HISTOGRAM, "time until the answer began", ("route",)),
    "inkeek_streams": Figure(GAUGE, "live streams"),
    "inkeek_database_connections": Figure(
        GAUGE, "connections to the database that are `used` or, with PostgreSQL, `free`", ("part", "state")
    ),
    "inkeek_database_waiting": Figure(
        GAUGE, "threads that wait for a connection or, with SQLite, for their turn to write", ("part",)
    ),
    "inkeek_database_wait_seconds_total": Figure(COUNTER, "how long they waited", ("part",)),
    "inkeek_write_failures_total": Figure(
        COUNTER, "writes that were begun and not stored, by type of problem", ("part", "problem")
    ),
    "inkeek_info": Figure(GAUGE, "1, with the version that runs", ("version",)),
    "inkeek_ready": Figure(GAUGE, "1 if `/readyz` answers 200"),
    "inkeek_part_idle_seconds": Figure(GAUGE, "time since `desk` or `jobs` said that it goes on", ("part",)),
    "inkeek_part_restarts_total": Figure(
        COUNTER, "how often `web`, `desk` or `jobs` ended and was started again", ("part",)
    ),
    "inkeek_disk_free_bytes": Figure(GAUGE, "room left on the disk of an SQLite file"),
    "inkeek_ledger_age_seconds": Figure(GAUGE, "how long the oldest event waits that is not in the ledger yet"),
    "inkeek_boards": Figure(GAUGE, "bound boards that are `faulty`, and the others", ("state",)),
    "inkeek_jobs": Figure(GAUGE, "analyses that are `queued` or `running`", ("state",)),
}

Values = Mapping[str, Mapping[str, float]]
"""By name, and value of the label, which is empty if there is none."""


class _Now(Collector):
    """Makes metrics of what is so in this moment, when it is asked."""

    def __init__(self, values: Values) -> None:
        self._values = values

    def collect(self) -> Iterator[Metric]:
        for name, values in self._values.items():
            kind, says, labels = FIGURES[name]
            family = CounterMetricFamily if kind == COUNTER else GaugeMetricFamily
            made = family(name, says, labels=labels)
            for key, value in values.items():
                made.add_metric([key] if labels else [], value)
            yield made


class Metrics(Meter):
    """Counts what one process, which is a `part` of the service, does."""

    def __init__(self, part: str) -> None:
        self._registry = CollectorRegistry()
        self._part = part
        self._requests = self._counter("inkeek_requests_total")
        name = "inkeek_request_seconds"
        self._seconds = Histogram(name, *FIGURES[name][1:], buckets=SECONDS, registry=self._registry)
        self._streams = self._gauge("inkeek_streams")
        self._connections = self._gauge("inkeek_database_connections")
        self._used = self._connections.labels(part, "used")
        self._free: Gauge | None = None
        self._waiting = self._gauge("inkeek_database_waiting").labels(part)
        self._waited = self._counter("inkeek_database_wait_seconds_total").labels(part)
        failures = self._counter("inkeek_write_failures_total")
        self._failures = {slug: failures.labels(part, slug) for slug in PROBLEMS}  # from 0 on, so that the first counts

    def note(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """Count one request; `route` is None if no route has its path, and never a path, so that there are few."""
        known = method if method in METHODS else "other"
        self._requests.labels(known, route or "none", str(status)).inc()
        self._seconds.labels(route or "none").observe(seconds)

    def note_streams(self, more: int) -> None:
        """So many live streams began, or ended."""
        self._streams.inc(more)

    def allow(self, connections: int) -> None:
        self._free = self._connections.labels(self._part, "free")
        self._free.inc(connections)

    def take(self) -> None:
        self._used.inc()
        if self._free is not None:
            self._free.dec()

    def give_back(self) -> None:
        self._used.dec()
        if self._free is not None:
            self._free.inc()

    @contextmanager
    def waiting(self) -> Iterator[None]:
        self._waiting.inc()
        began = time.perf_counter()
        try:
            yield
        finally:
            self._waited.inc(time.perf_counter() - began)
            self._waiting.dec()

    def note_failed_write(self, problem: str) -> None:
        self._failures[problem].inc()

    def text(self, values: Values) -> bytes:
        """All metrics in Prometheus' text format: of all processes, and `values` of this moment."""
        registry = CollectorRegistry()
        if os.environ.get(METRICS_FOLDER):
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        else:
            registry.register(self._registry)
        registry.register(_Now(values))
        return generate_latest(registry)

    def _counter(self, name: str) -> Counter:
        return Counter(name, *FIGURES[name][1:], registry=self._registry)

    def _gauge(self, name: str) -> Gauge:
        return Gauge(name, *FIGURES[name][1:], registry=self._registry, multiprocess_mode="livesum")


def forget_process(folder: Path, pid: int) -> None:
    """Drop what was so while a process lived that has ended, such as its streams. What it counted stays."""
    mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]
