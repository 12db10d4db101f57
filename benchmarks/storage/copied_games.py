"""A database of copies of a few hundred games, filled by bulk inserts (`growth.py`)."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, text
from sqlalchemy.schema import CreateIndex

from service.games.matches.matches import Matches
from service.games.repository import Games
from service.games.write import Write
from service.storage import Store
from service.storage.database.engine import open_engine
from service.storage.event_rows import microseconds_of
from service.storage.ids import ALPHABET, ID_LENGTH
from service.storage.search import name_key
from service.storage.tables.ledger import ledger
from service.storage.tables.schema import events, games, players, positions

RULESETS = ("bof", "oware", "kalah", "layli-goobalay", "anywoli")
SINGLES, MATCHES, IN_MATCH = 40, 10, 5  # games of each rule set, matches, and games of a match that are played
BLOCK = 20  # numbers, the first `IN_MATCH` of which are a match
PLAYERS = 60_000
GIVEN = ("Nasieku", "José", "Koinet", "አበበ", "محمد", "Wanjikũ", "Lemayian", "Ọlá", "Abdi", "Ｚoë", "Amina", "Juma")
BOT, CLUB, PRIX = "Club Bot", "Club evening", "Grand Prix"  # a player and events of many games; one of 4,900
PRIX_NUMBERS, CUP_GAMES = range(5_000, 9_900), 500
WRITE = Write("api")
BATCH = 20_000
COLUMNS = {table: tuple(column.name for column in table.columns) for table in (games, players, events, ledger)}


@dataclass(frozen=True)
class Template:
    """A stored game: its row, the rows of its events, the keys of its positions, the scores of South and North."""

    row: dict[str, Any]
    events: Sequence[tuple[Any, ...]]
    positions: Sequence[int]
    scores: tuple[str, str]


def play(store: Games, game_id: str, turns: int, chance: random.Random) -> None:
    """Play at most so many random turns, and end the game."""
    for _ in range(turns):
        legal = store.load(game_id).legal(20)
        if legal:
            store.play(game_id, chance.choice(legal), WRITE)
    if store.row(game_id).state == "live":
        store.end(game_id, "resignation", chance.choice(("South", "North")), WRITE)


def templates(folder: Path, turns: int, chance: random.Random) -> tuple[list[Template], list[list[Template]]]:
    """Single games, and the games of matches."""
    engine = open_engine(f"sqlite:///{folder / 'templates.sqlite3'}", 10.0)
    store = Store(str(engine.url))
    store.upgrade()
    stored = Games(store, max_plies=5000)
    matches = Matches(store, stored)
    for _ in range(MATCHES):
        series = matches.begin("oware", f"games {IN_MATCH}", {}, {"South": "A", "North": "B"}, WRITE)
        play(stored, series.id, turns, chance)
        for _ in range(IN_MATCH - 1):
            play(stored, matches.go_on(series.id, "", {}, WRITE).id, turns, chance)
    for game in RULESETS:
        for _ in range(SINGLES):
            created = stored.create(game, {}, {"South": "A", "North": "B"}, WRITE)
            play(stored, created.id, chance.randrange(2 * turns), chance)
    found = []
    with engine.connect() as connection:
        for row in connection.execute(games.select().order_by(games.c.number)).mappings().all():
            happened = connection.execute(
                events.select().where(events.c.number == row["number"]).order_by(events.c.seq)
            )
            keys = connection.execute(positions.select().where(positions.c.number == row["number"]))
            who = connection.execute(players.select().where(players.c.number == row["number"]))
            score = {one.name: one.score for one in who}
            rows = [tuple(one) for one in happened]
            plies = [one.key for one in sorted(keys, key=lambda one: one.ply)]
            found.append(Template(dict(row), rows, plies, (score["a"], score["b"])))
    store.close()
    engine.dispose()
    count = MATCHES * IN_MATCH
    return found[count:], [found[first : first + IN_MATCH] for first in range(0, count, IN_MATCH)]


def id_of(number: int) -> str:
    """The id of a copy: ids grow with the numbers, which makes filling quick."""
    letters = []
    for _ in range(ID_LENGTH):
        number, place = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[place])
    return "".join(reversed(letters))


def player_of(number: int, seat: int) -> str:
    place = (number * 2_654_435_761 + seat * 40_503) % PLAYERS
    return f"{GIVEN[place % len(GIVEN)]} {place}"


def event_at(number: int) -> str:
    if number in PRIX_NUMBERS:
        return PRIX
    return CLUB if number // BLOCK % 10 == 0 else f"Cup {number // CUP_GAMES}"


def day_of(number: int) -> date:
    return date(2000, 1, 1) + timedelta(days=number // 110 + number * 31 % 40)


def time_of(number: int) -> str:
    moment = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=100 * number)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Copy:
    """The rows of one game, by table."""

    template: int
    game: tuple[Any, ...]
    players: list[tuple[Any, ...]]
    entry: tuple[Any, ...]


def copy_of(number: int, place: int, template: Template) -> Copy:
    """The game with that number, a copy of the template at `place`."""
    in_match = number % BLOCK < IN_MATCH
    first = number - number % BLOCK
    seats = first if in_match else number
    names = player_of(seats, 1), BOT if not in_match and number % 8 == 7 else player_of(seats, 2)
    day, when, event = day_of(number), time_of(number), event_at(number)
    tags = {"Event": event, "Date": f"{day:%Y.%m.%d}", "South": names[0], "North": names[1]}
    if in_match:
        tags |= {"Match": f"games {IN_MATCH}", "MatchGame": str(number % BLOCK + 1)}
    row = {
        **template.row,
        "id": id_of(number),
        "number": number + 1,
        "tags": json.dumps(tags, ensure_ascii=False),
        "created": when,
        "updated": when,
        "match_id": id_of(first) if in_match else None,
        "event": name_key(event),
        "date": day.isoformat(),
    }
    opens = in_match and number == first
    keys = [name_key(name) for name in names]
    scores = dict(zip(keys, template.scores, strict=True))
    seen = [(row["number"], key, row["game"], score, opens) for key, score in scores.items()]
    head = bytes.fromhex(row["hash"])
    entry = {"position": number + 1, "game_id": row["id"], "number": number + 1, "first": 1, "seq": row["seq"]}
    entry |= {"time": microseconds_of(when), "head": head, "hash": head}
    stored = tuple(row[name] for name in COLUMNS[games])
    return Copy(place, stored, seen, tuple(entry[name] for name in COLUMNS[ledger]))


def copies(count: int, singles: list[Template], matches: list[list[Template]]) -> Iterator[Copy]:
    """So many games; the number of a template counts the matches' games first."""
    in_matches = len(matches) * IN_MATCH
    for number in range(count):
        in_match, block = number % BLOCK < IN_MATCH, number // BLOCK
        if in_match:
            place = block % len(matches) * IN_MATCH + number % BLOCK
            template = matches[block % len(matches)][number % BLOCK]
        else:
            place = in_matches + number * 7 % len(singles)
            template = singles[place - in_matches]
        yield copy_of(number, place, template)


