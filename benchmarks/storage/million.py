"""A million games: how long the API takes for lists, searches, the feed, players and standings among them.

    python -m benchmarks.storage.million [--games 1000000] [--databases sqlite,postgresql] [--questions 200] [--turns 9]

Some games and matches are played at random and stored as usual. Copies of their rows, with ids, players, events, dates
and times of their own, fill the database by bulk inserts; it is in a folder that is thrown away. PostgreSQL is the
server of the tests. Then an application in this process answers requests of each kind; times are by the clock.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue

from flask.testing import FlaskClient

from service import create_app
from service.http.context import services_of
from service.http.names import name_id
from service.storage import Store
from service.storage.search import name_key
from tests.databases import running_postgresql

from .million_games import (
    BLOCK,
    BOT,
    CLUB,
    CUP_GAMES,
    GIVEN,
    IN_MATCH,
    PRIX,
    PRIX_GAMES,
    WRITE,
    Filler,
    Template,
    day_of,
    event_at,
    id_of,
    player_of,
    templates,
    time_of,
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
        "list: all games, deep": lambda: f"games?cursor={number() + 1}",
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
            wanted = f'"game_id":"{game_id}"', f'"seq":{seq},'
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
