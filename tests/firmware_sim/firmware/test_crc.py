from __future__ import annotations

import binascii

from hypothesis import given
from hypothesis import strategies as st

from inkeek.firmware_sim.firmware.crc import crc16


@given(st.binary(max_size=300))
def test_it_equals_the_standard_library(data: bytes) -> None:
    assert crc16(data) == binascii.crc_hqx(data, 0xFFFF)
