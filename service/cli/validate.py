"""``inkeek validate``: check records, in one or several processes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from errno import EINVAL
from functools import partial
from io import BytesIO
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import TypeAlias

import click

from inkeek.records import Game, RecordError, read_games
from inkeek.records.notation.splitter import chunk_starts
from inkeek.service.errors import Invalid
from inkeek.service.files import STANDARD
from inkeek.service.games.record_check import check_record, check_turns
from inkeek.service.http.answers.rules import ImportErrorJson
from inkeek.service.processes.child_process import end_with_parent
from inkeek.service.settings import read_settings

from .options import as_json, emit, files
from .record_files import games_in, note_unread, reading_progress, sum_up

PART_SIZE = 4_000_000  # bytes that a process reads at a time


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """What a check found."""

    plies: int
    error: RecordError | None
    warnings: tuple[RecordError, ...]


Check: TypeAlias = Callable[[Game], CheckedRecord]


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
    wrong; a record with warnings alone is good, but with --strict."""
    jobs = jobs or os.cpu_count() or 1
    good = bad = warned = 0
    in_processes = jobs > 1 and files
    unread: list[Path] = []
    check = partial(_check, strict=strict, max_plies=read_settings(os.environ, {}).max_plies)
    checked = _check_in_processes(files, jobs, check, unread) if in_processes else _check_all(files, check, unread)
    for name, index, record in checked:
        good, bad = good + (not record.error), bad + bool(record.error)
        warned += bool(record.warnings)
        if as_json:
            error = record.error and ImportErrorJson.of(record.error)
            fields = {"file": name, "index": index, "ok": not record.error, "plies": record.plies, "error": error}
            warnings = [warning.note for warning in record.warnings]
            emit({**fields, "warnings": warnings} if warnings else fields)
            continue
        for warning in record.warnings:
            click.echo(f"{name}: game {index + 1}: warning: {warning.note}")
        if record.error:
            click.echo(f"{name}: game {index + 1}: {record.error}")
    if not as_json:
        click.echo(f"{good} good{f' ({warned} with warnings)' if warned else ''}, {bad} bad")
    sys.exit(1 if bad or unread else 0)


def _check_all(files: tuple[Path, ...], check: Check, unread: list[Path]) -> Iterator[tuple[str, int, CheckedRecord]]:
    """Yield the file and the index of each record, and what its check found."""
    for name, game in games_in(files, unread):
        yield name, game.index, check(game)


def _check(game: Game, strict: bool, max_plies: int) -> CheckedRecord:
    errors = game.problems if strict else game.errors
    error = errors[0] if errors else _refusal(game, max_plies)
    warnings = () if error else tuple(one for one in game.problems if one.severity == "warning")
    return CheckedRecord(game.replay().count, error, warnings)


def _refusal(game: Game, max_plies: int) -> RecordError | None:
    """Why an import would refuse a record without errors."""
    try:
        check_record(game)
        check_turns(game.replay().count, max_plies)
    except Invalid as error:
        line = game.source.first_line if game.source else 0
        return RecordError(error.message, line, 1, code="not-stored")
    return None


def _check_in_processes(
    files: tuple[Path, ...], jobs: int, check: Check, unread: list[Path]
) -> Iterator[tuple[str, int, CheckedRecord]]:
    """Like `_check_all`, but cut each file into parts that several processes check."""
    cuts: dict[Path, list[int]] = {}
    for path in files:
        try:
            cuts[path] = _cut(path)
        except OSError as error:
            note_unread(path, error, files, unread)
    # Fork where possible, as it takes no time.
    method = "fork" if "fork" in get_all_start_methods() else "spawn"
    with ProcessPoolExecutor(jobs, get_context(method), end_with_parent) as pool:
        results = [pool.map(partial(_check_part, path, check), cut[:-1], cut[1:]) for path, cut in cuts.items()]
        with reading_progress(sum(cut[-1] for cut in cuts.values())) as advance:
            for (path, cut), parts in zip(cuts.items(), results, strict=True):
                index = lines = 0
                for start, end, (count, records) in zip(cut, cut[1:], parts, strict=False):
                    for record in records:
                        fault = record.error and _moved(record.error, lines)
                        warnings = tuple(_moved(warning, lines) for warning in record.warnings)
                        yield str(path), index, replace(record, error=fault, warnings=warnings)
                        index += 1
                    lines += count
                    advance(end - start)
    sum_up(files, unread)


def _moved(error: RecordError, lines: int) -> RecordError:
    return replace(error, line=error.line + lines) if error.line else error


def _cut(path: Path) -> list[int]:
    """Return where the parts of a file begin, and its end.

    :raises OSError: it cannot be read, or is no regular file.
    """
    size = 0 if path == STANDARD else path.stat().st_size
    if path == STANDARD or not path.is_file():
        raise OSError(EINVAL, "-j needs regular files; leave it out")
    with path.open("rb") as file:
        return [*chunk_starts(file, size, PART_SIZE), size]


def _check_part(path: Path, check: Check, start: int, end: int) -> tuple[int, list[CheckedRecord]]:
    """Return how many lines a part of a file has, and what the checks of its records found."""
    with path.open("rb") as file:
        file.seek(start)
        part = file.read(end - start)
    return part.count(b"\n"), [check(game) for game in read_games(BytesIO(part))]
