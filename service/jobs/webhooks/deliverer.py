"""Sends the events of the feed to webhooks, signed as Standard Webhooks says, each at least once and in order.

How far a webhook is stands in the database. What was sent before a crash and not stored as such is sent again, with the
same ``webhook-id``. An event that is not taken after the last try becomes a dead letter, and the next one is sent.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import logging
import threading
import time
from asyncio import FIRST_COMPLETED
from collections.abc import Awaitable, Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from service.errors import ServiceError
from service.games.rights import is_still_lent
from service.processes.logs import Trouble
from service.storage import (
    DeliveryRow,
    FeedCursor,
    FeedEvent,
    FeedFilter,
    GameFilter,
    KeyRow,
    Store,
    Transaction,
    WebhookRow,
)
from service.storage.clock import Clock, moment, stamp, utc_now
from service.storage.tables.apps.webhooks import DEAD, QUEUED, SENT, TRYING

from .connection import SafeConnections
from .webhooks import KEPT, MOST, PREFIX

log = logging.getLogger(__name__)

WAITS = tuple(timedelta(seconds=seconds) for seconds in (5, 30, 120, 600, 3600))  # after each try but the last
BATCH = 100  # events of a webhook that are sent between two writes
AGAIN = 10  # dead letters and tests that are sent before
STEP_TIME = 1.0  # seconds after which what was sent is stored
LOOK_EVERY = 1.0  # seconds between looks for new events

Post = Callable[[str, Mapping[str, str], bytes], Awaitable[int]]


@dataclass
class _Due:
    """A webhook, what is to be sent, and what became of it. `after`: how far it is then; None: it waits for a try."""

    row: WebhookRow
    again: list[tuple[DeliveryRow, FeedEvent | None]]
    items: list[FeedEvent]
    after: int | None
    done: list[DeliveryRow] = field(default_factory=list)


class Deliverer:
    """Delivers what is due. `encode` makes the JSON of an event, as the feed has it."""

    def __init__(
        self, store: Store, encode: Callable[[FeedEvent], bytes], post: Post, *, clock: Clock = utc_now
    ) -> None:
        self._store = store
        self._encode = encode
        self._post = post
        self._clock = clock

    def look(self, busy: Collection[str] = ()) -> list[_Due]:
        """What is due, for the webhooks that are not busy. Removes those whose key is not valid any more."""
        self._store.update_ledger()
        with self._store.reading() as transaction:
            rows = transaction.webhooks.all()
            now, over, works = self._clock(), [], []
            for row in rows:
                key = transaction.keys.get(row.owner)
                expired = key is None or (key.expires is not None and moment(key.expires) <= now)
                if key is None or expired or key.revoked is not None or not is_still_lent(transaction, key):
                    over.append(row.id)
                elif row.id not in busy and (work := self._due(transaction, row, key)) is not None:
                    works.append(work)
        if over:
            with self._store.writing() as transaction:
                for webhook_id in over:
                    transaction.webhooks.remove(webhook_id)
        return works

    def _due(self, transaction: Transaction, row: WebhookRow, key: KeyRow) -> _Due | None:
        where, head = _filter(row, key), transaction.ledger.head().position
        again = []
        for delivery in transaction.webhooks.deliveries(row.id, [QUEUED], AGAIN):
            before = FeedCursor.of(delivery.number - 1)  # of a test it is nowhere
            found = transaction.feed.read(before, 1, head, where).items if delivery.number > 0 else []
            again.append((delivery, next((item for item in found if item.cursor.number == delivery.number), None)))
        if row.next is not None and moment(row.next) > self._clock():
            return _Due(row, again, [], None) if again else None
        wanted = replace(where, kind=row.kinds or None)  # what is sent again may be of kinds wanted before
        page = transaction.feed.read(FeedCursor.of(row.position), BATCH, head, wanted)
        if not again and page.after.number == row.position:
            return None
        return _Due(row, again, page.items, page.after.number)

    async def deliver(self, work: _Due) -> None:
        """Send what is due to a webhook, and store what became of it."""
        await self._send_all(work)
        with self._store.writing() as transaction:
            if transaction.webhooks.get(work.row.id) is None:
                return  # removed meanwhile
            transaction.webhooks.move(work.row)
            for delivery in work.done:
                transaction.webhooks.put_delivery(delivery)
            for state in {delivery.state for delivery in work.done}:
                transaction.webhooks.forget(work.row.id, state, KEPT[state])

    async def _send_all(self, work: _Due) -> None:
        for delivery, item in work.again:
            if item is None and delivery.number > 0:
                status, error = None, "the event is outside what the key may read"
            else:
                status, error = await self._send(work.row, delivery.number, item)
            state, tries = DEAD if error else SENT, delivery.tries + 1
            work.done.append(delivery._replace(state=state, tries=tries, status=status, error=error))
        started, row = time.monotonic(), work.row
        for item in work.items:
            status, error = await self._send(row, item.cursor.number, item)
            now, tries = self._clock(), row.tries + 1
            state = SENT if not error else DEAD if tries > len(WAITS) else TRYING
            number, kind = item.cursor.number, item.event.kind
            work.done.append(DeliveryRow(row.id, number, kind, state, tries, status, error, stamp(now)))
            if state == TRYING:
                work.row = row._replace(tries=tries, next=stamp(now + WAITS[tries - 1]))
                return
            work.row = row = row._replace(position=number, tries=0, next=None)
            if time.monotonic() - started > STEP_TIME:
                return  # store it: the rest is looked up again
        if work.after is not None:
            work.row = row._replace(position=work.after, tries=0, next=None)

    async def _send(self, row: WebhookRow, number: int, item: FeedEvent | None) -> tuple[int | None, str]:
        """Send an event, or a test. Returns the status of the answer, and what is wrong; empty: nothing."""
        now = self._clock()
        if item is None:
            kind, time, data = "test", stamp(now), b"{}"
        else:
            kind, time, data = item.event.kind, item.event.time, self._encode(item)
        body = b'{"type":"%s","timestamp":"%s","data":%s}' % (kind.encode(), time.encode(), data)
        try:
            status = await self._post(row.url, signed_headers(row.secret, f"{row.id}.{number}", now, body), body)
        except (OSError, ValueError) as error:
            return None, str(error)[:200] or type(error).__name__
        except Exception as error:  # a fault of ours with one receiver must not keep the others waiting
            log.exception("webhook %s: a delivery failed", row.id)
            return None, type(error).__name__
        return status, "" if 200 <= status < 300 else f"the answer was {status}"


def signed_headers(secret: str, message_id: str, now: datetime, body: bytes) -> dict[str, str]:
    """The headers of a message, as https://www.standardwebhooks.com says."""
    key, seconds = base64.b64decode(secret.removeprefix(PREFIX)), int(now.timestamp())
    signed = hmac.new(key, b"%s.%d.%s" % (message_id.encode(), seconds, body), hashlib.sha256).digest()
    return {
        "Content-Type": "application/json",
        "User-Agent": "Inkeek",
        "webhook-id": message_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": f"v1,{base64.b64encode(signed).decode()}",
    }


