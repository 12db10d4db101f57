"""``Idempotency-Key``: repeating a request returns the first response, and nothing is done twice.

The response is stored in the transaction of the request, so neither exists without the other. Errors are not stored:
the request may be tried again with the same key.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar
from urllib.parse import urlsplit

from flask import Request, Response, current_app, request

from inkeek.service.errors import Invalid, KeyReused, NotFound, OutsideLimit
from inkeek.service.http.access.limits import check_named
from inkeek.service.http.context import current_caller, current_services
from inkeek.service.storage.clock import stamp, utc_now
from inkeek.service.storage.tables.receipts import Receipt
from inkeek.service.storage.transaction import Transaction

from .operation import IDEMPOTENCY_KEY, Operation

HEADER = IDEMPOTENCY_KEY
REPLAYED = "Idempotency-Replayed"
KEPT_HEADERS = ("Content-Type", "ETag", "Location")  # of a stored response
_KEY = re.compile("[!-~]{1,255}")
View = TypeVar("View", bound=Callable[..., Any])


def idempotent(view: View) -> View:
    """The view, run once per key and caller."""

    @functools.wraps(view)
    def wrapper(*args: Any, **kwargs: Any) -> Response:
        key = _key()
        if key is None:
            return view(*args, **kwargs)  # type: ignore[no-any-return]
        hashed = request_hash()
        hashed.update(request.get_data())
        digest = hashed.hexdigest()
        with current_services().store.together() as transaction:
            receipt = _claim(transaction, key, digest)
            if receipt is None:
                response: Response = view(*args, **kwargs)
                headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
                receipt = Receipt(digest, response.status_code, headers, response.get_data(as_text=True))
                transaction.receipts.fill(current_caller().id, key, receipt)
                return response
        _check_limit(receipt)
        replayed = Response(receipt.body, receipt.status, receipt.headers)
        replayed.headers[REPLAYED] = "true"
        return replayed

    return wrapper  # type: ignore[return-value]


def _check_limit(receipt: Receipt) -> None:
    """:raises OutsideLimit: what the first request created is not within the limit of the caller's key any more."""
    limit, place = current_caller().limit, receipt.headers.get("Location")
    if limit is not None and place is not None:
        _, named = current_app.url_map.bind("").match(urlsplit(place).path, "GET")
        try:
            check_named(current_services().store, limit, named)
        except NotFound as error:
            raise OutsideLimit(
                f"What the first request with this `{HEADER}` created has left the limit of the key: {limit}."
            ) from error


def check_key(request: Request, operation: Operation | None) -> None:
    """:raises Invalid: the idempotency key is malformed, or the operation supports none."""
    key = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None or request.method != "POST":
        return
    if operation is None or not operation.is_idempotent:
        raise Invalid(f"`{HEADER}` is not supported on this route. Send the request without it.", field=HEADER)
    if not _KEY.fullmatch(key):
        raise Invalid(f"`{HEADER}` is {key[:80]!r}. Expected 1 to 255 visible ASCII characters.", field=HEADER)


def bind_key(digest: str) -> bool:
    """Bind the request's key, if it has one, to the request with this hash; return whether it was bound before.

    For a view that does nothing twice however often it runs, so that its response need not be stored.

    :raises KeyReused: the key is bound to another request.
    """
    key = _key()
    if key is None:
        return False
    with current_services().store.together() as transaction:
        if _claim(transaction, key, digest) is not None:
            return True
        transaction.receipts.fill(current_caller().id, key, Receipt(digest, 200, {}, ""))
    return False


def request_hash() -> hashlib._Hash:
    """The hash of the request, to be updated with its body."""
    return hashlib.sha256(f"{request.method} {request.full_path}\n".encode())


def _key() -> str | None:
    key: str | None = request.environ.get("HTTP_IDEMPOTENCY_KEY")
    return key


def _claim(transaction: Transaction, key: str, digest: str) -> Receipt | None:
    """As `ReceiptTable.claim`. :raises KeyReused: the key belongs to another request."""
    now = utc_now()
    since = stamp(now - timedelta(seconds=current_services().settings.idempotency_kept))
    receipt = transaction.receipts.claim(current_caller().id, key, digest, stamp(now), since)
    if receipt is not None and receipt.request != digest:
        raise KeyReused(f"`{HEADER}` {key[:80]!r} was used for another request. Use a new key.", field=HEADER)
    return receipt
