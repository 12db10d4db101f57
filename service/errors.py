"""Errors of the service. Each class is one type of problem (RFC 9457) with a stable slug and an HTTP status."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from inkeek.records import IllegalMove, RecordsError, Rules
from inkeek.records.errors import CopyableError, ErrorText as ErrorText, joined_texts
from inkeek.records.explain import explain_refusal
from inkeek.records.language import translatable_english

E = TypeVar("E", bound=Exception)

_NAME = re.compile(r"%\((\w+)\)")
RETRY_SOON = {"Retry-After": "5"}
ASK_FOR_TOKEN = {"WWW-Authenticate": 'Bearer realm="inkeek"'}


def gettext_later(text: str, /) -> str:
    """A text that is translated where it is shown: the English, marked for the catalogues."""
    return text


class ServiceError(CopyableError):
    """The root. `slug` names the type of problem.

    Of the values, those that `template` names fill it, as in an `ErrorText`; the problem carries the others as `more`.
    """

    status = 500
    slug = "internal"
    title = "Internal error."
    headers: Mapping[str, str] = {}  # of the response

    def __init__(self, template: str, **values: object) -> None:
        message = template
        if not isinstance(template, ErrorText):
            named = values.keys() & set(_NAME.findall(template))
            message = ErrorText(template, **{name: values.pop(name) for name in named})
        super().__init__(message)
        self.message = message
        self.more: Mapping[str, object] = values

    @property
    def text(self) -> str:
        """What the error says, for a text that is stored, and shown in the language of the page."""
        return self.message


class SettingError(ServiceError):
    """A setting does not exist or is out of bounds."""

    slug = "setting"
    title = "Invalid setting."


class StorageError(ServiceError):
    """The database cannot be reached, or refuses."""

    status = 503
    slug = "storage"
    title = "The database is not available."
    headers = RETRY_SOON


class StorageBusy(StorageError):
    """Others write for too long. Nothing was stored; the same request may succeed later."""


class StorageFull(StorageError):
    """There is no room left. No partial write."""

    status = 507
    slug = "storage-full"
    title = "The storage is full."


class Damaged(StorageError):
    """Stored data cannot be read any more, or was changed from outside."""

    slug = "damaged"
    title = "The database is damaged."


class NotReady(ServiceError):
    """A part of the service stands still."""

    status = 503
    slug = "not-ready"
    title = "The service is not ready."


class NotFound(ServiceError):
    status = 404
    slug = "not-found"
    title = "Not found."


class Invalid(ServiceError):
    """Well-formed input that the service cannot accept. `field` is the one that is wrong, as in `RecordsError`; a
    template may quote it."""

    status = 422
    slug = "invalid"
    title = "Invalid request."

    def __init__(self, template: str, *, field: str = "", **values: object) -> None:
        if "%(field)s" in template:
            values["field"] = field
        super().__init__(template, **values)
        self.field = field


@contextmanager
def about(field: str) -> Iterator[None]:
    """Have the errors of what is read within be about this field, or about their own field in it."""
    try:
        yield
    except (Invalid, RecordsError) as error:
        error.field = f"{field}.{error.field}".rstrip(".")
        raise


class InvalidFields(Invalid):
    """Fields of a body or a query are missing, unknown or of the wrong kind: `faults` has the place and the text of
    each that is known."""

    slug = "fields"
    title = "Invalid fields."

    def __init__(
        self, message: str, faults: Sequence[tuple[str, str]] = (), *, field: str = "", **more: object
    ) -> None:
        super().__init__(message, field=field, **more)
        self.faults = faults


class KeyReused(Invalid):
    """An ``Idempotency-Key`` was used for another request."""

    slug = "idempotency"
    title = "The idempotency key was used before."


class Illegal(Invalid):
    """The rules forbid a move: `error` says why and which moves are legal. `where` is its place in a request with
    several moves."""

    slug = "illegal-move"
    title = "Illegal move."

    def __init__(self, error: IllegalMove, rules: Rules, where: str = "") -> None:
        message = f"{error.move} cannot be played: {error.message}"
        more = {"where": where} if where else {}
        super().__init__(f"{where}: {message}" if where else message, field=where or "move", **more)
        self.error = error
        self.rules = rules

    @property
    def text(self) -> str:
        return joined_texts(explain_refusal(self.error, translatable_english()))


class Conflict(ServiceError):
    """Another writer was first, or the state does not allow the request."""

    status = 409
    slug = "conflict"
    title = "Conflict with the current state."


class GameEnded(Conflict):
    slug = "game-ended"
    title = "The game has ended."


class Disputed(Conflict):
    """The game waits for the ruling on a dispute; `dispute` is its id."""

    slug = "disputed"
    title = "A dispute is open."


class LastAdmin(Conflict):
    """Without this key nobody could manage keys over HTTP."""

    slug = "last-admin"
    title = "The last key with the scope admin."


class NoKey(Conflict):
    """The service has no key to sign with."""

    slug = "no-key"
    title = "The service has no key."


class Stale(Conflict):
    """``If-Match`` does not name the game's last event."""

    status = 412
    slug = "stale"
    title = "The game has changed."


class Ahead(Conflict):
    """The client knows more events than there are, as after a restore; `last` is the number of the last one."""

    slug = "ahead"
    title = "The client is ahead of the service."


class BoardBound(Conflict):
    slug = "board-bound"
    title = "The board or the game is already bound."


class BoardClosed(Conflict):
    """A remote board was released."""

    slug = "board-closed"
    title = "The board was released."


class Unauthorized(ServiceError):
    """The caller is unknown. `is_refused`: what was sent as a key is not valid, or not any more (RFC 6750)."""

    status = 401
    slug = "unauthorized"
    title = "Authentication required."
    headers = ASK_FOR_TOKEN

    def __init__(self, template: str, *, is_refused: bool = False, **values: object) -> None:
        super().__init__(template, **values)
        if is_refused:
            self.headers = {name: f'{value}, error="invalid_token"' for name, value in ASK_FOR_TOKEN.items()}


class Forbidden(ServiceError):
    """The caller is known and not allowed to do this."""

    status = 403
    slug = "forbidden"
    title = "Not allowed."


class OutsideLimit(Forbidden):
    """The caller's key is limited to a game, a match or an event, and this is outside of it."""

    slug = "outside-limit"
    title = "Outside the limit of the key."


class TooManyStreams(ServiceError):
    status = 503
    slug = "too-many-streams"
    title = "Too many live streams."
    headers = RETRY_SOON


class TooSlow(ServiceError):
    """The body of a request takes too long to arrive."""

    status = 408
    slug = "too-slow"
    title = "The body arrives too slowly."


class TookTooLong(ServiceError):
    """A computation was ended at its limit of time. The same request would end so again."""

    status = 503
    slug = "took-too-long"
    title = "No answer in time."


class TooBusy(ServiceError):
    """Too many requests wait for work that keeps a processor busy."""

    status = 503
    slug = "too-busy"
    title = "The service is busy."
    headers = RETRY_SOON


class TooManyRequests(ServiceError):
    """A client is above a limit of its own; `wait` is the number of whole seconds until it should ask again."""

    status = 429
    slug = "too-many-requests"
    title = "Too many requests."

    def __init__(self, message: str, wait: int) -> None:
        super().__init__(message)
        self.headers = {"Retry-After": str(wait)}


def error_kinds(root: type[E]) -> Iterator[type[E]]:
    """The class `root` and all below it, with those of other modules."""
    yield root
    for kind in root.__subclasses__():
        yield from error_kinds(kind)
