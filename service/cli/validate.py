"""``inkeek validate``: check records, in one or several processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path

import click

from records import Game, RecordError, read_games
from records.notation.chunks import chunk_starts
from service.errors import Invalid
from service.games.record_check import check_record
from service.http.answers.rules import ImportErrorJson
from service.processes.child_process import end_with_parent

from .options import as_json, emit, files
from .record_files import games_in, open_file, reading_progress

PART_SIZE = 4_000_000  # bytes that a process reads at a time


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """What a check found. `warnings` are those of the `Game`."""

    plies: int
    error: RecordError | None
    warnings: tuple[str, ...]


@click.command()
@files
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(0, 256),
    default=1,
    show_default=True,
    help="Number of processes; 0: one per core.",
)
@click.option("--strict", is_flag=True, help="Count warnings as errors.")
@as_json(
    "one object per game: `file`, `index` (from 0), `ok`, `plies` (valid turns), `error` (null or "
    "`line`, `column`, `ply`, `message`, `legal`, `code`, `kind`, `severity`); if there are any, `warnings` (sentences)"
)
def validate(files: tuple[Path, ...], jobs: int, strict: bool, as_json: bool) -> None:
    """Check records: the notation, every turn, the tags, and what a service stores. Exit with status 1 if any record is
    wrong."""
    jobs = jobs or os.cpu_count() or 1
    good = bad = 0
    in_processes = jobs > 1 and files
    unread: list[Path] = []
    checked = _check_in_processes(files, jobs, strict) if in_processes else _check_all(files, strict, unread)
    for name, index, record in checked:
        good, bad = good + (not record.error), bad + bool(record.error)
        if as_json:
            error = record.error and ImportErrorJson.of(record.error)
            fields = {"file": name, "index": index, "ok": not record.error, "plies": record.plies, "error": error}
            emit({**fields, "warnings": record.warnings} if record.warnings else fields)
            continue
        for warning in record.warnings:
            click.echo(f"{name}: game {index + 1}: warning: {warning}")
        if record.error:
            click.echo(f"{name}: game {index + 1}: {record.error}")
    if not as_json:
        click.echo(f"{good} good, {bad} bad")
    sys.exit(1 if bad or unread else 0)


def _check_all(files: tuple[Path, ...], strict: bool, unread: list[Path]) -> Iterator[tuple[str, int, CheckedRecord]]:
    """Yield the file and the index of each record, and what its check found."""
    for name, game in games_in(files, unread):
        yield name, game.index, _check(game, strict)


def _check(game: Game, strict: bool) -> CheckedRecord:
    errors = game.problems if strict else game.errors
    error = errors[0] if errors else _refusal(game)
    return CheckedRecord(game.replay().count, error, () if error else game.warnings())


def _refusal(game: Game) -> RecordError | None:
    """Why an import would refuse a record without errors."""
    try:
        check_record(game)
    except Invalid as error:
        line = game.source.first_line if game.source else 0
        return RecordError(error.message, line, 1, code="not-stored")
    return None


def _check_in_processes(files: tuple[Path, ...], jobs: int, strict: bool) -> Iterator[tuple[str, int, CheckedRecord]]:
    """Like `_check_all`, but cut each file into parts that several processes check."""
    for path in files:
        if not path.is_file():
            raise click.UsageError(f"{path}: -j needs regular files; leave it out")
    sizes = [path.stat().st_size for path in files]
    # Fork where possible, as it takes no time.
    method = "fork" if "fork" in get_all_start_methods() else "spawn"
    with ProcessPoolExecutor(jobs, get_context(method), end_with_parent) as pool:
        cuts = [_cut(path, size) for path, size in zip(files, sizes, strict=True)]
        results = [
            pool.map(partial(_check_part, path, strict), cut[:-1], cut[1:])
            for path, cut in zip(files, cuts, strict=True)
        ]
        with reading_progress(sum(sizes)) as advance:
            for path, cut, parts in zip(files, cuts, results, strict=True):
                index = lines = 0
                for start, end, (count, records) in zip(cut, cut[1:], parts, strict=False):
                    for record in records:
                        error = record.error and replace(record.error, line=record.error.line + lines)
                        yield str(path), index, replace(record, error=error)
                        index += 1
                    lines += count
                    advance(end - start)


def _cut(path: Path, size: int) -> list[int]:
    """Return where the parts of a file begin, and its end."""
    with open_file(path) as file:
        return [*chunk_starts(file, size, PART_SIZE), size]


def _check_part(path: Path, strict: bool, start: int, end: int) -> tuple[int, list[CheckedRecord]]:
    """Return how many lines a part of a file has, and what the checks of its records found."""
    with path.open("rb") as file:
        file.seek(start)
        part = file.read(end - start)
    return part.count(b"\n"), [_check(game, strict) for game in read_games(BytesIO(part))]
