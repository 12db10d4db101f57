"""Imports of texts. Several processes read and check the records of a long one: storing them takes less time."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from functools import partial
from itertools import islice
from multiprocessing import get_all_start_methods, get_context

from inkeek.records import Game, read_games
from inkeek.records.game import numbered_lines, read_json_line, read_json_lines
from inkeek.records.notation.reader import read_record
from inkeek.records.notation.splitter import RecordText, records_of
from inkeek.service.games.library.transfer import (
    ImportResult,
    Prepared,
    import_records,
    prepare_records,
    store_prepared,
)
from inkeek.service.games.new_game import new_game
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.processes import system
from inkeek.service.processes.child_process import end_with_parent
from inkeek.service.storage.clock import stamp, utc_now
from inkeek.service.storage.ids import random_id

LONG = 256 << 10  # bytes of a text for which it is worth while to start the processes
PROCESSES = min(4, os.cpu_count() or 1)
NICE = 10  # of the processes: whoever records goes first
PART = 64  # records that a process gets at once
AHEAD = 2  # parts for each process that are not stored yet
Item = RecordText | tuple[bytes, int]  # a record; or a line of JSON, and its number


def import_text(
    games: Games, lines: Iterable[bytes], size: int, most: int, write: Write, *, is_json: bool, dry_run: bool
) -> Iterator[ImportResult]:
    """Import a text of `size` bytes, lines of JSON or else the notation, as `import_records` does.

    No other thread may be reading the standard input: a process that is forked meanwhile waits for it.
    """
    if size < LONG or PROCESSES == 1:
        records = read_json_lines(lines) if is_json else ((game, 0) for game in read_games(lines))
        return import_records(games, records, most, write, dry_run=dry_run)
    items: Iterator[Item] = numbered_lines(lines) if is_json else records_of(lines)
    prepared = _in_processes(items, write, games.max_plies)
    return store_prepared(games, prepared, most, dry_run=dry_run)


def _in_processes(items: Iterator[Item], write: Write, max_plies: int) -> Iterator[Prepared]:
    """What `prepare_records` makes of these records, in their order."""
    method = "fork" if "fork" in get_all_start_methods() else "spawn"  # a fork takes no time
    waiting: deque[Future[list[Prepared]]] = deque()
    first = 1
    with ProcessPoolExecutor(PROCESSES, get_context(method), _begin) as pool:
        while part := list(islice(items, PART)):
            waiting.append(pool.submit(_prepare, part, first, write, max_plies))
            first += len(part)
            if len(waiting) > AHEAD * PROCESSES:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()


def _begin() -> None:
    end_with_parent()
    system.lower_priority(NICE)


def _prepare(part: Sequence[Item], first: int, write: Write, max_plies: int) -> list[Prepared]:
    """Prepare the records of a part, of which the first has the number `first`."""
    records = (_read(item, number) for number, item in enumerate(part, first))
    make = partial(new_game, max_plies=max_plies, imported=True)
    prepare = lambda contents, write, own: make(contents, write, own or random_id(), stamp(utc_now()))  # noqa: E731
    return list(prepare_records(records, first, write, prepare))


def _read(item: Item, number: int) -> tuple[Game, int]:
    """A game with the number of its line, or 0, as `import_records` takes it."""
    if isinstance(item, RecordText):
        return read_record(item, number - 1), 0
    return read_json_line(*item), item[1]
