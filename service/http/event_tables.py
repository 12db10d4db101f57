"""What callers may change at the tables of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inkeek.service.games.events.planning import Expected
from inkeek.service.games.write import Write
from inkeek.service.storage import EventPlanRow

from .access import allows
from .context import current_caller, current_services
from .names import check_event, keeps_table


def change_event_table(
    event: str, version: Expected, number: int, table: int, changes: Mapping[str, Any], write: Write
) -> EventPlanRow:
    """Change a table of the event with that key as `Events.change_table` does, and as the caller may."""
    return current_services().events.change_table(
        check_event(event, table),
        version,
        number,
        table,
        changes,
        write,
        is_arbiter=allows(current_caller().scopes, "arbiter"),
        keeps=keeps_table(event, table),
    )