def _filter(row: WebhookRow, key: KeyRow) -> FeedFilter:
    """What a webhook gets of the feed: within the limit that its key has now."""
    return FeedFilter(row.game_id, row.match, games=GameFilter(event=row.event)).within(key.limit)


def keep_delivering(
    store: Store, encode: Callable[[FeedEvent], bytes], stop: threading.Event, *, anywhere: bool
) -> None:
    """Deliver until `stop`."""
    asyncio.run(_deliver(store, encode, stop, anywhere=anywhere))


async def _deliver(
    store: Store, encode: Callable[[FeedEvent], bytes], stop: threading.Event, *, anywhere: bool
) -> None:
    """Each webhook has a task while something is due: a slow one keeps no other waiting."""
    # A name is looked up in a thread, which one that nobody answers for keeps: each webhook has one.
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(MOST + 1, "lookup"))  # one waits for `stop`
    deliverer = Deliverer(store, encode, SafeConnections(anywhere=anywhere).post)
    trouble = Trouble(log, "webhooks are not served")
    running: dict[str, asyncio.Task[None]] = {}
    while not stop.is_set():
        try:
            for work in deliverer.look(running):
                running[work.row.id] = asyncio.create_task(deliverer.deliver(work))
            if running:
                done, _ = await asyncio.wait(running.values(), timeout=LOOK_EVERY, return_when=FIRST_COMPLETED)
                running = {webhook_id: task for webhook_id, task in running.items() if task not in done}
                for task in done:
                    task.result()
            else:
                await asyncio.to_thread(stop.wait, LOOK_EVERY)
            trouble.over()
        except ServiceError as error:
            trouble.note(error)
            await asyncio.to_thread(stop.wait, LOOK_EVERY)
    for task in running.values():
        task.cancel()
    await asyncio.gather(*running.values(), return_exceptions=True)
