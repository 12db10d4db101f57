"""Webhooks: where events are sent, how far, and what became of the last ones."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Annotated, Any, NamedTuple

from sqlalchemy import Index, PrimaryKeyConstraint, String, delete, insert, select, update

from service.storage.database.session_reader import SessionReader
from service.storage.rows import Big, Id, Time
from service.storage.tables.declared import declare_table

SENT, TRYING, DEAD, QUEUED = "sent", "trying", "dead", "queued"  # states of a delivery


class WebhookRow(NamedTuple):
    """A webhook of the key `owner`: events of these `kinds` (empty: all) go to `url`, signed with `secret`. The others
    are filters as those of the feed. `position`: the number of the feed's cursor up to which all was dealt with. The
    next event was tried `tries` times, and is again at `next`."""

    id: Id
    owner: Id
    url: str
    kinds: tuple[str, ...]
    game_id: Id | None
    match: Id | None
    event: str | None
    secret: str
    created: Time
    position: Big
    tries: int = 0
    next: Time | None = None


class DeliveryRow(NamedTuple):
    """What became of an event, by the `number` of its cursor; a test has a negative one. `status` is that of the last
    answer; None: there was none, because of the `error`."""

    webhook: Id
    number: Big
    kind: Annotated[str, String(32)]
    state: Annotated[str, String(8)]
    tries: int
    status: int | None
    error: str
    time: Time


webhooks = declare_table("webhooks", WebhookRow, PrimaryKeyConstraint("id"), Index(None, "owner"))
deliveries = declare_table(
    "deliveries",
    DeliveryRow,
    PrimaryKeyConstraint("webhook", "number"),
    Index(None, "webhook", "state", "time"),
)


class WebhookTable(SessionReader):
    def all(self, owner: str | None = None) -> list[WebhookRow]:
        """The webhooks of a key, or all, oldest first."""
        query = select(webhooks).order_by(webhooks.c.created, webhooks.c.id)
        query = query if owner is None else query.where(webhooks.c.owner == owner)
        return [_webhook_of(row) for row in self._session.execute(query)]

    def get(self, webhook_id: str) -> WebhookRow | None:
        row = self._session.execute(select(webhooks).where(webhooks.c.id == webhook_id)).first()
        return None if row is None else _webhook_of(row)

    def add(self, row: WebhookRow) -> None:
        self._session.execute(insert(webhooks).values({**row._asdict(), "kinds": json.dumps(row.kinds)}))

    def move(self, row: WebhookRow) -> None:
        """Store how far a webhook is."""
        values = {"position": row.position, "tries": row.tries, "next": row.next}
        self._session.execute(update(webhooks).where(webhooks.c.id == row.id).values(values))

    def change(self, row: WebhookRow) -> None:
        """Store where a webhook sends, and which kinds of events."""
        values = {"url": row.url, "kinds": json.dumps(row.kinds)}
        self._session.execute(update(webhooks).where(webhooks.c.id == row.id).values(values))

    def remove(self, webhook_id: str) -> None:
        self._session.execute(delete(deliveries).where(deliveries.c.webhook == webhook_id))
        self._session.execute(delete(webhooks).where(webhooks.c.id == webhook_id))

    def deliveries(self, webhook_id: str, states: Collection[str], most: int) -> list[DeliveryRow]:
        """The last deliveries in these states, newest first."""
        query = select(deliveries).where(deliveries.c.webhook == webhook_id, deliveries.c.state.in_(states))
        query = query.order_by(deliveries.c.time.desc(), deliveries.c.number.desc()).limit(most)
        return [DeliveryRow(*tuple(row)) for row in self._session.execute(query)]

    def put_delivery(self, row: DeliveryRow) -> None:
        same = (deliveries.c.webhook == row.webhook, deliveries.c.number == row.number)
        self._session.execute(delete(deliveries).where(*same))
        self._session.execute(insert(deliveries).values(row._asdict()))

    def count(self, webhook_id: str, state: str) -> int:
        return self._count(deliveries, deliveries.c.webhook == webhook_id, deliveries.c.state == state)

    def queue(self, webhook_id: str, state: str, number: int | None, time: str) -> int:
        """Queue deliveries in this state: all, or the one with this number. Returns how many there were."""
        query = update(deliveries).where(deliveries.c.webhook == webhook_id, deliveries.c.state == state)
        query = query if number is None else query.where(deliveries.c.number == number)
        found = self.count(webhook_id, QUEUED)
        self._session.execute(query.values(state=QUEUED, time=time))
        return self.count(webhook_id, QUEUED) - found

    def forget(self, webhook_id: str, state: str, most: int) -> None:
        """Drop the oldest deliveries in this state but so many."""
        same = (deliveries.c.webhook == webhook_id, deliveries.c.state == state)
        newest = select(deliveries.c.number).where(*same).order_by(deliveries.c.time.desc()).limit(most)
        self._session.execute(delete(deliveries).where(*same, deliveries.c.number.not_in(newest.scalar_subquery())))


def _webhook_of(row: Any) -> WebhookRow:
    values = dict(row._mapping)
    return WebhookRow(**{**values, "kinds": tuple(json.loads(values["kinds"]))})
