"""The tables. `migrations/` builds them; a test holds the two against each other."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    PrimaryKeyConstraint,
    Sequence,
    String,
    Text,
    true,
)

from inkeek.service.storage.rows import BoardRow, GameRow, LogRow, PluggedRow

from .declared import KEY, WHERE, Hash, Json, declare_table, define_table, is_json, metadata, one_of

NUMBERS = Sequence("games_number", metadata=metadata)  # where there are sequences; SQLite's one writer counts by itself

FIRST = "match_id = id"  # a match has the id of its first game
IMPORTED = "imported IS NOT NULL"
UNCHANGED, CHANGED = "content IS NOT NULL", "content IS NULL"

# All of it is worked out from the events and can be rebuilt from them, but for `number`: games in the order they were
# stored in. `event`, `date` and `last_date` are what `search` makes of the tags, `rules` is the key of those that the
# record carries. `content` and `imported` are the keys by which an import recognizes the game: of its content now, null
# if it has changed since, and of what was imported.
games = declare_table(
    "games",
    GameRow,
    Column("number", Integer),
    Column("event", KEY),
    Column("date", String(10)),
    Column("last_date", String(10)),
    Column("rules", String(12)),
    Column("content", String(32)),
    Column("imported", String(32)),
    Index("uq_games_number", "number", unique=True),
    Index(None, "state", "number"),
    Index(None, "game", "number"),
    Index(None, "result", "number"),
    Index(None, "event", "number", "date"),
    Index(None, "date", "number", "last_date"),
    Index(None, "created", "number"),
    Index(None, "match_id", "number"),
    Index("ix_games_first_of_match", "number", info={WHERE: FIRST}),
    Index("ix_games_match_of_event", "event", "number", info={WHERE: FIRST}),
    Index(None, "content", info={WHERE: UNCHANGED}),
    Index(None, "imported", info={WHERE: IMPORTED}),
    Index("ix_games_without_content", "number", info={WHERE: CHANGED}),
    PrimaryKeyConstraint("id"),
    instead={"score": (Column("score_south", Integer), Column("score_north", Integer))},
)

# Who plays in which game, by `search.name_key`, and what the game is to them (`PlayerKey`). Worked out from the games.
OPENS_MATCH = "opens_match"
players = define_table(
    "players",
    Column("number", Integer, nullable=False),
    Column("name", KEY, nullable=False),
    Column("game", String(80), nullable=False),
    Column("score", String(8), nullable=False),
    Column("opens_match", Boolean, nullable=False),
    PrimaryKeyConstraint("number", "name"),
    Index(None, "name", "number", "game", "score"),
    Index("ix_players_match", "name", "number", info={WHERE: OPENS_MATCH}),
    sqlite_with_rowid=False,
)

# Which position (`search.position_key`) lay on the board of which game after which ply. Worked out from the events.
positions = define_table(
    "positions",
    Column("number", Integer, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("key", BigInteger, nullable=False),
    PrimaryKeyConstraint("number", "ply"),
    Index(None, "key", "number", "ply"),
    sqlite_with_rowid=False,
)

# The events of games, by a game's number, so that those of a game lie together, and of games that go on at the end.
# `game_rows` writes and reads the rows. `data`: JSON.
FROM_BOARD = "source LIKE 'board:%'"
events = define_table(
    "events",
    Column("number", Integer, nullable=False),
    Column("seq", Integer, nullable=False),
    Column("time", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("data", Text, nullable=False),
    Column("hash", Hash, nullable=False),
    PrimaryKeyConstraint("number", "seq"),
    # What a board reported is recorded once, however often the board tells it.
    Index(
        "uq_events_board_source",
        "number",
        "source",
        unique=True,
        info={WHERE: FROM_BOARD},
    ),
    sqlite_with_rowid=False,
)

boards = declare_table(
    "boards",
    BoardRow,
    PrimaryKeyConstraint("id"),
    one_of("wanted", "open", "closed"),
    *is_json("status"),
    instead={
        "game": [Column("game_id", String(32), ForeignKey("games.id"), nullable=False, key="game")],
        "buttons": [Column("buttons", Boolean, nullable=False, server_default=true())],
    },
)
for _name, _column in (("uq_boards_open_url", boards.c.url), ("uq_boards_open_game", boards.c.game)):
    Index(
        _name,
        _column,
        unique=True,
        info={WHERE: "wanted = 'open'"},
    )

# What happened at a board that is no event of a game: refused turns, gaps, faults.
board_log = declare_table(
    "board_log",
    LogRow,
    Column("board_id", String(32), ForeignKey("boards.id"), nullable=False),
    Column("total", BigInteger, nullable=False, server_default="0"),  # bytes of all entries so far
    PrimaryKeyConstraint("board_id", "number"),
    *is_json("data"),
)

# The ports of the desk's machine at which no board is bound, as the desk found them.
plugged_ports = declare_table("plugged_ports", PluggedRow, PrimaryKeyConstraint("url"))

# What people ask of a board: the desk does it in the order of the numbers, and takes it away.
board_requests = define_table(
    "board_requests",
    Column("number", Integer, primary_key=True),
    Column("board_id", String(32), ForeignKey("boards.id"), nullable=False, key="board"),
    Column("kind", String(32), nullable=False),
    Column("data", Json(), nullable=False),
    Column("created", String(32), nullable=False, server_default=""),
    Column("tries", Integer, nullable=False, server_default="0"),
    *is_json("data"),
    sqlite_autoincrement=True,  # a number is never used again
)

# The upgrades of the database. The first one, if it has no `before`, says which version of the program made it.
upgrades = define_table(
    "upgrades",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("time", String(32), nullable=False),
    Column("before", String(8)),
    Column("revision", String(8), nullable=False),
    Column("program", Text, nullable=False),
)
