"""Where records are read from: a path, an open file, or lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO, TypeAlias

from records.errors import SourceError

from .splitter import RecordText, split_records

RecordSource: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes] | Iterable[str] | Iterable[bytes]


def records_of(source: RecordSource) -> Iterator[RecordText]:
    """The records of a source. A file that is given by its path is open only while it is read.

    :raises FileNotFoundError: there is no file at the path.
    :raises SourceError: the source is no path but a text.
    """
    if isinstance(source, bytes) or (isinstance(source, str) and ("\n" in source or source[:1] in ("", "["))):
        raise SourceError(
            f"{source[:40]!r} is a text, not the path of a file: pass io.StringIO(text) or io.BytesIO(text)"
        )
    if isinstance(source, str | os.PathLike):
        os.stat(source)
        return _records_at(source)
    return split_records(source)


def _records_at(path: str | os.PathLike[str]) -> Iterator[RecordText]:
    with open(path, "rb") as file:
        yield from split_records(file)
