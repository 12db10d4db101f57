"""How cost grows with the number of games: turns, reads, lists, searches, the feed, players, standings, room, memory.

    python -m benchmarks.storage.growth [--games 1000,1000000] [--databases sqlite,postgresql] [--questions 200]

Some games and matches are played at random and stored as usual. Copies of their rows, with ids, players, events, dates
and times of their own, fill the database by bulk inserts; it is in a folder that is thrown away. PostgreSQL is the
server of the tests. Then an application in a process of its own answers requests of each kind; times are by the clock.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from flask.testing import FlaskClient

from service import create_app
from service.http.access.keys import TOKEN
from service.http.context import services_of
from service.http.names import name_id
from service.storage import Store
from service.storage.search import name_key
from tests.databases import running_postgresql

from .copied_games import (
    BLOCK,
    BOT,
    CLUB,
    GIVEN,
    IN_MATCH,
    PRIX,
    PRIX_NUMBERS,
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

MEMORY = "memory, MB"


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

    prix = {"standings, 4,900 games": lambda: f"events/{name_id(name_key(PRIX))}/standings"}
    bot, club = BOT.replace(" ", "%20"), CLUB.replace(" ", "%20")
    return {
        "a game": lambda: f"games/{id_of(number())}",
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
        **(prix if count > PRIX_NUMBERS.stop else {}),
        "matches of an event": lambda: f"matches?event={cup()}",
        "matches of a player": lambda: f"matches?player={player_of(number() // BLOCK * BLOCK, 1)}".replace(" ", "%20"),
        "a match with its tally": lambda: f"matches/{match()}",
        "feed: 1,000 events": lambda: f"feed?format=ndjson&after={number()}",
        "feed: 1,000 events, an event": lambda: f"feed?format=ndjson&after={number()}&event={cup()}",
        "feed: a match": lambda: f"feed?format=ndjson&match={match()}",
    }


def asked(client: FlaskClient, path: str, body: Mapping[str, Any] | None = None) -> float:
    """Milliseconds that a request takes: a POST if there is a body."""
    began = time.perf_counter()
    answer = client.open(f"/api/v1/{path}", method="GET" if body is None else "POST", json=body)
    answer.get_data()
    seconds = time.perf_counter() - began
    assert answer.status_code in (200, 201), f"{path}: {answer.status} {answer.text[:300]}"
    return 1000 * seconds


def appends(client: FlaskClient, count: int, chance: random.Random) -> list[float]:
    """Milliseconds for each of so many turns."""
    stored, times, game_id = services_of(client.application).games, list[float](), ""
    while len(times) < count:
        game = stored.load(game_id) if game_id else None
        legal = game.legal(9) if game else []
        if game is None or not legal:
            game_id = stored.create("bof", {}, {}, WRITE).id
            continue
        body = {"move": str(chance.choice(legal)), "ply": game.row.ply + 1}
        times.append(asked(client, f"games/{game_id}/turns", body))
    return times


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


def answered(url: str, folder: Path, count: int, lines: list[Template], questions_each: int) -> dict[str, list[float]]:
    """Milliseconds for requests of each kind, in a process of its own; `MEMORY` is what that needs, in MB."""
    chance = random.Random(2)
    app = create_app({"data": str(folder), "database": url, "rate": 0, "max_feed": 1000})
    times: dict[str, list[float]] = {}
    try:
        client = app.test_client()
        token = services_of(app).keys.create(TOKEN, "bench", ("record",), None)[1]
        client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        times["a turn"] = appends(client, 5 * questions_each, chance)
        for kind, question in questions(count, lines, chance).items():
            asked(client, question())
            times[kind] = [asked(client, question()) for _ in range(questions_each)]
        times["feed: live"] = live(client, questions_each, chance)
    finally:
        services_of(app).close()
    times[MEMORY] = [most_memory()]
    return times


def most_memory() -> float:
    """The most that this process had in memory, in MB. `getrusage` would count what its parent had before it."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def measured(url: str, folder: Path, count: int, options: argparse.Namespace) -> dict[str, list[float]]:
    """Fill the database, and ask."""
    singles, matches = templates(folder, options.turns, random.Random(1))
    with closing(Store(url)) as store:
        store.upgrade()
    Filler(url).fill(count, singles, matches)
    with closing(Store(url)) as store:
        store.update_statistics()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as process:
        times = process.submit(answered, url, folder, count, singles, options.questions).result()
    file = folder / "inkeek.sqlite3"
    if file.exists():
        times["bytes a game"] = [file.stat().st_size / count]
        with closing(Store(url)) as store:
            began = time.perf_counter()
            store.backup(folder / "copy.sqlite3")
            times["backup"] = [1000 * (time.perf_counter() - began)]
    return times


def show(name: str, counts: Sequence[int], found: Sequence[Mapping[str, list[float]]]) -> None:
    """A table: medians, or the one figure there is, then 99th percentiles, each by the number of games."""
    columns = [f"p50, {count:,}" for count in counts] + [f"p99, {count:,}" for count in counts]
    print(f"{name}, milliseconds")
    print("| " + " | ".join(["what", *columns]) + " |")
    print("|---|" + "--:|" * len(columns))
    for kind in found[-1]:
        medians = [f"{statistics.median(times[kind]):,.1f}" if kind in times else "" for times in found]
        late = [
            f"{statistics.quantiles(times[kind], n=100)[98]:,.1f}" if len(times.get(kind, ())) > 1 else ""
            for times in found
        ]
        print("| " + " | ".join([kind, *medians, *late]) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", default="1000,10000,100000,1000000", help="at least 1000 each")
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--questions", type=int, default=200, help="of each kind")
    parser.add_argument("--turns", type=int, default=9, help="of a game, on average")
    options = parser.parse_args()
    counts = [int(count) for count in options.games.split(",")]
    for name in options.databases.split(","):
        found = []
        for count in counts:
            with tempfile.TemporaryDirectory(prefix="inkeek-bench-") as made:
                folder = Path(made)
                if name == "sqlite":
                    found.append(measured(f"sqlite:///{folder / 'inkeek.sqlite3'}", folder, count, options))
                    continue
                with running_postgresql(must=True) as server, server.database(empty=True) as url:
                    found.append(measured(url, folder, count, options))
        show(name, counts, found)


if __name__ == "__main__":
    main()
