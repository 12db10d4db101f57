"""``inkeek db``: the database."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO

import click

from service.errors import StorageError
from service.maintenance import archive
from service.maintenance import rebuild as checks
from service.settings import Settings
from service.storage import Store, shown_url

from .options import as_json, emit, progress, with_settings


@click.group()
def db() -> None:
    """Upgrade, check, export, import or copy the database."""


def on_database(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say which database, and hand it the `settings` they make."""
    return click.option("--database", metavar="URL", help="Database URL. [an SQLite file in the folder]")(
        with_settings(command)
    )


@db.command()
@on_database
@as_json
def upgrade(settings: Settings, as_json: bool) -> None:
    """Create the tables, or migrate those of an earlier version. `serve` does this by itself."""
    with _open_store(settings) as (store, url):
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
    """Check every game: its event chain, its turns, and all derived data. Exit with status 1 if one is wrong."""
    with _current_store(settings) as store:
        games, _, left = _report(checks.verify(store), checks.count(store), "Checking", as_json)
    if not as_json:
        click.echo(f"{games - left} good, {left} bad")
    sys.exit(1 if left else 0)


@db.command()
@on_database
@as_json
def rebuild(settings: Settings, as_json: bool) -> None:
    """Rebuild all derived data from the events. Exit with status 1 if the events of a game are incomplete."""
    with _current_store(settings) as store:
        games, rebuilt, left = _report(checks.rebuild(store), checks.count(store), "Rebuilding", as_json)
        store.analyse()
    if not as_json:
        click.echo(f"{games} games: {rebuilt} rebuilt, {left} not rebuilt")
    sys.exit(1 if left else 0)


@db.command()
@click.argument("file", type=click.File("w", encoding="utf-8", lazy=True), default="-")
@on_database
def export(file: IO[str], settings: Settings) -> None:
    """Write the events of all games, and the open boards, to FILE or standard output, as lines of JSON."""
    with _current_store(settings) as store:
        lines = archive.export(store)
        for line in lines if file.name == "-" else progress(lines, "Writing"):
            file.write(line)
        file.flush()


@db.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--skip-same", is_flag=True, help="Skip games that are already stored with the same events.")
@click.option("--as-stored", is_flag=True, help="Take games that an import of records would refuse.")
@on_database
@as_json
def import_archive(file: Path, skip_same: bool, as_stored: bool, settings: Settings, as_json: bool) -> None:
    """Store what `export` wrote. Everything is checked before anything is stored."""
    with _open_store(settings) as (store, _):
        store.upgrade()
        with _lines(file) as lines:
            faults = archive.check(store, progress(lines, "Checking"), skip_same=skip_same, as_stored=as_stored)
        for fault in faults:
            click.echo(f"{file}: {fault}", err=True)
        if faults:
            raise click.ClickException(f"{file}: nothing was stored")
        with _lines(file) as lines:
            done = archive.load(store, progress(lines, "Storing"))
    if as_json:
        emit(asdict(done))
    else:
        click.echo(f"Stored {done.games} games with {done.events} events, and {done.boards} boards.")


@db.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@on_database
@as_json
def backup(file: Path, settings: Settings, as_json: bool) -> None:
    """Copy an SQLite database, even one in use, to a new file."""
    hidden = not sys.stderr.isatty()
    with _current_store(settings) as store, click.progressbar(length=0, label="Copying", hidden=hidden) as bar:

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        store.backup(file, show)
    if as_json:
        emit({"file": str(file), "bytes": file.stat().st_size})
    else:
        click.echo(f"Copied the database to {file}, {file.stat().st_size} bytes.")


@contextmanager
def _open_store(settings: Settings) -> Iterator[tuple[Store, str]]:
    """Open the store that the settings name; yield it and its URL for messages, without a password."""
    store = Store(settings.database_url, settings.lock_timeout)
    try:
        yield store, shown_url(settings.database_url)
    finally:
        store.close()


@contextmanager
def _current_store(settings: Settings) -> Iterator[Store]:
    """Open the store.

    :raises StorageError: its tables are not those of this version.
    """
    with _open_store(settings) as (store, url):
        found, needed = store.revisions()
        if found != needed:
            raise StorageError(
                f"{url} is at revision {found or 'none'}; this version needs {needed}: run 'inkeek db upgrade'"
            )
        yield store


@contextmanager
def _lines(file: Path) -> Iterator[Iterator[str]]:
    """Open a file and yield its lines. Bytes that are not UTF-8 become characters that no event can hold."""
    with file.open(encoding="utf-8", errors="surrogateescape", newline="\n") as stream:
        yield archive.lines_of(stream)


def _report(results: Iterable[checks.GameReport], count: int, label: str, as_json: bool) -> tuple[int, int, int]:
    """Print the faults of every game that has some. Return the number of games, of those rebuilt, of those left."""
    games = rebuilt = left = 0
    for result in progress(results, label, count):
        games += 1
        if not result.faults:
            continue
        rebuilt, left = rebuilt + result.rebuilt, left + (not result.rebuilt)
        if as_json:
            emit({"game": result.id, "faults": result.faults, "rebuilt": result.rebuilt})
            continue
        for fault in result.faults:
            click.echo(f"{result.id}: {fault}{' (rebuilt)' if result.rebuilt else ''}")
    return games, rebuilt, left
