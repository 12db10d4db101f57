"""The tables. `migrations/` builds them; a test holds the two against each other."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, MetaData, String, Table, Text, text

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# All of it is worked out from the events and can be rebuilt from them.
games = Table(
    "games",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("game", String(64), nullable=False),
    Column("options", Text, nullable=False),
    Column("tags", Text, nullable=False),
    Column("created", String(32), nullable=False),
    Column("updated", String(32), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("hash", String(64), nullable=False),
    Column("start", Text, nullable=False),
    Column("position", Text, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("state", String(8), nullable=False),
    Column("result", String(8), nullable=False),
    Column("score_south", Integer),
    Column("score_north", Integer),
    Column("termination", String(32)),
    Column("winner", String(8)),
    Index(None, "state", "created", "id"),
)

events = Table(
    "events",
    metadata,
    Column("game_id", String(32), ForeignKey("games.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("time", String(32), nullable=False),
    Column("actor", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("data", Text, nullable=False),
    Column("prev_hash", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
)
FROM_BOARD = "source LIKE 'board:%'"
# What a board reported is recorded once, however often the board tells it.
Index(
    "uq_events_board_source",
    events.c.game_id,
    events.c.source,
    unique=True,
    sqlite_where=text(FROM_BOARD),
    postgresql_where=text(FROM_BOARD),
)

boards = Table(
    "boards",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("driver", String(64), nullable=False),
    Column("url", Text, nullable=False),
    Column("game_id", String(32), ForeignKey("games.id"), nullable=False),
    Column("wanted", String(8), nullable=False),
    Column("serial", Text),
    Column("boot", String(16)),
    Column("seq", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("created", String(32), nullable=False),
    Column("updated", String(32), nullable=False),
)
for _name, _column in (("uq_boards_open_url", boards.c.url), ("uq_boards_open_game", boards.c.game_id)):
    Index(
        _name,
        _column,
        unique=True,
        sqlite_where=text("wanted = 'open'"),
        postgresql_where=text("wanted = 'open'"),
    )

# What happened at a board that is no event of a game: refused turns, gaps, buttons nobody acts on yet.
board_log = Table(
    "board_log",
    metadata,
    Column("board_id", String(32), ForeignKey("boards.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("time", String(32), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("data", Text, nullable=False),
)
