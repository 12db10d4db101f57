"""What was withdrawn goes: the secrets of boards, and where their serial numbers counted; webhooks; apps, and what
people lent to them.

Revision 0027.
"""

from __future__ import annotations

from alembic import op

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
