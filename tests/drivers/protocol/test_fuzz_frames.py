from __future__ import annotations

import pytest

from inkeek.drivers.protocol import frames as host
from tests.drivers.protocol.fuzz_frames import fuzz


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
