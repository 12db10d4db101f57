"""Local rule sets: the files of games that are none of ours."""

from __future__ import annotations

from sqlalchemy import Column, delete, insert, select

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.rows import RulesetRow

from .declared import KEY, declare_table

rulesets = declare_table("rulesets", RulesetRow, instead={"id": [Column("id", KEY, primary_key=True)]})


class RulesetTable(SessionReader):
    def all(self) -> list[RulesetRow]:
        """All local rule sets, by their ids."""
        return [RulesetRow(*row) for row in self._session.execute(select(rulesets).order_by(rulesets.c.id))]

    def get(self, id: str) -> RulesetRow | None:
        row = self._session.execute(select(rulesets).where(rulesets.c.id == id)).first()
        return None if row is None else RulesetRow(*row)

    def add(self, row: RulesetRow) -> None:
        self._session.execute(insert(rulesets).values(row._asdict()))

    def remove(self, id: str) -> None:
        self._session.execute(delete(rulesets).where(rulesets.c.id == id))
