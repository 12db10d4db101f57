"""Where records are read from: a path, an open file, or lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import IO, TypeAlias

from inkeek.records.errors import SourceError

from .splitter import RecordText, split_records

RecordSource: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes] | Iterable[str] | Iterable[bytes]


def records_of(source: RecordSource) -> Iterator[RecordText]:
    """The records of a source. A file that is given by its path is open only while it is read.

    :raises FileNotFoundError: there is no file at the path.
    :raises SourceError: the source is no path but a text.
    """
    is_text = isinstance(source, str) and ("\n" in source or source[:1] in ("", "["))
    if is_text or isinstance(source, bytes | bytearray):
        raise SourceError(
            f"{source!r:.40} is a text, not the path of a file: pass io.StringIO(text) or io.BytesIO(text)"
        )
    if isinstance(source, str | os.PathLike):
        os.stat(source)
        return _records_at(source)
    if not (hasattr(source, "readline") or isinstance(source, Iterable)):
        raise SourceError(f"{source!r:.80} holds no records: expected a path, an open file or lines")
    return split_records(source)


def _records_at(path: str | os.PathLike[str]) -> Iterator[RecordText]:
    with open(path, "rb") as file:
        yield from split_records(file)
