"""Metrics for Prometheus.

Several processes share them through the folder ``PROMETHEUS_MULTIPROC_DIR``, which `service.processes.supervisor`
creates; each process answers for all.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import struct
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.settings import METRICS_FOLDER

log = logging.getLogger(__name__)

READS = 3  # attempts to read all files
ENDED = "ended"  # instead of a process id in the names of files
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PATCH", "PUT", "DELETE")
MEDIA_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)  # upper bounds of the buckets


class Gauge(NamedTuple):
    """What is so in this moment: a name, what it is, and its value by each value of a label, which may be empty."""

    name: str
    says: str
    label: str
    values: Mapping[str, float]


class _Now(Collector):
    """Makes metrics of gauges when it is asked."""

    def __init__(self, gauges: Iterable[Gauge]) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[Metric]:
        for name, says, label, values in self._gauges:
            made = GaugeMetricFamily(name, says, labels=[label] if label else [])
            for key, value in values.items():
                made.add_metric([key] if label else [], value)
            yield made


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

    def text(self, gauges: Iterable[Gauge]) -> bytes:
        """All metrics in Prometheus' text format."""
        now = CollectorRegistry()
        now.register(_Now(list(gauges)))
        return self._counted() + generate_latest(now)

    def _counted(self) -> bytes:
        if not os.environ.get(METRICS_FOLDER):
            return generate_latest(self._registry)
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        for _ in range(READS):
            with contextlib.suppress(FileNotFoundError):  # merged in this moment
                return generate_latest(registry)
        return generate_latest(registry)


def merge_ended(folder: Path, pid: int | None = None) -> None:
    """Add the metrics of a process that has ended, or of all processes, to those of earlier ones.

    The files of each process would stay for ever, and every answer reads all files. Call this in one process only.
    """
    for file in sorted(folder.glob(f"*_{'[0-9]*' if pid is None else pid}.db")):
        ended = file.with_name(f"{file.name.partition('_')[0]}_{ENDED}.db")
        merged = ended.with_suffix(".new")
        try:
            merged.unlink(missing_ok=True)
            if ended.exists():
                shutil.copyfile(ended, merged)
            _add(file, merged)
        except (OSError, RuntimeError, ValueError, struct.error) as error:  # cut short when its process was killed
            log.warning("the metrics of a process that has ended are lost: %s: %s", file.name, error)
            for path in (file, merged):
                path.unlink(missing_ok=True)
            continue
        file.unlink()
        merged.replace(ended)


def _add(file: Path, total: Path) -> None:
    """Add the values in a file to those in another."""
    values: Any = MmapedDict(str(total))  # type: ignore[no-untyped-call]
    try:
        for key, value, time, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
            values.write_value(key, values.read_value(key)[0] + value, time)
    finally:
        values.close()
