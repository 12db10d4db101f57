from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from inkeek.records import ruleset
from inkeek.records.analysis import tables
from inkeek.records.analysis.tables import HEADER, VALUES, TableError, build_table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "bof"
    build_table(folder, ruleset("bof"), 3)
    return folder


def copied(table: Path, folder: Path, text: bytes) -> Path:
    """A copy of the table with another header."""
    (folder / "bof").mkdir()
    (folder / "bof" / HEADER).write_bytes(text)
    (folder / "bof" / VALUES).write_bytes((table / VALUES).read_bytes())
    return folder


def sealed(header: dict[str, Any]) -> bytes:
    """A header with the checksum that belongs to it."""
    text = json.dumps(header).encode()
    return b'{"sha256": "%s", "header": %s}' % (sha256(text).hexdigest().encode(), text)


def test_a_header_that_is_sealed_again_is_read(table: Path, tmp_path: Path) -> None:
    header = json.loads((table / HEADER).read_bytes())["header"]
    found = tables.open(copied(table, tmp_path, sealed(header)))
    assert found.tables_for(ruleset("bof"))[0].header.covered == 3


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"seeds": 100, "options": {"pits": 13}},
        {"seeds": 2},
        {"seeds": -1},
        {"options": {"pits": 0}},
        {"options": {"pits": 10**9}},
        {"options": {}},
        {"options": {"pits": True}},
        {"family": "anywoli", "options": {"pits": 13}, "seeds": 60},
        {"family": "enkeshui", "options": {"pits": 12, "skip_origin": True}, "seeds": 90},
        {"roots": [1 << 45]},
        {"roots": [31]},
        {"roots": list(range(32)) * 100},
        {"win_at": 25, "total": 1},
        {"unknown": 1},
        {"layers": [{}]},
    ],
    ids=lambda change: json.dumps(change)[:40],
)
def test_a_hostile_header_is_refused(table: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    header = json.loads((table / HEADER).read_bytes())["header"]
    with pytest.raises(TableError):
        tables.open(copied(table, tmp_path, sealed({**header, **change})))


@pytest.mark.parametrize(
    "change",
    [
        {"start": 5},
        {"positions": 10**12},
        {"width": 2},
        {"width": 9},
        {"codes": [[-100, 100]]},
        {"codes": [[1, 0]]},
        {"codes": [[0, 0]] * 257},
        {"seeds": 1},
        {"patterns": 7},
        {"keys": "0" * 64},
    ],
    ids=lambda change: json.dumps(change)[:40],
)
def test_a_hostile_layer_is_refused(table: Path, tmp_path: Path, change: dict[str, Any]) -> None:
    header = json.loads((table / HEADER).read_bytes())["header"]
    header["layers"][3].update(change)
    with pytest.raises(TableError):
        tables.open(copied(table, tmp_path, sealed(header)))


@pytest.mark.parametrize("text", [b"", b"{}", b"[" * 100_000, b"\xff", b'{"sha256": "", "header": {}}'])
def test_what_is_no_header_is_refused(table: Path, tmp_path: Path, text: bytes) -> None:
    with pytest.raises(TableError):
        tables.open(copied(table, tmp_path, text))


def test_a_header_with_another_checksum_is_refused(table: Path, tmp_path: Path) -> None:
    text = (table / HEADER).read_bytes().replace(b'"sweeps":2', b'"sweeps":3')
    with pytest.raises(TableError, match="checksum"):
        tables.open(copied(table, tmp_path, text))


def test_values_that_are_cut_off_are_refused(table: Path, tmp_path: Path) -> None:
    folder = copied(table, tmp_path, (table / HEADER).read_bytes())
    with (folder / "bof" / VALUES).open("ab") as file:
        file.truncate(100)
    with pytest.raises(TableError):
        tables.open(folder)


def test_a_folder_without_tables_has_none(tmp_path: Path) -> None:
    found = tables.open(tmp_path / "none")
    assert found.set_for(ruleset("bof")) is None
    assert found.value(ruleset("bof"), ruleset("bof").start()) is None
