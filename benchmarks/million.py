"""A million games: how long the API takes for lists, searches, the feed, players and standings among them.

    python -m benchmarks.million [--games 1000000] [--databases sqlite,postgresql] [--questions 200] [--turns 9]

Some games and matches are played at random and stored as usual. Copies of their rows, with ids, players, events, dates
and times of their own, fill the database by bulk inserts; it is in a folder that is thrown away. PostgreSQL is the
server of the tests. Then an application in this process answers requests of each kind; times are by the clock.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from flask.testing import FlaskClient
from sqlalchemy import Engine, text

from service import create_app
from service.games.matches import Matches
from service.games.repository import ALPHABET, ID_LENGTH, Games
from service.games.write import Write
from service.http.api.names import name_id
from service.http.context import services_of
from service.storage import Store
from service.storage.engine import open_engine
from service.storage.ledger_table import ledger
from service.storage.search import name_key
from service.storage.tables import events, games, players, positions
from tests.databases import running_postgresql

RULESETS = ("bof", "oware", "kalah", "layli-goobalay", "anywoli")
SINGLES, MATCHES, IN_MATCH = 40, 10, 5  # games of each rule set, matches, and games of a match that are played
BLOCK = 20  # numbers, the first `IN_MATCH` of which are a match
PLAYERS = 60_000
GIVEN = ("Nasieku", "José", "Koinet", "አበበ", "محمد", "Wanjikũ", "Lemayian", "Ọlá", "Abdi", "Ｚoë", "Amina", "Juma")
BOT, CLUB, PRIX = "Club Bot", "Club evening", "Grand Prix"  # a player and events of many games; one of 4,900
PRIX_GAMES, CUP_GAMES = 4_900, 500
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
            happened = connection.execute(events.select().where(events.c.game_id == row["id"]).order_by(events.c.seq))
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
    if number < PRIX_GAMES:
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
    entry |= {"time": when, "head": head, "hash": head}
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
        self.do("CREATE TEMPORARY TABLE copied (number INTEGER, id TEXT, time TEXT, template INTEGER)")
        names = [column for column in COLUMNS[events] if column not in ("game_id", "time")]
        self.do(
            "CREATE TEMPORARY TABLE happened (template INTEGER, seq INTEGER, actor TEXT, source TEXT, kind TEXT, "
            "data TEXT, prev_hash TEXT, hash TEXT)"
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
        self._driver.commit()
        if self._is_sqlite:
            self.do("PRAGMA journal_mode = WAL")
        self._connection.close()
        for index in self._indexes:
            index.create(self._engine)
        if not self._is_sqlite:
            with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(text("VACUUM ANALYZE"))
        self._engine.dispose()

    def _add(self, batch: list[Copy], names: list[str]) -> None:
        self.add("games", COLUMNS[games], [copy.game for copy in batch])
        self.add("players", COLUMNS[players], [row for copy in batch for row in copy.players])
        self.add("ledger", COLUMNS[ledger], [copy.entry for copy in batch])
        number, id_, when = map(COLUMNS[games].index, ("number", "id", "created"))
        self.do("DELETE FROM copied")
        rows = [(copy.game[number], copy.game[id_], copy.game[when], copy.template) for copy in batch]
        self.add("copied", ["number", "id", "time", "template"], rows)
        listed = ", ".join(names)
        self.do(
            f"INSERT INTO events (game_id, time, {listed}) SELECT copied.id, copied.time, {listed} FROM copied "
            "JOIN happened ON happened.template = copied.template ORDER BY copied.number, seq"
        )
        self.do(
            "INSERT INTO positions (number, ply, key) SELECT copied.number, ply, key FROM copied "
            "JOIN lain ON lain.template = copied.template ORDER BY copied.number, ply"
        )


def questions(count: int, lines: list[Template], chance: random.Random) -> dict[str, Callable[[], str]]:
    """The paths that are asked for, by what they are called."""

    def number() -> int:
        return chance.randrange(count)

    def who() -> str:
        found = number()
        return player_of(found - found % BLOCK if found % BLOCK < IN_MATCH else found, 1)

    def player() -> str:
        return who().replace(" ", "%20")

    def event() -> str:
        return next(found for found in iter(lambda: event_at(number()), "") if found not in (CLUB, PRIX))

    def cup() -> str:
        return event().replace(" ", "%20")

    def position(column: str) -> str:
        row = chance.choice(lines).row
        found = row[column]
        return f"game={row['game']}&position={found}".replace(" ", "%20")

    def day() -> str:
        return day_of(number()).isoformat()

    def match() -> str:
        return id_of(number() // BLOCK * BLOCK)

    bot, club = BOT.replace(" ", "%20"), CLUB.replace(" ", "%20")
    return {
        "list: all games": lambda: "games",
        "list: all games, deep": lambda: f"games?cursor=ended~{number() + 1}",
        "list: a rule set, deep": lambda: f"games?game=oware&cursor={number() + 1}",
        "list: by creation, deep": lambda: f"games?sort=created&cursor={time_of(number())}~1",
        "list: created since": lambda: f"games?created_since={time_of(number())}",
        "list: updated since": lambda: f"games?updated_since={time_of(number())}",
        "list: updated, a player": lambda: f"games?updated_since={time_of(number())}&player={player()}",
        "search: a player": lambda: f"games?player={player()}",
        "search: a player of 1/11": lambda: f"games?player={bot}&cursor={number() + 1}",
        "search: an event": lambda: f"games?event={cup()}",
        "search: an event of 1/10": lambda: f"games?event={club}&cursor={number() + 1}",
        "search: days": lambda: f"games?since={day()}&until={day()}",
        "search: a start": lambda: f"games?{position('start')}",
        "search: a late position": lambda: f"games?{position('position')}",
        "search: player since a day": lambda: f"games?player={player()}&since={day()}",
        "search: 1/11 player and day": lambda: f"games?player={bot}&since={day()}",
        "search: player and event": lambda: f"games?player={player()}&event={cup()}",
        "search: 1/11 and 1/10": lambda: f"games?player={bot}&event={club}",
        "search: start and event": lambda: f"games?{position('start')}&event={cup()}",
        "search: nothing to find": lambda: f"games?state=live&result=1-0&cursor={number() + 1}",
        "players by prefix": lambda: f"players?prefix={chance.choice(GIVEN)[: chance.randrange(1, 4)]}",
        "players, deep": lambda: f"players?cursor={name_id(name_key(who()))}",
        "events by prefix": lambda: f"events?prefix=cup%20{chance.randrange(1, 99)}",
        "a player": lambda: f"players/{name_id(name_key(who()))}",
        "a player of 1/11": lambda: f"players/{name_id(name_key(BOT))}",
        "an event": lambda: f"events/{name_id(name_key(event()))}",
        "an event of 1/10": lambda: f"events/{name_id(name_key(CLUB))}",
        "standings, 450 games": lambda: f"events/{name_id(name_key(event()))}/standings",
        "standings, 4,900 games": lambda: f"events/{name_id(name_key(PRIX))}/standings",
        "matches of an event": lambda: f"matches?event={cup()}",
        "matches of a player": lambda: f"matches?player={player_of(number() // BLOCK * BLOCK, 1)}".replace(" ", "%20"),
        "a match with its tally": lambda: f"matches/{match()}",
        "feed: 1,000 events": lambda: f"feed?format=ndjson&after={number()}",
        "feed: 1,000 events, an event": lambda: f"feed?format=ndjson&after={number()}&event={cup()}",
        "feed: a match": lambda: f"feed?format=ndjson&match={match()}",
    }


def asked(client: FlaskClient, path: str) -> float:
    """Milliseconds that a request takes."""
    began = time.perf_counter()
    answer = client.get(f"/api/v1/{path}")
    answer.get_data()
    seconds = time.perf_counter() - began
    assert answer.status_code == 200, f"{path}: {answer.status} {answer.text[:300]}"
    return 1000 * seconds


@contextmanager
def followed(client: FlaskClient) -> Iterator[SimpleQueue[tuple[float, bytes]]]:
    """What a stream of the feed sends, each with the time."""
    arrived: SimpleQueue[tuple[float, bytes]] = SimpleQueue()
    with client.get("/api/v1/feed?after=end") as answer:

        def read() -> None:
            for chunk in answer.response:
                arrived.put((time.perf_counter(), chunk if isinstance(chunk, bytes) else chunk.encode()))

        reader = threading.Thread(target=read)
        reader.start()
        arrived.get()  # the stream has begun
        yield arrived
        services_of(client.application).publisher.close()
        reader.join()


def live(client: FlaskClient, count: int, chance: random.Random) -> list[float]:
    """Milliseconds from the moment a turn is stored until the feed's subscriber has it."""
    stored, times = services_of(client.application).games, []
    with followed(client) as arrived:
        game_id = ""
        while len(times) < count:
            legal = stored.load(game_id).legal(9) if game_id else []
            if not legal:
                game_id = stored.create("bof", {}, {}, WRITE).id
                legal = stored.load(game_id).legal(9)
            seq = stored.play(game_id, chance.choice(legal), WRITE).event.seq
            done = time.perf_counter()
            wanted = f'"game_id": "{game_id}"', f'"seq": {seq},'
            while True:
                at, chunk = arrived.get(timeout=60)
                if all(part.encode() in chunk for part in wanted):
                    break
            times.append(1000 * max(0.0, at - done))
    return times


