"""Figures for Prometheus. Where several processes serve, they meet in the folder that ``PROMETHEUS_MULTIPROC_DIR``
names (`service.processes.supervisor` makes it), and each answers for all."""

from __future__ import annotations

import os

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from service.settings import METRICS_FOLDER

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PATCH", "PUT", "DELETE")
MEDIA_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # upper bounds of the buckets


class Metrics:
    """Counts requests. `route` is the pattern of a route, never a path: there are few of them."""

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

        self._figures: dict[tuple[str, str | None, int], tuple[Counter, Histogram]] = {}  # looked up once each

    def note(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """Count one request; `route` None when its path led nowhere."""
        known = method if method in METHODS else "other"
        counted = self._figures.get((known, route, status))
        if counted is None:
            counted = (
                self._requests.labels(known, route or "none", str(status)),
                self._seconds.labels(route or "none"),
            )
            self._figures[known, route, status] = counted
        counted[0].inc()
        counted[1].observe(seconds)

    def text(self) -> bytes:
        """All figures in Prometheus' text format."""
        registry = self._registry
        if os.environ.get(METRICS_FOLDER):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def process_died(pid: int) -> None:
    """Forget what only a living process has to tell."""
    mark_process_dead(pid)  # type: ignore[no-untyped-call]
