"""`inkeek db`: the database."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import IO, TypeVar

import click
from rich.console import Console
from rich.progress import Progress

from service.errors import StorageError
from service.maintenance import archive
from service.maintenance import rebuild as upkeep
from service.settings import Settings, read_settings
from service.storage import Store, shown_url

from .options import config_option, data_option
from .records import as_json, emit

T = TypeVar("T")


@click.group()
def db() -> None:
    """The database."""


def on_database(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say which database, and hand it the settings they make."""

    @config_option
    @data_option
    @click.option("--database", metavar="URL", help="The database itself. [an SQLite file in the folder]")
    @wraps(command)
    def run(config: str | None, data: str | None, database: str | None, **rest: object) -> None:
        flags = {"config": config, "data": data, "database": database}
        command(settings=read_settings(os.environ, flags), **rest)

    return run


@db.command()
@on_database
@as_json
def upgrade(settings: Settings, as_json: bool) -> None:
    """Make the tables, or bring those of an earlier version up to date. `serve` does it by itself."""
    with _store(settings) as (store, url):
        before, needed = store.revisions()
        store.upgrade()
    if as_json:
        emit({"database": url, "before": before, "revision": needed})
        return
    done = "is up to date" if before == needed else f"went from revision {before or 'none'} to {needed}"
    click.echo(f"{url} {done}.")


@db.command()
@on_database
@as_json
def verify(settings: Settings, as_json: bool) -> None:
    """Check every game: the chain of its events, its turns, all that follows from them. Status 1 if one is wrong."""
    with _ready_store(settings) as store:
        games, wrong = _tell(upkeep.verify(store), upkeep.count(store), "Checking", as_json)
    if not as_json:
        click.echo(f"{games - wrong.left} good, {wrong.left} bad")
    sys.exit(1 if wrong.left else 0)


@db.command()
@on_database
@as_json
def rebuild(settings: Settings, as_json: bool) -> None:
    """Work out anew, from the events, all that follows from them. Status 1 if a game's events are not whole."""
    with _ready_store(settings) as store:
        games, wrong = _tell(upkeep.rebuild(store), upkeep.count(store), "Rebuilding", as_json)
        store.analyse()
    if not as_json:
        click.echo(f"{games} games: {wrong.rebuilt} rebuilt, {wrong.left} left as they are")
    sys.exit(1 if wrong.left else 0)


@db.command()
@click.argument("file", type=click.File("w", encoding="utf-8", lazy=True), default="-")
@on_database
def export(file: IO[str], settings: Settings) -> None:
    """Write the events of all games, and the open boards, as lines of JSON. FILE is standard output without it."""
    with _ready_store(settings) as store:
        lines = _shown(archive.export(store), None, "Writing") if file.name != "-" else archive.export(store)
        for line in lines:
            file.write(line)
        file.flush()


@db.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--skip-same", is_flag=True, help="Pass over games that are stored already with the same events.")
@on_database
@as_json
def load(file: Path, skip_same: bool, settings: Settings, as_json: bool) -> None:
    """Store what `export` wrote. All of it is checked before anything is stored."""
    with _store(settings) as (store, _):
        store.upgrade()
        with _opened(file) as lines:
            faults = archive.check(store, _shown(lines, None, "Checking"), skip_same=skip_same)
        for fault in faults:
            click.echo(f"inkeek: {file}: {fault}", err=True)
        if faults:
            click.echo(f"inkeek: {file}: nothing was stored", err=True)
            sys.exit(1)
        with _opened(file) as lines:
            done = archive.load(store, _shown(lines, None, "Storing"))
    if as_json:
        emit(asdict(done))
    else:
        click.echo(f"{done.games} games with {done.events} events and {done.boards} boards were stored.")


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@on_database
@as_json
def backup(file: Path, settings: Settings, as_json: bool) -> None:
    """Copy an SQLite database, which may be in use, to a new file."""
    with _ready_store(settings) as store, _progress() as progress:
        task = progress.add_task("Copying", total=None)
        store.backup(file, lambda done, whole: progress.update(task, completed=done, total=whole))
    if as_json:
        emit({"file": str(file), "bytes": file.stat().st_size})
    else:
        click.echo(f"{file} holds a copy, {file.stat().st_size} bytes.")


@contextmanager
def _store(settings: Settings) -> Iterator[tuple[Store, str]]:
    """The store that the settings name, and its URL to be shown."""
    store = Store(settings.database_url, settings.lock_timeout)
    try:
        yield store, shown_url(settings.database_url)
    finally:
        store.close()


@contextmanager
def _ready_store(settings: Settings) -> Iterator[Store]:
    """The store, if its tables are those that this version works with.

    :raises StorageError: they are not.
    """
    with _store(settings) as (store, url):
        found, needed = store.revisions()
        if found != needed:
            raise StorageError(
                f"{url} is at revision {found or 'none'}: this version needs {needed} ('inkeek db upgrade')"
            )
        yield store


@contextmanager
def _opened(file: Path) -> Iterator[Iterator[str]]:
    """The lines of a file; bytes that are no UTF-8 become what no string of an event can hold."""
    with file.open(encoding="utf-8", errors="surrogateescape", newline="\n") as opened:
        yield archive.lines_of(opened)


@dataclass(frozen=True, slots=True)
class Wrong:
    """How many games had faults: that were mended, and that were not."""

    rebuilt: int = 0
    left: int = 0


def _tell(all_told: Iterable[upkeep.Told], whole: int, says: str, as_json: bool) -> tuple[int, Wrong]:
    """Tell of every game that has faults; how many games there were, and how many of them had."""
    games = rebuilt = left = 0
    for one in _shown(all_told, whole, says):
        games += 1
        if one.faults:
            rebuilt, left = rebuilt + one.rebuilt, left + (not one.rebuilt)
            _tell_one(one, as_json)
    return games, Wrong(rebuilt, left)


def _tell_one(one: upkeep.Told, as_json: bool) -> None:
    if as_json:
        emit({"game": one.id, "faults": one.faults, "rebuilt": one.rebuilt})
        return
    for fault in one.faults:
        click.echo(f"{one.id}: {fault}{' (rebuilt)' if one.rebuilt else ''}")


def _progress() -> Progress:
    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


def _shown(things: Iterable[T], whole: int | None, says: str) -> Iterator[T]:
    """The things, counted in a bar when there is a terminal."""
    with _progress() as progress:
        task = progress.add_task(says, total=whole)
        for thing in things:
            yield thing
            progress.advance(task)
