"""The command that checks records, in several processes if it is told to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from io import BytesIO
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path

import click

from records import Game, RecordError, read_games
from records.notation.chunks import chunk_starts

from .records import as_json, emit, error_json, files, games_in, opened, progress_over

PART = 4_000_000  # bytes that a process reads at a time


@dataclass(frozen=True, slots=True)
class Checked:
    """What is to be said of a record. `warnings`: what it tells of people that does not fit together, as sentences;
    it may well have happened so."""

    plies: int
    error: RecordError | None
    warnings: tuple[str, ...]


@click.command("validate")
@files
@click.option(
    "-j", "--jobs", type=click.IntRange(0, 256), default=1, show_default=True, help="Processes; 0 for one a core."
)
@as_json
def validate_command(files: tuple[Path, ...], jobs: int, as_json: bool) -> None:
    """Check records: the notation, every turn, the tags. Ends with status 1 if any is wrong."""
    jobs = jobs or os.cpu_count() or 1
    good = bad = 0
    for name, index, checked in checked_in_parts(files, jobs) if jobs > 1 and files else checked_in_turn(files):
        good, bad = good + (not checked.error), bad + bool(checked.error)
        if as_json:
            error = error_json(checked.error) if checked.error else None
            told = {"file": name, "index": index, "ok": not checked.error, "plies": checked.plies, "error": error}
            emit({**told, "warnings": checked.warnings} if checked.warnings else told)
            continue
        for warning in checked.warnings:
            click.echo(f"{name}: game {index + 1}: warning: {warning}")
        if checked.error:
            click.echo(f"{name}: game {index + 1}: {checked.error}")
    if not as_json:
        click.echo(f"{good} good, {bad} bad")
    sys.exit(1 if bad else 0)


def checked_in_turn(files: tuple[Path, ...]) -> Iterator[tuple[str, int, Checked]]:
    """The file and index of each record, and what is to be said of it."""
    for name, game in games_in(files):
        yield name, game.index, check(game)


def check(game: Game) -> Checked:
    """What is to be said of a record."""
    errors = game.errors
    if errors:
        return Checked(game.replay().count, errors[0], ())
    return Checked(game.replay().count, None, tuple(fault.message for fault in game.people().faults))


def checked_in_parts(files: tuple[Path, ...], jobs: int) -> Iterator[tuple[str, int, Checked]]:
    """The same, with each file cut into parts that are read by several processes."""
    for path in files:
        if not path.is_file():
            raise click.UsageError(f"{path}: only files can be read by several processes: leave out -j")
    sizes = [path.stat().st_size for path in files]
    # Forked where that can be, which takes no time, and before the progress bar begins a thread.
    method = "fork" if "fork" in get_all_start_methods() else "spawn"
    with ProcessPoolExecutor(jobs, get_context(method)) as pool:
        cuts = [parts_of(path, size) for path, size in zip(files, sizes, strict=True)]
        told = [
            pool.map(check_part, [path] * (len(cut) - 1), cut, cut[1:]) for path, cut in zip(files, cuts, strict=True)
        ]
        with progress_over(sum(sizes)) as progress:
            for path, size, cut, parts in zip(files, sizes, cuts, told, strict=True):
                task = progress.add_task(path.name, total=size)
                index = lines = 0
                for end, (count, records) in zip(cut[1:], parts, strict=True):
                    for checked in records:
                        error = checked.error and replace(checked.error, line=checked.error.line + lines)
                        yield str(path), index, replace(checked, error=error)
                        index += 1
                    lines += count
                    progress.update(task, completed=end)


def parts_of(path: Path, size: int) -> list[int]:
    """Where the parts of a file begin, and its end."""
    with opened(path) as file:
        return [*chunk_starts(file, size, PART), size]


def check_part(path: Path, start: int, end: int) -> tuple[int, list[Checked]]:
    """How many lines there are in a part of a file, and what is to be said of its records."""
    with path.open("rb") as file:
        file.seek(start)
        part = file.read(end - start)
    checked = []
    for game in read_games(BytesIO(part)):
        checked.append(check(game))
    return part.count(b"\n"), checked
