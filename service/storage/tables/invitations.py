"""Invitations to events, and the sessions of the guests who came with them.

A code is stored as it is: the organizer's page shows it until the evening ends.
"""

from __future__ import annotations

from sqlalchemy import Column, ColumnElement, Index, PrimaryKeyConstraint, delete, insert, or_, select, update

from service.storage.database.session_reader import SessionReader
from service.storage.rows import InvitationRow, KeyRow
from service.storage.search import name_key

from .declared import KEY, declare_table
from .keys import key_of, keys

invitations = declare_table(
    "invitations",
    InvitationRow,
    Column("event_key", KEY, nullable=False),
    PrimaryKeyConstraint("id"),
    Index("uq_invitations_code", "code", unique=True),
    Index(None, "event_key"),
)
_FIELDS = [invitations.c[name] for name in InvitationRow._fields]


class InvitationTable(SessionReader):
    def get(self, invitation_id: str) -> InvitationRow | None:
        return self._first(invitations.c.id == invitation_id)

    def by_code(self, code: str) -> InvitationRow | None:
        return self._first(invitations.c.code == code)

    def _first(self, condition: ColumnElement[bool]) -> InvitationRow | None:
        row = self._session.execute(select(*_FIELDS).where(condition)).first()
        return None if row is None else InvitationRow(*tuple(row))

    def of_event(self, event: str, *, lock: bool = False) -> list[InvitationRow]:
        """The invitations to the event with that key, oldest first."""
        query = select(*_FIELDS).where(invitations.c.event_key == event)
        query = query.order_by(invitations.c.created, invitations.c.id)
        rows = self._session.execute(query.with_for_update() if lock else query)
        return [InvitationRow(*tuple(row)) for row in rows]

    def count_open(self, now: str, event: str | None = None) -> int:
        """How many invitations can be used at that time; those to the event with that key, if one is given."""
        which = [] if event is None else [invitations.c.event_key == event]
        return self._count(invitations, invitations.c.withdrawn.is_(None), invitations.c.expires > now, *which)

    def guests(self, event: str) -> list[KeyRow]:
        """The sessions that came with an invitation to the event with that key, oldest first."""
        query = select(keys).join(invitations, invitations.c.id == keys.c.invitation)
        query = query.where(invitations.c.event_key == event).order_by(keys.c.created, keys.c.id)
        return [key_of(tuple(row)) for row in self._session.execute(query)]

    def add(self, row: InvitationRow) -> None:
        self._session.execute(insert(invitations).values(**row._asdict(), event_key=name_key(row.event)))

    def put(self, row: InvitationRow) -> None:
        values = {**row._asdict(), "event_key": name_key(row.event)}
        self._session.execute(update(invitations).where(invitations.c.id == row.id).values(values))

    def forget(self, before: str) -> None:
        """Drop the invitations that were over before that time."""
        is_over = or_(invitations.c.expires < before, invitations.c.withdrawn < before)
        self._session.execute(delete(invitations).where(is_over))
