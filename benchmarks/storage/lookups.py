"""A database of many games: how fast it is filled, and how fast a list or a position is found in it.

    python -m benchmarks.storage.lookups [--games 1000000] [--copies 0] [--turns 10] [--database URL] [--questions 300]

The games are prefixes of random ones of several rule sets, so that early positions are in many games and late ones in
few; they go in by the storage's own bulk insert. The plain insert beside it is `sqlite3` putting rows as many and as
long into the same tables, indexes and all, with the same settings and as many rows a transaction. Then pages of lists
are asked for, each kind in turn, at the beginning and further on. Where time is short, `--copies 9` makes ten times as
many games to look among: what games are found by is copied under new numbers, without events, which lists do not read.
"""

from __future__ import annotations

import argparse
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from records import ruleset
from service.games.state import game_state
from service.storage import EVERYTHING, GENESIS, GameEvent, GameFilter, Store, event_row, new_rows, seal
from service.storage.tables import schema as tables

GAMES = ("bof", "oware", "kalah", "layli-goobalay", "anywoli")
POOL = 1000  # random games a rule set
BATCH = 1000  # games a transaction
NAMES = 20_000  # players
EVENTS = 2_000
LIMIT = 50  # games a page
DEEP = 40  # pages that a question goes on at most


@dataclass(frozen=True)
class Line:
    """A game that was played at random: its moves and positions."""

    game: str
    moves: tuple[str, ...]
    positions: tuple[str, ...]


def played(chance: random.Random, game: str, most: int) -> Line:
    rules = ruleset(game)
    position = rules.start()
    moves, positions = [], [str(position)]
    while len(moves) < most and rules.outcome(position) is None:
        turn = rules.play(position, chance.choice(rules.legal_moves(position)))
        position = turn.position
        moves.append(str(turn.move))
        positions.append(str(position))
    return Line(game, tuple(moves), tuple(positions))


def events_of(chance: random.Random, line: Line, number: int) -> list[GameEvent]:
    """A stored game: some beginning of the line, its tags at random."""
    length = chance.randint(0, len(line.moves))
    name = f"{number:010}"
    tags = {
        "GameEvent": f"GameEvent {int(chance.paretovariate(1)) % EVENTS}",
        "Date": f"{chance.randint(1990, 2026)}.{chance.randint(1, 12):02}.{chance.randint(1, 28):02}",
        "South": f"Player {chance.randrange(NAMES)}",
        "North": f"Player {chance.randrange(NAMES)}",
    }
    at = "2026-11-21T09:00:00.000000Z"
    created = {
        "game": line.game,
        "options": {},
        "setup": None,
        "tags": tags,
        "comments": [],
        "position": line.positions[0],
    }
    events = [seal(name, 1, at, "", "import", "created", created, GENESIS)]

    def add(kind: str, data: dict[str, Any]) -> None:
        events.append(seal(name, len(events) + 1, at, "", "import", kind, data, events[-1].hash))

    for ply in range(1, length + 1):
        turn = {"move": line.moves[ply - 1], "nags": [], "comments": [], "variations": []}
        add("turn", {"ply": ply, "turn": turn, "position": line.positions[ply]})
    if number % 100:
        result = chance.choice(("1-0", "0-1", "1/2-1/2"))
        winner = {"1-0": "South", "0-1": "North"}.get(result)
        add("ended", {"termination": "agreement", "winner": winner, "result": result, "score": None, "by": ""})
    return events


def fill(store: Store, games: int, turns: int, chance: random.Random) -> tuple[list[Line], float, int]:
    """Store so many games; the lines they are of, the seconds that storing took, and the events stored."""
    lines = [played(chance, game, 2 * turns) for game in GAMES for _ in range(min(POOL, games))]
    seconds, stored = 0.0, 0
    for first in range(0, games, BATCH):
        parts = [events_of(chance, chance.choice(lines), number) for number in range(first, min(first + BATCH, games))]
        began = time.perf_counter()
        state = [game_state(part) for part in parts]
        with store.writing() as transaction:
            rows = [new_rows(one.row, one.positions, list(map(event_row, one.events))) for one in state]
            transaction.games.add_all(rows)
        seconds += time.perf_counter() - began
        stored += sum(map(len, parts))
        if (first + len(parts)) % 100_000 == 0:
            print(f"  {first + len(parts):>9,} games, {seconds:6.1f} s", flush=True)
    store.analyse()
    return lines, seconds, stored


def multiply(store: Store, games: int, copies: int) -> None:
    """Copy what games are found by, so many times, under new ids and numbers."""
    for copy in range(1, copies + 1):
        shift = copy * games
        columns = [column.name for column in tables.games.columns if column.name not in ("id", "number")]
        with store.writing() as transaction:
            do = transaction.games._session.sqlalchemy.exec_driver_sql
            do(
                f"INSERT INTO games (id, number, {', '.join(columns)}) "
                f"SELECT id || '-{copy}', number + {shift}, {', '.join(columns)} FROM games WHERE number <= {games}"
            )
            do(
                f"INSERT INTO players SELECT number + {shift}, name, game, score, opens_match FROM players "
                f"WHERE number <= {games}"
            )
            do(f"INSERT INTO positions SELECT number + {shift}, ply, key FROM positions WHERE number <= {games}")
    store.analyse()


