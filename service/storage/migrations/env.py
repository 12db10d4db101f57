"""Run by Alembic: migrates over the connection that `service.storage.migrate` hands in."""

from __future__ import annotations

from alembic import context

from service.storage.tables import all_tables

context.configure(connection=context.config.attributes["connection"], target_metadata=all_tables())
context.run_migrations()
