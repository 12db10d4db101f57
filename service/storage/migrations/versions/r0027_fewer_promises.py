"""What was withdrawn goes: the secrets of boards, and where their serial numbers counted; webhooks; apps, and what
people lent to them. Games are not found by days that the calendar does not have.

Revision 0027.
"""

from __future__ import annotations

from datetime import date

from alembic import op
from sqlalchemy import text

revision = "0027"
down_revision = "0026"

TABLES = ("board_secrets", "app_codes", "apps", "deliveries", "webhooks")
COLUMNS = (("boards", "reach"), ("keys", "app"))


def upgrade() -> None:
    op.execute("DELETE FROM keys WHERE app IS NOT NULL")
    for table, column in COLUMNS:
        op.drop_column(table, column)
    for table in TABLES:
        op.drop_table(table)
    _mend_days()


def _mend_days() -> None:
    connection = op.get_bind()
    update = text("UPDATE games SET date = :right WHERE date = :stored")
    for (stored,) in connection.execute(text("SELECT DISTINCT date FROM games WHERE date IS NOT NULL")).all():
        right = right_day(stored)
        if right != stored:
            connection.execute(update, {"stored": stored, "right": right})


def right_day(stored: str) -> str | None:
    year, month, day = map(int, stored.split("-"))
    try:
        date(year, month or 1, (month and day) or 1)
    except ValueError:
        return None
    return stored if month else f"{stored[:4]}-00-00"