def plain(folder: Path, filled: Path) -> float:
    """Seconds that `sqlite3` takes for the rows of `filled`, read in batches, in a new file with the same tables."""
    source = sqlite3.connect(filled)
    target = sqlite3.connect(folder / "plain.sqlite3", isolation_level=None)
    target.execute("PRAGMA journal_mode = WAL")
    target.execute("PRAGMA synchronous = FULL")
    for (statement,) in source.execute(
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
    ):
        target.execute(statement)
    seconds = 0.0
    last = source.execute("SELECT max(number) FROM games").fetchone()[0]
    for first in range(1, last + 1, BATCH):
        between = f"BETWEEN {first} AND {first + BATCH - 1}"
        rows = [
            (table, source.execute(f"SELECT * FROM {table} WHERE {where}").fetchall())
            for table, where in (
                ("games", f"number {between}"),
                ("events", f"number {between}"),
                ("players", f"number {between}"),
                ("positions", f"number {between}"),
            )
        ]
        began = time.perf_counter()
        target.execute("BEGIN IMMEDIATE")
        for table, values in filter(itemgetter(1), rows):
            marks = ", ".join("?" * len(values[0]))
            target.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
        target.execute("COMMIT")
        seconds += time.perf_counter() - began
    source.close()
    target.close()
    return seconds


def questions(lines: list[Line], chance: random.Random) -> dict[str, Callable[[], GameFilter]]:
    """What is asked, by what it is called."""

    def position(low: int, high: int) -> GameFilter:
        line = chance.choice(lines)
        return GameFilter(game=line.game, position=chance.choice(line.positions[low:high] or line.positions[-1:]))

    def day() -> str:
        return f"{chance.randint(1990, 2026)}-{chance.randint(1, 12):02}-01"

    return {
        "the whole list": lambda: EVERYTHING,
        "a rule set": lambda: GameFilter(game=chance.choice(GAMES)),
        "a player": lambda: GameFilter(player=f"player {chance.randrange(NAMES)}"),
        "an event": lambda: GameFilter(event=f"event {int(chance.paretovariate(1)) % EVENTS}"),
        "since a day": lambda: GameFilter(since=day()),
        "until a day": lambda: GameFilter(until=day()),
        "a result": lambda: GameFilter(result=chance.choice(("1-0", "0-1", "*"))),
        "a state": lambda: GameFilter(state=chance.choice(("live", "ended"))),
        "an event and a result": lambda: GameFilter(event=f"event {chance.randrange(EVENTS)}", result="1-0"),
        "a player since a day": lambda: GameFilter(player=f"player {chance.randrange(NAMES)}", since=day()),
        "the start": lambda: position(0, 1),
        "an early position": lambda: position(1, 4),
        "any position": lambda: position(0, 1000),
        "the start and a player": lambda: GameFilter(
            game=(line := chance.choice(lines)).game,
            position=line.positions[0],
            player=f"player {chance.randrange(NAMES)}",
        ),
        "the start and an event": lambda: GameFilter(
            game=(line := chance.choice(lines)).game,
            position=line.positions[0],
            event=f"event {chance.randrange(EVENTS)}",
        ),
    }


def asked(store: Store, where: GameFilter, pages: int) -> Iterator[float]:
    """Milliseconds for each page of a list, at most so many."""
    cursor = None
    for _ in range(pages):
        began = time.perf_counter()
        with store.reading() as transaction:
            _, cursor = transaction.games.page(LIMIT, cursor, where)
        yield 1000 * (time.perf_counter() - began)
        if cursor is None:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--copies", type=int, default=0, help="of all games, for the lists alone")
    parser.add_argument("--turns", type=int, default=10, help="of a game, on average about half as many")
    parser.add_argument("--database", help="an empty one; without it a file that is thrown away")
    parser.add_argument("--questions", type=int, default=300, help="pages of each kind of list")
    options = parser.parse_args()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory(prefix="inkeek-bench-") as name:
        folder = Path(name)
        store = Store(options.database or f"sqlite:///{folder / 'inkeek.sqlite3'}", 60.0)
        store.upgrade()
        lines, seconds, events = fill(store, options.games, options.turns, chance)
        print(
            f"{options.games:,} games with {events:,} events in {seconds:.1f} s: {options.games / seconds:,.0f} games/s"
        )
        if not options.database:
            size = (folder / "inkeek.sqlite3").stat().st_size
            other = plain(folder, folder / "inkeek.sqlite3")
            print(f"{size / 1e6:,.0f} MB; plain inserts of the same rows: {other:.1f} s, ratio {other / seconds:.2f}")
        multiply(store, options.games, options.copies)
        print(f"Among {options.games * (1 + options.copies):,} games:")
        print(f"{'pages of ' + str(LIMIT) + ' games':24} {'p50':>8} {'p99':>8} {'most':>8}  ms")
        for kind, question in questions(lines, chance).items():
            times: list[float] = []
            while len(times) < options.questions:
                times += asked(store, question(), chance.choice((1, 1, DEEP)))
            cuts = statistics.quantiles(times, n=100)
            print(f"{kind:24} {cuts[49]:8.2f} {cuts[98]:8.2f} {max(times):8.2f}", flush=True)
        store.close()


if __name__ == "__main__":
    main()
