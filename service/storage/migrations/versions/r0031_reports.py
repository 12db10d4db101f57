"""Far boards report what their own process has judged: there are no inboxes any more. Revision 0031.

Events that wait in an inbox are judged by the version that took them: with some, nothing is upgraded.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from inkeek.service.errors import StorageError

revision = "0031"
down_revision = "0030"
WAITING = """
SELECT count(*) FROM inbox_events JOIN boards ON boards.id = board_id WHERE wanted = 'open' AND event LIKE '%"seq"%'
"""


def upgrade() -> None:
    waiting = op.get_bind().execute(sa.text(WAITING)).scalar_one()
    if waiting:
        raise StorageError(
            f"{waiting} events of far boards wait in the database: let the version that took them run until its desk "
            "has judged them, or release these boards"
        )
    op.add_column("boards", sa.Column("heard", sa.String(32).with_variant(sa.Text, "sqlite")))
    op.add_column("boards", sa.Column("report", sa.String(32).with_variant(sa.Text, "sqlite")))
    op.drop_table("inbox_events")
    op.drop_table("inboxes")
