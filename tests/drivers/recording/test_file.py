from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from drivers.errors import RecordingError
from drivers.recording.file import KINDS, Header, Item, Recording, RecordingWriter

HEADER = Header("inkeek", "/dev/ttyACM0", "2026-11-21T11:00:00.000Z", "inkeek 0.1.0", ("1a2b3c4d", 17))
ITEMS = [
    Item(0.0, "open", True),
    Item(0.0, "host", "$PING*1234\r\n"),
    Item(0.05, "board", "".join(map(chr, range(256)))),
    Item(0.05, "ack", ["1a2b3c4d", 18]),
    Item(0.1, "show", {"to_move": "South", "errors": [3]}),
    Item(1.5, "lost", "lost /dev/ttyACM0", b"\xff$"),
    Item(2.5, "end", True),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "board.jsonl"


def write(path: Path, items: list[Item] = ITEMS, max_size: int = 1 << 20) -> RecordingWriter:
    tape = RecordingWriter(path, HEADER, max_size)
    for item in items:
        tape.add(item)
    tape.close()
    return tape


def read(path: Path) -> tuple[list[Item], str | None]:
    recording = Recording(path)
    items = list(recording.items())
    recording.close()
    return items, recording.cut


def test_what_is_written_is_read(path: Path) -> None:
    write(path)
    recording = Recording(path)
    assert recording.header == HEADER
    assert (list(recording.items()), recording.cut) == (ITEMS, None)
    recording.close()
    assert ITEMS[2].data == bytes(range(256))


def test_a_person_can_read_it(path: Path) -> None:
    write(path)
    lines = path.read_text("ascii").splitlines()
    assert json.loads(lines[0])["port"] == "/dev/ttyACM0"
    assert lines[2] == r'{"t":0.0,"host":"$PING*1234\r\n"}'


def test_a_file_cut_anywhere_is_read_up_to_there(path: Path) -> None:
    write(path)
    whole = path.read_bytes()
    top = whole.index(b"\n") + 1
    for size in range(top, len(whole)):
        path.write_bytes(whole[:size])
        items, cut = read(path)
        lines = whole[:size].count(b"\n")
        assert items == ITEMS[: lines - 1]
        assert cut is not None
        if whole[size - 1 : size] == b"\n":
            assert cut == f"it breaks off after line {lines} (byte {size}): the session was not ended"
        else:
            start = whole.rindex(b"\n", 0, size) + 1
            assert cut == f"line {lines + 1} (byte {start}) is incomplete"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"\0" * 20, "Expecting value"),
        (b"[]", "not an object"),
        (b"[" * 30000, "recursion"),
        (b'{"t":0}', f"expected one of {', '.join(KINDS)}"),
        (b'{"t":0,"host":"a","board":"b"}', "expected one of"),
        (b'{"t":0,"host":7}', "expected one of"),
        (b'{"t":-1,"host":"a"}', "t is -1: expected seconds, 0 or more"),
        (b'{"t":NaN,"host":"a"}', "t is nan"),
        (b'{"t":true,"host":"a"}', "t is True"),
        (b'{"host":"a"}', "t is None"),
        (b'{"t":0,"board":"\xc4\x80"}', "latin-1"),
        (b'{"t":0,"ack":["x"]}', "ack is ['x']: expected [boot id, number]"),
        (b'{"t":0,"lost":"x","unsent":5}', "unsent is 5"),
        (b'{"t":0,"host":"' + b"x" * 70000 + b'"}', "is incomplete"),
    ],
)
def test_a_damaged_line_ends_it_and_is_told(path: Path, line: bytes, complaint: str) -> None:
    write(path, ITEMS[:1])
    at = path.stat().st_size
    with path.open("ab") as file:
        file.write(line + b'\n{"t":1,"end":true}\n')
    items, cut = read(path)
    assert items == ITEMS[:1]
    assert cut is not None
    assert cut.startswith(f"line 3 (byte {at}) is ")
    assert complaint in cut


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is no recording: its first line is not the header of one"),
        ("secret: 1234\n", "is no recording"),
        ("[]\n", "is no recording"),
        ("{}\n", "is no recording"),
        ('{"inkeek-recording": 2}\n', "is a recording of format 2: known is 1"),
        ('{"inkeek-recording": 1}\n', "does not tell driver, port"),
        (
            '{"inkeek-recording":1,"driver":"i","port":"p","started":"s","host":"h","resume":["b"]}\n',
            "does not tell driver, port",
        ),
    ],
)
def test_what_is_no_recording(path: Path, text: str, complaint: str) -> None:
    path.write_text(text)
    with pytest.raises(RecordingError, match=complaint) as caught:
        Recording(path)
    assert "secret" not in str(caught.value)


def test_files_that_cannot_be(path: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"cannot read .*: No such file"):
        Recording(path)
    with pytest.raises(RecordingError, match=r"cannot read .*: Is a directory"):
        Recording(tmp_path)
    path.write_text("mine")
    with pytest.raises(RecordingError, match=r"cannot record to .*: File exists"):
        RecordingWriter(path, HEADER)
    assert path.read_text() == "mine"


def test_a_file_grows_no_larger_than_told(path: Path) -> None:
    tape = write(path, [Item(float(t), "board", "x" * 100) for t in range(1000)], 5000)
    assert tape.stopped == "it is full: a recording has at most 5000 bytes"
    assert 4800 < path.stat().st_size <= 5100  # and the line that says so
    items, cut = read(path)
    assert (items[-1].kind, items[-1].value, cut) == ("full", 5000, None)
    assert all(item.kind == "board" for item in items[:-1])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_disk_that_is_full_stops_the_recording_and_nothing_else(path: Path) -> None:
    tape = RecordingWriter(path, HEADER)
    with open("/dev/full", "wb", buffering=0) as full:
        os.dup2(full.fileno(), tape._file.fileno())
    tape.add(ITEMS[0])
    assert tape.stopped == "No space left on device"
    tape.add(ITEMS[0])
    tape.close()


def test_a_recorder_that_is_killed_loses_nothing_that_was_added(path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from drivers.recording.file import *\n"
        "tape = RecordingWriter(Path(sys.argv[1]), Header('d', 'p', 's', 'h'))\n"
        "for t in range(100): tape.add(Item(float(t), 'board', 'x'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    items, cut = read(path)
    assert [item.t for item in items] == list(range(100))
    assert cut is not None
    assert cut.startswith("it breaks off after line 101 ")
