"""What the rules of an event say about penalties and appeals."""

from __future__ import annotations

import json
from dataclasses import asdict

from sqlalchemy import Column, delete, insert, select

from service.storage.database.session_reader import SessionReader
from service.storage.rows import EventRules
from service.storage.text_json import load_stored

from .declared import declare_table
from .schema import KEY, metadata

event_rules = declare_table("event_rules", metadata, EventRules, Column("event", KEY, primary_key=True))


class EventRulesTable(SessionReader):
    """Reads and writes within the transaction of `session`."""

    def get(self, event: str) -> EventRules | None:
        """The rules of the event with that key; None if nobody has set them.

        :raises Damaged: they cannot be read.
        """
        row = self._session.execute(select(event_rules).where(event_rules.c.event == event)).first()
        if row is None:
            return None
        ladder = tuple(load_stored(row.ladder, "the rules of an event", kind=list))
        return EventRules(ladder, row.appeal_minutes, row.appeal_since)

    def put(self, event: str, rules: EventRules) -> None:
        """Set the rules of an event."""
        self._session.execute(delete(event_rules).where(event_rules.c.event == event))
        values = {**asdict(rules), "event": event, "ladder": json.dumps(rules.ladder)}
        self._session.execute(insert(event_rules).values(values))
