"""``inkeek db``: the database."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import click

from inkeek.service.errors import Invalid, StorageError
from inkeek.service.files import STANDARD, write_output
from inkeek.service.games.answers import ImportedJson
from inkeek.service.games.library.data import TABLES, csv_of
from inkeek.service.games.library.pseudonyms import Pseudonyms, tags_for_export
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.http.shape import to_builtins
from inkeek.service.maintenance import archive, checkpoint as checkpoints, verify as checks
from inkeek.service.maintenance.signatures import read_key
from inkeek.service.processes.garbage import collect_less
from inkeek.service.processes.workers.import_text import import_text
from inkeek.service.rooms import room_tables
from inkeek.service.settings import Settings
from inkeek.service.storage import GameFilter, GameRow
from inkeek.service.storage.clock import stamp, utc_now
from inkeek.service.storage.database.engine import file_url, shown_url
from inkeek.service.storage.search import GAME_STATES, RESULTS
from inkeek.service.storage.store import Store
from inkeek.service.terminal import terminal

from . import RoomGroup
from .options import (
    NewFile,
    as_json,
    emit,
    emit_or_echo,
    files as files_argument,
    output_file,
    progress,
    read_text,
    with_settings,
)
from .record_files import is_archive, is_json, lines_in, note_unread, read_again, sum_up

MAX_CHECKPOINT = 1 << 16  # characters
CACHE = 32 << 20  # bytes of the database in memory: one connection works through all of it


@click.group(cls=RoomGroup)
def db() -> None:
    """Upgrade, check, export, import or copy the database."""


def on_database(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that say which database, and hand it the `settings` they make."""
    return click.option("--database", metavar="URL", help="Database URL. [an SQLite file in the folder]")(
        with_settings(command)
    )


@db.command()
@on_database
@as_json("one object: `database`, `before` (the revision, or null), `revision`")
def upgrade(settings: Settings, as_json: bool) -> None:
    """Create the tables, or migrate those of an earlier version. `serve` does this by itself."""
    with _open_store(settings) as (store, url):
        before, needed = store.revisions()
        store.upgrade(room_tables(settings.left_out))
    done = "is up to date" if before == needed else f"went from revision {before or 'none'} to {needed}"
    emit_or_echo(as_json, {"database": url, "before": before, "revision": needed}, f"{url} {done}.")


@db.command()
@click.option("--checkpoint", "file", type=click.File(encoding="utf-8"), help="Compare the ledger with a checkpoint.")
@click.option("--public", metavar="KEY", help="Public key that the checkpoint must be signed with. [any]")
@on_database
@as_json("one object per damaged game: `game`, `faults`, `rebuilt` (false); `game` is null for faults of the database")
def verify(file: IO[str] | None, public: str | None, settings: Settings, as_json: bool) -> None:
    """Check every game: its event chain, its turns, all derived data, and the ledger of all games; plans and rules of
    events, persons, and that there are no other tables, columns, triggers, views and indexes than this version makes.

    It changes nothing, and the service may be running. Exit with status 1 if something is wrong.
    """
    if public is not None and file is None:
        raise click.UsageError("--public is the key of a checkpoint: give --checkpoint too")
    checkpoint = None if file is None else _read_checkpoint(file, public)
    with current_store(settings, tables=False, only_reads=True) as store:
        games, damaged, _, left = _report(
            checks.verify(store, checkpoint, room_tables(settings.left_out)), _count(store), "Checking", as_json
        )
    if not as_json:
        click.echo(f"{games - damaged} good, {left} bad")
    sys.exit(1 if left else 0)


@db.command()
@output_file
@click.option("--key", "key_file", type=click.Path(dir_okay=False, path_type=Path), help="Private key to sign with.")
@on_database
def checkpoint(file: Path, key_file: Path | None, settings: Settings) -> None:
    """Write the end of the ledger to a new FILE or standard output, signed if there is a key. Keep it elsewhere."""
    path = key_file or settings.key_file
    key = read_key(path) if key_file is not None or path.exists() else None
    with current_store(settings) as store:
        document = checkpoints.write(checkpoints.take(store, stamp(utc_now())), key)
    write_output(file, [json.dumps(document).encode() + b"\n"])
    if key is None:
        click.echo(f"The checkpoint is not signed: there is no key {path} ('inkeek key new' makes one).", err=True)


@db.command()
@on_database
@as_json("one object per game with a fault: `game`, `faults`, `rebuilt`")
def rebuild(settings: Settings, as_json: bool) -> None:
    """Rebuild all derived data from the events; the service may be running.

    A game whose events are incomplete stays as it is. Exit with status 1 if there is one.
    """
    with current_store(settings) as store:
        games, _, rebuilt, left = _report(checks.rebuild(store), checks.count(store), "Rebuilding", as_json)
        store.update_statistics()
    if not as_json:
        click.echo(f"{games} games: {rebuilt} rebuilt, {left} not rebuilt")
    sys.exit(1 if left else 0)


