"""What the service raises. Each class is one kind of problem (RFC 9457) with a stable name and an HTTP status."""

from __future__ import annotations

from collections.abc import Mapping

from records import IllegalMove, Rules

RETRY_SOON = {"Retry-After": "5"}
ASK_FOR_TOKEN = {"WWW-Authenticate": 'Bearer realm="inkeek"'}


class ServiceError(Exception):
    """The root. `slug` names the problem for good; `more` are values that its answer carries besides."""

    status = 500
    slug = "internal"
    title = "The service failed"
    headers: Mapping[str, str] = {}  # that its answer carries

    def __init__(self, message: str, **more: object) -> None:
        super().__init__(message)
        self.message = message
        self.more: Mapping[str, object] = more


class SettingError(ServiceError):
    """A setting that does not exist or is out of bounds."""

    slug = "setting"
    title = "A setting is wrong"


class StorageError(ServiceError):
    """The database cannot be reached, or refuses."""

    status = 503
    slug = "storage"
    title = "The storage does not answer"
    headers = RETRY_SOON


class StorageFull(StorageError):
    """There is no room for what was to be written; nothing of it was."""

    status = 507
    slug = "storage-full"
    title = "The storage is full"


class NotFound(ServiceError):
    status = 404
    slug = "not-found"
    title = "There is no such thing"


class Invalid(ServiceError):
    """Well-formed input that asks for what cannot be."""

    status = 422
    slug = "invalid"
    title = "The request asks for what cannot be"


class KeyReused(Invalid):
    """An ``Idempotency-Key`` that was used for another request."""

    slug = "idempotency"
    title = "The idempotency key was used for another request"


class Illegal(Invalid):
    """The rules forbid a move: `error` says why and which moves are legal."""

    slug = "illegal-move"
    title = "The rules forbid this move"

    def __init__(self, error: IllegalMove, rules: Rules) -> None:
        super().__init__(f"{error.move} cannot be played: {error.message}")
        self.error = error
        self.rules = rules


class Conflict(ServiceError):
    """Another writer was first, or the thing is in a state that does not allow it."""

    status = 409
    slug = "conflict"
    title = "The game has gone on"


class GameEnded(Conflict):
    slug = "game-ended"
    title = "The game has ended"


class Stale(Conflict):
    """The condition of ``If-Match`` does not hold."""

    status = 412
    slug = "stale"


class BoardBound(Conflict):
    slug = "board-bound"
    title = "The board or the game is taken"


class BoardClosed(Conflict):
    """A far board that was released."""

    slug = "board-closed"
    title = "The board was released"


class InboxTaken(Conflict):
    """A far board's events come from another spool."""

    slug = "inbox-taken"
    title = "The board is attached from elsewhere"


class Hole(Conflict):
    """Events before these have not arrived; `expected` is the number of the first that is missing."""

    slug = "hole"
    title = "Events are missing"


class InboxFull(ServiceError):
    status = 503
    slug = "inbox-full"
    title = "The desk does not deal with what arrives"
    headers = RETRY_SOON


class Unauthorized(ServiceError):
    """Nobody known asks."""

    status = 401
    slug = "unauthorized"
    title = "A token is needed"
    headers = ASK_FOR_TOKEN


class Forbidden(ServiceError):
    """Who asks is known, and may not."""

    status = 403
    slug = "forbidden"
    title = "This is not allowed"


class TooManyStreams(ServiceError):
    status = 503
    slug = "too-many-streams"
    title = "Too many live streams are open"
    headers = RETRY_SOON


class TooManyRequests(ServiceError):
    """A client asks faster than it may; `wait` is how many whole seconds it should let pass."""

    status = 429
    slug = "too-many-requests"
    title = "Too many requests"

    def __init__(self, message: str, wait: int) -> None:
        super().__init__(message)
        self.headers = {"Retry-After": str(wait)}
