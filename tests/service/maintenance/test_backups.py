from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from inkeek.service.errors import Invalid, StorageError
from inkeek.service.games.repository import Games
from inkeek.service.games.write import Write
from inkeek.service.maintenance import backups as module
from inkeek.service.maintenance.backups import EVERY, FOLDER, KEPT, Backups, try_backup
from inkeek.service.storage.database.engine import file_url
from inkeek.service.storage.store import Store


class Evening:
    """A database in a folder with an awkward name, a folder for its backups, and a clock for both."""

    def __init__(self, folder: Path) -> None:
        data, self.stick = folder / "a?b%41c #d", folder / "st%ick?"
        data.mkdir()
        self.stick.mkdir()
        self.store = Store(file_url(data / "inkeek.sqlite3"))
        self.store.upgrade()
        self.games = Games(self.store, max_plies=100)
        self.time = datetime(2026, 11, 20, 18, tzinfo=UTC)
        self.backups = Backups(self.store, str(self.stick), lambda: self.time, lambda: self.time.timestamp())

    def play(self) -> str:
        """A game more, and what is changed of another."""
        return self.games.create("oware", {}, {}, Write("api")).id

    def pass_by(self, time: timedelta = EVERY) -> list[str]:
        """Look after so much time; the files that are there then."""
        self.time += time
        self.backups.look()
        return sorted(path.name for path in self.stick.iterdir())

    @property
    def made(self) -> list[str]:
        return [one.name for one in self.backups.history().made]


@pytest.fixture
def evening(tmp_path):
    made = Evening(tmp_path)
    yield made
    made.store.close()


def test_a_backup_is_made_for_each_hour_of_play_and_can_be_opened(evening):
    evening.play()
    (first,) = evening.pass_by()
    evening.play()
    assert evening.pass_by(EVERY / 2) == [first]
    files = evening.pass_by(EVERY / 2)
    assert files == evening.made
    assert len(files) == 2
    assert [try_backup(evening.stick / name) for name in files] == [1, 2]
    assert [one.games for one in evening.backups.history().made] == [1, 2]
    assert evening.pass_by() == files, "nobody played"
    restored = Store(file_url(evening.stick / files[0]))
    assert Games(restored, max_plies=100).page(10)[0][0].game == "oware"
    restored.close()


def test_the_last_ones_are_kept_and_nothing_else_is_removed(evening, monkeypatch):
    monkeypatch.setattr(module, "KEPT", 2)
    assert KEPT == 24
    foreign = ["inkeek-20200101-000000.sqlite3", "letter.txt"]
    for name in foreign:
        (evening.stick / name).write_text("of somebody else")
    for _ in range(2):
        evening.play()
        evening.pass_by()
    changed = evening.made[0]
    (evening.stick / changed).write_text("written again by somebody")
    for _ in range(3):
        evening.play()
        files = evening.pass_by()
    assert files == sorted([*foreign, changed, *evening.made])
    assert len(evening.made) == 2


def test_a_stick_that_is_gone_is_taken_up_when_it_is_back(evening):
    evening.play()
    evening.pass_by()
    away = evening.stick.rename(evening.stick.with_name("pocket"))
    evening.play()
    evening.time += EVERY
    evening.backups.look()
    assert not evening.stick.exists(), "a folder of that name would fill the disk"
    away.rename(evening.stick)
    assert len(evening.pass_by(timedelta(seconds=5))) == 2


def test_a_backup_without_room_says_so_and_is_tried_again(evening, monkeypatch):
    evening.play()
    with monkeypatch.context() as full:
        full.setattr(module.shutil, "disk_usage", lambda folder: SimpleNamespace(free=1 << 20))
        assert evening.pass_by() == []
    assert evening.backups.history().problem == "full"
    assert evening.pass_by(timedelta(seconds=5)) == [], "it has just been tried"
    assert len(evening.pass_by(timedelta(minutes=1))) == 1
    assert evening.backups.history().problem == ""


@pytest.mark.parametrize("written", [0, 1])
def test_a_backup_that_cannot_be_noted_is_not_left_behind(evening, monkeypatch, written):
    write, left = module._write, [written]

    def fail(path, text):
        if not left[0]:
            raise OSError(28, "No space left on device")
        left[0] -= 1
        write(path, text)

    evening.play()
    with monkeypatch.context() as full:
        full.setattr(module, "_write", fail)
        assert evening.pass_by() == []
        assert evening.pass_by() == []
    assert evening.pass_by() == evening.made != []


def test_a_backup_that_does_not_open_is_no_backup(evening, monkeypatch):
    game = evening.play()
    copy = evening.store.backup

    def damage(target):
        copy(target)
        whole = target.read_bytes()
        assert whole.count(game.encode()) > 1
        target.write_bytes(whole.replace(game.encode(), b"x" * len(game), 1))

    monkeypatch.setattr(evening.store, "backup", damage)
    assert evening.pass_by() == []
    history = evening.backups.history()
    assert (history.problem, history.made) == ("failed", ())


def test_what_a_killed_process_left_is_removed(evening, monkeypatch):
    evening.play()

    class Killed(BaseException):
        pass

    def kill(target):
        target.with_name(f"{target.name}.part").write_text("half of")
        raise Killed

    with monkeypatch.context() as killed:
        killed.setattr(evening.store, "backup", kill)
        with pytest.raises(Killed):
            evening.pass_by()
    assert evening.pass_by() == evening.made


def test_only_offered_places_can_be_chosen(evening, monkeypatch, tmp_path):
    documents = tmp_path / "Documents"
    documents.mkdir()
    monkeypatch.setattr(module, "user_documents_path", lambda: documents)
    monkeypatch.setattr(module, "_sticks", lambda: [evening.stick])
    chosen = Backups(evening.store)
    places = [place.folder for place in chosen.places()]
    assert places == [evening.stick / FOLDER, documents / FOLDER]
    for folder in (str(tmp_path), str(documents), "relative"):
        with pytest.raises(Invalid, match=folder):
            chosen.choose(folder)
    assert chosen.folder() is None
    chosen.choose(str(places[1]))
    assert Backups(evening.store).folder() == places[1]
    assert places[1].is_dir()
    chosen.choose("")
    assert chosen.folder() is None


def test_a_copy_for_a_download_lasts_as_long_as_its_block(evening):
    folder = evening.store.file.parent
    before = set(folder.iterdir())
    with evening.backups.temporary() as copy:
        assert try_backup(copy) == 0
        assert set(folder.iterdir()) - before == {copy}
    assert set(folder.iterdir()) == before


def test_a_file_that_is_no_database_is_no_backup(tmp_path):
    (tmp_path / "notes").write_text("nothing" * 100)
    with pytest.raises(StorageError, match="notes"):
        try_backup(tmp_path / "notes")
