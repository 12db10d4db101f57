"""What a service has stored: to see that a request has changed nothing."""

from typing import Any

from sqlalchemy import select

from inkeek.service.http.services import Services
from inkeek.service.storage.tables import all_tables

USED = "used"  # when a key was used last, which every request changes


def stored_rows(services: Services) -> dict[str, list[dict[str, Any]]]:
    """All rows of all tables, but for when keys were used."""
    with services.store.reading() as transaction:
        return {
            table.name: [
                {name: value for name, value in row.items() if name != USED}
                for row in transaction._session.execute(select(table)).mappings()
            ]
            for table in all_tables().sorted_tables
        }
