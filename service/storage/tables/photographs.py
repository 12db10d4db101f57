"""Photographs that are evidence in disputes. The events have the hash, the type and the length of each."""

from __future__ import annotations

from sqlalchemy import Column, LargeBinary, PrimaryKeyConstraint, String, Table, func, insert, select

from service.storage.database.session_reader import SessionReader

from .schema import metadata

photographs = Table(
    "photographs",
    metadata,
    Column("game", String(32), nullable=False),
    Column("sha256", String(64), nullable=False),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("game", "sha256"),
)


class PhotographTable(SessionReader):
    """Reads and writes within the transaction of `session`."""

    def put(self, game_id: str, sha256: str, data: bytes) -> None:
        """Store a photograph, unless the game has it already. The caller has locked the game."""
        if sha256 not in self.hashes(game_id):
            self._session.execute(insert(photographs).values(game=game_id, sha256=sha256, data=data))

    def get(self, game_id: str, sha256: str) -> bytes | None:
        """The bytes of a photograph, None if they are missing."""
        query = select(photographs.c.data).where(photographs.c.game == game_id, photographs.c.sha256 == sha256)
        found = self._session.execute(query).scalar()
        return None if found is None else bytes(found)

    def size(self) -> int:
        """The bytes of all photographs."""
        return int(self._session.execute(select(func.sum(func.length(photographs.c.data)))).scalar_one() or 0)

    def hashes(self, game_id: str) -> set[str]:
        """The hashes of the photographs of a game."""
        query = select(photographs.c.sha256).where(photographs.c.game == game_id)
        return set(self._session.execute(query).scalars())
