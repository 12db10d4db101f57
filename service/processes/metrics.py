"""Metrics for Prometheus.

Several processes share them through the folder ``PROMETHEUS_MULTIPROC_DIR``, which `service.processes.supervisor`
creates; each process answers for all.
"""

from __future__ import annotations

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from service.settings import METRICS_FOLDER

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PATCH", "PUT", "DELETE")
MEDIA_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # upper bounds of the buckets


class Metrics:
    """Counts requests. `route` is the pattern of a route, never a path, so that there are few of them."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "inkeek_requests", "Requests answered.", ("method", "route", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "inkeek_request_seconds",
            "Time until an answer began.",
            ("route",),
            buckets=SECONDS,
            registry=self._registry,
        )
        self._children: dict[tuple[str, str | None, int], tuple[Counter, Histogram]] = {}  # by their labels

    def note(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """Count one request; `route` is None if no route has its path."""
        known = method if method in METHODS else "other"
        key = known, route, status
        if key not in self._children:
            requests = self._requests.labels(known, route or "none", str(status))
            self._children[key] = requests, self._seconds.labels(route or "none")
        counter, histogram = self._children[key]
        counter.inc()
        histogram.observe(seconds)

    def text(self) -> bytes:
        """All metrics in Prometheus' text format."""
        registry = self._registry
        if os.environ.get(METRICS_FOLDER):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def process_died(pid: int) -> None:
    """Remove the metrics that only hold for a living process."""
    mark_process_dead(pid)  # type: ignore[no-untyped-call]
