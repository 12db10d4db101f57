"""What was withdrawn goes: the secrets of boards, and where their serial numbers counted.

Revision 0027.
"""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"

TABLES = ("board_secrets",)
COLUMNS = (("boards", "reach"),)


def upgrade() -> None:
    for table, column in COLUMNS:
        op.drop_column(table, column)
    for table in TABLES:
        op.drop_table(table)
