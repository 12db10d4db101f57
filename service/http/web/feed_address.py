"""The address of the feed that a page follows."""

from __future__ import annotations

from typing import Any

from flask import url_for

from inkeek.service.http.context import current_services


def feed_end() -> int:
    """The end of the feed. Ask before you read games: then the page misses nothing that comes later."""
    store = current_services().store
    store.update_ledger()
    with store.reading() as transaction:
        return transaction.ledger.head().position


def feed_address(after: int, **which: Any) -> str:
    """The feed from `after` on, of the games that `which` names (`game_id`, `match` or `event`)."""
    return url_for("feed.get_feed", **which, after=after, format="sse")
