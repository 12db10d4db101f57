from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inkeek.firmware_sim.firmware.calibration import dump, load

SCALES = [(-84012, 107000, 10), None, (0, 100, 1)]


def test_a_dump_is_loaded() -> None:
    data = dump(-15, SCALES)
    assert data == b"1 -15 -84012:107000:10 - 0:100:1 A2F0"
    assert load(data, 3) == (-15, SCALES)


def test_another_board_or_format_is_not_loaded() -> None:
    assert load(dump(200, SCALES), 4) is None
    assert load(b"", 3) is None
    assert load(dump(200, []), 0) == (200, [])


@given(st.integers(0, 36), st.integers(1, 255))
def test_a_damaged_dump_is_not_loaded(at: int, change: int) -> None:
    data = bytearray(dump(-15, SCALES))
    data[at] ^= change
    assert load(bytes(data), 3) is None


@given(st.binary(max_size=60))
def test_random_bytes_are_not_loaded(data: bytes) -> None:
    assert load(data, 3) is None