@db.command()
@output_file
@click.option(
    "--csv", "table", type=click.Choice([*TABLES]), help="Write a table of data instead: a row a game, or a row a turn."
)
@click.option("--game", multiple=True, metavar="ID", help="With --csv: games of this rule set.")
@click.option("--player", multiple=True, metavar="NAME", help="With --csv: games of South or North.")
@click.option("--event", multiple=True, metavar="NAME", help="With --csv: games of this event.")
@click.option("--result", multiple=True, type=click.Choice(RESULTS), help="With --csv: games with this result.")
@click.option("--state", multiple=True, type=click.Choice(GAME_STATES), help="With --csv: live or ended games.")
@click.option(
    "--since", metavar="DAY", help="With --csv: games that may be of this day, month or year, or of a later one."
)
@click.option(
    "--until", metavar="DAY", help="With --csv: games that may be of this day, month or year, or of an earlier one."
)
@on_database
def export(file: Path, table: str | None, settings: Settings, **filters: Any) -> None:
    """Write the events of all games and the plans of events to a new FILE or standard output, as lines of JSON.

    Rules of events, boards and photographs are not among them: `inkeek db backup` copies all.
    The service may be running. What is repeated (`--player A --player B`) matches either.
    """
    given = {name: value for name, value in filters.items() if value}
    if table is not None:
        with current_store(settings, tables=False) as store:
            games, left_out = Games.of(store, settings), 0
            pseudonyms = Pseudonyms(store, settings.data_folder)

            def shown(row: GameRow) -> Mapping[str, str] | None:
                nonlocal left_out
                tags = tags_for_export(row, pseudonyms)
                left_out += tags is None
                return tags

            write_output(file, map(str.encode, csv_of(table, games, GameFilter(**given), shown)))
        if left_out:
            click.echo(f"Games left out, as their Consent wants: {left_out}", err=True)
        return
    if given:
        raise click.UsageError(f"--{next(iter(given))} is for tables of data: give --csv too")
    with current_store(settings, tables=False) as store:
        lines = archive.export(store)
        write_output(file, map(str.encode, lines if file == STANDARD else progress(lines, "Writing")))


@db.command("import")
@files_argument
@click.option("--as-stored", is_flag=True, help="Take games of an archive that an import of records would refuse.")
@click.option("--dry-run", is_flag=True, help="Check and report everything, but store nothing.")
@on_database
@as_json(
    "of an archive one object: how many `games` and `events` were stored, and `beside`; of records one for "
    "each, its `file` and the rest as in the API"
)
def import_files(files: tuple[Path, ...], as_stored: bool, dry_run: bool, settings: Settings, as_json: bool) -> None:
    """Store archives that `export` wrote, or records: `.pmn`, or JSON lines of the API.

    An archive is checked as a whole before anything of it is stored; of games that are stored, only later events are. A
    game that is stored with other events is kept beside, under another id.
    Of records, each good one is stored, unless a game with the same content is. So the command can be repeated. Exit
    with status 1 if something is refused, or a line of a record is left out.
    """
    is_refused = False
    unread: list[Path] = []
    counts: Counter[str] = Counter()
    with current_store(settings) if dry_run else _upgraded_store(settings) as store:
        for path in files or (STANDARD,):
            try:
                with read_again(path) as file:
                    if is_archive(file):
                        is_refused |= not _import_archive(store, file, str(path), as_stored, dry_run, as_json)
                    else:
                        _import_records(Games.of(store, settings), file, str(path), dry_run, as_json, counts)
            except OSError as error:
                note_unread(path, error, files, unread)
    sum_up(files, unread)
    if counts and not as_json:
        verb = "Would store" if dry_run else "Stored"
        click.echo(
            f"{verb} {counts['stored']} games. {counts['present']} were present, {counts['refused']} were refused."
            + (f" {counts['left out']} lines were left out." if counts["left out"] else "")
        )
    sys.exit(1 if is_refused or unread or counts["refused"] or counts["left out"] else 0)


def _import_archive(store: Store, file: Path, name: str, as_stored: bool, dry_run: bool, as_json: bool) -> bool:
    """Store an archive; False: it is refused."""
    with _lines(file) as lines:
        faults = archive.check(store, progress(lines, "Checking"), as_stored=as_stored)
    for fault in faults:
        click.echo(f"{name}: {fault}", err=True)
    if faults:
        click.echo(f"{name}: nothing was stored", err=True)
        return False
    if dry_run:
        click.echo(f"{name}: no faults. Nothing was stored.", err=as_json)
        return True
    with _lines(file) as lines:
        done = archive.load(store, progress(lines, "Storing"))
    for own, other in done.beside.items():
        click.echo(
            f"{name}: game {own} is stored with other events: both versions are kept, this one as {other}", err=True
        )
    for own, stored in done.present.items():
        if stored != own:
            click.echo(f"{name}: game {own} is stored already, as {stored}", err=True)
    text = f"Stored {done.games} games and {done.events} events."
    emit_or_echo(as_json, asdict(done), text)
    return True


