"""Imports of large texts in a child process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from inkeek.service.errors import StorageError, TooBusy
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.processes.places import Sender
from inkeek.service.processes.workers import importer as importer_module
from inkeek.service.processes.workers.importer import Importer, ImportText
from inkeek.service.settings import Settings
from inkeek.service.storage import Limit
from inkeek.service.storage.store import Store

ANYBODY = Sender("a", True)
WRITE = Write("import:desk:k1")
MORE = 1000  # games whose results a pipe does not hold: the process cannot be done before they are read
GAME = '[Round "{}"]\n[Game "enkeshui"]\n[Options "pits=8"]\n\n1. {} *\n\n'


@pytest.fixture(autouse=True)
def _large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text is large."""
    monkeypatch.setattr(importer_module, "SMALL", 0)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data=str(tmp_path), lock_timeout=2.0)


@pytest.fixture
def games(settings: Settings) -> Iterator[Games]:
    store = Store(settings.database_url)
    store.upgrade()
    yield Games(store, max_plies=settings.max_plies)
    store.close()


@pytest.fixture
def importer(games: Games, settings: Settings) -> Importer:
    return Importer(games, settings)


def text_of(folder: Path, moves: str, count: int = 130, write: Write = WRITE) -> ImportText:
    """A text of so many games, which begin with these moves in turn."""
    file = folder / "games.pmn"
    file.write_text("".join(GAME.format(number, moves[number % len(moves)]) for number in range(count)))
    return ImportText(str(file), False, 10_000, write, False)


def test_a_large_text_is_imported_by_a_child(tmp_path: Path, games: Games, importer: Importer) -> None:
    """Its results are those of an import without one: stored, refused with place and legal moves, present."""
    text = text_of(tmp_path, "cz")
    with importer.results(text, ANYBODY) as results:
        first = list(results)
    assert [result.ok for result in first] == [True, False] * 65
    assert len(games.page(1000)[0]) == 65
    assert games.load(first[0].id or "").events[0].source == "import:desk:k1"
    again = list(text.results(games))
    assert [result.id for result in again] == [result.id for result in first]
    assert [result.error for result in again] == [result.error for result in first]
    assert {result.present for result in again if result.ok} == {True}


def test_a_child_keeps_to_the_limit_of_a_key(tmp_path: Path, games: Games, importer: Importer) -> None:
    write = Write("import:desk:k1", limit=Limit("event", "Narok Open"))
    with importer.results(text_of(tmp_path, "c", write=write), ANYBODY) as results:
        assert not any(result.ok for result in results)
    assert games.page(1)[0] == []


def test_errors_of_the_storage_come_back(tmp_path: Path, games: Games) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    importer = Importer(games, Settings(data=str(empty)))
    with importer.results(text_of(tmp_path, "c"), ANYBODY) as results, pytest.raises(StorageError):
        list(results)


def test_an_import_that_is_given_up_stops(tmp_path: Path, games: Games, importer: Importer) -> None:
    """Its client is gone: no more games are stored, and the next import goes on with the rest."""
    text = text_of(tmp_path, "c", MORE)
    with importer.results(text, ANYBODY) as results:
        assert next(results).ok
    stored = len(games.page(10_000)[0])
    assert 0 < stored < MORE
    with importer.results(text, ANYBODY) as results:
        assert sum(result.present for result in results) == stored


def test_no_more_imports_run_or_wait_than_there_are_places(
    tmp_path: Path, games: Games, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importer_module, "RUNNING", 1)
    monkeypatch.setattr(importer_module, "WAITING", 0)
    importer, text = Importer(games, settings), text_of(tmp_path, "c")
    with importer.results(text, ANYBODY) as results:
        next(results)
        with pytest.raises(TooBusy), importer.results(text, ANYBODY):
            pass
    with importer.results(text, ANYBODY) as results:
        assert all(result.ok for result in results)
