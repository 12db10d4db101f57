"""Frames on the channel between a driver's process and ours: JSON after its length. Whoever reads sets the bound."""

from __future__ import annotations

import struct

HEAD = struct.Struct("!I")


def frame(data: bytes) -> bytes:
    """The bytes of a frame."""
    return HEAD.pack(len(data)) + data