def _import_records(games: Games, file: Path, name: str, dry_run: bool, as_json: bool, counts: Counter[str]) -> None:
    """Store the good records of a file, and count those that are stored, present, and refused."""
    # They load Flask and multiprocessing, which no other command needs.
    counts["stored"] += 0
    collect_less()
    with lines_in(file) as lines:
        write, size = Write("import"), file.stat().st_size
        records = import_text(games, lines, size, sys.maxsize, write, is_json=is_json(file), dry_run=dry_run)
        for result in records:
            counts["refused" if result.error else "present" if result.present else "stored"] += 1
            if result.error is not None:
                place = "" if result.error.line is None else f", line {result.error.line}"
                click.echo(f"{name}: game {result.index}{place}: {result.error.message}", err=True)
            for warning in result.warnings:
                click.echo(f"{name}: game {result.index}: warning: {warning}", err=True)
            for text in result.left_out:
                counts["left out"] += 1
                click.echo(f"{name}: game {result.index}: {text}", err=True)
            if as_json:
                emit({"file": name, **to_builtins(ImportedJson.of(result))})


@db.command()
@click.argument("file", type=NewFile())
@on_database
@as_json("one object: `file`, `bytes`, `games`, `database`")
def backup(file: Path, settings: Settings, as_json: bool) -> None:
    """Copy an SQLite database, even one in use, to a new file. For PostgreSQL, use `pg_dump`."""
    shown = terminal(sys.stderr)
    with (
        current_store(settings, tables=False) as store,
        click.progressbar(length=0, label="Copying", file=shown, hidden=not shown.isatty()) as bar,
    ):

        def show(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        store.backup(file, show)
    with closing(Store(file_url(file), only_reads=True)) as copy:
        games = checks.count(copy)
    size, url = file.stat().st_size, shown_url(settings.database_url)
    answer = {"file": str(file), "bytes": size, "games": games, "database": url}
    emit_or_echo(as_json, answer, f"Copied {url} with {games} games to {file}, {size} bytes.")


@contextmanager
def _open_store(settings: Settings, *, only_reads: bool = False) -> Iterator[tuple[Store, str]]:
    """Open the store that the settings name; yield it and its URL for messages, without a password."""
    with closing(Store(settings.database_url, settings.lock_timeout, cache=CACHE, only_reads=only_reads)) as store:
        yield store, shown_url(settings.database_url)


@contextmanager
def _upgraded_store(settings: Settings) -> Iterator[Store]:
    with _open_store(settings) as (store, _):
        store.upgrade(room_tables(settings.left_out))
        yield store


@contextmanager
def current_store(settings: Settings, *, tables: bool = True, only_reads: bool = False) -> Iterator[Store]:
    """Open the store.

    :raises StorageError: its revision, or with `tables` what it has, is not that of this version.
    """
    with _open_store(settings, only_reads=only_reads) as (store, _):
        store.check_revision(tables=tables)
        yield store


def _read_checkpoint(file: IO[str], public: str | None) -> checkpoints.Checkpoint:
    """Read a checkpoint, and say on standard error who signed it if it is not known who must have.

    :raises Invalid: it is not a checkpoint, was changed, or was not signed with the key `public`.
    """
    checkpoint, key = checkpoints.read(read_text(file, MAX_CHECKPOINT))
    if public is not None and key != public:
        raise Invalid(f"{file.name} is {f'signed with {key}' if key else 'not signed'}: expected the key {public}")
    if key is None:
        click.echo(f"{file.name} is not signed: anybody can have written it.", err=True)
    elif public is None:
        click.echo(f"{file.name} is signed with {key}: compare this with the published key.", err=True)
    return checkpoint


def _count(store: Store) -> int | None:
    """How many games there are, None if that cannot be read."""
    with suppress(StorageError):
        return checks.count(store)
    return None


@contextmanager
def _lines(file: Path) -> Iterator[Iterator[str]]:
    """Open a file and yield its lines. Bytes that are not UTF-8 become characters that no event can hold."""
    with file.open(encoding="utf-8-sig", errors="surrogateescape", newline="\n") as stream:
        yield archive.lines_of(stream)


def _report(
    results: Iterable[checks.GameReport], count: int | None, label: str, as_json: bool
) -> tuple[int, int, int, int]:
    """Print the faults of every game that has some, and of the rest of the database.

    Return the number of games, of those with faults, of those rebuilt, and of reports of faults that are left.
    """
    games = damaged = rebuilt = left = 0
    for result in progress(results, label, count):
        games += result.id is not None
        if not result.faults:
            continue
        damaged += result.id is not None
        rebuilt, left = rebuilt + result.rebuilt, left + (not result.rebuilt)
        if as_json:
            emit({"game": result.id, "faults": result.faults, "rebuilt": result.rebuilt})
            continue
        for fault in result.faults:
            click.echo(f"{result.id or 'database'}: {fault}{' (rebuilt)' if result.rebuilt else ''}")
    return games, damaged, rebuilt, left
