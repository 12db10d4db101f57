"""The golden frames: the host, the firmware and the foreign board read and write them alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from inkeek.drivers.protocol.frames import Frame, FrameDecoder, write_line
from inkeek.firmware_sim.firmware.codec import LineDecoder, encode
from tests.drivers.protocol.golden import DAMAGED, GOLDEN, GOOD, named, raw
from tests.foreign_board import wire

Read = tuple[list[list[str]], int]
NOISE = b"\x00gar*bage\r\n"
NAK = b"NAK*0D62\r\n"


def read_by_host(pieces: list[bytes]) -> Read:
    decoder = FrameDecoder()
    return [[frame.type, *frame.fields] for piece in pieces for frame in decoder.feed(piece)], decoder.damaged


def read_by_firmware(pieces: list[bytes]) -> Read:
    decoder = LineDecoder()
    return [line for piece in pieces for line in decoder.feed(piece)], decoder.damaged


def read_by_foreign_board(pieces: list[bytes]) -> Read:
    reader = wire.LineReader()
    lines = [line for piece in pieces for line in reader.read(piece)]
    return [line for line in lines if line is not None], lines.count(None)


def fields_of(golden: dict[str, object]) -> list[str]:
    fields = golden["fields"]
    assert isinstance(fields, list)
    return [str(golden["type"]), *fields]


def test_there_are_golden_frames() -> None:
    assert len(GOOD) > 30
    assert len(DAMAGED) > 10


@pytest.mark.parametrize("read", [read_by_host, read_by_firmware, read_by_foreign_board])
@pytest.mark.parametrize("golden", GOLDEN, ids=named)
def test_a_frame_is_read_or_dropped_however_it_is_cut_and_the_next_is_read(
    golden: dict[str, object], read: Callable[[list[bytes]], Read]
) -> None:
    data = NOISE + raw(golden) + (NAK if raw(golden).endswith(b"$") else b"$" + NAK)
    is_damaged = bool(golden.get("damaged"))
    expected = ([] if is_damaged else [fields_of(golden)]) + [["NAK"]], int(is_damaged)
    for size in (1, 5, 1000):
        assert read([data[at : at + size] for at in range(0, len(data), size)]) == expected


@pytest.mark.parametrize("golden", [frame for frame in GOOD if not frame.get("read_only")], ids=named)
def test_a_frame_is_written(golden: dict[str, object]) -> None:
    kind, *fields = fields_of(golden)
    written = write_line(Frame(kind, tuple(fields))), encode([kind, *fields]), wire.write(kind, *fields)
    assert written == (raw(golden),) * 3


ODD = (b"$", b"\r\n", b"\n", b"*", b"$*FFFF\r\n", b"$" + b"x" * 300, b"garbage\x00", b"$NAK*0D62X\n")


@given(st.lists(st.sampled_from([*map(raw, GOLDEN), *ODD]) | st.binary(max_size=9), max_size=12), st.integers(1, 400))
def test_all_read_the_same_from_any_stream_however_it_is_cut(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces) + b"$" + NAK
    cut = [data[at : at + size] for at in range(0, len(data), size)]
    assert read_by_host(cut) == read_by_firmware(cut) == read_by_foreign_board([data])
    assert read_by_host(cut)[0][-1] == ["NAK"]