class Filler:
    """Fills a database by bulk inserts, without indexes, which are made at the end."""

    def __init__(self, url: str) -> None:
        self._engine: Engine = open_engine(url, 600.0)
        self._is_sqlite = self._engine.dialect.name == "sqlite"
        self._indexes = [index for table in (games, players, positions, events, ledger) for index in table.indexes]
        for index in self._indexes:
            index.drop(self._engine)
        self._engine.dispose()
        self._connection = self._engine.raw_connection()
        self._driver: Any = self._connection.driver_connection
        self._cursor = self._driver.cursor()

    def do(self, statement: str) -> None:
        self._cursor.execute(statement)
        if self._is_sqlite:
            self._cursor.fetchall()  # a PRAGMA has a row, and is not over before it is read

    def add(self, table: str, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> None:
        if self._is_sqlite:
            marks = ", ".join("?" * len(columns))
            self._cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)
            return
        with self._cursor.copy(f"COPY {table} ({', '.join(columns)}) FROM STDIN") as copying:
            for row in rows:
                copying.write_row(row)

    def fill(self, count: int, singles: list[Template], matches: list[list[Template]]) -> None:
        if self._is_sqlite:
            for setting in ("foreign_keys = OFF", "journal_mode = OFF", "synchronous = OFF", "cache_size = -1000000"):
                self.do(f"PRAGMA {setting}")
            self.do("BEGIN")
        else:
            self.do("SET session_replication_role = replica")  # no checks of foreign keys
        every = [*(template for match in matches for template in match), *singles]
        self.do("CREATE TEMPORARY TABLE copied (number INTEGER, time BIGINT, template INTEGER)")
        names = [column for column in COLUMNS[events] if column not in ("number", "time")]
        self.do(
            "CREATE TEMPORARY TABLE happened (template INTEGER, seq INTEGER, actor TEXT, source TEXT, kind TEXT, "
            f"data TEXT, hash {'BLOB' if self._is_sqlite else 'BYTEA'})"
        )
        self.do("CREATE TEMPORARY TABLE lain (template INTEGER, ply INTEGER, key BIGINT)")
        places = [COLUMNS[events].index(name) for name in names]
        for place, template in enumerate(every):
            rows = [(place, *(row[column] for column in places)) for row in template.events]
            self.add("happened", ["template", *names], rows)
            self.add("lain", ["template", "ply", "key"], [(place, *one) for one in enumerate(template.positions)])
        self.do("CREATE INDEX temporary_happened ON happened (template, seq)")
        self.do("CREATE INDEX temporary_lain ON lain (template, ply)")
        batch: list[Copy] = []
        for copy in copies(count, singles, matches):
            batch.append(copy)
            if len(batch) == BATCH:
                self._add(batch, names)
                batch = []
        self._add(batch, names)
        if not self._is_sqlite:
            self.do(f"SELECT setval('games_number', {count})")
        if not self._is_sqlite:
            self.do("SET maintenance_work_mem = '1GB'")
        for index in self._indexes:
            self.do(str(CreateIndex(index).compile(self._engine)))
        self.do(
            f"INSERT INTO ledger_games SELECT number, position FROM ledger WHERE position <= {count - count % 1000}"
        )
        self._driver.commit()
        if self._is_sqlite:
            self.do("PRAGMA journal_mode = WAL")
        self._connection.close()
        if not self._is_sqlite:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("VACUUM ANALYZE"))
        self._engine.dispose()

    def _add(self, batch: list[Copy], names: list[str]) -> None:
        self.add("games", COLUMNS[games], [copy.game for copy in batch])
        self.add("players", COLUMNS[players], [row for copy in batch for row in copy.players])
        self.add("ledger", COLUMNS[ledger], [copy.entry for copy in batch])
        number, when = map(COLUMNS[games].index, ("number", "created"))
        self.do("DELETE FROM copied")
        rows = [(copy.game[number], microseconds_of(copy.game[when]), copy.template) for copy in batch]
        self.add("copied", ["number", "time", "template"], rows)
        listed = ", ".join(names)
        self.do(
            f"INSERT INTO events (number, time, {listed}) SELECT copied.number, copied.time, {listed} FROM copied "
            "JOIN happened ON happened.template = copied.template ORDER BY copied.number, seq"
        )
        self.do(
            "INSERT INTO positions (number, ply, key) SELECT copied.number, ply, key FROM copied "
            "JOIN lain ON lain.template = copied.template ORDER BY copied.number, ply"
        )
