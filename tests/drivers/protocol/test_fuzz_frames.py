from __future__ import annotations

import pytest

from drivers.protocol import frames as host
from firmware_sim.firmware import codec as board
from tests.drivers.protocol.fuzz_frames import fuzz, whole_stream


@pytest.mark.parametrize("seed", [1, 2])
def test_both_codecs_agree_on_damaged_lines(seed: int) -> None:
    totals = fuzz(60_000, seed)
    assert totals.whole > 2000
    assert totals.damaged > 1000
    assert totals.misfits > 50


def test_a_lost_line_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = host.FrameDecoder.feed
    monkeypatch.setattr(host.FrameDecoder, "feed", lambda self, data: feed(self, data)[:1])
    with pytest.raises(AssertionError, match="seed 1"):
        fuzz(10_000, 1)


def test_an_unchecked_crc_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "crc16", lambda body: 0)
    with pytest.raises(AssertionError, match="seed 3"):
        fuzz(10_000, 3)


def test_the_reader_of_whole_streams() -> None:
    data = b"x$NAK*0D62\r\ny$NAK*0000\r\n$NA$NAK*0d62\r\n$" + b"z" * 300 + b"$\r\n"
    assert whole_stream(data) == ([("NAK",), ("NAK",)], 4, 2 + 45)
