"""The table of metrics in docs/operation.md."""

from __future__ import annotations

from inkeek.service.processes.metrics import FIGURES
from inkeek.service.reference.tables import table


def metrics_table(_: str) -> str:
    """Every metric with its labels."""
    rows = [
        (f"`{name}`", figure.kind, " ".join(f"`{label}`" for label in figure.labels), figure.says)
        for name, figure in FIGURES.items()
    ]
    return table(("name", "kind", "labels", "what"), rows)


PARTS = {"metrics": metrics_table}
