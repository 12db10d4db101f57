from __future__ import annotations

import pytest

from drivers.protocol import frames as host
from firmware_sim.firmware import codec as board
from tests.drivers.protocol.fuzz_frames import fuzz, whole_stream


@pytest.mark.parametrize("seed", [1, 2])
def test_what_holds_for_any_pieces(seed: int) -> None:
    estimate = fuzz(60_000, seed)
    assert estimate.whole > 2000
    assert estimate.damaged > 1000
    assert estimate.misfits > 50


def test_a_codec_that_loses_a_line_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = host.Decoder.feed
    monkeypatch.setattr(host.Decoder, "feed", lambda self, data: feed(self, data)[:1])
    with pytest.raises(AssertionError, match="seed 1, after 0 pieces"):
        fuzz(10_000, 1)


def test_a_codec_that_does_not_look_at_the_crc_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "crc16", lambda body: 0)
    with pytest.raises(AssertionError, match="seed 3"):
        fuzz(10_000, 3)


def test_the_reader_of_whole_streams() -> None:
    data = b"x$NAK*0D62\r\ny$NAK*0000\r\n$NA$NAK*0d62\r\n$" + b"z" * 300 + b"$\r\n"
    assert whole_stream(data) == ([("NAK",), ("NAK",)], 4, 2 + 45)
