"""A table's header: which rules and positions it is for, and where the values of each number of seeds lie.

A table is a folder with `table.json` and `values.bin`. The header holds a checksum of itself and one of each layer. A
hostile header must do no harm: what can be computed is not read but compared, and every number has bounds.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Annotated, Any

import msgspec

from inkeek.records.kernel.endgame import TableSet
from inkeek.records.structs import decode_json

from .coverage import MAX_SEEDS, TableRules, layers_of
from .errors import TableError

HEADER = "table.json"
VALUES = "values.bin"
FORMAT = 1
MAX_HEADER = 1 << 24  # bytes
MAX_NAME = 100  # characters

_Text = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]
_Sum = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 50)]
_Seeds = Annotated[int, msgspec.Meta(ge=0, le=1024)]


class TableLayer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The positions with one number of seeds in ordinary pits.

    `start`: where they begin in the file; `width`: bytes of each. With one byte, `codes` are the bounds that each
    stands for; with two, the bytes are the bounds plus 128. `differing`: positions whose value depends on repetition.
    `unsettled`: turns refused because they neither ended nor repeated in time. `sweeps`: until no bound changed.
    """

    seeds: Annotated[int, msgspec.Meta(ge=0, le=MAX_SEEDS)]
    positions: _Count
    patterns: _Count
    start: _Count
    width: Annotated[int, msgspec.Meta(ge=1, le=2)]
    codes: Annotated[list[tuple[int, int]], msgspec.Meta(max_length=256)]
    differing: _Count
    unsettled: _Count
    sweeps: _Count
    keys: _Sum
    sha256: _Sum

    @property
    def size(self) -> int:
        """Bytes of its values."""
        return self.positions * self.width


class TableHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table is for, and the layers that are finished. `seeds`: those it is to have in the end."""

    format: int
    game: _Text
    family: _Text
    options: Annotated[dict[_Text, bool | int | _Text], msgspec.Meta(max_length=50)]
    rest_counts: bool
    repeats_at_zero: bool
    win_at: _Seeds
    total: _Seeds
    seeds: Annotated[int, msgspec.Meta(ge=0, le=MAX_SEEDS)]
    roots: list[Annotated[int, msgspec.Meta(ge=0, lt=1 << 52)]]
    version: _Text
    layers: Annotated[list[TableLayer], msgspec.Meta(max_length=MAX_SEEDS + 1)] = []

    @property
    def rules(self) -> TableRules:
        """The rules that the values depend on."""
        return TableRules(self.family, self.options, self.rest_counts, self.repeats_at_zero, self.win_at, self.total)

    @property
    def covered(self) -> int:
        """The most seeds of a finished layer, -1 if none is."""
        return len(self.layers) - 1

    @property
    def positions(self) -> int:
        """Positions with values."""
        return sum(layer.positions for layer in self.layers)

    @property
    def size(self) -> int:
        """Bytes of all values."""
        return sum(layer.size for layer in self.layers)


class _Sealed(msgspec.Struct, forbid_unknown_fields=True):
    sha256: str
    header: msgspec.Raw


def keys_sum(keys: list[int]) -> str:
    """A checksum of the patterns of a layer, in order."""
    return hashlib.sha256(b"".join(key.to_bytes(8, "little") for key in keys)).hexdigest()


def write_header(folder: Path, header: TableHeader) -> None:
    """Replace the header in one step: whoever reads it finds the old one or this one."""
    text = msgspec.json.encode(header)
    sealed = msgspec.json.encode(_Sealed(hashlib.sha256(text).hexdigest(), msgspec.Raw(text)))
    temporary = folder / f"{HEADER}.new"
    with open(temporary, "wb") as file:
        file.write(sealed)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, folder / HEADER)


def read_header(folder: Path) -> TableHeader:
    """Read a table's header and check all that can be checked without its values.

    :raises TableError: it is damaged, or not a header; says what is wrong and where.
    :raises FileNotFoundError: the folder holds no table.
    """
    path = folder / HEADER
    with open(path, "rb") as file:
        text = file.read(MAX_HEADER + 1)
    if len(text) > MAX_HEADER:
        raise TableError(f"{path}: larger than {MAX_HEADER} bytes: not a table's header")
    try:
        sealed = decode_json(text, _Sealed)
        header = decode_json(sealed.header, TableHeader)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TableError(f"{path}: not a table's header: {error}") from error
    if hashlib.sha256(bytes(sealed.header)).hexdigest() != sealed.sha256:
        raise TableError(f"{path}: its checksum differs: the file is damaged. Build the table again")
    if header.format != FORMAT:
        raise TableError(f"{path}: format {header.format}: this version reads format {FORMAT}")
    return header


def table_set(folder: Path, header: TableHeader) -> tuple[TableSet, list[list[int]]]:
    """The index of a header's table, without values, and the patterns of its layers.

    :raises TableError: the header contradicts itself.
    """
    where = folder / HEADER
    row = header.options.get("pits")
    if isinstance(row, bool) or not isinstance(row, int) or not 1 <= row <= 13:
        raise TableError(f"{where}: pits is {row!r}: expected 1 to 13")
    rules = header.rules
    keys = layers_of(rules, header.seeds, header.roots)
    found = TableSet(row, keys, rules.win_at, rules.total)
    start = 0
    for seeds, layer in enumerate(header.layers):
        expected: dict[str, Any] = {
            "seeds": seeds,
            "positions": found.positions(seeds) if seeds < len(keys) else -1,
            "patterns": len(keys[seeds]) if seeds < len(keys) else -1,
            "start": start,
            "keys": keys_sum(keys[seeds]) if seeds < len(keys) else "",
        }
        for name, value in expected.items():
            if getattr(layer, name) != value:
                raise TableError(f"{where}: layer {seeds}: {name} is {getattr(layer, name)!r}: expected {value!r}")
        if any(not -seeds <= low <= high <= seeds for low, high in layer.codes):
            raise TableError(f"{where}: layer {seeds}: a code is no pair of bounds within {seeds} seeds")
        start += layer.size
    return found, keys
