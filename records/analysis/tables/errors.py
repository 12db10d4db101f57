"""What goes wrong with endgame tables."""

from __future__ import annotations

from inkeek.records.errors import RecordsError


class TableError(RecordsError):
    """A table that cannot be built, or files that are damaged or not a table."""
