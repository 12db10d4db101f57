from __future__ import annotations

import pytest

from inkeek.drivers.errors import MessageError
from inkeek.drivers.protocol.frames import Frame, FrameDecoder, write_line
from inkeek.drivers.protocol.limits import MAX_LINE
from inkeek.firmware_sim.firmware.codec import LineDecoder
from tests.drivers.protocol.golden import BY_NAME, raw


@pytest.mark.parametrize("kind", [FrameDecoder, LineDecoder])
def test_a_decoder_buffers_one_line_at_most(kind: type[FrameDecoder] | type[LineDecoder]) -> None:
    decoder = kind()
    assert decoder.feed(b"$" + b"x" * 1_000_000) == []
    assert decoder.damaged == 1
    assert decoder.ignored == 1_000_001 - MAX_LINE
    assert len(decoder.feed(raw(BY_NAME["are you there"]))) == 1


@pytest.mark.parametrize("frame", [Frame("in,keek"), Frame("HELLO", ("ïnkeek",)), Frame("HELLO", ("x" * 250,))])
def test_frames_that_do_not_fit_a_line_are_refused(frame: Frame) -> None:
    with pytest.raises(MessageError):
        write_line(frame)
