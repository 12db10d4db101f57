"""Webhooks: made, listed, removed, asked to send again. `deliverer` sends."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from service.errors import Invalid, NotFound
from service.games.event_kinds import KINDS
from service.storage import DeliveryRow, FeedCursor, Store, Transaction, WebhookRow
from service.storage.clock import Clock, stamp, utc_now
from service.storage.ids import random_id
from service.storage.tables.apps.webhooks import DEAD, QUEUED, SENT, TRYING

MOST_OF_KEY, MOST = 5, 200  # webhooks of a key, with what it lent or who lent it, and of all
MAX_URL = 500  # characters
KEPT = {SENT: 100, DEAD: 1000, QUEUED: 1000, TRYING: 1}  # deliveries of a webhook that are kept, by their state
PREFIX = "whsec_"  # of secrets, as Standard Webhooks writes them


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a webhook gets, with filters as those of the feed."""

    url: str
    kinds: tuple[str, ...] = ()
    game_id: str | None = None
    match: str | None = None
    event: str | None = None


class Webhooks:
    """The webhooks in a store. `anywhere`: also to private networks, and without TLS."""

    def __init__(
        self,
        store: Store,
        *,
        anywhere: bool = False,
        clock: Clock = utc_now,
        new_secret: Callable[[], bytes] = lambda: secrets.token_bytes(32),
    ) -> None:
        self._store = store
        self._anywhere = anywhere
        self._clock = clock
        self._new_secret = new_secret

    def create(self, owner: str, wanted: Wanted) -> WebhookRow:
        """Send what happens from now on.

        :raises Invalid: the address cannot be one, a kind of event is unknown, or there are too many webhooks.
        """
        _check_url(wanted.url, anywhere=self._anywhere)
        _check_kinds(wanted.kinds)
        self._store.update_ledger()  # what was committed before is not new
        secret = PREFIX + base64.b64encode(self._new_secret()).decode()
        with self._store.writing() as transaction:
            rows = transaction.webhooks.all()
            sharers = transaction.keys.sharers(owner)
            if sum(row.owner in sharers for row in rows) >= MOST_OF_KEY:
                raise Invalid("You have %(most)s webhooks, the most of a key. Remove one.", most=MOST_OF_KEY)
            if len(rows) >= MOST:
                raise Invalid("There are %(most)s webhooks, the most of this service. Ask who runs it.", most=MOST)
            end = FeedCursor(transaction.ledger.head().position).number
            row = WebhookRow(
                random_id(), owner, wanted.url, wanted.kinds, wanted.game_id, wanted.match, wanted.event, secret,
                stamp(self._clock()), end,
            )  # fmt: skip
            transaction.webhooks.add(row)
        return row

    def owned(self, owner: str | None) -> list[WebhookRow]:
        """The webhooks of a key, or all, oldest first."""
        with self._store.reading() as transaction:
            return transaction.webhooks.all(owner)

    def get(self, owner: str | None, webhook_id: str) -> WebhookRow:
        """A webhook. `owner`: the key whose webhook it must be; None: anybody's.

        :raises NotFound: there is no such webhook; here and below.
        """
        with self._store.reading() as transaction:
            return _get(transaction, owner, webhook_id)

    def change(
        self, owner: str | None, webhook_id: str, url: str | None = None, kinds: Sequence[str] | None = None
    ) -> WebhookRow:
        """Send to another address, or other kinds of events; None: as before.

        :raises Invalid: as in `create`.
        """
        with self._store.writing() as transaction:
            row = _get(transaction, owner, webhook_id)
            row = row._replace(url=url or row.url, kinds=row.kinds if kinds is None else tuple(kinds))
            _check_url(row.url, anywhere=self._anywhere)
            _check_kinds(row.kinds)
            transaction.webhooks.change(row)
        return row

    def remove(self, owner: str | None, webhook_id: str) -> None:
        """Send no more."""
        with self._store.writing() as transaction:
            transaction.webhooks.remove(_get(transaction, owner, webhook_id).id)

    def deliveries(self, owner: str | None, webhook_id: str, states: Collection[str], most: int) -> list[DeliveryRow]:
        """What became of the last events, newest first."""
        with self._store.reading() as transaction:
            return transaction.webhooks.deliveries(_get(transaction, owner, webhook_id).id, states, most)

    def test(self, owner: str | None, webhook_id: str) -> DeliveryRow:
        """Send something that is no event, once."""
        with self._store.writing() as transaction:
            row, now = _get(transaction, owner, webhook_id), self._clock()
            delivery = DeliveryRow(row.id, -int(now.timestamp() * 1e6), "test", QUEUED, 0, None, "", stamp(now))
            transaction.webhooks.put_delivery(delivery)
            transaction.webhooks.forget(row.id, QUEUED, KEPT[QUEUED])
        return delivery

    def send_again(self, owner: str | None, webhook_id: str, cursor: FeedCursor | None) -> int:
        """Send dead letters again, once each: all, or the one of an event. Returns how many.

        :raises NotFound: also, there is none of that event.
        """
        with self._store.writing() as transaction:
            row = _get(transaction, owner, webhook_id)
            number = None if cursor is None else cursor.number
            found = transaction.webhooks.queue(row.id, DEAD, number, stamp(self._clock()))
        if cursor is not None and not found:
            raise NotFound("Webhook %(id)s has no dead letter %(cursor)s.", id=webhook_id, cursor=str(cursor))
        return found


def _get(transaction: Transaction, owner: str | None, webhook_id: str) -> WebhookRow:
    row = transaction.webhooks.get(webhook_id)
    if row is None or owner not in (None, row.owner):
        raise NotFound("There is no webhook %(id)r.", id=webhook_id[:80])
    return row


def _check_kinds(kinds: Iterable[str]) -> None:
    for kind in kinds:
        if kind not in KINDS:
            expected = ", ".join(sorted(KINDS))
            raise Invalid("kinds: %(kind)r is unknown. Expected some of %(kinds)s.", kind=kind, kinds=expected)


def _check_url(url: str, *, anywhere: bool) -> None:
    try:
        parts = urlsplit(url)
        is_good = bool(parts.hostname) and parts.username is None and (parts.port or 1) > 0 and not parts.fragment
    except ValueError:
        is_good = False
    schemes = ("https", "http") if anywhere else ("https",)
    if not is_good or parts.scheme not in schemes or not url.isascii() or len(url) > MAX_URL:
        raise Invalid(
            "url is %(url)r. Expected an address with %(schemes)s, without a user and a fragment, of at most %(most)s "
            "characters of ASCII.",
            url=url[:200],
            schemes=" or ".join(schemes),
            most=MAX_URL,
        )
