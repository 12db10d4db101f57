"""Events: the plan of each (players, tables, rounds and pairings) as one JSON object with a version, and what its rules
say about penalties and appeals."""

from __future__ import annotations

from sqlalchemy import Column, delete, select

from inkeek.service.storage.database.session_reader import SessionReader
from inkeek.service.storage.rows import EventPlanRow, EventRules, NameRow
from inkeek.service.storage.search import key_after_all, name_key

from .declared import KEY, declare_table

event_plans = declare_table("event_plans", EventPlanRow, instead={"event": [Column("event", KEY, primary_key=True)]})
event_rules = declare_table("event_rules", EventRules, Column("event", KEY, primary_key=True))


class EventPlanTable(SessionReader):
    def get(self, event: str, *, lock: bool = False) -> EventPlanRow | None:
        """The plan of the event with that key; None if it has none. `lock`: nobody else changes it meanwhile.

        :raises Damaged: it cannot be read.
        """
        query = select(event_plans).where(event_plans.c.event == event)
        row = self._session.execute(query.with_for_update() if lock else query).first()
        return None if row is None else EventPlanRow._make(row)

    def put(self, row: EventPlanRow) -> None:
        """Set the plan of an event."""
        self._session.execute(delete(event_plans).where(event_plans.c.event == row.event))
        self._insert(event_plans, [row])

    def remove(self, event: str) -> None:
        """Forget the plan of an event."""
        self._session.execute(delete(event_plans).where(event_plans.c.event == event))

    def names(self, prefix: str, limit: int, after: str | None = None) -> list[NameRow]:
        """At most `limit` planned events, as `NameTable.events` lists those of games."""
        low, end = name_key(prefix), key_after_all(name_key(prefix))
        query = select(event_plans.c.event, event_plans.c.name).where(event_plans.c.event >= low)
        if end is not None:
            query = query.where(event_plans.c.event < end)
        if after is not None:
            query = query.where(event_plans.c.event > after)
        rows = self._session.execute(query.order_by(event_plans.c.event).limit(limit))
        return [NameRow(row.event, row.name) for row in rows]

    def newest(self, limit: int | None, but: str = "") -> list[str]:
        """The keys of the events whose plans were changed last, but for the event `but`; None: of all."""
        query = select(event_plans.c.event).where(event_plans.c.event != but)
        return list(self._session.execute(query.order_by(event_plans.c.updated.desc()).limit(limit)).scalars())


class EventRulesTable(SessionReader):
    def events(self) -> list[str]:
        """The keys of the events that have rules."""
        return list(self._session.execute(select(event_rules.c.event).order_by(event_rules.c.event)).scalars())

    def get(self, event: str) -> EventRules | None:
        """The rules of the event with that key; None if nobody has set them.

        :raises Damaged: they cannot be read.
        """
        row = self._session.execute(select(event_rules).where(event_rules.c.event == event)).first()
        return None if row is None else EventRules._make(row[:-1])

    def put(self, event: str, rules: EventRules) -> None:
        """Set the rules of an event."""
        self._session.execute(delete(event_rules).where(event_rules.c.event == event))
        self._insert(event_rules, [(*rules, event)])

    def remove(self, event: str) -> None:
        """Forget the rules of an event."""
        self._session.execute(delete(event_rules).where(event_rules.c.event == event))
