"""Read the games in the files that are given to a command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from records import Game, read_games

LARGE = 1_000_000  # bytes to read for which a progress bar is drawn


@contextmanager
def open_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, or standard input for ``-``, as bytes: the reader itself reports what is not UTF-8."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        file = path.open("rb")
    except OSError as error:
        raise click.UsageError(f"{path}: {error.strerror}") from error
    with file:
        yield file


def games_in(paths: tuple[Path, ...]) -> Iterator[tuple[str, Game]]:
    """Yield the file name and the game of every record; standard input without `paths`."""
    sizes = {path: path.stat().st_size for path in paths if path.is_file()}
    with reading_progress(sum(sizes.values())) as advance:
        for path in paths or (Path("-"),):
            with open_file(path) as file:
                done = 0
                for game in read_games(file):
                    if path in sizes:
                        advance(file.tell() - done)
                        done = file.tell()
                    yield str(path), game


@contextmanager
def reading_progress(size: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes the number of bytes just read; much to read from a terminal shows a progress bar."""
    hidden = size < LARGE or not sys.stderr.isatty()
    with click.progressbar(length=size, label="Reading", file=sys.stderr, hidden=hidden) as bar:
        yield bar.update
