from __future__ import annotations

import binascii

from hypothesis import given
from hypothesis import strategies as st

from firmware_sim.firmware.crc import crc16


def test_the_published_check_value() -> None:
    assert crc16(b"123456789") == 0x29B1


@given(st.binary(max_size=300))
def test_it_equals_the_standard_library(data: bytes) -> None:
    assert crc16(data) == binascii.crc_hqx(data, 0xFFFF)
