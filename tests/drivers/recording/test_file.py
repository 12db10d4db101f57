from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inkeek.drivers.errors import RecordingError
from inkeek.drivers.recording.file import KINDS, Header, Item, Recording, RecordingWriter

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
    writer = RecordingWriter(path, HEADER, max_size)
    for item in items:
        writer.add(item)
    writer.close()
    return writer


def read(path: Path) -> tuple[list[Item], str | None]:
    recording = Recording(path)
    items = list(recording.items())
    recording.close()
    return items, recording.cut


def test_a_recording_is_read_as_written(path: Path) -> None:
    write(path)
    recording = Recording(path)
    assert recording.header == HEADER
    assert (list(recording.items()), recording.cut) == (ITEMS, None)
    recording.close()
    assert ITEMS[2].data == bytes(range(256))


def test_a_recording_is_readable_text(path: Path) -> None:
    write(path)
    lines = path.read_text("ascii").splitlines()
    assert json.loads(lines[0])["port"] == "/dev/ttyACM0"
    assert lines[2] == r'{"t":0.0,"host":"$PING*1234\r\n"}'


def test_a_cut_file_is_read_up_to_the_cut(path: Path) -> None:
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
            assert f"line {lines} (byte {size})" in cut
        else:
            start = whole.rindex(b"\n", 0, size) + 1
            assert f"line {lines + 1} (byte {start})" in cut


@pytest.mark.parametrize(
    ("line", "quoted"),
    [
        (b"\0" * 20, ""),
        (b"[]", ""),
        (b"[" * 30000, ""),
        (b'{"t":0}', ", ".join(KINDS)),
        (b'{"t":0,"host":"a","board":"b"}', "open, board"),
        (b'{"t":0,"host":7}', "open, board"),
        (b'{"t":-1,"host":"a"}', "-1"),
        (b'{"t":NaN,"host":"a"}', "nan"),
        (b'{"t":true,"host":"a"}', "True"),
        (b'{"host":"a"}', "None"),
        (b'{"t":0,"board":"\xc4\x80"}', "latin-1"),
        (b'{"t":0,"ack":["x"]}', "['x']"),
        (b'{"t":0,"lost":"x","unsent":5}', "5"),
        (b'{"t":0,"host":"' + b"x" * 70000 + b'"}', ""),
    ],
)
def test_a_damaged_line_ends_the_recording(path: Path, line: bytes, quoted: str) -> None:
    write(path, ITEMS[:1])
    at = path.stat().st_size
    with path.open("ab") as file:
        file.write(line + b'\n{"t":1,"end":true}\n')
    items, cut = read(path)
    assert items == ITEMS[:1]
    assert cut is not None
    assert f"line 3 (byte {at})" in cut
    assert quoted in cut


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ""),
        ("secret: 1234\n", ""),
        ("[]\n", ""),
        ("{}\n", ""),
        ('{"inkeek-recording": 2}\n', "2.* 1"),
        ('{"inkeek-recording": 1}\n', "driver, port, started, host and resume"),
        (
            '{"inkeek-recording":1,"driver":"i","port":"p","started":"s","host":"h","resume":["b"]}\n',
            "driver, port, started, host and resume",
        ),
    ],
)
def test_other_files_are_refused_and_not_quoted(path: Path, text: str, named: str) -> None:
    path.write_text(text)
    with pytest.raises(RecordingError, match=f"{re.escape(str(path))}.*{named}") as caught:
        Recording(path)
    assert "secret" not in str(caught.value)


def test_files_that_cannot_be_opened_are_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"cannot read .*: No such file"):
        Recording(path)
    with pytest.raises(RecordingError, match=r"cannot read .*: Is a directory"):
        Recording(tmp_path)
    path.write_text("mine")
    with pytest.raises(RecordingError, match=r"cannot record to .*: File exists"):
        RecordingWriter(path, HEADER)
    assert path.read_text() == "mine"


def test_a_recording_stops_at_its_limit(path: Path) -> None:
    writer = write(path, [Item(float(t), "board", "x" * 100) for t in range(1000)], 5000)
    assert writer.stopped is not None
    assert "5000" in writer.stopped
    assert 4800 < path.stat().st_size <= 5100  # with the line that says so
    items, cut = read(path)
    assert (items[-1].kind, items[-1].value, cut) == ("full", 5000, None)
    assert all(item.kind == "board" for item in items[:-1])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_stops_the_recording_without_an_error(path: Path) -> None:
    writer = RecordingWriter(path, HEADER)
    with open("/dev/full", "wb", buffering=0) as full:
        os.dup2(full.fileno(), writer._file.fileno())
    writer.add(ITEMS[0])
    assert writer.stopped == "No space left on device"
    writer.add(ITEMS[0])
    writer.close()


def test_a_killed_process_loses_no_item(path: Path) -> None:
    script = (
        "import os, signal, sys; from pathlib import Path; from inkeek.drivers.recording.file import *\n"
        "writer = RecordingWriter(Path(sys.argv[1]), Header('d', 'p', 's', 'h'))\n"
        "for t in range(100): writer.add(Item(float(t), 'board', 'x'))\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    items, cut = read(path)
    assert [item.t for item in items] == list(range(100))
    assert cut is not None
    assert "line 101 " in cut
