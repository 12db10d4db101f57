from __future__ import annotations

import pytest

from inkeek.drivers.errors import MessageError
from inkeek.drivers.protocol.frames import Frame, FrameDecoder, write_line
from inkeek.drivers.protocol.limits import MAX_LINE
from tests.drivers.protocol.golden import BY_NAME, DAMAGED, GOOD, as_frame, named, raw


def feed(data: bytes, size: int) -> tuple[list[Frame], FrameDecoder]:
    decoder = FrameDecoder()
    frames = [frame for at in range(0, len(data), size) for frame in decoder.feed(data[at : at + size])]
    return frames, decoder


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("golden", GOOD, ids=named)
def test_golden_frames_are_read_in_pieces_of_any_size(golden: dict[str, object], size: int) -> None:
    frames, decoder = feed(raw(golden), size)
    assert frames == [as_frame(golden)]
    assert (decoder.damaged, decoder.ignored) == (0, 0)


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize("golden", DAMAGED, ids=named)
def test_damaged_frames_are_dropped_and_the_next_is_read(golden: dict[str, object], size: int) -> None:
    after = raw(BY_NAME["a hand emptied a pit"])
    frames, decoder = feed(raw(golden), size)
    assert (frames, decoder.damaged) == ([], 1)
    assert decoder.feed(after) == [as_frame(BY_NAME["a hand emptied a pit"])]


@pytest.mark.parametrize("golden", [frame for frame in GOOD if not frame.get("read_only")], ids=named)
def test_golden_frames_are_written(golden: dict[str, object]) -> None:
    assert write_line(as_frame(golden)) == raw(golden)


def test_the_decoder_buffers_one_line_at_most() -> None:
    decoder = FrameDecoder()
    assert decoder.feed(b"$" + b"x" * 1_000_000) == []
    assert decoder.damaged == 1
    assert decoder.ignored == 1_000_001 - MAX_LINE
    assert decoder.feed(raw(BY_NAME["are you there"])) == [Frame("PING", ())]


@pytest.mark.parametrize("frame", [Frame("in,keek"), Frame("HELLO", ("ïnkeek",)), Frame("HELLO", ("x" * 250,))])
def test_frames_that_do_not_fit_a_line_are_refused(frame: Frame) -> None:
    with pytest.raises(MessageError):
        write_line(frame)
