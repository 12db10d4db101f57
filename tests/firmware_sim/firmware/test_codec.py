from __future__ import annotations

import binascii
import re

import pytest
from hypothesis import given, strategies as st

from inkeek.firmware_sim.firmware.codec import MAX_LINE, MAX_UINT32, crc16, dump, encode, load, whole


@pytest.mark.parametrize("field", ["a,b", "a*b", "$", "a\n", "café"])
def test_a_field_that_cannot_be_encoded_is_quoted(field: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(field))):
        encode(["ERR", field])


def test_a_line_that_is_too_long_is_not_encoded() -> None:
    assert len(encode(["x" * 248])) == MAX_LINE
    with pytest.raises(ValueError, match="257"):
        encode(["x" * 249])


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("007", 7), ("4294967295", MAX_UINT32), ("4294967296", -1), ("", -1), ("-1", -1), ("1 ", -1), ("²", -1)],
)
def test_whole_numbers(text: str, number: int) -> None:
    assert whole(text, MAX_UINT32) == number


@given(st.binary(max_size=300))
def test_it_equals_the_standard_library(data: bytes) -> None:
    assert crc16(data) == binascii.crc_hqx(data, 0xFFFF)


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
