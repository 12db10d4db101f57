"""Imports whose records are prepared by several processes."""

from dataclasses import replace
from pathlib import Path

import pytest

from inkeek.records import read_games
from inkeek.records.game import write_json_line
from inkeek.service.games.library.transfer import ImportResult
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance.verify import verify
from inkeek.service.processes.workers import import_text as module
from inkeek.service.storage.store import Store

GAME = '[Round "{}"]\n[Game "enkeshui"]\n[Options "pits=8"]\n\n1. {} *\n\n'
MOVES = ("c", "z", "c {a word}", "c $", "f")
TEXT = "".join(GAME.format(number % 290, MOVES[number % 5]) for number in range(300))


def imported(folder: Path, lines: list[bytes], most: int, *, is_json: bool) -> list[ImportResult]:
    """The results of an import into a new database, without the ids of the games."""
    store = Store(f"sqlite:///{folder / 'inkeek.sqlite3'}")
    store.upgrade()
    games, write = Games(store, max_plies=100), Write("import")
    results = list(module.import_text(games, lines, 1, most, write, is_json=is_json, dry_run=False))
    assert not any(report.faults for report in verify(store))
    assert len(games.page(1000)[0]) == len({result.id for result in results} - {None})
    store.close()
    return [replace(result, id=None) for result in results]


@pytest.mark.parametrize("is_json", [False, True])
@pytest.mark.parametrize("most", [200, 1000])
def test_processes_prepare_what_one_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, is_json: bool
) -> None:
    lines = TEXT.encode().splitlines(keepends=True)
    if is_json:
        lines = [b"{\n", *(write_json_line(game.to_json()) for game in read_games(lines))]
    found = []
    for limit in (2, 0):
        monkeypatch.setattr(module, "LONG", limit)
        monkeypatch.setattr(module, "PROCESSES", 2)
        (folder := tmp_path / str(limit)).mkdir()
        found.append(imported(folder, lines, most, is_json=is_json))
    assert found[0] == found[1]
    assert len(found[0]) == min(most + 1, 300 + is_json)
    assert {bool(result.error) for result in found[0]} == {True, False}
