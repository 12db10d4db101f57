import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inkeek.drivers.errors import MessageError, SpoolError, SpoolFull
from inkeek.drivers.events import Button, Connected, Event, Gap, PitChanged, Snapshot
from inkeek.drivers.recording.json_form import read_event
from inkeek.records import SOUTH
from inkeek.service.boards.remote.spool import Spool

BOOT = "0000000a"
HELLO = Connected("S-1", "1.0", (1, 0), BOOT, 8, True, frozenset({"leds"}))


def pit(seq: int) -> PitChanged:
    return PitChanged(BOOT, seq, 10 * seq, 3, 4.02)


def button(seq: int) -> Button:
    return Button(BOOT, seq, 10 * seq, SOUTH, "commit", (4.0,) * 18)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "spools" / "game.spool"


@pytest.fixture
def spool(path: Path) -> Iterator[Spool]:
    spool = Spool(path)
    spool.begin(0, None)
    yield spool
    spool.close()


def held(spool: Spool) -> list[Event]:
    return [read_event(event) for event in spool.batch(1000)[1]]


def test_what_was_appended_is_there_when_it_is_opened_again(spool: Spool, path: Path) -> None:
    events = [HELLO, pit(1), button(2), pit(3), Snapshot(BOOT, 3, (4.0,) * 18, (15,) * 18)]
    spool.append(events)
    spool.bind("b1")
    spool.close()
    again = Spool(path)
    assert held(again) == events
    assert (again.id, again.board, again.begun) == (spool.id, "b1", True)
    assert (again.first, again.last, again.waiting, again.resume, again.button) == (1, 5, 5, (BOOT, 3), 3)
    again.close()


def test_a_board_goes_on_after_a_gap_too(spool: Spool) -> None:
    spool.append([pit(3), Gap("lost", BOOT, 7)])
    assert spool.resume == (BOOT, 7)


def test_numbers_go_on_whatever_was_delivered(spool: Spool, path: Path) -> None:
    spool.append([pit(1), pit(2), pit(3)])
    spool.forget(2)
    assert (spool.batch(1000)[0], held(spool), spool.waiting) == (3, [pit(3)], 1)
    spool.forget(3)
    spool.forget(99)
    assert (spool.first, spool.last, spool.waiting, spool.batch(9)) == (4, 3, 0, (4, []))
    spool.close()
    again = Spool(path)
    again.append([pit(4)])
    assert (again.batch(1000)[0], again.last) == (4, 4)
    again.close()


def test_a_batch_is_bounded(spool: Spool) -> None:
    spool.append([pit(seq) for seq in range(1, 8)])
    assert [event["seq"] for event in spool.batch(3)[1]] == [1, 2, 3]


def test_a_spool_that_takes_over_begins_where_the_service_is(path: Path) -> None:
    spool = Spool(path)
    assert not spool.begun
    spool.begin(40, (BOOT, 12))
    assert (spool.first, spool.last, spool.waiting, spool.resume) == (41, 40, 0, (BOOT, 12))
    spool.append([pit(13)])
    assert spool.batch(9)[0] == 41
    spool.close()


def test_two_cannot_fill_the_same_spool(spool: Spool, path: Path) -> None:
    with pytest.raises(SpoolError, match=r"game\.spool"):
        Spool(path)
    spool.append([pit(1)])
    spool.close()
    Spool(path).close()


def test_a_full_spool_takes_nothing_and_goes_on_when_there_is_room(path: Path) -> None:
    spool = Spool(path, limit=3)
    spool.begin(0, None)
    spool.append([pit(1), pit(2)])
    with pytest.raises(SpoolFull, match="3 events"):
        spool.append([pit(3), pit(4)])
    assert (spool.last, spool.resume, held(spool)) == (2, (BOOT, 2), [pit(1), pit(2)])
    spool.forget(1)
    spool.append([pit(3), pit(4)])
    assert spool.last == 4
    spool.close()


def test_a_disk_without_room_keeps_all_or_nothing(spool: Spool) -> None:
    spool.append([pit(1)])
    pages = spool._file.execute("PRAGMA page_count").fetchone()[0]
    spool._file.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(SpoolFull):
        spool.append([button(seq) for seq in range(2, 400)])
    assert (spool.last, spool.resume, held(spool)) == (1, (BOOT, 1), [pit(1)])
    spool._file.execute("PRAGMA max_page_count = 100000")
    spool.append([pit(2)])
    assert held(spool) == [pit(1), pit(2)]


def test_an_event_that_cannot_be_sent_is_not_kept(spool: Spool) -> None:
    with pytest.raises(MessageError):
        spool.append([pit(1), PitChanged(BOOT, 2, 0, 3, float("nan"))])
    assert (spool.last, held(spool)) == (0, [])


def test_what_is_no_spool_is_refused(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"a letter home, and nothing else" * 100)
    with pytest.raises(SpoolError, match="file is not a database"):
        Spool(path)
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(SpoolError, match="version 9: expected 1"):
        Spool(path)


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SpoolError, match="spool"):
        Spool(tmp_path / "file" / "x.spool")


WRITER = """
import sys
from pathlib import Path
from inkeek.drivers.events import PitChanged
from inkeek.service.boards.remote.spool import Spool
spool = Spool(Path(sys.argv[1]))
if not spool.begun:
    spool.begin(0, None)
while True:
    seq = spool.last + 1
    spool.append([PitChanged("0000000a", seq, 0, 1, 2.0), PitChanged("0000000a", seq + 1, 0, 1, 2.0)])
    print(spool.last, flush=True)
"""


def test_a_death_loses_nothing_and_leaves_no_lock(path: Path) -> None:
    for _ in range(3):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert writer.stdout is not None
        for _ in range(20):
            acknowledged = int(writer.stdout.readline())
        os.kill(writer.pid, signal.SIGKILL)
        acknowledged = max([acknowledged, *map(int, writer.stdout.read().split("\n")[:-1])])
        writer.wait()
        writer.stdout.close()
        spool = Spool(path)
        assert spool.last in (acknowledged, acknowledged + 2)
        assert [event["seq"] for event in spool.batch(10**6)[1]] == list(range(1, spool.last + 1))
        spool.close()


def test_a_spool_is_bounded_in_bytes(tmp_path: Path) -> None:
    spool = Spool(tmp_path / "small.spool", max_bytes=64 << 10)
    spool.begin(0, None)
    for _ in range(10):
        spool.append([button(1)] * 10)
    with pytest.raises(SpoolFull):
        spool.append([button(1)] * 10_000)
    assert 10 < spool.waiting < 1000
    spool.forget(spool.last // 2)
    spool.append([button(spool.last + 1)])
    spool.close()
    assert (tmp_path / "small.spool").stat().st_size <= 64 << 10
