"""``Idempotency-Key``: a request that was answered is answered so again, and not done twice.

The answer is stored in the transaction that stores what the request did, so that there is never one without the other.
What failed is not kept: it may be tried again under the same key.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

from flask import Response, make_response, request

from service.errors import Invalid, KeyReused
from service.http.context import current_caller, current_services
from service.storage import Receipt
from service.storage.clock import stamp, utc_now

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
KEPT_HEADERS = ("Content-Type", "ETag", "Location")  # of an answer
PARAMETER = {
    "in": "header",
    "name": HEADER,
    "description": "the same key with the same request is answered the same, and done once",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
_KEY = re.compile("[!-~]{1,255}")
_MARK = "__inkeek_idempotent__"
View = TypeVar("View", bound=Callable[..., Any])


def idempotent(view: View) -> View:
    """The view, done once for a key of a caller."""

    @functools.wraps(view)
    def answer(*args: Any, **kwargs: Any) -> Response:
        key = request.headers.get(HEADER)
        if key is None:
            return make_response(view(*args, **kwargs))
        if not _KEY.fullmatch(key):
            raise Invalid(f"{HEADER} is {key[:80]!r}: expected 1 to 255 visible ASCII characters")
        services, caller, asked = current_services(), current_caller().id, _digest()
        now = utc_now()
        since = stamp(now - timedelta(seconds=services.settings.idempotency_kept))
        with services.store.together() as transaction:
            receipt = transaction.receipts.claim(caller, key, asked, stamp(now), since)
            if receipt is None:
                response = make_response(view(*args, **kwargs))
                headers = {name: response.headers[name] for name in KEPT_HEADERS if name in response.headers}
                receipt = Receipt(asked, response.status_code, headers, response.get_data(as_text=True))
                transaction.receipts.fill(caller, key, receipt)
                return response
        if receipt.request != asked:
            raise KeyReused(f"{HEADER} {key[:80]!r} was used for another request: take a new key for a new request")
        replayed = Response(receipt.body, receipt.status, receipt.headers)
        replayed.headers[REPLAYED] = "true"
        return replayed

    setattr(answer, _MARK, True)
    return answer  # type: ignore[return-value]


def check_key(view: Callable[..., Any] | None) -> None:
    """:raises Invalid: the request has a key, and its view would not heed it."""
    if request.method == "POST" and HEADER in request.headers and not getattr(view, _MARK, False):
        raise Invalid(f"{HEADER} is not heeded here: ask again without it")


def _digest() -> str:
    """The hash of what is asked for."""
    return hashlib.sha256(f"{request.method} {request.full_path}\n".encode() + request.get_data()).hexdigest()