def show(kind: str, times: list[float]) -> None:
    cuts = statistics.quantiles(times, n=100)
    print(f"{kind:30} {cuts[49]:9.2f} {cuts[98]:9.2f} {max(times):9.2f}", flush=True)


def measure(url: str, folder: Path, options: argparse.Namespace, only: str) -> None:
    """Fill the database and ask."""
    chance = random.Random(1)
    began = time.perf_counter()
    singles, matches = templates(folder, options.turns, chance)
    with closing(Store(url)) as store:
        store.upgrade()
    Filler(url).fill(options.games, singles, matches)
    with closing(Store(url)) as store:
        store.analyse()
    print(f"filled with {options.games:,} games in {time.perf_counter() - began:.0f} s", flush=True)
    app = create_app({"data": str(folder), "database": url, "rate": 0, "max_feed": 1000})
    try:
        client = app.test_client()
        print(f"{only:30} {'p50':>9} {'p99':>9} {'most':>9}  ms")
        for kind, question in questions(options.games, singles, chance).items():
            asked(client, question())
            show(kind, [asked(client, question()) for _ in range(options.questions)])
        show("feed: live", live(client, options.questions, chance))
    finally:
        services_of(app).close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=1_000_000, help=f"more than {PRIX_GAMES + 2 * CUP_GAMES}")
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--questions", type=int, default=200, help="of each kind")
    parser.add_argument("--turns", type=int, default=9, help="of a game, on average")
    options = parser.parse_args()
    for name in options.databases.split(","):
        with tempfile.TemporaryDirectory(prefix="inkeek-bench-") as made:
            folder = Path(made)
            if name == "sqlite":
                measure(f"sqlite:///{folder / 'inkeek.sqlite3'}", folder, options, name)
                size = sum(file.stat().st_size for file in folder.glob("inkeek.sqlite3*"))
                print(f"{size / 1e9:.1f} GB")
                continue
            with running_postgresql(must=True) as server, server.database(empty=True) as url:
                measure(url, folder, options, name)


if __name__ == "__main__":
    main()
