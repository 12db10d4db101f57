import logging
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from inkeek.drivers.boards.standard import StandardBoard
from inkeek.drivers.recording.file import Header, Item, Recording, RecordingWriter
from inkeek.service.boards.board_work import Recordings, make_room
from inkeek.service.errors import Invalid
from inkeek.service.games.write import Write
from inkeek.service.settings import Settings
from tests.drivers.ports.test_connection import World
from tests.drivers.recording.test_recorder import On
from tests.service.boards.desk_thread import DeskThread
from tests.service.boards_double import SMALL
from tests.service.waiting import until

NOW = datetime(2026, 11, 21, 12, 0, 0, 5, tzinfo=UTC)


def recordings(folder: Path | str, size: int = 1 << 20) -> Recordings:
    moments = (NOW + timedelta(seconds=n) for n in range(1000))
    return Recordings(Settings(recordings=str(folder), recordings_size=size), lambda: next(moments))


def test_a_session_is_a_file(tmp_path):
    connection = recordings(tmp_path / "new").open(On(World()), "ab12", "/dev/fake", ("1a2b3c4d", 7))
    connection.close()
    (file,) = (tmp_path / "new").iterdir()
    assert file.name == "20261121T120000.000005Z-ab12.jsonl"
    recording = Recording(file)
    assert recording.header.driver == "inkeek"
    assert recording.header.port == "/dev/fake"
    assert recording.header.started == "2026-11-21T12:00:00.000005Z"
    assert recording.header.resume == ("1a2b3c4d", 7)
    assert [item.kind for item in recording.items()] == ["open", "end", "host", "close"]
    recording.close()


def test_none_is_made_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened = []
    monkeypatch.setattr(StandardBoard, "open", lambda *given: opened.append(given) or World().connect())
    recordings("").open(StandardBoard(), "ab12", "/dev/fake", None).close()
    assert len(opened) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_recorded_is_played_all_the_same(tmp_path, caplog):
    class Old:
        name, title = "old", "Old"

        def open(self, url, resume=None):
            return "a connection"

    with caplog.at_level(logging.WARNING):
        assert recordings(tmp_path).open(Old(), "ab12", "/dev/fake", None) == "a connection"
    assert [name for name in ("ab12", "/dev/fake", "'old'") if name not in caplog.text] == []


def test_a_folder_that_cannot_be_is_told(tmp_path, caplog, monkeypatch):
    (tmp_path / "file").write_text("")
    world = World()
    driver = On(world)
    monkeypatch.setattr(driver, "open", lambda url, resume=None: world.connect(), raising=False)
    with caplog.at_level(logging.WARNING):
        recordings(tmp_path / "file").open(driver, "ab12", "/dev/fake", None).close()
    assert "cannot record to" in caplog.text


def test_the_oldest_go_and_what_is_not_ours_stays(tmp_path):
    for number in range(10):
        (tmp_path / f"20261121T12000{number}.000000Z-ab.jsonl").write_bytes(b"x" * 100)
    (tmp_path / "notes.jsonl").write_bytes(b"x" * 10_000)
    make_room(tmp_path, 350)
    assert sorted(os.listdir(tmp_path)) == [
        *(f"20261121T12000{number}.000000Z-ab.jsonl" for number in (7, 8, 9)),
        "notes.jsonl",
    ]


def test_a_folder_stays_within_its_size(tmp_path):
    shelf = recordings(tmp_path)
    for _ in range(6):
        connection = shelf.open(On(World()), "ab12", "/dev/fake", None)
        while connection.writer.stopped is None:
            connection.writer.add(Item(0.0, "board", "x" * 4096))
        connection.close()
        assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= (1 << 20) + 1000
    assert len(list(tmp_path.iterdir())) == 4


@pytest.mark.parametrize("size", [0, 1000])
def test_an_empty_folder_has_room(tmp_path, size):
    make_room(tmp_path, size)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("installed")
def test_a_recorded_session_plays_a_game_at_the_desk(services, tmp_path):
    """What a report of a misunderstood board holds becomes the game again."""
    row = services.games.create("enkeshui", SMALL, {}, Write("api"))
    game = services.games.load(row.id)
    tape = RecordingWriter(tmp_path / "board.jsonl", Header("counts", "/dev/ttyUSB0", "", ""))
    tape.add(Item(0.0, "open", True))
    position, moves = game.position, []
    tape.add(Item(0.5, "board", lie(position)))
    tape.add(Item(0.5, "token", "0000000a"))
    for second in range(1, 6):
        turn = game.rules.play(position, game.rules.legal_moves(position, 1)[0])
        tape.add(Item(float(second), "board", f"{lie(turn.position)}commit {position.to_move.letter}\r\n"))
        position = turn.position
        moves.append(str(turn.move))
    tape.close()
    services.boards.bind(f"recorded:{tape.path}?speed=max", "recorded", row.id)
    with DeskThread(services):
        until(lambda: services.games.row(row.id).ply == 5)
    assert services.games.row(row.id).position == str(position)


def lie(position):
    pits, stores = (" ".join(map(str, counts)) for counts in (position.pits, position.stores))
    return f"{pits} | {stores}\r\n"


@pytest.mark.usefixtures("installed")
def test_only_a_recording_can_be_bound_to_its_driver(services):
    row = services.games.create("enkeshui", {}, {}, Write("api"))
    with pytest.raises(Invalid, match=r"port: .*'/dev/ttyACM0'.*recorded:FILE"):
        services.boards.bind("/dev/ttyACM0", "recorded", row.id)
    with pytest.raises(Invalid, match=r"port: .*'recorded:x'"):
        services.boards.bind("recorded:x", "inkeek", row.id)
