"""What the tables share: each is used within one transaction."""

from __future__ import annotations

from .session import Session


class SessionReader:
    """Works within the transaction of `session`."""

    def __init__(self, session: Session) -> None:
        self._session = session
