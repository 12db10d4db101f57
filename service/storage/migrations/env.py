"""Run by Alembic: migrates over the connection that `inkeek.service.storage.migrate` hands in."""

from __future__ import annotations

from alembic import context

from inkeek.service.storage.tables import all_tables

context.configure(connection=context.config.attributes["connection"], target_metadata=all_tables())
context.run_migrations()
