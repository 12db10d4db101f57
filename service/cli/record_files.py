"""Read the games in the files that are given to a command."""

from __future__ import annotations

import errno
import re
import shutil
import sys
import tempfile
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from inkeek.records import Game, read_games
from inkeek.records.notation.movetext import escape_lines
from inkeek.service.files import STANDARD, lines_of
from inkeek.service.terminal import terminal

MAX_COPY = 1_000_000_000  # bytes of standard input
PROGRESS_FROM = 1_000_000  # bytes to read for which a progress bar is drawn


@contextmanager
def open_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, or standard input for ``-``, as bytes: the reader itself reports what is not UTF-8."""
    if path == STANDARD:
        yield sys.stdin.buffer
        return
    with path.open("rb") as file:
        yield file


def games_in(paths: tuple[Path, ...], unread: list[Path] | None = None) -> Iterator[tuple[str, Game]]:
    """Yield the file name and the game of every record; standard input without `paths`.

    Of several files, those that cannot be read are reported, if there is a list to put them into.
    :raises UsageError: a file cannot be read.
    """
    sizes = {path: path.stat().st_size for path in paths if path.is_file()}
    with reading_progress(sum(sizes.values())) as advance:
        for path in paths or (STANDARD,):
            try:
                with open_file(path) as file:
                    done = 0
                    for game in read_games(file):
                        if path in sizes:
                            advance(file.tell() - done)
                            done = file.tell()
                        yield str(path), game
            except OSError as error:
                note_unread(path, error, paths, unread)
    sum_up(paths, unread)


def note_unread(path: Path, error: OSError, paths: tuple[Path, ...], unread: list[Path] | None) -> None:
    """Report one of several files that cannot be read, and put it into the list.

    :raises UsageError: it is the only one, or there is no list.
    """
    if error.errno == errno.EPIPE:  # whoever read the output has enough
        raise error
    if unread is None or len(paths) < 2:
        raise click.UsageError(f"{path}: {error.strerror}") from error
    unread.append(path)
    click.echo(f"{path}: {error.strerror}", err=True)


def sum_up(paths: tuple[Path, ...], unread: list[Path] | None) -> None:
    """Say how many files could not be read, if any."""
    if unread:
        click.echo(f"{len(unread)} of {len(paths)} files could not be read.", err=True)


def list_escapes(name: str, game: Game) -> bool:
    """List on standard error the lines of a record that its canonical form leaves out; whether there are any."""
    lines = [] if game.source is None else list(escape_lines(game.source))
    for line, text in lines:
        click.echo(f"{name}: game {game.index + 1}: line {line}, column 1: left out: {text!r}", err=True)
    return bool(lines)


@contextmanager
def lines_in(path: Path) -> Iterator[Iterator[bytes]]:
    """Open a file of records; yield its lines."""
    with reading_progress(path.stat().st_size) as advance, open_file(path) as file:

        def counted() -> Iterator[bytes]:
            for line in lines_of(file):
                advance(len(line))
                yield line

        yield counted()


@contextmanager
def read_again(path: Path) -> Iterator[Path]:
    """A file that can be read several times: the path itself, or for ``-`` a copy of standard input.

    :raises OSError: that is longer than `MAX_COPY`, or than half of what the disk has room for.
    """
    if str(path) != "-":
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="inkeek-") as folder:
        copy = Path(folder, "stdin")
        most = min(MAX_COPY, shutil.disk_usage(folder).free // 2)
        with copy.open("wb") as file:
            for line in lines_of(sys.stdin.buffer):
                if file.tell() + len(line) > most:
                    raise OSError(errno.EFBIG, f"longer than {most} bytes, which are copied first: give it as a file")
                file.write(line)
        yield copy


def is_json(path: Path) -> bool:
    """Whether a file has lines of JSON, not the notation."""
    return _first_line(path).startswith(b"{")


def is_archive(path: Path) -> bool:
    """Whether a file is, or claims to be, one that ``inkeek db export`` wrote."""
    return re.match(rb'\{\s*"inkeek"', _first_line(path)) is not None


def _first_line(path: Path) -> bytes:
    """The beginning of the first line, without byte order marks and white space around it."""
    with open_file(path) as file:
        return file.readline(PROGRESS_FROM).lstrip(BOM_UTF8).strip()


@contextmanager
def reading_progress(size: int) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes the number of bytes just read; much to read from a terminal shows a progress bar."""
    if size < PROGRESS_FROM or not sys.stderr.isatty():
        yield lambda count: None
        return
    with click.progressbar(length=size, label="Reading", file=terminal(sys.stderr)) as bar:
        yield bar.update
