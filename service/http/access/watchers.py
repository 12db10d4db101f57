"""Who watches the service is known to each process while the database does not answer, too."""

from __future__ import annotations

from inkeek.service.errors import NotReady, StorageError
from inkeek.service.http.timed_calls import TimedCalls
from inkeek.service.storage import KeyRow
from inkeek.service.storage.clock import utc_now

from .caller import Caller
from .keys import Keys, caller_of, digest, opens

MAX_KEPT = 100


class Watchers:
    """Remembers the keys that were valid."""

    def __init__(self, keys: Keys) -> None:
        self._keys = keys
        self._timed = TimedCalls()
        self._kept: dict[str, KeyRow] = {}  # by the hash of the secret

    def find(self, secret: str, kind: str) -> Caller | None:
        """As `Keys.find`. While the database does not answer, a key is valid that was so when its secret was sent to
        this process last, and has not expired.

        :raises ServiceError: the database does not answer, and the key is not kept.
        """
        hash = digest(secret)
        try:
            key = self._timed.run(lambda: self._keys.find_key(secret, kind))
        except (StorageError, NotReady):
            key = self._kept.get(hash)
            if key is None:
                raise
            return caller_of(key, hash) if key.kind == kind and opens(key, hash, utc_now()) else None
        self._kept.pop(hash, None)
        if key is None:
            return None
        self._kept[hash] = key
        if len(self._kept) > MAX_KEPT:
            self._kept.pop(next(iter(self._kept)), None)
        return caller_of(key, hash)
