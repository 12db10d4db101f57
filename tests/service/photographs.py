"""Photographs that are none but for their headers, which say how large they are."""

from struct import pack


def jpeg(width=64, height=64, more=b"a board" * 9):
    return b"\xff\xd8\xff\xe0\0\4\0\0\xff\xc0\0\x11\x08" + pack(">HH", height, width) + b"\3" + more


def png(width=64, height=64, more=b""):
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + pack(">II", width, height) + more


def webp(kind, width=64, height=64):
    head = b"RIFF\0\0\0\0WEBP" + kind + b"\0\0\0\0"
    if kind == b"VP8X":
        return head + bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    if kind == b"VP8L":
        return head + b"\x2f" + (width - 1 | height - 1 << 14).to_bytes(4, "little")
    return head + bytes(6) + pack("<HH", width, height)
