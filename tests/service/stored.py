"""What a service has stored: to see that a request has changed nothing."""

from typing import Any

from sqlalchemy import select

from inkeek.service.http.services import Services
from inkeek.service.storage.tables import all_tables

USED = "used"  # when a key was used last, which every request changes
NUMBERED = ("ledger", "unsealed")  # on PostgreSQL, who next reads the feed gives the events their numbers


def stored_rows(services: Services) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables, but for when keys were used and the numbers in the feed."""
    with services.store.reading() as transaction:
        return {
            table.name: sorted(
                (
                    {name: value for name, value in row.items() if name != USED}
                    for row in transaction._session.execute(select(table)).mappings()
                ),
                key=repr,
            )
            for table in all_tables().sorted_tables
            if table.name not in NUMBERED
        }
